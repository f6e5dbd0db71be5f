import { randomBytes } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import type { Hash } from '../src/records/hash.ts'
import { isClaim, isUsername, parseUser } from '../src/records/user.ts'
import type { UserStore } from '../src/storage/storage.ts'
import { addCommand } from './command.ts'
import { Refusal, refuseProblems, sayProblem } from './errors.ts'
import { type Report, table } from './output.ts'
import type { Session } from './session.ts'
import { disableUser, enableUser, removeUser } from './user-state.ts'

interface AddFlags {
  sub?: string
  claim?: Hash
  json?: true
}

const SUB_BYTES = 16

/** `redmint user …` */
export function addUserCommands(program: Command, session: Session): void {
  const user = program.command('user').description("people's accounts")

  addCommand(
    user,
    'add <username>',
    'Stores a person. Sign-in, and so a password, comes with a later version.',
    ['redmint user add alice --claim name="Alice Example" --claim email=alice@example.com'],
  )
    .option('--sub <id>', 'the subject that tokens carry; stays the same for good (default: 128 random bits)')
    .option('--claim <name=value>', 'a standard claim; repeatable', collectClaim)
    .action((username: string, flags: AddFlags) =>
      session.answer(flags, ({ storage }) => addUser(storage, username, flags)),
    )

  addCommand(user, 'list', 'Lists all users, malformed records included.', ['redmint user list']).action(
    (flags: { json?: true }) => session.answer(flags, ({ storage }) => listUsers(storage)),
  )

  addCommand(
    user,
    'disable <username>',
    'Disables a user and ends what was issued for them: sign-ins, codes, tokens.',
    ['redmint user disable alice'],
  ).action((username: string, flags: { json?: true }) =>
    session.answer(flags, ({ storage }) => disableUser(storage, username)),
  )

  addCommand(user, 'enable <username>', 'Enables a disabled user; what was ended stays so.', [
    'redmint user enable alice',
  ]).action((username: string, flags: { json?: true }) =>
    session.answer(flags, ({ storage }) => enableUser(storage, username)),
  )

  addCommand(
    user,
    'remove <username>',
    'Removes a user for good and ends what was issued for them; asks first.',
    ['redmint user remove alice --yes'],
  )
    .option('--yes', 'do not ask')
    .action(async (username: string, flags: { json?: true; yes?: true }) => {
      if (!(await session.confirm(flags, `Remove the user "${username}" for good?`))) {
        throw new Refusal('Nothing was changed.')
      }
      await session.answer(flags, ({ storage }) => removeUser(storage, username))
    })
}

async function addUser(store: UserStore, username: string, flags: AddFlags): Promise<Report> {
  if (!isUsername(username)) {
    throw new Refusal('A username has 1 to 255 characters, without white space, colons and braces.')
  }
  const sub = flags.sub ?? randomBytes(SUB_BYTES).toString('base64url')
  const hash: Hash = { ...flags.claim, sub }
  const parsed = parseUser(username, hash)
  if (!parsed.ok) {
    throw refuseProblems(
      'The record would be malformed, so nothing was written:',
      parsed.problems.map(sayProblem),
    )
  }
  if (flags.sub !== undefined) await assertFree(store, flags.sub)
  if ((await store.createUser(username, hash)) === 'exists') {
    throw new Refusal(`There is a user "${username}" already.`)
  }
  return { text: `The user is stored.\n\nusername  ${username}\nsub       ${sub}`, json: parsed.record }
}

// OpenID Connect Core §2: a sub means one person for good.
async function assertFree(store: UserStore, sub: string): Promise<void> {
  for await (const { username, hash } of store.listUsers()) {
    if (hash.sub === sub) throw new Refusal(`The sub "${sub}" is the user "${username}" already.`)
  }
}

async function listUsers(store: UserStore): Promise<Report> {
  const found: [string, Hash][] = []
  for await (const { username, hash } of store.listUsers()) found.push([username, hash])
  const users = [...new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)))].map(([username, hash]) => {
    const parsed = parseUser(username, hash)
    return parsed.ok ? parsed.record : { username, problems: parsed.problems }
  })
  const rows = users.map((user) =>
    'problems' in user
      ? [user.username, '', 'malformed', user.problems.map(sayProblem).join('; ')]
      : [user.username, user.sub, user.disabled ? 'disabled' : 'active', sayClaims(user.claims)],
  )
  return {
    text:
      users.length === 0 ? 'There are no users yet.' : table(['USERNAME', 'SUB', 'STATE', 'CLAIMS'], rows),
    json: { users },
  }
}

function sayClaims(claims: Hash): string {
  return Object.entries(claims)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}

function collectClaim(value: string, previous: Hash = {}): Hash {
  const [, name, text] = /^([A-Za-z_]\w*)=(.+)$/s.exec(value) ?? []
  if (name === undefined || text === undefined) {
    throw new InvalidArgumentError('It has the form name=value, as in email=alice@example.com.')
  }
  if (!isClaim(name)) throw new InvalidArgumentError(`${name} is no claim to set here.`)
  return Object.fromEntries([...Object.entries(previous), [name, text]])
}
