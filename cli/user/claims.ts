import { InvalidArgumentError } from 'commander'
import { isObject, parseJson } from '../../src/core/json.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { readClaims, readCustomClaim } from '../../src/users/claims-json.ts'
import { customClaimField } from '../../src/users/custom-claims.ts'
import { isStandardClaim, readClaimText } from '../../src/users/standard-claims.ts'
import { isClaim } from '../../src/users/user-fields.ts'
import { Refusal, refusalOf } from '../errors.ts'
import { readJson } from '../import.ts'

/** The claims that have a flag, and a place beside `claims` in files. */
export const CLAIM_FLAGS = ['name', 'email', 'email_verified'] as const

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

const sentence = (text: string) => (text.endsWith('?') ? text : `${text}.`)
