import type { Command } from 'commander'
import { PROVIDER_FIELDS } from '../../src/providers/provider-fields.ts'
import { addCommand, atServer, type FindFlag, withFind } from '../command.ts'
import { Refusal, UsageError } from '../errors.ts'
import { addClearFlags, addFieldFlags, type FlagValues } from '../field-flags.ts'
import { lint } from '../findings.ts'
import { addReindexCommand } from '../reindex.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import {
  addProvider,
  removeProvider,
  setDisabled,
  setProviderSecret,
  testProvider,
  updateProvider,
} from './edit.ts'
import { HINTS, listProviders, showProvider } from './show.ts'

interface SecretFlag {
  readonly secretStdin?: true
}

const SECRET_STDIN = 'read the secret that it gave redmint from stdin'

/** `redmint provider …` */
export function addProviderCommands(program: Command, run: CommandRun): void {
  const provider = program
    .command('provider')
    .description('providers of accounts that people have already, such as Google')

  addFieldFlags(
    atServer(
      addCommand(
        provider,
        'add <provider>',
        'Adds a provider: google, apple, microsoft, github, gitlab, or another OpenID Provider by a name of your choice.',
        [
          'redmint provider add google --client-id 123.apps.googleusercontent.com --secret-stdin < secret.txt',
          'redmint provider add apple --client-id com.example.login --team-id TEAM123456 --key-id KEY1234567 --secret-stdin < AuthKey_KEY1234567.p8',
          'redmint provider add acme --name "Acme" --issuer https://login.acme.example --client-id redmint',
        ],
      ),
    ).option('--secret-stdin', SECRET_STDIN),
    PROVIDER_FIELDS,
  ).action(async (name: string, flags: FlagValues & ServerFlags & SecretFlag) => {
    const secret = flags.secretStdin ? await run.readStdin() : undefined
    await run.operate(flags, (calls) => addProvider(calls, name, flags, secret))
  })

  withFind(
    atServer(
      addCommand(provider, 'list', 'Lists all providers, malformed records included.', [
        'redmint provider list',
      ]),
    ),
  ).action((flags: ServerFlags & FindFlag) => run.operate(flags, (calls) => listProviders(calls, flags)))

  atServer(
    addCommand(provider, 'show <provider>', 'Shows a provider, but not its secret.', [
      'redmint provider show google',
    ]),
  ).action((name: string, flags: ServerFlags) => run.operate(flags, (calls) => showProvider(calls, name)))

  addClearFlags(
    addFieldFlags(
      atServer(
        addCommand(
          provider,
          'update <provider>',
          'Changes the given fields of a provider. A given list replaces the old list.',
          ['redmint provider update google --email-domain example.com --creates-users true'],
        ),
      ),
      PROVIDER_FIELDS,
    ),
    PROVIDER_FIELDS,
  ).action((name: string, flags: FlagValues & ServerFlags) =>
    run.operate(flags, (calls) => updateProvider(calls, name, flags)),
  )

  atServer(
    addCommand(provider, 'secret <provider>', 'Sets the secret that a provider gave redmint.', [
      'redmint provider secret google --secret-stdin < secret.txt',
    ]),
  )
    .option('--secret-stdin', SECRET_STDIN)
    .action(async (name: string, flags: ServerFlags & SecretFlag) => {
      const secret = await readSecret(run, flags)
      await run.operate(flags, (calls) => setProviderSecret(calls, name, secret))
    })

  atServer(
    addCommand(provider, 'test <provider>', 'Asks a provider what is wrong; exit code 1 if something is.', [
      'redmint provider test google',
    ]),
  ).action((name: string, flags: ServerFlags) => run.operate(flags, (calls) => testProvider(calls, name)))

  atServer(
    addCommand(provider, 'disable <provider>', 'Disables a provider. Its record stays.', [
      'redmint provider disable google',
    ]),
  ).action((name: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => setDisabled(calls, name, true)),
  )

  atServer(
    addCommand(provider, 'enable <provider>', 'Enables a disabled provider.', [
      'redmint provider enable google',
    ]),
  ).action((name: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => setDisabled(calls, name, false)),
  )

  atServer(
    addCommand(provider, 'remove <provider>', 'Removes a provider permanently; asks first.', [
      'redmint provider remove google --yes',
    ]),
  )
    .option('--yes', 'do not ask')
    .action(async (name: string, flags: ServerFlags & { yes?: true }) => {
      if (!(await run.confirm(flags, `Remove the provider "${name}" permanently?`))) {
        throw new Refusal('Nothing was changed.')
      }
      await run.operate(flags, (calls) => removeProvider(calls, name))
    })

  atServer(
    addCommand(
      provider,
      'lint [provider]',
      'Checks the records of providers for errors and likely mistakes; exit code 1 if there are errors.',
      ['redmint provider lint', 'redmint provider lint google --json'],
    ),
  ).action((name: string | undefined, flags: ServerFlags) =>
    run.operate(flags, (calls) => lint(calls, 'provider', name, HINTS)),
  )

  addReindexCommand(provider, run, 'provider')
}

async function readSecret(run: CommandRun, { secretStdin }: SecretFlag): Promise<string> {
  if (secretStdin) return run.readStdin()
  if (!run.hasTerminal)
    throw new UsageError('There is no terminal to ask for the secret: give --secret-stdin.')
  const [secret = ''] = await run.readHidden(['Secret: '])
  if (secret === '') throw new Refusal('Nothing was changed.')
  return secret
}
