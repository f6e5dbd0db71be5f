import { applyChange } from '../../src/admin/apply-change.ts'
import { lintIssuer } from '../../src/admin/issuers/lint.ts'
import { ISSUER_PRESETS, type IssuerPreset, type IssuerPresetName } from '../../src/admin/issuers/presets.ts'
import { describeProblem, type Hash } from '../../src/core/record-hash.ts'
import { shellWord } from '../../src/core/shell-word.ts'
import { ISSUER_FIELDS } from '../../src/issuers/issuer-fields.ts'
import { ISSUER } from '../../src/issuers/issuer-kind.ts'
import { formatIssuer, parseIssuer } from '../../src/issuers/issuer-record.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { assertWellFormed, Refusal, UsageError } from '../errors.ts'
import { clearedFields, type FlagValues, givenFields } from '../field-flags.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { describeIssuer, formatIssuerDescription, noSuchIssuer, readIssuer } from './show.ts'

/** The flags of `issuer add`. */
export type IssuerAddFlags = FlagValues & { readonly for?: IssuerPresetName }

type IssuerContext = Pick<CommandContext, 'storage' | 'report' | 'config'>

/**
 * The command `issuer add`. Flags of single fields win over the preset.
 * @param given the URL; may be left out with a preset that has one
 * @throws Refusal if the issuer exists or its record would be malformed; UsageError
 */
export async function addIssuer(
  context: IssuerContext,
  given: string | undefined,
  flags: IssuerAddFlags,
): Promise<Report> {
  const preset: IssuerPreset | undefined = flags.for && ISSUER_PRESETS[flags.for]
  const issuer = given ?? preset?.issuer
  if (issuer === undefined) {
    const example = preset?.example === undefined ? '' : `, such as ${preset.example}`
    throw new UsageError(`Give the URL of the issuer: the iss of its assertions${example}.`)
  }
  const hash = { ...formatIssuer({ issuer, ...preset?.fields }), ...givenFields(ISSUER_FIELDS, flags) }
  assertWellFormed(parseIssuer(issuer, hash))
  const { storage, report } = context
  if ((await storage.records.create({ kind: ISSUER, id: issuer, hash })) === 'exists') {
    throw new Refusal(`The issuer "${issuer}" is trusted already: use redmint issuer update to change it.`)
  }
  report({ event: 'issuer_trusted', issuer })
  return reportIssuer(context, 'The issuer is trusted.', issuer, hash, preset)
}

/**
 * The command `issuer update`: changes the fields that the flags name.
 * @throws Refusal if the issuer does not exist or its record would be malformed; UsageError
 */
export async function updateIssuer(
  context: IssuerContext,
  issuer: string,
  flags: FlagValues,
): Promise<Report> {
  const { storage, report } = context
  const stored = await readIssuer(storage, issuer)
  const change = { set: givenFields(ISSUER_FIELDS, flags), unset: clearedFields(ISSUER_FIELDS, flags) }
  if (Object.keys(change.set).length + change.unset.length === 0) {
    throw new UsageError(
      'There is nothing to change: give at least one flag, see redmint issuer update --help.',
    )
  }
  const hash = applyChange(stored, change)
  assertWellFormed(parseIssuer(issuer, hash))
  if ((await storage.records.change(ISSUER, issuer, change)) === 'missing') throw noSuchIssuer(issuer)
  report({ event: 'issuer_trusted', issuer })
  return reportIssuer(context, 'The issuer is changed.', issuer, hash)
}

/**
 * The command `issuer remove`.
 * @param expected an issuer whose fields have other values counts as missing
 * @throws Refusal if the issuer does not exist
 */
export async function removeIssuer(
  { storage, report }: { readonly storage: RecordStore; readonly report: CommandContext['report'] },
  issuer: string,
  expected: Hash = {},
): Promise<Report> {
  // This change fails if another file took the record over in the meantime, so that it is not removed.
  const disabled = { set: { disabled: 'true' }, unset: [], expected }
  if ((await storage.records.change(ISSUER, issuer, disabled)) === 'missing') throw noSuchIssuer(issuer)
  await storage.records.take(ISSUER, issuer)
  report({ event: 'issuer_removed', issuer })
  return {
    text: 'The issuer is not trusted any more. Tokens that its assertions were granted stay valid until they expire.',
    json: { issuer, removed: true },
  }
}

function reportIssuer(
  { config }: Pick<CommandContext, 'config'>,
  sentence: string,
  issuer: string,
  hash: Hash,
  preset?: IssuerPreset,
): Report {
  const described = describeIssuer(issuer, hash)
  const warnings = lintIssuer(issuer, hash)
  const next = `Next: redmint client add <client_id> --assertion-issuer ${shellWord(issuer)} --assertion-subject '${preset?.subject ?? '<sub>'}' --scope …`
  return {
    text: [
      sentence,
      '',
      formatIssuerDescription(described),
      ...(warnings.length === 0
        ? []
        : ['', ...warnings.map((found) => `Warning: ${describeProblem(found)}.`)]),
      ...(config.settings.trusted_issuers
        ? []
        : ['', 'TRUSTED_ISSUERS is not set here: servers accept assertions only with TRUSTED_ISSUERS=true.']),
      ...(preset === undefined ? [] : ['', next]),
    ].join('\n'),
    json: { ...described, warnings: warnings.map(({ field, problem }) => ({ field, problem })) },
  }
}
