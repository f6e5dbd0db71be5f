import type { Command } from 'commander'
import { Passwords } from '../../src/accounts/passwords.ts'
import { USER_FIELDS } from '../../src/accounts/user-fields.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { addCommand } from '../command.ts'
import { Refusal, UsageError } from '../errors.ts'
import { addFieldFlags, type FlagValues, givenFields } from '../field-flags.ts'
import { readTextFile } from '../import.ts'
import type { Session } from '../run.ts'
import { collectClaim, collectClaimName, readClaimsFile } from './claims.ts'
import { addUser, setPassword, updateUser } from './edit.ts'
import { importUsers, type UserImportFlags } from './import.ts'
import { checkPassword, MIN_PASSWORD_LENGTH, readNewPassword } from './password.ts'
import { listUsers, showUser } from './show.ts'
import { disableUser, enableUser, removeUser } from './state.ts'

interface Json {
  json?: true
}
interface PasswordStdin {
  passwordStdin?: true
}
interface ClaimFlags {
  claims?: string
  claim?: Hash
}
type AddFlags = FlagValues & Json & PasswordStdin & ClaimFlags
interface UpdateFlags extends Json, ClaimFlags {
  removeClaim?: string[]
}

const PASSWORD_STDIN = `take the password from stdin (at least ${MIN_PASSWORD_LENGTH} characters)`

/** `redmint user …` */
export function addUserCommands(program: Command, session: Session): void {
  const user = program.command('user').description("people's accounts")
  const claimsOf = async ({ claims, claim = {} }: ClaimFlags): Promise<Hash> => {
    if (claims === undefined) return claim
    return { ...readClaimsFile(await readTextFile(claims, () => session.input())), ...claim }
  }

  addFieldFlags(
    withClaims(
      addCommand(
        user,
        'add <username>',
        'Stores a person. Without a password they sign in nowhere, until user set-password gives them one.',
        [
          'redmint user add alice --claim name="Alice Example" --claim email=alice@example.com',
          'redmint user add bob --password-stdin --claims bob.json < password.txt',
        ],
      ),
    ),
    USER_FIELDS,
  )
    .option('--password-stdin', PASSWORD_STDIN)
    .action(async (username: string, flags: AddFlags) => {
      if (flags.passwordStdin && flags.claims === '-') throw new UsageError('stdin cannot be both.')
      const claims = await claimsOf(flags)
      const given = flags.passwordStdin ? { password: checkPassword(await session.input()) } : {}
      const fields = givenFields(USER_FIELDS, flags)
      await session.answer(flags, ({ storage, config }) =>
        addUser(storage, new Passwords(config), username, { fields, claims, ...given }),
      )
    })

  addCommand(user, 'list', 'Lists all users, malformed records included.', ['redmint user list']).action(
    (flags: Json) => session.answer(flags, ({ storage }) => listUsers(storage)),
  )

  addCommand(user, 'show <username>', 'Shows a user; of the password, only whether there is one.', [
    'redmint user show alice',
  ]).action((username: string, flags: Json) =>
    session.answer(flags, ({ storage }) => showUser(storage, username)),
  )

  withClaims(
    addCommand(user, 'update <username>', 'Changes the claims that the flags name, and nothing else.', [
      'redmint user update alice --claim email=alice@example.org --remove-claim phone_number',
    ]),
  )
    .option('--remove-claim <name>', 'a claim to take away; repeatable', collectClaimName)
    .action(async (username: string, flags: UpdateFlags) => {
      const claims = await claimsOf(flags)
      await session.answer(flags, ({ storage }) =>
        updateUser(storage, username, claims, flags.removeClaim ?? []),
      )
    })

  addCommand(
    user,
    'set-password <username>',
    'Gives a user a new password, and ends every sign-in by the old one. Asks on a terminal.',
    ['redmint user set-password alice', 'redmint user set-password alice --password-stdin < password.txt'],
  )
    .option('--password-stdin', PASSWORD_STDIN)
    .action(async (username: string, flags: Json & PasswordStdin) => {
      const password = await readNewPassword(session, flags)
      await session.answer(flags, (opened) =>
        setPassword(opened, new Passwords(opened.config), username, password),
      )
    })

  addCommand(
    user,
    'import <file>',
    'Stores the users of a JSON file (- for stdin): an array, or one object a line. All or nothing is checked.',
    ['redmint user import users.json --dry-run', 'redmint user import users.jsonl --skip-existing'],
  )
    .option('--skip-existing', 'leave users alone that exist already')
    .option('--dry-run', 'only check, and write nothing')
    .action(async (file: string, flags: UserImportFlags & Json) => {
      const content = await readTextFile(file, () => session.input())
      await session.answer(flags, ({ storage, config }) =>
        importUsers(storage, new Passwords(config), content, flags, (total) =>
          session.progress('Written', total),
        ),
      )
    })

  addStateCommands(user, session)
}

function addStateCommands(user: Command, session: Session): void {
  addCommand(
    user,
    'disable <username>',
    'Disables a user and ends what was issued for them: sign-ins, codes, tokens.',
    ['redmint user disable alice'],
  ).action((username: string, flags: Json) =>
    session.answer(flags, (opened) => disableUser(opened, username)),
  )

  addCommand(user, 'enable <username>', 'Enables a disabled user; what was ended stays so.', [
    'redmint user enable alice',
  ]).action((username: string, flags: Json) =>
    session.answer(flags, ({ storage }) => enableUser(storage, username)),
  )

  addCommand(
    user,
    'remove <username>',
    'Removes a user for good and ends what was issued for them; asks first.',
    ['redmint user remove alice --yes'],
  )
    .option('--yes', 'do not ask')
    .action(async (username: string, flags: Json & { yes?: true }) => {
      if (!(await session.confirm(flags, `Remove the user "${username}" for good?`))) {
        throw new Refusal('Nothing was changed.')
      }
      await session.answer(flags, (opened) => removeUser(opened, username))
    })
}

function withClaims(command: Command): Command {
  return command
    .option('--claims <file>', 'standard claims as a JSON object (- for stdin)')
    .option('--claim <name=value>', 'a standard claim; repeatable', collectClaim)
}
