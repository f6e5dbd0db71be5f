import { assertionsOff } from '../../src/admin/issuers/issuers.ts'
import { describeProblem, type FieldProblem } from '../../src/core/record-hash.ts'
import { ISSUER_FIELDS } from '../../src/issuers/issuer-fields.ts'
import type { Issuer } from '../../src/issuers/issuer-record.ts'
import type { Calls } from '../calls.ts'
import { type FindFlag, noneText } from '../command.ts'
import { EXIT, type Hints, withHints } from '../errors.ts'
import { fieldRows } from '../field-rows.ts'
import { shownRecord } from '../from-answer.ts'
import { listed, pairs, type Report, withIndexing } from '../output.ts'
import { settingsAt } from '../settings-at.ts'
import { allSimple, ISSUER, type SimpleRecord, simpleNamed } from '../simple.ts'

/** The JSON of a trusted issuer in reports. */
type IssuerDescription =
  | (Omit<Issuer, 'disabled'> & { state: 'active' | 'disabled' })
  | { issuer: string; state: 'malformed'; problems: FieldProblem[] }

/** What to do if the operations of an issuer are refused. */
export const HINTS: Hints = {
  exists: ': use redmint issuer update to change it.',
  not_found: ': redmint issuer list shows all.',
  stale: ': repeat the command.',
}

/** Returns the description of an issuer. */
export function describeIssuer({ id: issuer, hash, problems }: SimpleRecord): IssuerDescription {
  const shown = shownRecord(ISSUER_FIELDS, { issuer, ...hash }, problems)
  if (!shown.ok) return { issuer, state: 'malformed', problems: shown.problems }
  const { disabled, ...fields } = shown.record
  return { ...fields, state: disabled ? 'disabled' : 'active' }
}

/** The command `issuer list`. */
export async function listIssuers(calls: Calls, flags: FindFlag): Promise<Report> {
  const { records, of, indexing } = await allSimple(calls, ISSUER, flags)
  const issuers = records.map(describeIssuer)
  const settings = await settingsAt(calls)
  const off = settings && assertionsOff(settings)
  const rows = issuers.map((issuer) =>
    issuer.state === 'malformed'
      ? [issuer.issuer, '', '', 'malformed']
      : [issuer.issuer, issuer.profile, issuer.conditions.join(' '), issuer.state],
  )
  const none = noneText(flags, 'There are no trusted issuers yet: see redmint issuer add --help.')
  const list = listed(['ISSUER', 'PROFILE', 'CONDITIONS', 'STATE'], rows, {
    none,
    noun: 'trusted issuer',
    of,
  })
  const report = {
    text: [list, ...(off === undefined || rows.length === 0 ? [] : ['', off])].join('\n'),
    json: { issuers, ...(off !== undefined && { off }) },
  }
  return withIndexing(report, 'issuer', indexing)
}

/** The command `issuer show`. @throws Refusal if the issuer does not exist */
export async function showIssuer(calls: Calls, issuer: string): Promise<Report> {
  const described = describeIssuer(await withHints(HINTS, simpleNamed(calls, ISSUER, issuer)))
  return {
    text: formatIssuerDescription(described),
    json: described,
    ...(described.state === 'malformed' ? { exit: EXIT.refused } : {}),
  }
}

/** Formats an issuer as text, one line for each field. */
export function formatIssuerDescription(issuer: IssuerDescription): string {
  if (issuer.state === 'malformed') {
    const problems = issuer.problems.map((problem) => `  ${describeProblem(problem)}`)
    return ['This record is malformed, so the servers refuse its assertions:', ...problems].join('\n')
  }
  return pairs(fieldRows(ISSUER_FIELDS, issuer, { disabled: ['state', issuer.state] }))
}
