import type { Command } from 'commander'
import { isUrl } from '../../src/core/uri.ts'
import { addCommand, atServer } from '../command.ts'
import { UsageError } from '../errors.ts'
import type { CommandRun, ServerFlags } from '../run.ts'

interface DoctorFlags extends ServerFlags {
  readonly client?: string
  readonly assertionsFrom?: string
  readonly user?: string
}

/** `redmint mcp …` */
export function addMcpCommands(program: Command, run: CommandRun): void {
  const mcp = program.command('mcp').description('servers of the Model Context Protocol (MCP)')

  atServer(
    addCommand(
      mcp,
      'doctor <url>',
      'Asks an MCP server where its tokens come from, as MCP clients do, and says what breaks. It needs no Redis. With `--client` it also says how far this client came. With `--assertions-from` it looks at [identity assertions](other-servers.md) for it, too: at both servers, and at the records of the one that Redis or `--server` is.',
      [
        'redmint mcp doctor https://mcp.example.com/mcp',
        'redmint mcp doctor https://mcp.example.com/mcp --client https://app.example/client.json --server https://login.example.com',
        'redmint mcp doctor https://api.chat.example/mcp --assertions-from https://auth.acme.example --client agent --user ann',
      ],
    ),
  )
    .option(
      '--client <client_id>',
      'show too what this client did last until it was connected, and which side is to act',
    )
    .option(
      '--assertions-from <issuer>',
      'look at identity assertions of this server, and whether the client of `--client` gets in by them: as it is called at the server whose records are read',
    )
    .option('--user <username>', 'with `--assertions-from`: a person at that server')
    .action(async (url: string, { client, assertionsFrom, user, ...flags }: DoctorFlags) => {
      const server = readUrl(url, 'an MCP server')
      // The other commands and the server need none of it.
      const { examineAssertions, examineConnection, examineMcpServer } = await import('./examine.ts')
      if (assertionsFrom !== undefined) {
        const asked = { assertions_from: readUrl(assertionsFrom, 'a server'), client, user }
        if (run.serverOf(flags) === undefined && !run.has_redis)
          return run.executeAlone(flags, () => examineAssertions(server, asked))
        return run.operate(flags, (calls) => examineAssertions(server, asked, calls))
      }
      if (user !== undefined) throw new UsageError('--user needs --assertions-from.')
      if (client === undefined) return run.executeAlone(flags, () => examineMcpServer(server))
      const { languageOf } = await import('../explain/show.ts')
      const wanted = { client_id: client, language: languageOf(run.environment) }
      await run.operate(flags, (calls) => examineConnection(calls, server, wanted))
    })
}

/** @throws UsageError unless the text is an http or https URL without a fragment */
function readUrl(text: string, of: string): string {
  if (isUrl(text) && /^https?:\/\/[^#]+$/i.test(text)) return text
  throw new UsageError(`${text} is not the address of ${of}: give one such as https://mcp.example.com/mcp.`)
}
