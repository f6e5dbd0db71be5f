import type { Command } from 'commander'
import { nameForm } from '../../src/core/visible-text.ts'
import { addCommand, atServer } from '../command.ts'
import { Refusal, UsageError } from '../errors.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { endActing, showActing, showGrant } from './acting.ts'
import {
  endGrant,
  endGrants,
  endSessions,
  endSessionsOfAll,
  type Owner,
  showGrants,
  showSessions,
} from './reports.ts'

interface OfOwner extends ServerFlags {
  user?: string
  client?: string
}

/** `redmint user sessions` and `redmint user grants` */
export function addUserAccessCommands(user: Command, run: CommandRun): void {
  atServer(
    addCommand(
      user,
      'sessions <username>',
      'Lists where a user is signed in: since when, last used when, in which browser, and for which clients.',
      ['redmint user sessions alice'],
    ),
  ).action((username: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => showSessions(calls, username)),
  )

  atServer(
    addCommand(user, 'grants <username>', 'Lists what applications may do for a user.', [
      'redmint user grants alice',
    ]),
  ).action((username: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => showGrants(calls, { username })),
  )
}

/** `redmint session …` */
export function addSessionCommands(program: Command, run: CommandRun): void {
  const session = program.command('session').description('where users are signed in')

  atServer(
    addCommand(
      session,
      'end <username> [sid]',
      'Ends a session of a user, or all with --all. Its clients are told as after a logout, and its tokens end.',
      ['redmint session end alice Yk3yJ2mQvT0', 'redmint session end alice --all'],
    ),
  )
    .option('--all', 'all sessions of the user')
    .action((username: string, sid: string | undefined, flags: ServerFlags & { all?: true }) => {
      if ((sid === undefined) === (flags.all === undefined))
        throw new UsageError('Give a sid, as redmint user sessions shows it, or --all.')
      return run.operate(flags, (calls) => endSessions(calls, nameForm(username), sid))
    })

  atServer(
    addCommand(
      session,
      'end-all',
      'Ends all sessions of all users with their tokens, once a minute at most; asks first.',
      ['redmint session end-all --yes'],
    ),
  )
    .option('--yes', 'do not ask')
    .action(async (flags: ServerFlags & { yes?: true }) => {
      if (!(await run.confirm(flags, 'End all sessions of all users?')))
        throw new Refusal('Nothing was changed.')
      await run.operate(flags, endSessionsOfAll)
    })
}

/** `redmint grant …` */
export function addGrantCommands(program: Command, run: CommandRun): void {
  const grant = program.command('grant').description('what applications may do for users')

  withOwner(
    addCommand(grant, 'list', 'Lists the grants of a user or a client.', [
      'redmint grant list --user alice',
      'redmint grant list --client web-app --json',
    ]),
  ).action((flags: OfOwner) => run.operate(flags, (calls) => showGrants(calls, ownerOf(flags))))

  atServer(
    addCommand(
      grant,
      'show <grant>',
      'Shows a grant, and as a tree who acts by it: the clients that have tokens by [exchange](acting.md) for its tokens.',
      ['redmint grant show d3GtQ7ByL0pXw2Za'],
    ),
  ).action((id: string, flags: ServerFlags) => run.operate(flags, (calls) => showGrant(calls, id)))

  withOwner(
    addCommand(
      grant,
      'acting',
      'Shows who acts for a user, or for the users that signed in at a client, by [exchanged](acting.md) tokens: a tree for each grant.',
      ['redmint grant acting --user alice'],
    ),
  ).action((flags: OfOwner) => run.operate(flags, (calls) => showActing(calls, ownerOf(flags))))

  atServer(
    addCommand(
      grant,
      'end-acting <client_id>',
      'Ends what a client does for others by [exchanged](acting.md) tokens, in one grant, or in all of a user: it gets no further ones there, until the user signs in anew.',
      [
        'redmint grant end-acting billing --grant d3GtQ7ByL0pXw2Za',
        'redmint grant end-acting billing --user alice',
      ],
    ),
  )
    .option('--grant <grant>', 'in this grant')
    .option('--user <username>', 'in all grants of this user', nameForm)
    .action((client_id: string, { grant: id, user, ...flags }: OfOwner & { grant?: string }) => {
      const of = id !== undefined ? { grant: id } : user !== undefined ? { username: user } : undefined
      if (of === undefined || (id !== undefined && user !== undefined))
        throw new UsageError('Give either --grant or --user.')
      return run.operate(flags, (calls) => endActing(calls, client_id, of))
    })

  withOwner(
    addCommand(
      grant,
      'end [grant]',
      'Ends a grant with all its tokens, or all grants of a user or a client. The first part of a token, up to the dot, is its grant.',
      ['redmint grant end d3GtQ7ByL0pXw2Za', 'redmint grant end --client web-app'],
    ),
  ).action((id: string | undefined, flags: OfOwner) => {
    if (id === undefined) {
      const owner = ownerOf(flags)
      return run.operate(flags, (calls) => endGrants(calls, owner))
    }
    if (flags.user !== undefined || flags.client !== undefined)
      throw new UsageError('Give a grant, or --user or --client: not both.')
    return run.operate(flags, (calls) => endGrant(calls, id))
  })
}

/** `redmint token list` */
export function addTokenListCommand(token: Command, run: CommandRun): void {
  withOwner(
    addCommand(
      token,
      'list',
      'Lists the grants of a user or a client, each with all its tokens: the tokens themselves are shown nowhere.',
      ['redmint token list --user alice'],
    ),
  ).action((flags: OfOwner) => run.operate(flags, (calls) => showGrants(calls, ownerOf(flags))))
}

function withOwner(command: Command): Command {
  return atServer(command)
    .option('--user <username>', 'those of this user', nameForm)
    .option('--client <client_id>', 'those of this client')
}

/** @throws UsageError unless one of them is given */
function ownerOf({ user, client }: OfOwner): Owner {
  if (user !== undefined && client === undefined) return { username: user }
  if (client !== undefined && user === undefined) return { client_id: client }
  throw new UsageError('Give either --user or --client.')
}
