import type { Command } from 'commander'
import { commonScopes } from '../../src/core/admin-scopes.ts'
import { scopeNames } from '../../src/core/scope.ts'
import { nameForm } from '../../src/core/visible-text.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'
import type { Calls } from '../calls.ts'
import { addCommand, atServer } from '../command.ts'
import { type RecordAnswer, storedForm } from '../from-answer.ts'
import { listed, type Report } from '../output.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { withNextStep } from '../user/next-step.ts'
import { createAdministrator, type NewAdministrator, registerCommand } from './create.ts'
import { scopeOption } from './scope-option.ts'

interface Flags extends ServerFlags {
  scope?: string[]
}
type CreateFlags = Flags & Omit<NewAdministrator, 'scope'>

const EVERYTHING = ['redmint:read', 'redmint:write']

/** `redmint admin …` */
export function addAdminCommands(program: Command, run: CommandRun): void {
  const admin = program.command('admin').description('users who may use the admin API')

  atServer(
    addCommand(
      admin,
      'create <username>',
      'Adds a user who may use the admin API and the console, and makes a link with which the person chooses how to sign in, within an hour. This makes the first administrator. The link is mailed where there is an SMTP server, else shown once.',
      ['redmint admin create ada --email ada@example.com', 'redmint admin create bob --scope redmint:read'],
    ),
  )
    .option(
      '--email <address>',
      'the address of the person, for which you vouch: the account has it as verified',
    )
    .option('--name <text>', 'the claim `name`')
    .option('--print', 'show the link, and send no mail')
    .addOption(scopeOption('what the person may do; default: everything'))
    .action((username: string, flags: CreateFlags) =>
      run.operate(flags, (calls) =>
        createAdministrator(calls, username, { ...flags, scope: flags.scope ?? EVERYTHING }),
      ),
    )

  atServer(
    addCommand(
      admin,
      'grant <username>',
      'Lets a user who is there already use the admin API; servers know within a second.',
      ['redmint admin grant alice', 'redmint admin grant bob --scope redmint:read'],
    ),
  )
    .addOption(scopeOption('what the user may do; default: everything'))
    .action((username: string, { scope = EVERYTHING, ...flags }: Flags) =>
      run.operate(flags, async (calls) => {
        const report = await change(calls, username, (rights) => commonScopes([...rights, ...scope]))
        await registerCommand(calls)
        return report
      }),
    )

  atServer(
    addCommand(
      admin,
      'revoke <username>',
      'Takes rights at the admin API from a user. The last user with redmint:write keeps it.',
      ['redmint admin revoke bob', 'redmint admin revoke alice --scope redmint:write'],
    ),
  )
    .addOption(scopeOption('what is taken; default: everything'))
    .action((username: string, { scope, ...flags }: Flags) =>
      run.operate(flags, (calls) =>
        change(calls, username, (rights) =>
          scope === undefined ? [] : rights.filter((name) => !scope.includes(name)),
        ),
      ),
    )

  atServer(
    addCommand(admin, 'list', 'Lists the users who may use the admin API.', ['redmint admin list']),
  ).action((flags: Flags) => run.operate(flags, list))
  for (const command of admin.commands) {
    for (const argument of command.registeredArguments) argument.argParser(nameForm)
  }
}

async function change(
  { call }: Calls,
  username: string,
  wanted: (rights: readonly string[]) => readonly string[],
): Promise<Report> {
  const answer = await call('change_user', {
    params: { username },
    patch(stored) {
      const rights = wanted(rightsIn(stored))
      return { admin: rights.length === 0 ? null : rights }
    },
  })
  const admin = rightsIn(answer)
  const what = admin.length === 0 ? 'nothing' : admin.join(' ')
  const report = {
    text: `The user "${username}" may now do by the admin API: ${what}.`,
    json: { username, admin },
  }
  return admin.length === 0 ? report : withNextStep(report, answer)
}

function rightsIn(user: RecordAnswer): string[] {
  return scopeNames(storedForm(USER_FIELDS, user).admin ?? '')
}

async function list({ call }: Calls): Promise<Report> {
  // There is one page.
  const { items } = await call('list_users', { query: { admin: true } })
  const users = items.map((user) => ({
    username: String(user.username),
    admin: rightsIn(user),
    disabled: storedForm(USER_FIELDS, user).disabled === 'true',
  }))
  return {
    text: listed(
      ['USERNAME', 'STATE', 'SCOPES'],
      items.map((user) => [String(user.username), String(user.state), rightsIn(user).join(' ')]),
      {
        none: 'No user may use the admin API yet: redmint admin create makes the first administrator.',
        noun: 'administrator',
      },
    ),
    json: { users },
  }
}
