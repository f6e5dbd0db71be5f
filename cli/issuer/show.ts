import { assertionsOff, ISSUERS } from '../../src/admin/issuers/issuers.ts'
import { misfitProblem } from '../../src/admin/operation/misfit.ts'
import { describeProblem, type FieldProblem, type Hash } from '../../src/core/record-hash.ts'
import { ISSUER_FIELDS } from '../../src/issuers/issuer-fields.ts'
import { type Issuer, parseIssuer } from '../../src/issuers/issuer-record.ts'
import type { Calls } from '../calls.ts'
import { EXIT, type Hints, withHints } from '../errors.ts'
import { fieldRows } from '../field-rows.ts'
import { pairs, type Report, table } from '../output.ts'
import { allPlain, plainNamed } from '../plain.ts'
import { settingsAt } from '../settings-at.ts'

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

/** Returns the description of the record of an issuer; undefined: the key is not a hash. */
export function describeIssuer(issuer: string, hash: Hash | undefined): IssuerDescription {
  if (hash === undefined) return { issuer, state: 'malformed', problems: [misfitProblem('issuer')] }
  const parsed = parseIssuer(issuer, hash)
  if (!parsed.ok) return { issuer, state: 'malformed', problems: parsed.problems }
  const { disabled, ...fields } = parsed.record
  return { ...fields, state: disabled ? 'disabled' : 'active' }
}

/** The command `issuer list`. */
export async function listIssuers(calls: Calls): Promise<Report> {
  const issuers = [...(await allPlain(calls, ISSUERS))].map(([issuer, hash]) => describeIssuer(issuer, hash))
  const settings = await settingsAt(calls)
  const off = settings && assertionsOff(settings)
  const rows = issuers.map((issuer) =>
    issuer.state === 'malformed'
      ? [issuer.issuer, '', '', 'malformed']
      : [issuer.issuer, issuer.profile, issuer.conditions.join(' '), issuer.state],
  )
  return {
    text:
      rows.length === 0
        ? 'There are no trusted issuers yet: see redmint issuer add --help.'
        : [
            table(['ISSUER', 'PROFILE', 'CONDITIONS', 'STATE'], rows),
            ...(off === undefined ? [] : ['', off]),
          ].join('\n'),
    json: { issuers, ...(off !== undefined && { off }) },
  }
}

/** The command `issuer show`. @throws Refusal if the issuer does not exist */
export async function showIssuer(calls: Calls, issuer: string): Promise<Report> {
  const { hash } = await withHints(HINTS, plainNamed(calls, ISSUERS, issuer))
  const described = describeIssuer(issuer, hash)
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
