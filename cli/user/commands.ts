import { type Command, InvalidArgumentError } from 'commander'
import { present } from '../../src/core/present.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { nameForm } from '../../src/core/visible-text.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'
import { addUserAccessCommands } from '../access/commands.ts'
import { addCommand, atServer, type FindFlag, onHost, withFind } from '../command.ts'
import { Refusal, UsageError } from '../errors.ts'
import { addClearFlags, addFieldFlags, clearedFields, type FlagValues, givenFields } from '../field-flags.ts'
import { withFile } from '../file-twice.ts'
import { lint } from '../findings.ts'
import { readTextFile } from '../import.ts'
import { unlock } from '../limits/limits.ts'
import { openList } from '../list-file.ts'
import { addReindexCommand } from '../reindex.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { addActAsCommand } from './act-as.ts'
import { CLAIM_FLAGS, collectClaim, collectClaimName, readClaimsFile } from './claims.ts'
import { withdrawConsent } from './consent.ts'
import { addUser, setPassword, updateUser } from './edit.ts'
import { resetFactors, showFactors } from './factors.ts'
import { importUsers, type UserImportFlags } from './import.ts'
import { addLinkCommands } from './links.ts'
import { readFirstPassword, readNewPassword } from './password.ts'
import { listInactive, listUsers, showUser } from './show.ts'
import { disableUser, enableUser, endUser, removeUser } from './state.ts'

interface Json {
  json?: true
}
interface PasswordStdin {
  passwordStdin?: true
}
interface ClaimFlags {
  claims?: string
  claim?: Hash
  name?: string
  email?: string
  emailVerified?: true
}
type AddFlags = FlagValues & ServerFlags & PasswordStdin & ClaimFlags
interface UpdateFlags extends ServerFlags, ClaimFlags, FlagValues {
  removeClaim?: string[]
}

/** The fields besides claims that `user update` changes. */
const FIELDS = { linked_subjects: USER_FIELDS.linked_subjects, second_factor: USER_FIELDS.second_factor }

const PASSWORD_STDIN = 'read the password from stdin (at least `PASSWORD_MIN_LENGTH` characters)'

