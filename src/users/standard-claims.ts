import { bytesOfMember, type STANDARD_CLAIM_NAMES } from '../core/custom-claims.ts'
import type { FieldText } from '../core/field-kinds.ts'
import { parseJson } from '../core/json.ts'
import type { FieldProblem, Hash } from '../core/record-hash.ts'
import {
  birthdateProblem,
  CLAIM_ADDRESS,
  CLAIM_BOOLEAN,
  CLAIM_SECONDS,
  type ClaimKind,
  claimText,
  emailProblem,
  webAddressProblem,
} from './claim-kinds.ts'

/**
 * The standard claims (OpenID Connect Core §5.1) that a user record can have, as fields of the same names, except `sub`,
 * which is in USER_FIELDS.
 */
export const STANDARD_CLAIMS = {
  name: claimText(),
  given_name: claimText(),
  family_name: claimText(),
  middle_name: claimText(),
  nickname: claimText(),
  preferred_username: claimText(),
  profile: claimText(webAddressProblem),
  picture: claimText(webAddressProblem),
  website: claimText(webAddressProblem),
  email: claimText(emailProblem),
  email_verified: CLAIM_BOOLEAN,
  gender: claimText(),
  birthdate: claimText(birthdateProblem),
  zoneinfo: claimText(),
  locale: claimText(),
  phone_number: claimText(),
  phone_number_verified: CLAIM_BOOLEAN,
  address: CLAIM_ADDRESS,
  updated_at: CLAIM_SECONDS,
} as const satisfies Readonly<Record<(typeof STANDARD_CLAIM_NAMES)[number], ClaimKind>>
export type StandardClaim = keyof typeof STANDARD_CLAIMS

/** Whether a name is a standard claim. */
export function isStandardClaim(name: string): name is StandardClaim {
  return Object.hasOwn(STANDARD_CLAIMS, name)
}

/** Converts a command-line argument, which is JSON unless the claim is a text, to the text in a record. */
export function readClaimText(name: StandardClaim, text: string): FieldText {
  const claim = STANDARD_CLAIMS[name]
  return claim.fromJson(claim.type === 'string' ? text : (parseJson(text) ?? text))
}

/** The longest JSON object of the standard claims of a user, in bytes: custom claims come on top in an id_token. */
export const MAX_STANDARD_CLAIMS = 8192

/** Returns the problem of standard claims that are too long in all; their types are not checked. */
export function standardClaimsProblems(hash: Hash): FieldProblem[] {
  let bytes = 0
  for (const [name, text] of Object.entries(hash)) {
    if (isStandardClaim(name)) bytes += bytesOfMember(name, JSON.stringify(text))
  }
  if (bytes <= MAX_STANDARD_CLAIMS) return []
  const problem = `must have at most ${MAX_STANDARD_CLAIMS} bytes in all as JSON, without custom claims`
  return [{ field: 'claims', problem }]
}
