import { type Command, Option } from 'commander'
import { addCommand, onHost } from '../command.ts'
import type { CommandRun } from '../run.ts'
import { CONFLICTS } from './conflicts.ts'
import { SYSTEMS } from './from/systems.ts'
import type { ExportFlags } from './run-export.ts'
import type { ImportFlags } from './run-import.ts'

/** `redmint export` and `redmint import` */
export function addMoveCommands(program: Command, run: CommandRun): void {
  onHost(
    addCommand(
      program,
      'export <file>',
      'Exports all that another redmint can take over to a new file ("-" for stdout): clients, users with their passwords and second steps, consents, resources, trusted issuers and invitations. The file is secret.',
      [
        'redmint export redmint.ndjson',
        'redmint export redmint.ndjson --with-keys --passphrase-file passphrase.txt',
      ],
    ),
    run,
    'No server shows passwords, secrets and keys; redmint client list and user list --json show the rest.',
  )
    .option('--with-keys', 'the signing keys, too, so that tokens stay valid; needs `--passphrase-file`')
    .option(
      '--passphrase-file <file>',
      'seal signing keys and the secrets of authenticator apps and providers with the passphrase in this file, of at least 12 characters; required if there is such a secret',
    )
    .action(async (file: string, flags: ExportFlags) => {
      // No other command needs it.
      const { runExport } = await import('./run-export.ts')
      await runExport(run, file, flags)
    })

  onHost(
    addCommand(
      program,
      'import <file>',
      'Imports an export of redmint, or clients and users of another system ("-" for stdin). A second run changes nothing, and continues one that was broken off.',
      [
        'redmint import redmint.ndjson --dry-run',
        'redmint import redmint.ndjson --passphrase-file passphrase.txt --on-conflict keep',
        'redmint import realm.json --from keycloak --dry-run',
      ],
    ),
    run,
    'No server takes hashes of passwords, secrets and keys; redmint client import and user import take the rest.',
  )
    .addOption(
      new Option(
        '--from <system>',
        'the file is one of this system: the export of a realm of `keycloak`, what `hydra list clients` prints, clients or users of `auth0`, or the configuration or users of `authelia`, see [Moving](moving.md)',
      ).choices(SYSTEMS),
    )
    .option('--passwords <file>', 'with `--from auth0`: the export of password hashes of the same users')
    .option('--dry-run', 'say what would be created, changed and refused, and write nothing')
    .addOption(
      new Option(
        '--on-conflict <what>',
        'what to do with a record that is here with other fields: `refuse` lists it, and nothing is written; `keep` keeps it; `replace` replaces it, and ends the sessions of such a user',
      )
        .choices(CONFLICTS)
        .default('refuse'),
    )
    .option('--skip-refused', 'import the others if some records are refused; otherwise nothing is written')
    .option('--passphrase-file <file>', 'open what the file has sealed with the passphrase in this file')
    .option('--without-passkeys', 'leave passkeys out, as those of another host cannot be used here')
    .action(async (file: string, flags: ImportFlags) => {
      const { runImport } = await import('./run-import.ts')
      await runImport(run, file, flags)
    })
}
