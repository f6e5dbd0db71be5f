import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { ISSUER_FIELDS } from '../../issuers/issuer-fields.ts'
import { type Issuer, parseIssuer } from '../../issuers/issuer-record.ts'
import { findingsOf, type RecordFinding, unknownFields } from '../operation/findings.ts'
import { misfitProblem } from '../operation/misfit.ts'
import { sharedPreset } from './presets.ts'

/** Longer lifetimes are warned of, in seconds. */
const LONG = 3600

/** Returns the errors and warnings for one record; undefined: the key is not a hash. */
export function lintIssuer(issuer: string, hash: Hash | undefined): RecordFinding<'issuer'>[] {
  if (hash === undefined) return findingsOf({ issuer }, [misfitProblem('issuer')], [])
  const parsed = parseIssuer(issuer, hash)
  return findingsOf({ issuer }, parsed.ok ? [] : parsed.problems, [
    ...unknownFields(hash, ISSUER_FIELDS),
    ...(parsed.ok ? warnings(parsed.record, hash) : []),
  ])
}

function warnings(issuer: Issuer, hash: Hash): FieldProblem[] {
  return [
    ...sharedWarnings(issuer),
    ...issuer.conditions.filter(isEmptyCondition).map((condition) => ({
      field: 'conditions',
      problem: `: "${condition}" is met by every value`,
    })),
    ...lifetimeWarnings(issuer),
    ...audienceWarnings(issuer),
    ...(issuer.profile === 'id-jag' ? identityWarnings(issuer, hash) : workloadWarnings(hash)),
    ...(issuer.jwks === undefined
      ? []
      : [{ field: 'jwks', problem: 'is used as it is: change it before the issuer changes its keys' }]),
  ]
}

/** Whether a condition, or the pattern of a subject, says nothing. */
export function isEmptyCondition(condition: string): boolean {
  return /^\*+$/.test(condition.slice(condition.indexOf('=') + 1))
}

function sharedWarnings({ issuer, conditions }: Issuer): FieldProblem[] {
  const { wanted } = sharedPreset(issuer) ?? {}
  const claims = conditions.filter((text) => !isEmptyCondition(text)).map((text) => text.split('=')[0])
  if (wanted === undefined || claims.some((claim) => wanted.claims.includes(claim ?? ''))) return []
  const problem = `has none about an owner, and everybody can get assertions of this issuer: add one such as ${wanted.example}`
  return [{ field: 'conditions', problem }]
}

function lifetimeWarnings({ reusable, max_lifetime }: Issuer): FieldProblem[] {
  if (reusable) {
    const problem = `is true: whoever copies an assertion can use it until it expires, for up to ${max_lifetime} seconds`
    return [{ field: 'reusable', problem }]
  }
  if (max_lifetime <= LONG) return []
  const problem = `is ${max_lifetime}: whoever copies an assertion that was not used yet has so long to use it`
  return [{ field: 'max_lifetime', problem }]
}

// draft-ietf-oauth-rfc7523bis §4 for client authentication, draft-ietf-oauth-identity-assertion-authz-grant §3 for users.
function audienceWarnings({ audience, profile, uses }: Issuer): FieldProblem[] {
  if (audience === undefined || (profile === 'workload' && !uses.includes('client_authentication'))) return []
  const problem = `is ${audience}: whoever else takes this audience can present the assertions here; have the issuer name ISSUER, and reset it`
  return [{ field: 'audience', problem }]
}

function identityWarnings({ account_by, scopes }: Issuer, hash: Hash): FieldProblem[] {
  return [
    ...(account_by === 'verified_email'
      ? [
          {
            field: 'account_by',
            problem:
              'is verified_email: the issuer can name every user here by e-mail address, so it must be the one that owns the addresses',
          },
        ]
      : []),
    ...(scopes.length === 0
      ? [{ field: 'scopes', problem: 'is empty: its assertions may grant all scopes of a client' }]
      : []),
    ...unused(hash, ['uses'], 'is not used, because profile is id-jag'),
  ]
}

const workloadWarnings = (hash: Hash) =>
  unused(hash, ['scopes', 'account_by'], 'is not used, because profile is workload')

function unused(hash: Hash, fields: readonly string[], problem: string): FieldProblem[] {
  return fields.filter((field) => hash[field]).map((field) => ({ field, problem }))
}
