import type { Command } from 'commander'
import { RESOURCE_FIELDS } from '../../src/resources/resource-fields.ts'
import { addCommand, atServer, type FindFlag, withFind } from '../command.ts'
import { Refusal } from '../errors.ts'
import { addClearFlags, addFieldFlags, type FlagValues } from '../field-flags.ts'
import { lint } from '../findings.ts'
import { addReindexCommand } from '../reindex.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { addResource, removeResource, setDisabled, updateResource } from './edit.ts'
import { listResources, showResource } from './show.ts'

/** `redmint resource …` */
export function addResourceCommands(program: Command, run: CommandRun): void {
  const resource = program
    .command('resource')
    .description('APIs that access tokens can be for (RFC 8707); redmint apply declares them in a file')

  addFieldFlags(
    atServer(
      addCommand(
        resource,
        'add <uri>',
        'Registers a resource: clients may name it in the parameter resource, and its URI is the audience of the tokens.',
        [
          'redmint resource add https://api.example.com --scope "orders.read orders.write"',
          'redmint resource add https://mcp.example.com/mcp --name "Calendar tools" --access-token-format jwt',
        ],
      ),
    ),
    RESOURCE_FIELDS,
  ).action((uri: string, flags: FlagValues & ServerFlags) =>
    run.operate(flags, (calls) => addResource(calls, uri, flags)),
  )

  withFind(
    atServer(
      addCommand(resource, 'list', 'Lists all resources, malformed records included.', [
        'redmint resource list',
      ]),
    ),
  ).action((flags: ServerFlags & FindFlag) => run.operate(flags, (calls) => listResources(calls, flags)))

  atServer(
    addCommand(resource, 'show <uri>', 'Shows a resource.', [
      'redmint resource show https://api.example.com',
    ]),
  ).action((uri: string, flags: ServerFlags) => run.operate(flags, (calls) => showResource(calls, uri)))

  addClearFlags(
    addFieldFlags(
      atServer(
        addCommand(
          resource,
          'update <uri>',
          'Changes the given fields of a resource. A given list replaces the old list.',
          ['redmint resource update https://api.example.com --scope orders.read --access-token-ttl 300'],
        ),
      ),
      RESOURCE_FIELDS,
    ),
    RESOURCE_FIELDS,
  ).action((uri: string, flags: FlagValues & ServerFlags) =>
    run.operate(flags, (calls) => updateResource(calls, uri, flags)),
  )

  atServer(
    addCommand(resource, 'disable <uri>', 'Disables a resource: it gets no tokens. Its record stays.', [
      'redmint resource disable https://api.example.com',
    ]),
  ).action((uri: string, flags: ServerFlags) => run.operate(flags, (calls) => setDisabled(calls, uri, true)))

  atServer(
    addCommand(resource, 'enable <uri>', 'Enables a disabled resource.', [
      'redmint resource enable https://api.example.com',
    ]),
  ).action((uri: string, flags: ServerFlags) => run.operate(flags, (calls) => setDisabled(calls, uri, false)))

  atServer(
    addCommand(resource, 'remove <uri>', 'Removes a resource permanently; asks first.', [
      'redmint resource remove https://api.example.com --yes',
    ]),
  )
    .option('--yes', 'do not ask')
    .action(async (uri: string, flags: ServerFlags & { yes?: true }) => {
      if (!(await run.confirm(flags, `Remove the resource "${uri}" permanently?`))) {
        throw new Refusal('Nothing was changed.')
      }
      await run.operate(flags, (calls) => removeResource(calls, uri))
    })

  atServer(
    addCommand(
      resource,
      'lint [uri]',
      'Checks resource records for errors and likely mistakes; exit code 1 if there are errors.',
      ['redmint resource lint', 'redmint resource lint https://api.example.com --json'],
    ),
  ).action((uri: string | undefined, flags: ServerFlags) =>
    run.operate(flags, (calls) => lint(calls, 'resource', uri)),
  )

  addReindexCommand(resource, run, 'resource')
}
