import type { Command } from 'commander'
import { isUrl } from '../../src/core/uri.ts'
import { addCommand } from '../command.ts'
import { UsageError } from '../errors.ts'
import type { CommandRun } from '../run.ts'

/** `redmint mcp …` */
export function addMcpCommands(program: Command, run: CommandRun): void {
  const mcp = program.command('mcp').description('servers of the Model Context Protocol (MCP)')

  addCommand(
    mcp,
    'doctor <url>',
    'Asks an MCP server where its tokens come from, as MCP clients do, and says what breaks. It needs no Redis.',
    ['redmint mcp doctor https://mcp.example.com/mcp'],
  ).action(async (url: string, flags: { json?: true }) => {
    const server = readUrl(url)
    // The other commands and the server need none of it.
    const { examineMcpServer } = await import('./examine.ts')
    await run.executeAlone(flags, () => examineMcpServer(server))
  })
}

/** @throws UsageError unless the text is an http or https URL without a fragment */
function readUrl(text: string): string {
  if (isUrl(text) && /^https?:\/\/[^#]+$/i.test(text)) return text
  throw new UsageError(
    `${text} is not the address of an MCP server: give one such as https://mcp.example.com/mcp.`,
  )
}
