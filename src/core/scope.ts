import type { OAuthError } from './errors.ts'
import { invalidScope } from './grant-errors.ts'
import type { Parameters } from './parameters.ts'
import { piecesOf } from './pieces.ts'

// RFC 6749 §3.3: printable ASCII without space, double quote and backslash.
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/

/** The scopes of OpenID Connect (Core §3.1.2.1, §5.4 and §11). */
export const STANDARD_SCOPES = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const

const STANDARD: ReadonlySet<string> = new Set(STANDARD_SCOPES)

/** Whether a scope is one of OpenID Connect, and so about a user or a sign-in. */
export function isStandardScope(scope_name: string): boolean {
  return STANDARD.has(scope_name)
}

const OF_SIGN_IN: ReadonlySet<string> = new Set(['openid', 'offline_access'])

/** Whether a scope is for a sign-in itself: a token that is exchanged or that an operator gets is none, and never has it. */
export function isScopeOfSignIn(scope_name: string): boolean {
  return OF_SIGN_IN.has(scope_name)
}

const OTHER_SPACE = /[\t\n\v\f\r]/
const OTHER_SPACES = /[\t\n\v\f\r]/g
const MAX_COMPARED = 20
const MAX_ECHOED = 64
const MAX_REFUSED_SHOWN = 3
const MAX_ALLOWED_SHOWN = 20

/** Whether a string is one scope name (RFC 6749 §3.3). */
export function isScopeToken(value: string): boolean {
  return SCOPE_TOKEN.test(value)
}

/** Returns the distinct names in a scope string, in their order. */
export function scopeNames(scope: string): string[] {
  const names: string[] = []
  for (const name of piecesOf(OTHER_SPACE.test(scope) ? scope.replaceAll(OTHER_SPACES, ' ') : scope, ' ')) {
    // As long as few are compared with each other, that is shorter than a set.
    if (name !== '' && (names.length >= MAX_COMPARED || !names.includes(name))) names.push(name)
  }
  return names.length > MAX_COMPARED ? [...new Set(names)] : names
}

/** Whether a request leaves the scope out (RFC 6749 §3.3). */
export function hasNoScope({ scope = '' }: Parameters): boolean {
  return scopeNames(scope).length === 0
}

/** Whether a request is for details alone: it gets no default scope with them (RFC 9396 §3). */
export function isForDetailsAlone(parameters: Parameters): boolean {
  return parameters.authorization_details !== undefined && hasNoScope(parameters)
}

/** Returns those names of a scope that are allowed. */
export function partOfScope(scope: string, allowed: readonly string[]): string {
  return scopeNames(scope)
    .filter((name) => allowed.includes(name))
    .join(' ')
}

/**
 * Returns the scope to grant: the requested one, or by default all of `allowed`.
 * @throws OAuthError `invalid_scope` if a requested name is malformed or not allowed. Its description has the allowed
 * names: they are no secret of the client, since a request without scope is granted all of them.
 */
export function resolveScope(requested: string | undefined, allowed: readonly string[]): string {
  const names = scopeNames(requested ?? '')
  if (names.length === 0) return allowed.join(' ')
  const permitted = new Set(allowed)
  const refused = names.filter((name) => !permitted.has(name))
  if (refused.length > 0) {
    throw invalidScope(
      'scope_not_allowed',
      `This client may not obtain the requested scope${namesOf(refused)}. It may obtain${listOf(allowed)}`,
      {
        received: { scope: showable(refused) },
        expected: { scope: allowed },
        log_as: 'This client may not obtain the requested scope.',
      },
    )
  }
  return names.join(' ')
}

/** The error for names that a client may obtain, but not with this resource. `allowed`: the names that it has. */
export function scopeOfOtherResource(
  refused: readonly string[],
  resource: string,
  allowed: readonly string[],
): OAuthError {
  return invalidScope(
    'scope_not_of_resource',
    `The resource ${resource} does not have the requested scope${namesOf(refused)}. With it this client may obtain${listOf(allowed)}`,
    {
      received: { scope: showable(refused), resource },
      expected: { scope: allowed },
      log_as: `The resource ${resource} does not have the requested scope.`,
    },
  )
}

function namesOf(refused: readonly string[]): string {
  const shown = showable(refused).slice(0, MAX_REFUSED_SHOWN).join(' ')
  return shown === '' ? '' : `: ${shown}`
}

function listOf(allowed: readonly string[]): string {
  if (allowed.length === 0) return ' none: its field allowed_scopes is empty.'
  const shown = showable(allowed).slice(0, MAX_ALLOWED_SHOWN)
  const more = allowed.length - shown.length
  return `: ${shown.join(' ')}${more > 0 ? ` and ${more} more` : ''}.`
}

/** The names that fit into a description: well-formed (RFC 6749 §5.2 has the same characters) and short. */
function showable(names: readonly string[]): string[] {
  return names.filter((name) => isScopeToken(name) && name.length <= MAX_ECHOED)
}
