import { type Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_INVITATION } from '../../src/admin/clients/initial-access-tokens.ts'
import { MIN_SECRET_LENGTH } from '../../src/admin/clients/secret.ts'
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import { endGrants } from '../access/reports.ts'
import { addCommand, atServer, type FindFlag, withFind } from '../command.ts'
import { PRESET_NAMES, readOrigin, readPreset } from '../connect/connect.ts'
import { Refusal } from '../errors.ts'
import { addClearFlags, addFieldFlags } from '../field-flags.ts'
import { withFile } from '../file-twice.ts'
import { lint } from '../findings.ts'
import { openList } from '../list-file.ts'
import { addListFlags } from '../list-flags.ts'
import { addReindexCommand } from '../reindex.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import {
  type AddFlags,
  addClient,
  endOldSecretOf,
  rotateSecretOf,
  type UpdateFlags,
  updateClient,
} from './edit.ts'
import { type ClientImportFlags, importClients } from './import.ts'
import { type InviteFlags, inviteClient, readUses } from './invite.ts'
import { refreshKeys, showKeys } from './keys.ts'
import { addPreviewCommands } from './previews.ts'
import { hintsFor, listClients, showClient } from './show.ts'
import { disableClient, removeClientOf } from './state.ts'

interface SecretStdin {
  secretStdin?: true
}

/** `redmint client …` */
export function addClientCommands(program: Command, run: CommandRun): void {
  const client = program
    .command('client')
    .description(
      'registered clients; redmint apply declares them in a file, and self-registration adds others',
    )
  const secretOf = (flags: SecretStdin) => (flags.secretStdin ? run.readStdin() : Promise.resolve(undefined))

  withFields(
    atServer(
      addCommand(
        client,
        'add <client_id>',
        'Registers a client. A confidential client gets a random secret of 256 bits, which is shown once.',
        [
          'redmint client add billing --scope "api.read api.write"',
          'redmint client add shop --for nextjs --origin https://shop.example.com',
          'redmint client add web-app --redirect-uri https://app.example.com/callback --scope "openid api.read"',
          'redmint client add deploy --assertion-issuer https://gitlab.com --assertion-subject "project_path:acme/shop:**"',
          'redmint client add bank --auth-method private_key_jwt --jwks-uri https://bank.example.com/keys',
          'redmint client add phone-app --public --redirect-uri com.example.phone:/callback',
        ],
      ),
    )
      .addOption(
        new Option(
          '--for <framework>',
          `sets the fields that a framework needs, and prints the settings that [connect it](connect/README.md): ${PRESET_NAMES}`,
        ).argParser(readPreset),
      )
      .addOption(
        new Option(
          '--origin <url>',
          'with `--for`: the address of the application, such as `https://app.example.com`',
        ).argParser(readOrigin),
      )
      .addOption(
        new Option('--public', 'a client without a secret, for apps that cannot keep one').conflicts(
          'secretStdin',
        ),
      ),
  ).action(async (client_id: string, flags: AddFlags & SecretStdin & ServerFlags) => {
    const secret = await secretOf(flags)
    await run.operate(flags, (calls) => addClient(calls, client_id, flags, secret))
  })

  withFind(
    atServer(
      addCommand(client, 'list', 'Lists all clients, malformed records included.', [
        'redmint client list',
        'redmint client list --find shop',
      ]),
    ),
  ).action((flags: ServerFlags & FindFlag) => run.operate(flags, (calls) => listClients(calls, flags)))

  atServer(
    addCommand(client, 'show <client_id>', 'Shows a client. Its secret is not stored and cannot be shown.', [
      'redmint client show web-app',
    ]),
  ).action((client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => showClient(calls, client_id)),
  )

  const update = withFields(
    atServer(
      addCommand(
        client,
        'update <client_id>',
        'Changes the given fields of a client. A given list replaces the old list; --add- and --remove- change single entries.',
        [
          'redmint client update web-app --add-redirect-uri https://app.example.com/cb2',
          'redmint client update web-app --clear-scopes',
        ],
      ),
    ),
  )
  addListFlags(addClearFlags(update, CLIENT_FIELDS), CLIENT_FIELDS)
    .addOption(
      new Option('--public', 'make it public: removes its secret').conflicts(['secretStdin', 'confidential']),
    )
    .option('--confidential', 'make it confidential: generates a secret if it has none')
    .action(async (client_id: string, flags: UpdateFlags & SecretStdin & ServerFlags) => {
      const secret = await secretOf(flags)
      await run.operate(flags, (calls) => updateClient(calls, client_id, flags, secret))
    })

  atServer(
    addCommand(
      client,
      'disable <client_id>',
      'Disables a client: it cannot authenticate and its tokens are refused. Its record stays.',
      ['redmint client disable web-app'],
    ),
  ).action((client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => disableClient(calls, client_id, true)),
  )

  atServer(
    addCommand(
      client,
      'enable <client_id>',
      'Enables a disabled client; its tokens that have not expired are valid again.',
      ['redmint client enable web-app'],
    ),
  ).action((client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => disableClient(calls, client_id, false)),
  )

  atServer(
    addCommand(
      client,
      'end <client_id>',
      'Ends the grants of a client with all their tokens; its users sign in anew: for tokens that leaked.',
      ['redmint client end web-app'],
    ),
  ).action((client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => endGrants(calls, { client_id })),
  )

  atServer(
    addCommand(
      client,
      'remove <client_id>',
      'Removes a client permanently and revokes its codes and tokens; asks first.',
      ['redmint client remove web-app --yes'],
    ),
  )
    .option('--yes', 'do not ask')
    .action(async (client_id: string, flags: ServerFlags & { yes?: true }) => {
      if (!(await run.confirm(flags, `Remove the client "${client_id}" permanently?`))) {
        throw new Refusal('Nothing was changed.')
      }
      await run.operate(flags, (calls) => removeClientOf(calls, client_id))
    })

  withSecretOption(
    atServer(
      addCommand(
        client,
        'rotate-secret <client_id>',
        'Gives a client a new secret, which is shown once. The old secret is invalid at once, or with --keep later.',
        ['redmint client rotate-secret web-app', 'redmint client rotate-secret web-app --keep 24h'],
      ),
    ),
  )
    .option('--keep <time>', 'keep the old secret valid for 30m, 24h, 7d …, at most 90d', readKeep, 0)
    .action(async (client_id: string, flags: SecretStdin & ServerFlags & { keep: number }) => {
      const secret = await secretOf(flags)
      await run.operate(flags, (calls) => rotateSecretOf(calls, client_id, secret, flags.keep))
    })

  atServer(
    addCommand(
      client,
      'end-old-secret <client_id>',
      'Ends the old secret that rotate-secret --keep left valid. The present secret stays.',
      ['redmint client end-old-secret web-app'],
    ),
  ).action((client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => endOldSecretOf(calls, client_id)),
  )

  const keys = client
    .command('keys')
    .description('the public keys of a client: keys show lists them, keys refresh has them fetched again')

  atServer(
    addCommand(
      keys,
      'show <client_id>',
      'Shows the public keys of a client, fetched now if its record has their address.',
      ['redmint client keys show web-app'],
    ),
  ).action((client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => showKeys(calls, client_id)),
  )

  atServer(
    addCommand(
      keys,
      'refresh <client_id>',
      'Has every server fetch the keys of a client again, within a second: for keys that were replaced or stolen.',
      ['redmint client keys refresh web-app'],
    ),
  ).action((client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => refreshKeys(calls, client_id)),
  )

  atServer(
    addCommand(
      client,
      'invite',
      'Makes an invitation with which clients register themselves; it is shown once.',
      ['redmint client invite', 'redmint client invite --uses 20 --ttl 7d'],
    ),
  )
    .option(
      '--uses <number>',
      'how many clients it registers, at most 10000',
      readUses,
      DEFAULT_INVITATION.uses,
    )
    .option(
      '--ttl <time>',
      'how long it is valid: 30m, 24h, 7d …, at most 90d',
      readLifetime,
      DEFAULT_INVITATION.ttl,
    )
    .action((flags: InviteFlags & ServerFlags) => run.operate(flags, (calls) => inviteClient(calls, flags)))

  atServer(
    addCommand(
      client,
      'lint [client_id]',
      'Checks client records for errors, likely mistakes and leftovers of demo mode; exit code 1 if there are errors.',
      ['redmint client lint', 'redmint client lint web-app --json'],
    ),
  ).action((client_id: string | undefined, flags: ServerFlags) =>
    run.operate(flags, (calls) => lint(calls, 'client', client_id, hintsFor(client_id ?? ''))),
  )

  addPreviewCommands(client, run)

  addReindexCommand(client, run, 'client')

  atServer(
    addCommand(
      client,
      'import <file>',
      'Registers the clients of a JSON file ("-" for stdin): one object per line with the fields of client records, or an array of them. All clients are checked before any is written. Missing secrets are generated and shown once.',
      [
        'redmint client import clients.json --json > result.json',
        'redmint client import clients.json --skip-existing',
      ],
    ),
  )
    .option('--update', 'change existing clients: only the fields in the file')
    .addOption(new Option('--skip-existing', 'do not change existing clients').conflicts('update'))
    .action(async (file: string, flags: ClientImportFlags & ServerFlags) => {
      await withFile(run, file, async (path) => {
        const list = await openList(path, 'clients')
        await run.operate(flags, (calls) => importClients(calls, list, flags, run.importing))
      })
    })
}

