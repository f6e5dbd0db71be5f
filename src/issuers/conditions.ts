import { isObject } from '../core/json.ts'
import { matchesPattern, type Pattern, parsePattern } from './pattern.ts'

/** The claims of an assertion (RFC 7519 §4), of any type. */
export type AssertionClaims = Readonly<Record<string, unknown>>

interface Condition {
  /** The names that lead to the claim, from the outside in. */
  readonly path: readonly string[]
  readonly pattern: Pattern
}

/**
 * Parses a condition `<claim>=<pattern>`. A claim inside of others is a JSON Pointer (RFC 6901):
 * `/kubernetes.io/namespace=prod`. Returns its problem if it is malformed, as text that completes "<field> …".
 */
function parseCondition(text: string): Condition | string {
  const equals = text.indexOf('=')
  if (equals < 1) return 'must be <claim>=<pattern>, such as repository=acme/shop'
  const name = text.slice(0, equals)
  const pattern = parsePattern(text.slice(equals + 1))
  if (typeof pattern === 'string') return pattern
  return { path: name.startsWith('/') ? pointer(name) : [name], pattern }
}

function pointer(name: string): string[] {
  const parts = name.slice(1).split('/')
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Returns the problem of a condition, as text that completes "<field> …"; undefined if it is well-formed. */
export function conditionProblem(text: string): string | undefined {
  const parsed = parseCondition(text)
  return typeof parsed === 'string' ? parsed : undefined
}

/** Returns the first condition that the claims do not meet; undefined if they meet all. */
export function unmetCondition(conditions: readonly string[], claims: AssertionClaims): string | undefined {
  return conditions.find((text) => {
    const condition = parseCondition(text)
    return typeof condition === 'string' || !isMet(condition, claims)
  })
}

/** Whether a condition is about this claim of the assertion itself. */
export function isConditioned(conditions: readonly string[], claim: string): boolean {
  return conditions.some((text) => {
    const condition = parseCondition(text)
    return typeof condition !== 'string' && condition.path.length === 1 && condition.path[0] === claim
  })
}

function isMet({ path, pattern }: Condition, claims: AssertionClaims): boolean {
  let value: unknown = claims
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return false
    value = value[name]
  }
  // A list or an object is never one value.
  return ['string', 'number', 'boolean'].includes(typeof value) && matchesPattern(pattern, String(value))
}
