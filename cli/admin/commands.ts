import type { Command } from 'commander'
import { commonScopes } from '../../src/core/admin-scopes.ts'
import { scopeNames } from '../../src/core/scope.ts'
import { nameForm } from '../../src/core/visible-text.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'
import type { Calls } from '../calls.ts'
import { addCommand, atServer } from '../command.ts'
import { type RecordAnswer, storedForm } from '../from-answer.ts'
import { type Report, table } from '../output.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { scopeOption } from './scope-option.ts'

interface Flags extends ServerFlags {
  scope?: string[]
}

const EVERYTHING = ['redmint:read', 'redmint:write']

/** `redmint admin …` */
export function addAdminCommands(program: Command, run: CommandRun): void {
  const admin = program.command('admin').description('users who may use the admin API')

  atServer(
    addCommand(
      admin,
      'grant <username>',
      'Lets a user use the admin API; servers know within a second. This makes the first administrator, too.',
      ['redmint admin grant alice', 'redmint admin grant bob --scope redmint:read'],
    ),
  )
    .addOption(scopeOption('what the user may do; default: everything'))
    .action((username: string, { scope = EVERYTHING, ...flags }: Flags) =>
      run.operate(flags, async (calls) => {
        const report = await change(calls, username, (rights) => commonScopes([...rights, ...scope]))
        // By it the user signs in at the command. An operator at a server has it already, or uses another client.
        if (calls.host !== undefined) await calls.call('register_command_client', { body: {} })
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
  return { text: `The user "${username}" may now do by the admin API: ${what}.`, json: { username, admin } }
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
    text:
      users.length === 0
        ? 'No user may use the admin API yet: see redmint admin grant --help.'
        : table(
            ['USERNAME', 'STATE', 'SCOPES'],
            items.map((user) => [String(user.username), String(user.state), rightsIn(user).join(' ')]),
          ),
    json: { users },
  }
}