/** `redmint user …` */
export function addUserCommands(program: Command, run: CommandRun): void {
  const user = program
    .command('user')
    .description(
      'user accounts; redmint apply declares them in a file, redmint admin grant lets them use the admin API',
    )
  const claimsOf = async (flags: ClaimFlags): Promise<Hash> => {
    const { claims, claim = {}, name, email, emailVerified } = flags
    const own = present({ name, email, email_verified: emailVerified && 'true' })
    const twice = CLAIM_FLAGS.find((field) => own[field] !== undefined && Object.hasOwn(claim, field))
    if (twice !== undefined)
      throw new UsageError(`${twice} is given twice: by a flag of its own and by --claim.`)
    const file = claims === undefined ? {} : readClaimsFile(await readTextFile(claims, () => run.readStdin()))
    return { ...file, ...claim, ...own }
  }

  addFieldFlags(
    withClaims(
      atServer(
        addCommand(
          user,
          'add <username>',
          'Adds a user, and asks for a password on a terminal. Without a password, the user cannot sign in until user set-password sets one. With SIGN_IN=passkeys nobody has a password: prints a link instead, with which the user makes a passkey.',
          [
            'redmint user add alice --name "Alice Example" --email alice@example.com --email-verified',
            'redmint user add bob --password-stdin --claims bob.json < password.txt',
            `redmint user add carol --claim 'groups=["admin","staff"]'`,
          ],
        ),
      ),
    ),
    USER_FIELDS,
  )
    .option(
      '--password-stdin',
      `${PASSWORD_STDIN}. Without it, the command asks for one on a terminal; without a password the user cannot sign in yet`,
    )
    .action(async (username: string, flags: AddFlags) => {
      if (flags.passwordStdin && flags.claims === '-')
        throw new UsageError('--password-stdin and --claims - cannot both read stdin.')
      const at_server = run.serverOf(flags) !== undefined
      // The API neither takes nor shows passwords.
      if (at_server && flags.passwordStdin)
        throw new UsageError('A password is set on Redis only: leave --password-stdin or --server out.')
      const claims = await claimsOf(flags)
      const password = at_server ? undefined : await readFirstPassword(run, flags)
      const fields = givenFields(USER_FIELDS, flags)
      await run.operate(flags, (calls) => addUser(calls, username, { ...claims, ...fields }, password))
    })

  withFind(
    atServer(
      addCommand(user, 'list', 'Lists all users, malformed records included.', [
        'redmint user list',
        'redmint user list --find kowalski',
        'redmint user list --inactive 90d --json',
      ]),
    ),
  )
    .option(
      '--inactive <days>',
      'only those who did not sign in for so long, 1d to 9999d; one who never did counts from the day on that redmint knows the user',
      readDays,
    )
    .action((flags: ServerFlags & FindFlag & { inactive?: number }) => {
      const { inactive, find } = flags
      if (inactive !== undefined && find !== undefined)
        throw new UsageError('Give --find or --inactive, not both.')
      return run.operate(flags, (calls) =>
        inactive === undefined ? listUsers(calls, flags) : listInactive(calls, calls.now - inactive),
      )
    })

  atServer(
    addCommand(
      user,
      'show <username>',
      'Shows a user, and whether a password is set, but not the password.',
      ['redmint user show alice'],
    ),
  ).action((username: string, flags: ServerFlags) => run.operate(flags, (calls) => showUser(calls, username)))

  addClearFlags(
    addFieldFlags(
      withClaims(
        atServer(
          addCommand(user, 'update <username>', 'Changes the given claims, links and rules of a user.', [
            'redmint user update alice --claim email=alice@example.org --remove-claim phone_number',
            'redmint user update alice --linked-subject https://idp.example.com#00u1a2b3',
            'redmint user update alice --second-factor required',
          ]),
        ),
      ),
      FIELDS,
    ),
    FIELDS,
  )
    .option('--remove-claim <name>', 'a claim to remove; repeatable', collectClaimName)
    .action(async (username: string, flags: UpdateFlags) => {
      const claims = await claimsOf(flags)
      const set = { ...claims, ...givenFields(FIELDS, flags) }
      const unset = [...(flags.removeClaim ?? []), ...clearedFields(FIELDS, flags)]
      await run.operate(flags, (calls) => updateUser(calls, username, set, unset))
    })

  onHost(
    addCommand(
      user,
      'set-password <username>',
      'Sets the password of a user and ends the sessions, codes and tokens of the user. Asks for it on a terminal.',
      ['redmint user set-password alice', 'redmint user set-password alice --password-stdin < password.txt'],
    ),
    run,
    'No server takes a password: redmint user reset-link gives the user a link to choose one.',
  )
    .option('--password-stdin', PASSWORD_STDIN)
    .action(async (username: string, flags: Json & PasswordStdin) => {
      const password = await readNewPassword(run, flags)
      await run.operate(flags, (calls) => setPassword(calls, username, password))
    })

  atServer(
    addCommand(
      user,
      'lint [username]',
      'Checks user records, the index of their sign-in names, and leftovers of demo mode; exit code 1 if there are errors.',
      ['redmint user lint', 'redmint user lint alice --json'],
    ),
  ).action((username: string | undefined, flags: ServerFlags) =>
    run.operate(flags, (calls) => lint(calls, 'user', username)),
  )

  addReindexCommand(
    user,
    run,
    'user',
    'Repairs the list of users, the index by which users sign in with an e-mail address, or a username in another case, and the lists of their sessions, grants and consents.',
  )

  atServer(
    addCommand(
      user,
      'import <file>',
      'Adds the users of a JSON file ("-" for stdin): one object per line, or an array. All users are checked before any is written. Lines may be any number: few are in memory at a time. An array is read as a whole.',
      ['redmint user import users.json --dry-run', 'redmint user import users.jsonl --skip-existing'],
    ),
  )
    .option('--skip-existing', 'do not change existing users')
    .option('--dry-run', 'check the file without writing')
    .action(async (file: string, flags: UserImportFlags & ServerFlags) => {
      await withFile(run, file, async (path) => {
        const list = await openList(path, 'users')
        await run.operate(flags, (calls) => importUsers(calls, list, flags, run.importing))
      })
    })

  atServer(
    addCommand(
      user,
      'withdraw-consent <username> <client_id>',
      'Forgets what a user allowed a client, so that the user is asked again. Issued tokens stay valid.',
      ['redmint user withdraw-consent alice web-app'],
    ),
  ).action((username: string, client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => withdrawConsent(calls, username, client_id)),
  )

  addFactorCommands(user, run)
  addLinkCommands(user, run)
  addActAsCommand(user, run)
  addStateCommands(user, run)
  addUserAccessCommands(user, run)
  // What operators type names the same record as what users type.
  for (const command of user.commands) {
    for (const argument of command.registeredArguments)
      if (argument.name() === 'username') argument.argParser(nameForm)
  }
}

