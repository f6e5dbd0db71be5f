import type { ChallengeAttributes } from '../core/challenge.ts'
import {
  insufficientScope,
  insufficientUserAuthentication,
  invalidToken,
  unauthorized,
} from '../core/errors.ts'
import { scopeNames } from '../core/scope.ts'
import type { Validation } from '../tokens/validation.ts'
import type { TokenFacts } from './access-token.ts'
import { type BearerRequest, readBearerToken } from './bearer-token.ts'

/** What a route needs of an access token. */
export interface Needs {
  /** All of these scopes. */
  readonly scopes?: readonly string[]
  /** One of these values of `acr` (RFC 9470 §3). */
  readonly acr_values?: readonly string[]
  /** How many seconds ago the user may have signed in (RFC 9470 §3). */
  readonly max_age?: number
}

/** Says whether a token is valid. Rejects if that cannot be found out now. */
export type VerifyToken<T extends TokenFacts = TokenFacts> = (token: string) => Promise<Validation<T>>

/** How the tokens of a resource are checked. */
export interface Gate<T extends TokenFacts> {
  readonly verify: VerifyToken<T>
  /** Whom tokens with an audience may be for; absent: `verify` checks it. */
  readonly audiences?: readonly string[]
  /** The attributes of every challenge. */
  readonly place: ChallengeAttributes
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Returns the access token of a request, if it is what the route needs.
 * @throws OAuthError `unauthorized` without a token, `invalid_request` with several, `invalid_token`,
 * `insufficient_user_authentication`, `insufficient_scope`; what `verify` rejects with
 */
export async function checkAccess<T extends TokenFacts>(
  { verify, audiences, place, now }: Gate<T>,
  request: BearerRequest,
  needs: Needs = {},
  form_token?: string,
): Promise<T> {
  const token = readBearerToken(request, form_token, place)
  if (token === undefined) throw unauthorized({ ...place, ...scopeOf(needs) })
  const validation = await verify(token)
  if (!validation.valid) throw invalidToken(validation.reason, place)
  // RFC 9068 §4, RFC 8707 §2: a token for another resource is no token here. One without audience is for its issuer.
  if (
    audiences !== undefined &&
    validation.token.audience?.some((one) => audiences.includes(one)) === false
  ) {
    throw invalidToken('for another audience', place)
  }
  demandAuthentication(validation.token, needs, now(), place)
  demandScopes(validation.token, needs.scopes ?? [], place)
  return validation.token
}

/**
 * Checks that a token has all of these scopes.
 * @throws OAuthError `insufficient_scope`, which names all of them
 */
export function demandScopes(
  { scope }: Pick<TokenFacts, 'scope'>,
  scopes: readonly string[],
  place?: ChallengeAttributes,
): void {
  if (scopes.length === 0) return
  const granted = scopeNames(scope)
  if (scopes.every((name) => granted.includes(name))) return
  throw insufficientScope(scopes.join(' '), undefined, place)
}

// RFC 9470 §3. The scopes are in this challenge too, so that one authorization request is enough.
function demandAuthentication(
  { acr, auth_time }: Pick<TokenFacts, 'acr' | 'auth_time'>,
  needs: Needs,
  now: number,
  place: ChallengeAttributes,
): void {
  const { acr_values, max_age } = needs
  const strong = acr_values === undefined || (acr !== undefined && acr_values.includes(acr))
  const recent = max_age === undefined || (auth_time !== undefined && now / 1000 - auth_time <= max_age)
  if (strong && recent) return
  throw insufficientUserAuthentication(
    {
      ...(acr_values && { acr_values: acr_values.join(' ') }),
      ...(max_age !== undefined && { max_age: String(max_age) }),
      ...scopeOf(needs),
    },
    place,
  )
}

function scopeOf({ scopes = [] }: Needs): ChallengeAttributes {
  return scopes.length === 0 ? {} : { scope: scopes.join(' ') }
}
