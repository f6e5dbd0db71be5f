import type { Command } from 'commander'
import { addCommand, onHost } from '../command.ts'
import { UsageError } from '../errors.ts'
import type { CommandRun } from '../run.ts'
import { markRestore } from './mark.ts'

interface Flags {
  at?: string
  yes?: true
  json?: true
}

/** `redmint restore …` */
export function addRestoreCommands(program: Command, run: CommandRun): void {
  const restore = program.command('restore').description('after Redis was restored from a backup')

  onHost(
    addCommand(
      restore,
      'mark',
      'Ends what was issued before a time: sessions, codes, tokens and JWTs. A restored Redis has valid ones that were revoked after its backup.',
      ['redmint restore mark', 'redmint restore mark --at 2026-11-21T10:15:30Z --yes'],
    ),
    run,
    'The mark is for a Redis that was restored, before servers use it; redmint session end-all ends what users have.',
  )
    .option('--at <instant>', 'end what was issued before this time (default: now)')
    .option('--yes', 'do not ask for confirmation')
    .action((flags: Flags) =>
      run.execute(flags, async (context) => {
        const at = flags.at === undefined ? new Date(context.now()) : readInstant(flags.at, context.now())
        const question = `End every session and refuse every token from before ${at.toISOString()}?`
        if (await run.confirm(flags, question)) return markRestore(context, at)
        return { text: 'Nothing was changed.', json: { not_before: null } }
      }),
    )
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

/** @throws UsageError unless the text is an instant of the past, with its time zone */
function readInstant(text: string, now: number): Date {
  const at = new Date(INSTANT.test(text) && isDay(text.slice(0, 10)) ? text : Number.NaN)
  if (Number.isNaN(at.getTime())) {
    throw new UsageError(`--at ${text} is not an instant: give one such as 2026-11-21T10:15:30Z.`)
  }
  if (at.getTime() > now) {
    throw new UsageError(
      `--at ${text} is in the future: nothing that is issued until then would be accepted.`,
    )
  }
  return at
}

// Date takes the 30th of February for the 2nd of March, and a mark cannot be moved back.
function isDay(day: string): boolean {
  const start = new Date(day)
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day)
}
