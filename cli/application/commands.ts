import type { Command } from 'commander'
import { APPLICATION_FIELDS } from '../../src/applications/application-fields.ts'
import { addCommand, atServer, type FindFlag, withFind } from '../command.ts'
import { Refusal } from '../errors.ts'
import { addClearFlags, addFieldFlags, type FlagValues } from '../field-flags.ts'
import { lint } from '../findings.ts'
import { addReindexCommand } from '../reindex.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { addApplication, removeApplication, updateApplication } from './edit.ts'
import { HINTS, listApplications, showApplication } from './show.ts'

/** `redmint application …` */
export function addApplicationCommands(program: Command, run: CommandRun): void {
  const application = program
    .command('application')
    .description(
      'servers elsewhere that take identity assertions of this one (ID-JAG); redmint apply declares them in a file',
    )

  addFieldFlags(
    atServer(
      addCommand(
        application,
        'add <issuer>',
        'Registers another authorization server, by its issuer: clients get identity assertions for it.',
        [
          'redmint application add https://auth.chat.example --client agent=agent-there --resource https://api.chat.example --scope "chat.read chat.write"',
        ],
      ),
    ),
    APPLICATION_FIELDS,
  ).action((issuer: string, flags: FlagValues & ServerFlags) =>
    run.operate(flags, (calls) => addApplication(calls, issuer, flags)),
  )

  withFind(
    atServer(
      addCommand(application, 'list', 'Lists all other servers, malformed records included.', [
        'redmint application list',
      ]),
    ),
  ).action((flags: ServerFlags & FindFlag) => run.operate(flags, (calls) => listApplications(calls, flags)))

  atServer(
    addCommand(application, 'show <issuer>', 'Shows another server.', [
      'redmint application show https://auth.chat.example',
    ]),
  ).action((issuer: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => showApplication(calls, issuer)),
  )

  addClearFlags(
    addFieldFlags(
      atServer(
        addCommand(
          application,
          'update <issuer>',
          'Changes the given fields of another server. A given list replaces the old list.',
          ['redmint application update https://auth.chat.example --allow-group staff'],
        ),
      ),
      APPLICATION_FIELDS,
    ),
    APPLICATION_FIELDS,
  ).action((issuer: string, flags: FlagValues & ServerFlags) =>
    run.operate(flags, (calls) => updateApplication(calls, issuer, flags)),
  )

  atServer(
    addCommand(application, 'remove <issuer>', 'Removes another server; asks first.', [
      'redmint application remove https://auth.chat.example --yes',
    ]),
  )
    .option('--yes', 'do not ask')
    .action(async (issuer: string, flags: ServerFlags & { yes?: true }) => {
      if (!(await run.confirm(flags, `Remove the other server "${issuer}"?`))) {
        throw new Refusal('Nothing was changed.')
      }
      await run.operate(flags, (calls) => removeApplication(calls, issuer))
    })

  atServer(
    addCommand(
      application,
      'lint [issuer]',
      'Checks the records of other servers for errors and likely mistakes; exit code 1 if there are errors.',
      ['redmint application lint', 'redmint application lint https://auth.chat.example --json'],
    ),
  ).action((issuer: string | undefined, flags: ServerFlags) =>
    run.operate(flags, (calls) => lint(calls, 'application', issuer, HINTS)),
  )

  addReindexCommand(
    application,
    run,
    'application',
    'Repairs the list of other servers, after records were written with redis-cli while no server ran.',
  )
}
