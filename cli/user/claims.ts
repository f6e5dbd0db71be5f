import { InvalidArgumentError } from 'commander'
import { isStandardClaim, readClaimText, STANDARD_CLAIMS } from '../../src/accounts/standard-claims.ts'
import { isClaim } from '../../src/accounts/user-record.ts'
import { isObject } from '../../src/core/json.ts'
import { nearestName } from '../../src/core/nearest.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { Refusal, refusalOf } from '../errors.ts'
import { readJson } from '../import.ts'

const NAMES = Object.keys(STANDARD_CLAIMS)

/**
 * Returns the claims of a JSON object as fields of a record; reports problems to `fail`. `null` and an empty text count
 * as absent, because other systems write them for missing values.
 */
export function readClaims(given: Readonly<Record<string, unknown>>, fail: (problem: string) => void): Hash {
  const fields: [string, string][] = []
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === '') continue
    if (!isStandardClaim(name)) {
      const nearest = nearestName(name, NAMES)
      fail(`${name} ${nameProblem(name)}${nearest === undefined ? '' : `: did you mean ${nearest}?`}`)
      continue
    }
    const read = STANDARD_CLAIMS[name].fromJson(value)
    if ('problem' in read) fail(`${name} ${read.problem}`)
    else fields.push([name, read.text])
  }
  return Object.fromEntries(fields)
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
  const [, name, text] = /^([A-Za-z_]\w*)=(.+)$/s.exec(value) ?? []
  if (name === undefined || text === undefined) {
    throw new InvalidArgumentError('The form is name=value, such as email=alice@example.com.')
  }
  if (!isStandardClaim(name)) throw new InvalidArgumentError(`${name} ${nameProblem(name)}.`)
  const read = readClaimText(name, text)
  if ('problem' in read) throw new InvalidArgumentError(`${name} ${read.problem}.`)
  return { ...previous, [name]: read.text }
}

/** Collects the repeatable option `--remove-claim`. Unknown fields can also be removed. */
export function collectClaimName(name: string, previous: readonly string[] = []): string[] {
  if (!isClaim(name)) throw new InvalidArgumentError(`${name} is not a claim.`)
  return [...previous, name]
}

function nameProblem(name: string): string {
  return name === 'sub' ? 'cannot be set as a claim' : 'is not a standard claim (OpenID Connect Core §5.1)'
}
