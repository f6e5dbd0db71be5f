import { type Command, Option } from 'commander'
import { CLIENT_FIELDS } from '../../src/clients/client-fields.ts'
import { addCommand } from '../command.ts'
import { Refusal } from '../errors.ts'
import { addClearFlags, addFieldFlags } from '../field-flags.ts'
import { readTextFile } from '../import.ts'
import type { Session } from '../run.ts'
import { addClient, type ClientFlags, rotateSecret, type UpdateFlags, updateClient } from './edit.ts'
import { type ImportFlags, importClients } from './import.ts'
import { lintClients } from './lint.ts'
import { MIN_SECRET_LENGTH } from './secret.ts'
import { listClients, showClient } from './show.ts'
import { removeClient, setDisabled } from './state.ts'

interface Json {
  json?: true
}
interface SecretStdin {
  secretStdin?: true
}

/** `redmint client …` */
export function addClientCommands(program: Command, session: Session): void {
  const client = program.command('client').description('registered clients')
  const secretOf = (flags: SecretStdin) => (flags.secretStdin ? session.input() : Promise.resolve(undefined))

  withFields(
    addCommand(
      client,
      'add <client_id>',
      'Registers a client. A confidential one gets a secret of 256 random bits, which is shown once.',
      [
        'redmint client add billing --scope "api.read api.write"',
        'redmint client add web-app --redirect-uri https://app.example.com/callback --scope "openid api.read"',
        'redmint client add phone-app --public --redirect-uri com.example.phone:/callback',
      ],
    ),
  )
    .addOption(new Option('--public', 'a client without a secret').conflicts('secretStdin'))
    .action(async (client_id: string, flags: ClientFlags & SecretStdin & Json) => {
      const secret = await secretOf(flags)
      await session.answer(flags, ({ storage }) => addClient(storage, client_id, flags, secret))
    })

  addCommand(client, 'list', 'Lists all clients, malformed records included.', [
    'redmint client list',
  ]).action((flags: Json) => session.answer(flags, ({ storage }) => listClients(storage)))

  addCommand(
    client,
    'show <client_id>',
    'Shows a client. Its secret is stored nowhere, so it is not shown.',
    ['redmint client show web-app'],
  ).action((client_id: string, flags: Json) =>
    session.answer(flags, ({ storage }) => showClient(storage, client_id)),
  )

  addClearFlags(
    withFields(
      addCommand(
        client,
        'update <client_id>',
        'Changes what the flags name, and nothing else. A list that is given replaces the old one.',
        [
          'redmint client update web-app --redirect-uri https://app.example.com/cb --redirect-uri https://app.example.com/cb2',
          'redmint client update web-app --clear-scopes',
        ],
      ),
    ),
    CLIENT_FIELDS,
  )
    .addOption(new Option('--public', 'take its secret away').conflicts(['secretStdin', 'confidential']))
    .option('--confidential', 'give it a secret, where it has none')
    .action(async (client_id: string, flags: UpdateFlags & SecretStdin & Json) => {
      const secret = await secretOf(flags)
      await session.answer(flags, ({ storage }) => updateClient(storage, client_id, flags, secret))
    })

  addCommand(
    client,
    'disable <client_id>',
    'Disables a client: it authenticates nowhere, its tokens are refused, and its record stays.',
    ['redmint client disable web-app'],
  ).action((client_id: string, flags: Json) =>
    session.answer(flags, ({ storage }) => setDisabled(storage, client_id, true)),
  )

  addCommand(
    client,
    'enable <client_id>',
    'Enables a disabled client; its tokens that have not expired are good again.',
    ['redmint client enable web-app'],
  ).action((client_id: string, flags: Json) =>
    session.answer(flags, ({ storage }) => setDisabled(storage, client_id, false)),
  )

  addCommand(
    client,
    'remove <client_id>',
    'Removes a client for good and revokes what it holds; asks first.',
    ['redmint client remove web-app --yes'],
  )
    .option('--yes', 'do not ask')
    .action(async (client_id: string, flags: Json & { yes?: true }) => {
      if (!(await session.confirm(flags, `Remove the client "${client_id}" for good?`))) {
        throw new Refusal('Nothing was changed.')
      }
      await session.answer(flags, ({ storage }) => removeClient(storage, client_id))
    })

  withGivenSecret(
    addCommand(
      client,
      'rotate-secret <client_id>',
      'Gives a client a new secret, which is shown once. The old one is worth nothing from then on.',
      ['redmint client rotate-secret web-app'],
    ),
  ).action(async (client_id: string, flags: SecretStdin & Json) => {
    const secret = await secretOf(flags)
    await session.answer(flags, ({ storage }) => rotateSecret(storage, client_id, secret))
  })

  addCommand(
    client,
    'lint [client_id]',
    'Says what is wrong with client records, or doubtful; exit code 1 for what is wrong.',
    ['redmint client lint', 'redmint client lint web-app --json'],
  ).action((client_id: string | undefined, flags: Json) =>
    session.answer(flags, ({ storage, config }) => lintClients(storage, client_id, config.settings)),
  )

  addCommand(
    client,
    'import <file>',
    'Registers the clients of a JSON file ("-" for stdin): an array of objects with the fields of client records. All are checked before any is written. Secrets that the file does not give are generated and shown once.',
    [
      'redmint client import clients.json --json > result.json',
      'redmint client import clients.json --skip-existing',
    ],
  )
    .option('--update', 'change clients that exist already: the fields that the file gives')
    .addOption(new Option('--skip-existing', 'leave clients alone that exist already').conflicts('update'))
    .action(async (file: string, flags: ImportFlags & Json) => {
      const content = await readTextFile(file, () => session.input())
      await session.answer(flags, ({ storage }) =>
        importClients(storage, content, flags, (total) => session.progress('Written', total)),
      )
    })
}

function withFields(command: Command): Command {
  return addFieldFlags(withGivenSecret(command), CLIENT_FIELDS)
}

function withGivenSecret(command: Command): Command {
  return command.option(
    '--secret-stdin',
    `take the secret from stdin (at least ${MIN_SECRET_LENGTH} characters) instead of generating one`,
  )
}
