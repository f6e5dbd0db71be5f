import { type Command, Option } from 'commander'
import { ISSUER_PRESET_NAMES } from '../../src/admin/issuers/presets.ts'
import { ISSUER_FIELDS } from '../../src/issuers/issuer-fields.ts'
import { addCommand, atServer, type FindFlag, withFind } from '../command.ts'
import { Refusal } from '../errors.ts'
import { addClearFlags, addFieldFlags, type FlagValues } from '../field-flags.ts'
import { lint } from '../findings.ts'
import { addReindexCommand } from '../reindex.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { addIssuer, type IssuerAddFlags, removeIssuer, updateIssuer } from './edit.ts'
import { HINTS, listIssuers, showIssuer } from './show.ts'

/** `redmint issuer …` */
export function addIssuerCommands(program: Command, run: CommandRun): void {
  const issuer = program
    .command('issuer')
    .description('trusted issuers of assertions (RFC 7523); redmint apply declares them in a file')

  addFieldFlags(
    atServer(
      addCommand(
        issuer,
        'add [issuer]',
        'Trusts an issuer, given by its URL: clients that name it authenticate with its JWTs.',
        [
          'redmint issuer add --for github-actions --condition repository_owner=acme',
          'redmint issuer add https://kubernetes.default.svc.cluster.local --for kubernetes --jwks "$(kubectl get --raw /openid/v1/jwks)"',
          'redmint issuer add https://idp.example.com --profile id-jag --scope "chat.read chat.history"',
        ],
      ),
    ),
    ISSUER_FIELDS,
  )
    .addOption(
      new Option('--for <kind>', 'sets the fields for what issues the assertions').choices(
        ISSUER_PRESET_NAMES,
      ),
    )
    .action(async (url: string | undefined, flags: IssuerAddFlags & ServerFlags) => {
      await run.operate(flags, (calls) => addIssuer(calls, url, flags))
    })

  withFind(
    atServer(
      addCommand(issuer, 'list', 'Lists all trusted issuers, malformed records included.', [
        'redmint issuer list',
      ]),
    ),
  ).action((flags: ServerFlags & FindFlag) => run.operate(flags, (calls) => listIssuers(calls, flags)))

  atServer(
    addCommand(issuer, 'show <issuer>', 'Shows a trusted issuer.', [
      'redmint issuer show https://token.actions.githubusercontent.com',
    ]),
  ).action((url: string, flags: ServerFlags) => run.operate(flags, (calls) => showIssuer(calls, url)))

  addClearFlags(
    addFieldFlags(
      atServer(
        addCommand(
          issuer,
          'update <issuer>',
          'Changes the given fields of a trusted issuer. A given list replaces the old list.',
          ['redmint issuer update https://gitlab.com --condition namespace_path=acme'],
        ),
      ),
      ISSUER_FIELDS,
    ),
    ISSUER_FIELDS,
  ).action(async (url: string, flags: FlagValues & ServerFlags) => {
    await run.operate(flags, (calls) => updateIssuer(calls, url, flags))
  })

  atServer(
    addCommand(issuer, 'remove <issuer>', 'Removes a trusted issuer; asks first.', [
      'redmint issuer remove https://gitlab.com --yes',
    ]),
  )
    .option('--yes', 'do not ask')
    .action(async (url: string, flags: ServerFlags & { yes?: true }) => {
      if (!(await run.confirm(flags, `Remove the trusted issuer "${url}"?`))) {
        throw new Refusal('Nothing was changed.')
      }
      await run.operate(flags, (calls) => removeIssuer(calls, url))
    })

  atServer(
    addCommand(
      issuer,
      'lint [issuer]',
      'Checks the records of trusted issuers for errors, and for what trusts too much; exit code 1 if there are errors.',
      ['redmint issuer lint', 'redmint issuer lint https://gitlab.com --json'],
    ),
  ).action((url: string | undefined, flags: ServerFlags) =>
    run.operate(flags, (calls) => lint(calls, 'issuer', url, HINTS)),
  )

  addReindexCommand(
    issuer,
    run,
    'issuer',
    'Repairs the list of trusted issuers, after records were written with redis-cli while no server ran.',
  )
}
