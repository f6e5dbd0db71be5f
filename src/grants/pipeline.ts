import { idTokenClaims } from '../claims/id-token-claims.ts'
import { authenticateClient, type Caller } from '../clients/client-auth.ts'
import type { Client } from '../clients/client-record.ts'
import type { Context } from '../context.ts'
import { unauthorizedClient, unsupportedGrantType } from '../core/errors.ts'
import { type Parameters, required } from '../core/parameters.ts'
import { scopeNames } from '../core/scope.ts'
import { newToken } from '../core/token-string.ts'
import { CLOCK_SKEW } from '../keys/timing.ts'
import { signAccessToken } from '../tokens/access-jwt.ts'
import { signIdToken } from '../tokens/id-token.ts'
import type { TokenResponse } from '../tokens/token-response.ts'
import { authorizationCode } from './authorization-code.ts'
import { clientCredentials } from './client-credentials.ts'
import type { Grant, Granted, TokenPlan } from './grant-handler.ts'
import { refreshToken } from './refresh-token.ts'

const GRANTS: readonly Grant[] = [authorizationCode, clientCredentials, refreshToken]

/** The grant types that the token endpoint answers. */
export const SUPPORTED_GRANT_TYPES = GRANTS.map((grant) => grant.grant_type)

/**
 * Answers a token request (RFC 6749 §3.2): every grant runs through these steps in this order.
 * @throws OAuthError; StorageUnavailable
 */
export async function issueTokens(
  context: Context,
  parameters: Parameters,
  caller: Caller,
): Promise<TokenResponse> {
  const grant = findGrant(required(parameters, 'grant_type'))
  const request = grant.parse(parameters)
  const client = await authenticateClient(context, caller, parameters)
  checkGrantType(grant, client)
  const plan = planTokens(grant, context, client, request.grantId())
  const granted = await request.write(context, client, plan)
  return respond(context, client, plan, granted)
}

function findGrant(grant_type: string): Grant {
  const grant = GRANTS.find((candidate) => candidate.grant_type === grant_type)
  if (grant === undefined) {
    throw unsupportedGrantType(`grant_type must be one of ${SUPPORTED_GRANT_TYPES.join(', ')}.`)
  }
  return grant
}

function checkGrantType(grant: Grant, client: Client): void {
  if (client.is_public && !grant.public_clients) {
    throw unauthorizedClient(`A public client cannot use ${grant.grant_type}.`)
  }
  if (!client.grant_types.includes(grant.registered_as)) {
    throw unauthorizedClient(`This client is not registered for ${grant.registered_as}.`)
  }
}

// Everything that can fail without storage happens here, before a code is spent.
function planTokens(grant: Grant, { keys, settings }: Context, client: Client, grantId: string): TokenPlan {
  const format = client.access_token_format ?? settings.access_token_format
  const id_token_alg = client.id_token_signed_response_alg ?? settings.id_token_alg
  const { access_token_ttl } = settings
  return {
    jti: newToken(grantId),
    // An opaque token ends by the clock of storage; a JWT by the clock of whoever is shown it.
    access_token_ttl: format === 'jwt' ? access_token_ttl + CLOCK_SKEW : access_token_ttl,
    refresh_token: newToken(grantId),
    ...(format === 'jwt' ? { access_token_key: keys.signingKey(settings.access_token_alg) } : {}),
    ...(grant.has_user ? { id_token_key: keys.signingKey(id_token_alg) } : {}),
  }
}

async function respond(
  context: Context,
  client: Client,
  plan: TokenPlan,
  granted: Granted,
): Promise<TokenResponse> {
  const { client_id } = client
  const { jti, access_token_key, id_token_key } = plan
  const { sign_in, scope, nonce, refresh_token = plan.refresh_token } = granted
  const subject = sign_in?.subject ?? ''
  const access_token =
    access_token_key === undefined
      ? jti
      : signAccessToken(context, access_token_key, { jti, client_id, subject, scope })
  const response = {
    access_token,
    token_type: 'Bearer',
    expires_in: context.settings.access_token_ttl,
    scope,
  } as const
  if (id_token_key === undefined || sign_in === undefined) return response
  if (!scopeNames(scope).includes('openid')) return { ...response, refresh_token }
  const claims = await idTokenClaims(context, client, sign_in)
  const facts = { client_id, sign_in, access_token, claims, ...(nonce === undefined ? {} : { nonce }) }
  return {
    ...response,
    refresh_token,
    id_token: signIdToken(context, id_token_key, facts),
  }
}
