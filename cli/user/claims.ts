import { InvalidArgumentError } from 'commander'
import { customClaimField, readCustomClaims } from '../../src/accounts/custom-claims.ts'
import {
  isStandardClaim,
  readClaimText,
  STANDARD_CLAIMS,
  standardClaimsProblems,
} from '../../src/accounts/standard-claims.ts'
import { isClaim } from '../../src/accounts/user-record.ts'
import { claimNameProblem, readClaimValue } from '../../src/core/custom-claims.ts'
import type { FieldText } from '../../src/core/field-kinds.ts'
import { isObject, parseJson } from '../../src/core/json.ts'
import { misspellingsOf } from '../../src/core/nearest.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { Refusal, refusalOf } from '../errors.ts'
import { readJson } from '../import.ts'

/** The claims that have a flag, and a place beside `claims` in files. */
export const CLAIM_FLAGS = ['name', 'email', 'email_verified'] as const

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

function readCustomClaim(name: string, value: unknown): FieldText {
  const problem = customNameProblem(name)
  if (problem !== undefined) return { problem }
  const read = readClaimValue(value)
  return 'problem' in read ? read : { text: JSON.stringify(read.value) }
}

/** Returns the claims in a file for `--claims`. @throws Refusal that lists all problems */
export function readClaimsFile(content: string): Hash {
  const value = readJson(content)
  if (!isObject(value)) throw new Refusal('The file of claims must hold a JSON object.')
  const problems: string[] = []
  const claims = readClaims(value, (problem) => problems.push(problem))
  if (problems.length > 0) throw refusalOf('The claims are invalid, so nothing was written:', problems)
  return claims
}

/** Collects the repeatable option `--claim name=value`. */
export function collectClaim(value: string, previous: Hash = {}): Hash {
  const [, name, text] = /^([^=]+)=(.+)$/s.exec(value) ?? []
  if (name === undefined || text === undefined) {
    throw new InvalidArgumentError('The form is name=value, such as email=alice@example.com.')
  }
  const is_standard = isStandardClaim(name)
  const read = is_standard ? readClaimText(name, text) : readCustomClaim(name, parseJson(text) ?? text)
  if ('problem' in read) throw new InvalidArgumentError(sentence(`${name} ${read.problem}`))
  return { ...previous, [is_standard ? name : customClaimField(name)]: read.text }
}

/**
 * Collects the fields that the repeatable option `--remove-claim` removes. For a name that is not standard, these are
 * both possible fields, so that unknown fields can also be removed.
 */
export function collectClaimName(name: string, previous: readonly string[] = []): string[] {
  if (!isClaim(name)) throw new InvalidArgumentError(`${name} is not a claim.`)
  return [...previous, name, ...(isStandardClaim(name) ? [] : [customClaimField(name)])]
}

// A custom claim can have any name, so a misspelled standard claim would go unnoticed.
function customNameProblem(name: string): string | undefined {
  const meant = misspelledClaim(name)
  return meant === undefined
    ? claimNameProblem(name)
    : `is not a standard claim (OpenID Connect Core §5.1): did you mean ${meant}?`
}

const sentence = (text: string) => (text.endsWith('?') ? text : `${text}.`)