/** Parses a number of days, such as 90d; returns milliseconds. @throws InvalidArgumentError */
function readDays(value: string): number {
  const [, days] = /^([1-9]\d{0,3})d$/.exec(value) ?? []
  if (days === undefined) throw new InvalidArgumentError('Give a number of days: 90d.')
  return Number(days) * 86_400_000
}

function addFactorCommands(user: Command, run: CommandRun): void {
  atServer(
    addCommand(
      user,
      'factors <username>',
      'Shows what a user has besides a password: the authenticator app, how many recovery codes, and passkeys.',
      ['redmint user factors alice'],
    ),
  ).action((username: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => showFactors(calls, username)),
  )

  atServer(
    addCommand(
      user,
      'reset-factors <username>',
      'Removes what a user has besides a password, for a lost phone, and ends all sessions of the user.',
      ['redmint user reset-factors alice --totp', 'redmint user reset-factors alice --all'],
    ),
  )
    .option('--totp', 'only the authenticator app, with its recovery codes')
    .option('--passkeys', 'only the passkeys')
    .option('--all', 'everything')
    .action((username: string, flags: ServerFlags & { totp?: true; passkeys?: true; all?: true }) => {
      const { totp, passkeys, all } = flags
      const given = [totp, passkeys, all].filter((flag) => flag !== undefined)
      if (given.length !== 1) throw new UsageError('Give one of --totp, --passkeys and --all.')
      const only = totp ? 'totp' : passkeys ? 'passkeys' : undefined
      return run.operate(flags, (calls) => resetFactors(calls, username, only))
    })
}

function addStateCommands(user: Command, run: CommandRun): void {
  atServer(
    addCommand(
      user,
      'disable <username>',
      'Disables a user and ends the sessions, codes and tokens of the user.',
      ['redmint user disable alice'],
    ),
  ).action((username: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => disableUser(calls, username)),
  )

  atServer(
    addCommand(
      user,
      'enable <username>',
      'Enables a disabled user; ended sessions and revoked tokens are not restored.',
      ['redmint user enable alice'],
    ),
  ).action((username: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => enableUser(calls, username)),
  )

  atServer(
    addCommand(
      user,
      'end <username>',
      'Ends the sessions, codes and tokens of a user, who can sign in again: for a lost device.',
      ['redmint user end alice'],
    ),
  ).action((username: string, flags: ServerFlags) => run.operate(flags, (calls) => endUser(calls, username)))

  atServer(
    addCommand(
      user,
      'unlock <username>',
      'Lets a user who is locked out after too many failures try again, on all servers within a second. Limits of addresses stay: see redmint limits.',
      ['redmint user unlock alice'],
    ),
  ).action((username: string, flags: ServerFlags) => run.operate(flags, (calls) => unlock(calls, username)))

  atServer(
    addCommand(
      user,
      'remove <username>',
      'Removes a user permanently and ends the sessions, codes and tokens of the user; asks first.',
      ['redmint user remove alice --yes'],
    ),
  )
    .option('--yes', 'do not ask')
    .action(async (username: string, flags: ServerFlags & { yes?: true }) => {
      if (!(await run.confirm(flags, `Remove the user "${username}" permanently?`))) {
        throw new Refusal('Nothing was changed.')
      }
      await run.operate(flags, (calls) => removeUser(calls, username))
    })
}

function withClaims(command: Command): Command {
  return command
    .option('--name <text>', 'the claim `name`')
    .option('--email <address>', 'the claim `email`')
    .option(
      '--email-verified',
      'you vouch that the address is that of the user: clients learn so, and the user may sign in with it. Without it, a warning says that nobody can sign in with the address',
    )
    .option('--claims <file>', 'claims as a JSON object; `-` for stdin')
    .option(
      '--claim <name=value>',
      'one claim, as JSON if its name is not standard; repeatable, takes precedence over the file',
      collectClaim,
    )
}
