import { claimsOf } from '../../claims/claims.ts'
import { isObject } from '../../core/json.ts'
import { SILENT } from '../../core/log.ts'
import { present } from '../../core/present.ts'
import type { Hash } from '../../core/record-hash.ts'
import { readClaims } from '../../users/claims-json.ts'
import { customClaimField } from '../../users/custom-claims.ts'
import { isStandardClaim } from '../../users/standard-claims.ts'
import { parseUser } from '../../users/user-record.ts'
import { AdminError, type InvalidField, invalidFields } from '../operation/problem.ts'
import { fromJson, merged, toJson } from '../operation/record-json.ts'
import { labelOf, readGiven } from '../operation/record-type.ts'
import { describeUser, type NewUser, USERS } from './record-type.ts'

/** Fields to set, as they are stored, and those to remove. */
export interface GivenFields {
  readonly set: Record<string, string>
  readonly unset: string[]
}

/**
 * Returns the fields and claims of a user as requests have them.
 * @param given as storage writes them
 * @throws AdminError `invalid_field`
 */
export function givenUser(given: Hash) {
  const parsed = parseUser('any', { sub: 'any', ...given })
  if (!parsed.ok) throw invalidFields(parsed.problems)
  const { custom_claims } = parsed.record
  const names = [...Object.keys(parsed.record.claims), ...Object.keys(custom_claims)]
  const claims: Readonly<Record<string, unknown>> = { ...claimsOf(parsed.record, names, SILENT) }
  return { ...toJson(USERS.table, Object.keys(given), given), claims }
}

/** Reads the fields of a new user. @throws AdminError `unknown_field` or `invalid_field` */
export function readNewUser({ username: _, claims = {}, ...given }: NewUser): Hash {
  const { set } = fromJson(
    USERS.table,
    ['sub', 'disabled', 'linked_subjects', 'admin', 'second_factor'],
    given,
  )
  return { ...set, ...readGivenClaims(claims, {}).set }
}

/**
 * Reads a merge patch of a user.
 * @throws AdminError `unknown_field` or `invalid_field`
 */
export function readUserPatch(
  username: string,
  patch: Readonly<Record<string, unknown>>,
  stored: Hash,
): GivenFields {
  const described = describeUser(username, stored)
  const { claims, ...others } = patch
  const given = readGiven(USERS, others, described, stored)
  if (claims === undefined) return given
  // RFC 7396 §2: null removes the whole member.
  const known = isObject(described.claims) ? described.claims : {}
  const wanted = claims === null ? Object.fromEntries(Object.keys(known).map((name) => [name, null])) : claims
  const { set, unset } = readGivenClaims(isObject(wanted) ? wanted : {}, known)
  return { set: { ...given.set, ...set }, unset: [...given.unset, ...unset] }
}

/**
 * Reads a user as a whole: claims that are not given are none.
 * @param stored the record that there is
 * @returns `unset`: what is given as absent, and what is none because it is not given
 * @throws AdminError `unknown_field` or `invalid_field`
 */
export function readWholeUser(
  username: string,
  whole: Readonly<Record<string, unknown>>,
  stored?: Hash,
): GivenFields {
  const { label, fields } = labelOf(whole)
  const { claims, sub, disabled, ...others } = fields
  // An answer says when somebody signed in last, which changes between reading a user and sending it back.
  const { last_sign_in_at: _, ...described } = stored === undefined ? {} : describeUser(username, stored)
  const { last_sign_in_at: __, ...given } = others
  const read = readGiven(USERS, given, { ...described, username })
  const own = fromJson(USERS.table, ['sub', 'disabled'], present({ sub, disabled }))
  const set = {
    ...read.set,
    ...own.set,
    ...label,
    ...readGivenClaims(isObject(claims) ? claims : {}, {}).set,
  }
  return { set, unset: [...read.unset, ...own.unset] }
}

function readGivenClaims(
  patch: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, unknown>>,
): GivenFields {
  const present = merged(known, patch) as Readonly<Record<string, unknown>>
  const wanted = Object.entries(patch).filter(([, value]) => value !== null)
  const fields: InvalidField[] = []
  const fail = (detail: string) => fields.push({ field: 'claims', detail: `claims: ${detail}` })
  const set = readClaims(Object.fromEntries(wanted.map(([name]) => [name, present[name]])), fail)
  if (fields.length > 0)
    throw new AdminError('invalid_field', fields.map(({ detail }) => detail).join('; '), fields)
  const removed = Object.keys(patch).filter((name) => patch[name] === null || patch[name] === '')
  return { set, unset: removed.map((name) => (isStandardClaim(name) ? name : customClaimField(name))) }
}
