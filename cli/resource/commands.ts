import type { Command } from 'commander'
import { RESOURCE_FIELDS } from '../../src/resources/resource-fields.ts'
import { RESOURCE } from '../../src/resources/resource-record.ts'
import { listOf } from '../../src/storage/indexes.ts'
import { addCommand } from '../command.ts'
import { Refusal } from '../errors.ts'
import { addClearFlags, addFieldFlags, type FlagValues } from '../field-flags.ts'
import { addReindexCommand } from '../reindex.ts'
import type { CommandRun } from '../run.ts'
import { addResource, removeResource, setDisabled, updateResource } from './edit.ts'
import { lintResources } from './lint.ts'
import { listResources, showResource } from './show.ts'

type Json = { json?: true }

/** `redmint resource …` */
export function addResourceCommands(program: Command, run: CommandRun): void {
  const resource = program
    .command('resource')
    .description('APIs that access tokens can be for (RFC 8707); redmint apply declares them in a file')

  addFieldFlags(
    addCommand(
      resource,
      'add <uri>',
      'Registers a resource: clients may name it in the parameter resource, and its URI is the audience of the tokens.',
      [
        'redmint resource add https://api.example.com --scope "orders.read orders.write"',
        'redmint resource add https://mcp.example.com/mcp --name "Calendar tools" --access-token-format jwt',
      ],
    ),
    RESOURCE_FIELDS,
  ).action((uri: string, flags: FlagValues & Json) =>
    run.execute(flags, (context) => addResource(context, uri, flags)),
  )

  addCommand(resource, 'list', 'Lists all resources, malformed records included.', [
    'redmint resource list',
  ]).action((flags: Json) => run.execute(flags, ({ storage }) => listResources(storage)))

  addCommand(resource, 'show <uri>', 'Shows a resource.', [
    'redmint resource show https://api.example.com',
  ]).action((uri: string, flags: Json) => run.execute(flags, ({ storage }) => showResource(storage, uri)))

  addClearFlags(
    addFieldFlags(
      addCommand(
        resource,
        'update <uri>',
        'Changes the given fields of a resource. A given list replaces the old list.',
        ['redmint resource update https://api.example.com --scope orders.read --access-token-ttl 300'],
      ),
      RESOURCE_FIELDS,
    ),
    RESOURCE_FIELDS,
  ).action((uri: string, flags: FlagValues & Json) =>
    run.execute(flags, (context) => updateResource(context, uri, flags)),
  )

  addCommand(resource, 'disable <uri>', 'Disables a resource: it gets no tokens. Its record stays.', [
    'redmint resource disable https://api.example.com',
  ]).action((uri: string, flags: Json) => run.execute(flags, (context) => setDisabled(context, uri, true)))

  addCommand(resource, 'enable <uri>', 'Enables a disabled resource.', [
    'redmint resource enable https://api.example.com',
  ]).action((uri: string, flags: Json) => run.execute(flags, (context) => setDisabled(context, uri, false)))

  addCommand(resource, 'remove <uri>', 'Removes a resource permanently; asks first.', [
    'redmint resource remove https://api.example.com --yes',
  ])
    .option('--yes', 'do not ask')
    .action(async (uri: string, flags: Json & { yes?: true }) => {
      if (!(await run.confirm(flags, `Remove the resource "${uri}" permanently?`))) {
        throw new Refusal('Nothing was changed.')
      }
      await run.execute(flags, (context) => removeResource(context, uri))
    })

  addCommand(
    resource,
    'lint [uri]',
    'Checks resource records for errors and likely mistakes; exit code 1 if there are errors.',
    ['redmint resource lint', 'redmint resource lint https://api.example.com --json'],
  ).action((uri: string | undefined, flags: Json) =>
    run.execute(flags, ({ storage, config }) => lintResources(storage, uri, config.settings)),
  )

  addReindexCommand(
    resource,
    run,
    'Repairs the list of resources, after records were written with redis-cli while no server ran.',
    ({ storage }) => [listOf(storage, RESOURCE)],
  )
}
