import type { Command } from 'commander'
import { registerCommandClient } from '../../src/admin/command-client.ts'
import { addedRights, changeRights, listAdministrators } from '../../src/admin/users/rights.ts'
import { nameForm } from '../../src/core/visible-text.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { adminContext } from '../admin-context.ts'
import { addCommand } from '../command.ts'
import { type Report, table } from '../output.ts'
import type { CommandContext, CommandRun } from '../run.ts'
import { scopeOption } from './scope-option.ts'

interface Flags {
  json?: true
  scope?: string[]
}

const EVERYTHING = ['redmint:read', 'redmint:write']

/** `redmint admin …` */
export function addAdminCommands(program: Command, run: CommandRun): void {
  const admin = program.command('admin').description('users who may use the admin API')

  addCommand(
    admin,
    'grant <username>',
    'Lets a user use the admin API; servers know within a second. This makes the first administrator, too.',
    ['redmint admin grant alice', 'redmint admin grant bob --scope redmint:read'],
  )
    .addOption(scopeOption('what the user may do; default: everything'))
    .action((username: string, { scope = EVERYTHING, ...flags }: Flags) =>
      run.execute(flags, async (context) => {
        const report = await change(context, username, (rights) => addedRights(rights, scope))
        // By it the user signs in at the command.
        await registerCommandClient(context.storage)
        return report
      }),
    )

  addCommand(
    admin,
    'revoke <username>',
    'Takes rights at the admin API from a user. The last user with redmint:write keeps it.',
    ['redmint admin revoke bob', 'redmint admin revoke alice --scope redmint:write'],
  )
    .addOption(scopeOption('what is taken; default: everything'))
    .action((username: string, { scope, ...flags }: Flags) =>
      run.execute(flags, (context) =>
        change(context, username, (rights) =>
          scope === undefined ? [] : rights.filter((name) => !scope.includes(name)),
        ),
      ),
    )

  addCommand(admin, 'list', 'Lists the users who may use the admin API.', ['redmint admin list']).action(
    (flags: Flags) => run.execute(flags, ({ storage }) => list(storage)),
  )
  for (const command of admin.commands) {
    for (const argument of command.registeredArguments) argument.argParser(nameForm)
  }
}

async function change(
  context: CommandContext,
  username: string,
  wanted: (rights: readonly string[]) => readonly string[],
): Promise<Report> {
  const admin = await changeRights(adminContext(context), username, wanted)
  const what = admin.length === 0 ? 'nothing' : admin.join(' ')
  return { text: `The user "${username}" may now do by the admin API: ${what}.`, json: { username, admin } }
}

async function list(storage: RecordStore): Promise<Report> {
  const users = await listAdministrators(storage)
  return {
    text:
      users.length === 0
        ? 'No user may use the admin API yet: see redmint admin grant --help.'
        : table(
            ['USERNAME', 'STATE', 'SCOPES'],
            users.map(({ username, admin, disabled }) => [
              username,
              disabled ? 'disabled' : 'active',
              admin.join(' '),
            ]),
          ),
    json: { users },
  }
}
