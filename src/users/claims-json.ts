import { claimNameProblem, readClaimValue } from '../core/custom-claims.ts'
import type { FieldText } from '../core/field-kinds.ts'
import { misspellingsOf } from '../core/nearest.ts'
import type { Hash } from '../core/record-hash.ts'
import { customClaimField, readCustomClaims } from './custom-claims.ts'
import { isStandardClaim, STANDARD_CLAIMS, standardClaimsProblems } from './standard-claims.ts'

/** How much of the name of a standard claim may be wrong: two letters of email. */
const MISSPELLED = 0.4
const misspelledClaim = misspellingsOf(Object.keys(STANDARD_CLAIMS), MISSPELLED)

/**
 * Returns the claims of a JSON object as fields of a record; reports problems to `fail`. `null` and an empty text count
 * as absent, because other systems write them for missing values.
 */
export function readClaims(given: Readonly<Record<string, unknown>>, fail: (problem: string) => void): Hash {
  const fields: [string, string][] = []
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === '') continue
    const read = isStandardClaim(name) ? STANDARD_CLAIMS[name].fromJson(value) : readCustomClaim(name, value)
    if ('problem' in read) fail(`${name} ${read.problem}`)
    else fields.push([isStandardClaim(name) ? name : customClaimField(name), read.text])
  }
  const hash = Object.fromEntries(fields)
  // Each claim was checked by itself, so what is left is their size.
  const too_long = [...standardClaimsProblems(hash), ...readCustomClaims(hash).problems]
  for (const { problem } of too_long) fail(`claims ${problem}`)
  return hash
}

/** Converts the value of a custom claim to the text in a record. */
export function readCustomClaim(name: string, value: unknown): FieldText {
  const problem = customNameProblem(name)
  if (problem !== undefined) return { problem }
  const read = readClaimValue(value)
  return 'problem' in read ? read : { text: JSON.stringify(read.value) }
}

// A custom claim can have any name, so a misspelled standard claim would go unnoticed.
function customNameProblem(name: string): string | undefined {
  const meant = misspelledClaim(name)
  return meant === undefined
    ? claimNameProblem(name)
    : `is not a standard claim (OpenID Connect Core §5.1): did you mean ${meant}?`
}
