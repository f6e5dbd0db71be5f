import { claimNameProblem } from '../core/custom-claims.ts'
import { isScopeToken, STANDARD_SCOPES } from '../core/scope.ts'

/** The scope that releases each custom claim, by claim name. */
export type ScopeClaims = ReadonlyMap<string, string>

const FORM = 'must be scope=claim,claim;scope=claim such as groups=groups,roles;hr=employee_id'

/** Parses SCOPE_CLAIMS. Adds a line to `problems` for each mistake. */
export function readScopeClaims(text: string | undefined, problems: string[]): ScopeClaims {
  const found = new Map<string, string>()
  for (const part of text?.split(';') ?? []) {
    const [scope = '', claims = '', ...more] = part.split('=').map((word) => word.trim())
    const names = claims.split(',').map((name) => name.trim())
    if (scope === '' || more.length > 0 || names.includes('')) {
      problems.push(`SCOPE_CLAIMS ${FORM}`)
      continue
    }
    const scope_problem = scopeProblem(scope)
    if (scope_problem !== undefined) problems.push(`SCOPE_CLAIMS: ${JSON.stringify(scope)} ${scope_problem}`)
    for (const name of names) {
      const problem = found.has(name) ? 'occurs twice: one scope releases a claim' : claimNameProblem(name)
      if (problem !== undefined) problems.push(`SCOPE_CLAIMS: ${JSON.stringify(name)} ${problem}`)
      found.set(name, scope)
    }
  }
  return found
}

function scopeProblem(scope: string): string | undefined {
  if (!isScopeToken(scope)) return 'is not a scope name (RFC 6749 §3.3)'
  return STANDARD_SCOPES.some((standard) => standard === scope)
    ? 'has its claims from OpenID Connect Core §5.4: use another scope'
    : undefined
}
