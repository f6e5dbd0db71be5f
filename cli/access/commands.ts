import type { Command } from 'commander'
import type { GrantOwner } from '../../src/admin/access/grants.ts'
import { nameForm } from '../../src/core/visible-text.ts'
import { addCommand } from '../command.ts'
import { Refusal, UsageError } from '../errors.ts'
import type { CommandRun } from '../run.ts'
import { endGrant, endGrants, endSessions, endSessionsOfAll, showGrants, showSessions } from './reports.ts'

interface Json {
  json?: true
}
interface OfOwner extends Json {
  user?: string
  client?: string
}

/** `redmint user sessions` and `redmint user grants` */
export function addUserAccessCommands(user: Command, run: CommandRun): void {
  addCommand(
    user,
    'sessions <username>',
    'Lists where a user is signed in: since when, last used when, in which browser, and for which clients.',
    ['redmint user sessions alice'],
  ).action((username: string, flags: Json) =>
    run.execute(flags, (context) => showSessions(context, username)),
  )

  addCommand(user, 'grants <username>', 'Lists what applications may do for a user.', [
    'redmint user grants alice',
  ]).action((username: string, flags: Json) =>
    run.execute(flags, (context) => showGrants(context, { username })),
  )
}

/** `redmint session …` */
export function addSessionCommands(program: Command, run: CommandRun): void {
  const session = program.command('session').description('where users are signed in')

  addCommand(
    session,
    'end <username> [sid]',
    'Ends a session of a user, or all with --all. Its clients are told as after a logout, and its tokens end.',
    ['redmint session end alice Yk3yJ2mQvT0', 'redmint session end alice --all'],
  )
    .option('--all', 'all sessions of the user')
    .action((username: string, sid: string | undefined, flags: Json & { all?: true }) => {
      if ((sid === undefined) === (flags.all === undefined))
        throw new UsageError('Give a sid, as redmint user sessions shows it, or --all.')
      return run.execute(flags, (context) => endSessions(context, nameForm(username), sid))
    })

  addCommand(
    session,
    'end-all',
    'Ends all sessions of all users with their tokens, once a minute at most; asks first.',
    ['redmint session end-all --yes'],
  )
    .option('--yes', 'do not ask')
    .action(async (flags: Json & { yes?: true }) => {
      if (!(await run.confirm(flags, 'End all sessions of all users?')))
        throw new Refusal('Nothing was changed.')
      await run.execute(flags, endSessionsOfAll)
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
  ).action((flags: OfOwner) => run.execute(flags, (context) => showGrants(context, ownerOf(flags))))

  withOwner(
    addCommand(
      grant,
      'end [grant]',
      'Ends a grant with all its tokens, or all grants of a user or a client. The first part of a token, up to the dot, is its grant.',
      ['redmint grant end d3GtQ7ByL0pXw2Za', 'redmint grant end --client web-app'],
    ),
  ).action((id: string | undefined, flags: OfOwner) => {
    if (id === undefined) return run.execute(flags, (context) => endGrants(context, ownerOf(flags)))
    if (flags.user !== undefined || flags.client !== undefined)
      throw new UsageError('Give a grant, or --user or --client: not both.')
    return run.execute(flags, (context) => endGrant(context, id))
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
  ).action((flags: OfOwner) => run.execute(flags, (context) => showGrants(context, ownerOf(flags))))
}

function withOwner(command: Command): Command {
  return command
    .option('--user <username>', 'those of this user', nameForm)
    .option('--client <client_id>', 'those of this client')
}

/** @throws UsageError unless one of them is given */
function ownerOf({ user, client }: OfOwner): GrantOwner {
  if (user !== undefined && client === undefined) return { username: user }
  if (client !== undefined && user === undefined) return { client_id: client }
  throw new UsageError('Give either --user or --client.')
}
