import { type Command, InvalidArgumentError, Option } from 'commander'
import { addCommand, atServer } from '../command.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import {
  EXPORT_FORMATS,
  exportEntries,
  type FilterFlags,
  MAX_PER_PAGE,
  searchEntries,
  type TrailExportFlags,
  tailEntries,
} from './reports.ts'

/** `redmint audit …` */
export function addAuditCommands(program: Command, run: CommandRun): void {
  const audit = program.command('audit').description('the audit trail: who changed what, and who signed in')

  atServer(
    addCommand(audit, 'tail', 'Shows the last entries, the newest at the end.', [
      'redmint audit tail',
      'redmint audit tail --limit 50',
    ]),
  )
    .addOption(limitOption())
    .action((flags: ServerFlags & { limit: number }) =>
      run.operate(flags, (calls) => tailEntries(calls, flags)),
    )

  filtered(
    atServer(
      addCommand(
        audit,
        'search',
        'Finds entries, the newest first. It looks at some thousand, and says where to go on.',
        ['redmint audit search --user alice --since 24h', 'redmint audit search --event client_changed'],
      ),
    ),
  )
    .addOption(limitOption())
    .option('--cursor <cursor>', 'go on where a search ended')
    .action((flags: FilterFlags & { limit: number; cursor?: string }) =>
      run.operate(flags, (calls) => searchEntries(calls, flags)),
    )

  filtered(
    atServer(
      addCommand(audit, 'export', 'Prints all entries, the oldest first.', [
        'redmint audit export --since 7d > audit.ndjson',
        'redmint audit export --format csv > audit.csv',
      ]),
    ),
  )
    .addOption(
      new Option('--format <format>', 'how')
        .choices([...EXPORT_FORMATS])
        .default('ndjson' satisfies TrailExportFlags['format']),
    )
    .action((flags: TrailExportFlags) =>
      run.operate(flags, (calls) => exportEntries(calls, flags, (text) => run.printLine(text))),
    )

  atServer(
    addCommand(
      audit,
      'verify',
      'Compares the entries with their signatures and their chain, and says which are missing, changed or in another place. It needs the AUDIT_KEY of the servers.',
      ['redmint audit verify'],
    ),
  ).action(async (flags: ServerFlags) => {
    const { verifyEntries } = await import('./verify.ts')
    await run.operate(flags, verifyEntries)
  })
}

function limitOption(): Option {
  return new Option('--limit <number>', 'how many at most').argParser(readLimit).default(20)
}

function filtered(command: Command): Command {
  return command
    .option(
      '--actor <id>',
      'who caused it: a `sub`, a `client_id`, or `user`, `operator`, `client` or `system`',
    )
    .option('--client <client_id>', 'the client that caused it, or that it is about')
    .option('--user <username>', 'the same for a user who exists')
    .option('--event <name>', 'one of the [events](events.md)')
    .option('--since <time>', 'not before this time in ISO 8601, or for how long: `30m`, `24h`, `7d`')
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PER_PAGE) return limit
  throw new InvalidArgumentError(`It must be 1 to ${MAX_PER_PAGE}.`)
}
