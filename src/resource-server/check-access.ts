import { actorsOf } from '../core/actor.ts'
import {
  actingRefused,
  insufficientScope,
  insufficientUserAuthentication,
  invalidToken,
  unauthorized,
} from '../core/bearer-errors.ts'
import type { ChallengeAttributes } from '../core/challenge.ts'
import type { TokenScheme } from '../core/confirmation.ts'
import { replayedProof } from '../core/dpop-errors.ts'
import type { ErrorHeaders } from '../core/errors.ts'
import { scopeNames } from '../core/scope.ts'
import type { Proof } from '../dpop/proof.ts'
import type { Validation } from '../tokens/validation.ts'
import type { TokenFacts } from './access-token.ts'
import { type BindingRules, demandBinding, dpopPlace, provenBy, useUp } from './binding.ts'
import { type Names, refuseUnknownNames } from './known-names.ts'
import { type ApiRequest, readPresentedToken } from './presented-token.ts'

const PROOF_NEEDED =
  'This API accepts only access tokens that are bound to a key: send Authorization: DPoP <token>, with a DPoP proof.'

/** What a route needs of an access token. */
export interface Needs {
  /** All of these scopes. */
  readonly scopes?: readonly string[]
  /** One of these values of `acr` (RFC 9470 §3). */
  readonly acr_values?: readonly string[]
  /** How many seconds ago the user may have signed in (RFC 9470 §3). */
  readonly max_age?: number
}

/** What a route of any API may need. */
export const NEEDS: Names<Needs> = { scopes: true, acr_values: true, max_age: true }

/**
 * Checks what a route says it needs, which TypeScript checks only for those who use it: a misspelled need would let every
 * token pass.
 * @throws TypeError
 */
export function checkNeeds(needs: Needs, known: Names<object> = NEEDS): void {
  refuseUnknownNames('the needs of a route', needs, known)
  const { scopes, acr_values } = needs
  if (isListOrAbsent(scopes) && isListOrAbsent(acr_values)) return
  throw new TypeError(
    "scopes and acr_values in the needs of a route must be arrays, such as ['reports.read'].",
  )
}

const isListOrAbsent = (value: unknown) => value === undefined || Array.isArray(value)

/**
 * Says whether a token is valid. Rejects if that cannot be found out now.
 * @param proof the proof that comes with it, which is valid; whether the token is bound to its key is checked later
 */
export type VerifyToken<T extends TokenFacts = TokenFacts> = (
  token: string,
  proof?: Proof,
) => Promise<Validation<T>>

/** What an API does with tokens with which somebody acts for a user (RFC 8693 §1.1). */
export type ActingRule = (typeof ACTING_RULES)[number]
export const ACTING_RULES = ['refuse', 'allow'] as const

/** How the tokens of a resource are checked. */
export interface Gate<T extends TokenFacts> extends BindingRules {
  readonly verify: VerifyToken<T>
  /** Whom tokens with an audience may be for; absent: `verify` checks it. */
  readonly audiences?: readonly string[]
  /** Whether a token without an audience, which is for its issuer, is refused. */
  readonly demands_audience?: boolean
  /** Whether a token with which somebody acts for its user passes; absent: it is refused. */
  readonly acting?: ActingRule | undefined
  /** The attributes of every challenge. */
  readonly place: ChallengeAttributes
}

/** The access token of a request that may pass. */
export interface Access<T extends TokenFacts> {
  readonly token: T
  /** What the answer to the request must have: a nonce for the next proof (RFC 9449 §8.2), if there is one. */
  readonly headers: ErrorHeaders
}

/**
 * Returns the access token of a request, if it is what the route needs.
 * @param shows gets what `verify` says of the token, which may be refused all the same
 * @throws OAuthError `unauthorized` without a token, `invalid_request` with several, `invalid_dpop_proof`,
 * `use_dpop_nonce`, `invalid_token`, `insufficient_user_authentication`, `insufficient_scope`; what `verify` rejects with
 */
export async function checkAccess<T extends TokenFacts>(
  gate: Gate<T>,
  request: ApiRequest,
  needs: Needs = {},
  form_token?: string,
  shows?: (found: Validation<T>) => void,
): Promise<Access<T>> {
  const { verify, audiences, demands_audience, acting, proofs, now } = gate
  const presented = readPresentedToken(request, form_token, gate.place)
  if (presented === undefined || (presented.scheme === 'DPoP' && proofs === undefined)) {
    throw unauthorized(...waysIn(gate).map((place) => ({ ...place, ...scopeOf(needs) })))
  }
  const { scheme, token } = presented
  const place = placeOf(gate, scheme)
  // So that a client that asks for another token asks for no more than it needs.
  const renewed = { ...place, ...scopeOf(needs) }
  const proven =
    proofs !== undefined && scheme === 'DPoP' ? provenBy(proofs, gate, request, token) : undefined
  const validation = await verify(token, proven?.proof)
  shows?.(validation)
  if (!validation.valid) {
    const { reason, replayed } = validation
    throw replayed === undefined
      ? invalidToken('token_invalid', reason, renewed)
      : replayedProof(place, replayed.client_id)
  }
  // RFC 9068 §4, RFC 8707 §2: a token for another resource is refused. A token without audience is for its issuer.
  const { audience = demands_audience ? [] : undefined } = validation.token
  if (audiences !== undefined && audience?.some((one) => audiences.includes(one)) === false) {
    throw invalidToken('token_of_other_audience', 'for another audience', renewed, undefined, {
      received: { audience: [...(audience ?? [])] },
      expected: { audiences: [...audiences] },
    })
  }
  // RFC 8693 §1.1: an API that does not look at the actor would take it for the user.
  if (validation.token.act !== undefined && acting !== 'allow')
    throw actingRefused(actorsOf(validation.token.act).length, place)
  demandBinding(gate, request, validation.token.confirmation, proven?.proof)
  if (proven !== undefined) await useUp(gate, proven.proof, validation.token.client_id)
  demandAuthentication(validation.token, needs, now(), place)
  demandScopes(validation.token, needs.scopes ?? [], place)
  return { token: validation.token, headers: proven?.headers ?? {} }
}

/** Returns the attributes of a challenge for each way to present a token. */
function waysIn({ place, proofs }: BindingRules): ChallengeAttributes[] {
  if (proofs === undefined) return [place]
  return proofs.required ? [dpopPlace(place)] : [place, dpopPlace(place)]
}

/**
 * Returns the attributes of the challenges for a token that is presented in this way.
 * @throws OAuthError `invalid_token` if every token needs a proof, and there is none
 */
function placeOf({ place, proofs }: BindingRules, scheme: TokenScheme): ChallengeAttributes {
  if (scheme === 'DPoP') return dpopPlace(place)
  if (proofs?.required)
    throw invalidToken('token_proof_missing', 'without a DPoP proof', dpopPlace(place), PROOF_NEEDED)
  return place
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
  throw insufficientScope(scopes.join(' '), place, {
    received: { scope: granted },
    expected: { scope: scopes },
  })
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
    {
      received: {
        acr: acr ?? 'none',
        ...(auth_time !== undefined && { seconds_ago: Math.floor(now / 1000 - auth_time) }),
      },
      expected: {
        ...(acr_values && { acr: [...acr_values] }),
        ...(max_age !== undefined && { seconds_ago: max_age }),
      },
    },
  )
}

function scopeOf({ scopes = [] }: Needs): ChallengeAttributes {
  return scopes.length === 0 ? {} : { scope: scopes.join(' ') }
}
