// The rules of an authorization request about its user and the sign-in, one function each, as in checks.ts.
import { readClaimsParameter } from '../claims/claims-request.ts'
import { invalidRequest } from '../core/errors.ts'
import type { Parameters } from '../core/parameters.ts'
import { previewIsSilent, unmetAuthenticationRequirements } from '../core/request-errors.ts'
import { scopeNames } from '../core/scope.ts'
import { acrValuesOf } from '../interaction/sign-in-method.ts'
import { verifyIdToken } from '../tokens/id-token.ts'
import type { CheckContext, CheckedPart } from './checks.ts'
import { demandedAcr } from './demanded-acr.ts'
import { type AuthorizationRequest, promptsFor, type Target } from './request.ts'

/** max_age is a number of seconds (OpenID Connect Core §3.1.2.1). */
export function checkMaxAge({ max_age }: Parameters): CheckedPart<AuthorizationRequest> {
  if (max_age === undefined) return {}
  if (!/^\d{1,10}$/.test(max_age))
    throw invalidRequest('max_age_malformed', 'max_age must be a number of seconds.', {
      received: { max_age },
    })
  return { max_age: Number(max_age) }
}

/** The values of prompt that say all: another one beside them contradicts. */
const ALONE = ['none', 'create'] as const

/**
 * Every prompt is one that there is here, and neither `none` (OpenID Connect Core §3.1.2.1) nor `create` (Initiating User
 * Registration via OpenID Connect §4.1) is combined with another one. A preview never gets `none`: its host can be
 * taken over.
 */
export function checkPrompt(
  parameters: Parameters,
  { client }: Pick<Target, 'client'>,
  { settings }: Pick<CheckContext, 'settings'>,
): CheckedPart<AuthorizationRequest> {
  const supported = promptsFor(settings)
  const prompts = scopeNames(parameters.prompt ?? '').map((name) => {
    const prompt = supported.find((known) => known === name)
    if (prompt === undefined)
      throw invalidRequest('prompt_malformed', `prompt must be of ${supported.join(', ')}.`, {
        received: { prompt: name },
        expected: { prompt: supported },
      })
    return prompt
  })
  const alone = ALONE.find((name) => prompts.includes(name))
  if (alone !== undefined && prompts.length > 1) {
    throw invalidRequest('prompt_malformed', `prompt must not have ${alone} beside another value.`, {
      received: { prompt: prompts },
      expected: { prompt: alone },
    })
  }
  if (client.preview_of !== undefined && prompts.includes('none')) throw previewIsSilent()
  return { prompt: new Set(prompts) }
}

/** The claims parameter is well-formed (OpenID Connect Core §5.5). */
export function checkClaims(
  parameters: Parameters,
  _target: Target,
  { settings }: CheckContext,
): CheckedPart<AuthorizationRequest> {
  return { claims: readClaimsParameter(parameters.claims, settings.scope_claims) }
}

/**
 * id_token_hint is an id_token that this server issued to this client; it may have expired (OpenID Connect Core §3.1.2.1).
 * @throws StorageUnavailable
 */
export function checkIdTokenHint(
  { id_token_hint }: Parameters,
  { client }: Target,
  context: CheckContext,
): CheckedPart<AuthorizationRequest> {
  if (id_token_hint === undefined) return {}
  const hint = verifyIdToken(context, id_token_hint)
  if (hint === undefined || hint.client_id !== client.client_id) {
    throw invalidRequest(
      'id_token_hint_foreign',
      'id_token_hint is not an id_token that this server issued to this client.',
      {
        received:
          hint === undefined ? { fault: 'not an id_token of this server' } : { client_id: hint.client_id },
        expected: { client_id: client.client_id },
      },
    )
  }
  return { hinted_sub: hint.sub }
}

/** A sign-in method has the acr that is demanded: otherwise every sign-in would fail (OpenID Connect Core §5.5.1.1). */
export function checkAcr(
  _parameters: Parameters,
  { client }: Target,
  { methods }: CheckContext,
  { claims, details }: CheckedPart<AuthorizationRequest>,
): CheckedPart<AuthorizationRequest> {
  const demanded = demandedAcr({ client, claims: claims ?? {}, details })
  if (demanded === undefined) return {}
  const reachable = acrValuesOf(methods)
  if (demanded.some((acr) => reachable.includes(acr))) return {}
  throw unmetAuthenticationRequirements(
    'acr_impossible',
    'No way of signing in here has the acr that is demanded.',
    { received: { acr: demanded }, expected: { acr: reachable } },
  )
}

/** Takes parameters that can have any value: the nonce, the user of the demo shortcut, and a wish for the sign-in. */
export function readUnchecked({ nonce, subject, acr_values }: Parameters): CheckedPart<AuthorizationRequest> {
  return {
    ...(nonce === undefined ? {} : { nonce }),
    ...(subject === undefined ? {} : { subject }),
    ...(acr_values === undefined ? {} : { acr_values: scopeNames(acr_values) }),
  }
}
