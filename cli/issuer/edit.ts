import { assertionsOff } from '../../src/admin/issuers/issuers.ts'
import { lintIssuer } from '../../src/admin/issuers/lint.ts'
import { ISSUER_PRESETS, type IssuerPreset, type IssuerPresetName } from '../../src/admin/issuers/presets.ts'
import type { Settings } from '../../src/config/settings.ts'
import { formatFields } from '../../src/core/field-table.ts'
import { describeProblem } from '../../src/core/record-hash.ts'
import { shellWord } from '../../src/core/shell-word.ts'
import { ISSUER_FIELDS } from '../../src/issuers/issuer-fields.ts'
import type { Calls } from '../calls.ts'
import { UsageError, withHints } from '../errors.ts'
import { changedFields, type FlagValues, givenFields } from '../field-flags.ts'
import type { Report } from '../output.ts'
import { settingsAt } from '../settings-at.ts'
import {
  addSimple,
  changeSimpleNamed,
  ISSUER,
  removeSimpleNamed,
  type SimpleRecord,
  simpleNamed,
} from '../simple.ts'
import { describeIssuer, formatIssuerDescription, HINTS } from './show.ts'

/** The flags of `issuer add`. */
export type IssuerAddFlags = FlagValues & { readonly for?: IssuerPresetName }

/**
 * The command `issuer add`. Flags of single fields win over the preset.
 * @param given the URL; may be left out with a preset that has one
 * @throws Refusal if the issuer exists or its record would be malformed; UsageError
 */
export async function addIssuer(
  calls: Calls,
  given: string | undefined,
  flags: IssuerAddFlags,
): Promise<Report> {
  const preset: IssuerPreset | undefined = flags.for && ISSUER_PRESETS[flags.for]
  const issuer = given ?? preset?.issuer
  if (issuer === undefined) {
    const example = preset?.example === undefined ? '' : `, such as ${preset.example}`
    throw new UsageError(`Give the URL of the issuer: the iss of its assertions${example}.`)
  }
  const fields = {
    ...formatFields(ISSUER_FIELDS, { issuer, ...preset?.fields }),
    ...givenFields(ISSUER_FIELDS, flags),
  }
  const settings = await settingsAt(calls)
  const added = await withHints(HINTS, addSimple(calls, ISSUER, issuer, fields))
  return reportIssuer(settings, 'The issuer is trusted.', added, preset)
}

/**
 * The command `issuer update`: changes the fields that the flags name.
 * @throws Refusal if the issuer does not exist or its record would be malformed; UsageError
 */
export async function updateIssuer(calls: Calls, issuer: string, flags: FlagValues): Promise<Report> {
  await withHints(HINTS, simpleNamed(calls, ISSUER, issuer))
  const change = changedFields(ISSUER_FIELDS, flags, 'issuer update')
  const settings = await settingsAt(calls)
  const changed = await withHints(HINTS, changeSimpleNamed(calls, ISSUER, issuer, change))
  return reportIssuer(settings, 'The issuer is changed.', changed)
}

/** The command `issuer remove`. @throws Refusal if the issuer does not exist */
export async function removeIssuer(calls: Calls, issuer: string): Promise<Report> {
  await withHints(HINTS, removeSimpleNamed(calls, ISSUER, issuer))
  return {
    text: 'The issuer is not trusted any more. Tokens that its assertions were granted stay valid until they expire.',
    json: { issuer, removed: true },
  }
}

function reportIssuer(
  settings: Partial<Settings> | undefined,
  sentence: string,
  record: SimpleRecord,
  preset?: IssuerPreset,
): Report {
  const { id: issuer, hash } = record
  const described = describeIssuer(record)
  const warnings = lintIssuer(issuer, hash)
  const off = settings && assertionsOff(settings)
  const next = `Next: redmint client add <client_id> --assertion-issuer ${shellWord(issuer)} --assertion-subject '${preset?.subject ?? '<sub>'}' --scope …`
  return {
    text: [
      sentence,
      '',
      formatIssuerDescription(described),
      ...(warnings.length === 0
        ? []
        : ['', ...warnings.map((found) => `Warning: ${describeProblem(found)}.`)]),
      ...(off === undefined ? [] : ['', off]),
      ...(preset === undefined ? [] : ['', next]),
    ].join('\n'),
    json: { ...described, warnings: warnings.map(({ field, problem }) => ({ field, problem })) },
  }
}
