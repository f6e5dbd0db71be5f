import { claimNameProblem } from '../core/custom-claims.ts'
import { isScopeToken, isStandardScope } from '../core/scope.ts'
import type { OptionForm } from './option-form.ts'

/** The scope that releases each custom claim, by claim name. */
export type ScopeClaims = ReadonlyMap<string, string>

/** Which scope releases which custom claims. */
export const SCOPE_CLAIMS: OptionForm<ScopeClaims> = {
  variable: 'scope=claim,claim;scope=claim such as groups=groups,roles;hr=employee_id',
  option: 'a Map from claim to scope, such as new Map([["roles", "groups"]])',
  absent: new Map(),
  parse: (text, faults) => {
    const found = new Map<string, string>()
    for (const part of text.split(';')) {
      const [scope = '', claims = '', ...more] = part.split('=').map((word) => word.trim())
      const names = claims.split(',').map((name) => name.trim())
      if (scope === '' || more.length > 0 || names.includes('')) return undefined
      for (const name of names) {
        if (found.has(name)) faults.push(`has ${JSON.stringify(name)} twice: one scope releases a claim`)
        found.set(name, scope)
      }
    }
    return found
  },
  accepts: (value) => value instanceof Map && [...value].flat().every((name) => typeof name === 'string'),
  faults: (claims) => [
    ...[...new Set(claims.values())].flatMap((scope) => faultOf(scope, scopeProblem(scope))),
    ...[...claims.keys()].flatMap((name) => faultOf(name, claimNameProblem(name))),
  ],
}

function faultOf(name: string, problem: string | undefined): string[] {
  return problem === undefined ? [] : [`has ${JSON.stringify(name)}, which ${problem}`]
}

function scopeProblem(scope: string): string | undefined {
  if (!isScopeToken(scope)) return 'is not a scope name (RFC 6749 §3.3)'
  return isStandardScope(scope)
    ? 'has its claims from OpenID Connect Core §5.4: use another scope'
    : undefined
}
