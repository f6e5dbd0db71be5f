import type { Command } from 'commander'
import { nameForm } from '../../src/core/visible-text.ts'
import { addCommand, atServer } from '../command.ts'
import { Refusal, UsageError } from '../errors.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { endGrants, type OwnerFlags, showGrants } from './grants.ts'
import { endEverySession, endSessions } from './sessions.ts'

type All = ServerFlags & { readonly all?: true }

/** `redmint session …` */
export function addSessionCommands(program: Command, run: CommandRun): void {
  const session = program
    .command('session')
    .description('sign-ins in browsers; redmint user sessions lists those of a user')

  atServer(
    addCommand(
      session,
      'end <username> [sid]',
      'Ends a session of a user, or with --all all of them, with their tokens. Clients are told as at a logout.',
      ['redmint session end alice 5Jr0vU5oB0m1xw0XQHnLLQ', 'redmint session end alice --all'],
    ),
  )
    .option('--all', 'end all sessions of the user')
    .action((username: string, sid: string | undefined, flags: All) => {
      assertOne('a sid, see redmint user sessions', sid, flags)
      return run.operate(flags, (calls) => endSessions(calls, nameForm(username), sid))
    })

  atServer(
    addCommand(
      session,
      'end-all',
      'Ends all sessions of all users, with their tokens, within a second: everybody must sign in again; asks first.',
      ['redmint session end-all --yes'],
    ),
  )
    .option('--yes', 'do not ask')
    .action(async (flags: ServerFlags & { yes?: true }) => {
      if (!(await run.confirm(flags, 'End all sessions of all users?'))) {
        throw new Refusal('Nothing was changed.')
      }
      await run.operate(flags, endEverySession)
    })
}

/** `redmint grant …` */
export function addGrantCommands(program: Command, run: CommandRun): void {
  const grant = program
    .command('grant')
    .description('what applications may do: each sign-in at an application, with its tokens')

  withOwner(
    atServer(
      addCommand(grant, 'list', 'Lists the grants of a user or a client, the latest first.', [
        'redmint grant list --user alice',
        'redmint grant list --client web-app',
      ]),
    ),
  ).action((flags: ServerFlags & OwnerFlags) => run.operate(flags, (calls) => showGrants(calls, flags)))

  withOwner(
    atServer(
      addCommand(
        grant,
        'end [grant]',
        'Ends a grant, or with --all those of a user or a client, with all tokens.',
        ['redmint grant end --user alice 3q2-7wAAAAAAAAAA', 'redmint grant end --client web-app --all'],
      ),
    ),
  )
    .option('--all', 'end all of them')
    .action((id: string | undefined, flags: All & OwnerFlags) => {
      assertOne('a grant, see redmint grant list', id, flags)
      return run.operate(flags, (calls) => endGrants(calls, flags, id))
    })
}

/** Adds the options that say whose grants are meant. */
export function withOwner(command: Command): Command {
  return command
    .option('--user <username>', 'those of this user', nameForm)
    .option('--client <client_id>', 'those of this client')
}

function assertOne(what: string, id: string | undefined, { all }: All): void {
  if ((id === undefined) !== (all === true)) throw new UsageError(`Give either ${what}, or --all.`)
}