function withFields(command: Command): Command {
  return withSecretOption(addFieldFlags(command, CLIENT_FIELDS))
}

function withSecretOption(command: Command): Command {
  return command.option(
    '--secret-stdin',
    `read the secret from stdin (at least ${MIN_SECRET_LENGTH} characters) instead of generating one`,
  )
}

const UNITS = { m: 60, h: 3600, d: 86_400 } as const
const MAX_DAYS = 90

/** Parses how long an old secret is kept, such as 24h, or 0; returns seconds. @throws InvalidArgumentError */
function readKeep(value: string): number {
  const seconds = value === '0' ? 0 : secondsOf(value)
  return accepted(seconds, seconds >= 0, ', or 0')
}

/** Parses how long an invitation is valid, such as 24h; returns seconds. @throws InvalidArgumentError */
function readLifetime(value: string): number {
  const seconds = secondsOf(value)
  return accepted(seconds, seconds > 0)
}

function secondsOf(value: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(value) ?? []
  return Number(digits) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN)
}

function accepted(seconds: number, is_long_enough: boolean, more = ''): number {
  if (is_long_enough && seconds <= MAX_DAYS * UNITS.d) return seconds
  throw new InvalidArgumentError(`Give minutes, hours or days, at most ${MAX_DAYS}d: 30m, 24h, 7d${more}.`)
}
