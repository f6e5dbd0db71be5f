import { providersOff } from '../../src/admin/providers/providers.ts'
import { describeProblem, type FieldProblem } from '../../src/core/record-hash.ts'
import { nameOf } from '../../src/providers/presets.ts'
import { PROVIDER_FIELDS } from '../../src/providers/provider-fields.ts'
import type { Provider } from '../../src/providers/provider-record.ts'
import type { Calls } from '../calls.ts'
import { type FindFlag, noneText } from '../command.ts'
import { EXIT, type Hints, withHints } from '../errors.ts'
import { fieldRows } from '../field-rows.ts'
import { shownRecord } from '../from-answer.ts'
import { listed, pairs, type Report, withIndexing } from '../output.ts'
import { settingsAt } from '../settings-at.ts'
import { allSimple, PROVIDER, type SimpleRecord, simpleNamed } from '../simple.ts'

/** The JSON of a provider in reports. The secret is never in one. */
type ProviderDescription =
  | (Omit<Provider, 'disabled' | 'client_secret_sealed'> & { state: 'active' | 'disabled' })
  | { provider: string; state: 'malformed'; problems: FieldProblem[] }

/** What to do if the operations of a provider are refused. */
export const HINTS: Hints = {
  exists: ': use redmint provider update to change it.',
  not_found: ': redmint provider list shows all.',
  stale: ': repeat the command.',
}

/** Returns the description of a provider. */
function describeProvider({ id: provider, hash, problems }: SimpleRecord): ProviderDescription {
  const shown = shownRecord(PROVIDER_FIELDS, { provider, ...hash }, problems)
  if (!shown.ok) return { provider, state: 'malformed', problems: shown.problems }
  const { disabled, client_secret_sealed: _, ...fields } = shown.record
  return { ...fields, state: disabled ? 'disabled' : 'active' }
}

/** The command `provider list`. */
export async function listProviders(calls: Calls, flags: FindFlag): Promise<Report> {
  const { records, of, indexing } = await allSimple(calls, PROVIDER, flags)
  const providers = records.map(describeProvider)
  const { sign_in } = (await settingsAt(calls)) ?? {}
  const off = sign_in === undefined ? undefined : providersOff({ sign_in })
  const rows = providers.map((one) =>
    one.state === 'malformed'
      ? [one.provider, '', '', 'malformed']
      : [one.provider, nameOf(one), one.issuer, one.state],
  )
  const none = noneText(flags, 'There are no providers yet: see redmint provider add --help.')
  const list = listed(['PROVIDER', 'NAME', 'ISSUER', 'STATE'], rows, { none, noun: 'provider', of })
  const report = {
    text: [list, ...(off === undefined || rows.length === 0 ? [] : ['', off])].join('\n'),
    json: { providers, ...(off !== undefined && { off }) },
  }
  return withIndexing(report, 'provider', indexing)
}

/** The command `provider show`. @throws Refusal if the provider does not exist */
export async function showProvider(calls: Calls, provider: string): Promise<Report> {
  return reportProvider([], await withHints(HINTS, simpleNamed(calls, PROVIDER, provider)))
}

/** Reports a provider, below lines if there are any. */
export function reportProvider(lines: readonly string[], record: SimpleRecord): Report {
  const described = describeProvider(record)
  const above = lines.length === 0 ? [] : [...lines, '']
  if (described.state !== 'malformed') {
    const rows = fieldRows(PROVIDER_FIELDS, described, { disabled: ['state', described.state] })
    return { text: [...above, pairs(rows)].join('\n'), json: described }
  }
  const problems = described.problems.map((problem) => `  ${describeProblem(problem)}`)
  const text = [...above, 'This record is malformed, so nobody can sign in by it:', ...problems]
  return { text: text.join('\n'), json: described, exit: EXIT.refused }
}
