import type { Command } from 'commander'
import { isUrl } from '../../src/core/uri.ts'
import { addCommand, atServer } from '../command.ts'
import { UsageError } from '../errors.ts'
import type { CommandRun, ServerFlags } from '../run.ts'

interface DoctorFlags extends ServerFlags {
  readonly client?: string
}

/** `redmint mcp …` */
export function addMcpCommands(program: Command, run: CommandRun): void {
  const mcp = program.command('mcp').description('servers of the Model Context Protocol (MCP)')

  atServer(
    addCommand(
      mcp,
      'doctor <url>',
      'Asks an MCP server where its tokens come from, as MCP clients do, and says what breaks. It needs no Redis. With `--client` it also says how far this client came.',
      [
        'redmint mcp doctor https://mcp.example.com/mcp',
        'redmint mcp doctor https://mcp.example.com/mcp --client https://app.example/client.json --server https://login.example.com',
      ],
    ),
  )
    .option(
      '--client <client_id>',
      'show too what this client did last until it was connected, and which side is to act',
    )
    .action(async (url: string, { client, ...flags }: DoctorFlags) => {
      const server = readUrl(url)
      // The other commands and the server need none of it.
      const { examineConnection, examineMcpServer } = await import('./examine.ts')
      if (client === undefined) return run.executeAlone(flags, () => examineMcpServer(server))
      const { languageOf } = await import('../explain/show.ts')
      const wanted = { client_id: client, language: languageOf(run.environment) }
      await run.operate(flags, (calls) => examineConnection(calls, server, wanted))
    })
}

/** @throws UsageError unless the text is an http or https URL without a fragment */
function readUrl(text: string): string {
  if (isUrl(text) && /^https?:\/\/[^#]+$/i.test(text)) return text
  throw new UsageError(
    `${text} is not the address of an MCP server: give one such as https://mcp.example.com/mcp.`,
  )
}
