import type { ScopeClaims } from '../config/scope-claims.ts'
import {
  bytesOfMember,
  type ClaimValue,
  type CustomClaims,
  claimNameProblem,
  MAX_CUSTOM_CLAIMS,
  readClaimJson,
} from '../core/custom-claims.ts'
import type { FieldProblem, Hash } from '../core/record-hash.ts'
import { scopeNames } from '../core/scope.ts'

const PREFIX = 'claim:'

/** Returns the field of a custom claim in the record of a user; its value is JSON. */
export function customClaimField(name: string): string {
  return `${PREFIX}${name}`
}

/** Whether a field of the record of a user is a custom claim. */
export function isCustomClaimField(field: string): boolean {
  return field.startsWith(PREFIX)
}

/** Reads the custom claims of a user record. Reports malformed claims, and claims that are too long in all. */
export function readCustomClaims(hash: Hash): { custom_claims: CustomClaims; problems: FieldProblem[] } {
  const claims: [string, ClaimValue][] = []
  const problems: FieldProblem[] = []
  let bytes = 0
  for (const [field, json] of Object.entries(hash)) {
    if (!field.startsWith(PREFIX) || json === '') continue
    const name = field.slice(PREFIX.length)
    const name_problem = claimNameProblem(name)
    const read = name_problem === undefined ? readClaimJson(json) : { problem: name_problem }
    if ('problem' in read) {
      problems.push({ field, problem: read.problem })
      continue
    }
    claims.push([name, read.value])
    // As a token has it: a number can be shorter in the record.
    bytes += bytesOfMember(name, JSON.stringify(read.value))
  }
  if (bytes > MAX_CUSTOM_CLAIMS) {
    problems.push({
      field: `${PREFIX}*`,
      problem: `must have at most ${MAX_CUSTOM_CLAIMS} bytes in all as JSON, names included`,
    })
  }
  return { custom_claims: Object.fromEntries(claims), problems }
}

/** Returns the custom claims of a user that a scope string releases. */
export function customClaimsOf(
  custom_claims: CustomClaims,
  scope: string,
  scope_claims: ScopeClaims,
): CustomClaims {
  const names = scopeNames(scope)
  return Object.fromEntries(
    Object.entries(custom_claims).filter(([name]) => names.includes(scope_claims.get(name) ?? '')),
  )
}
