import { idTokenClaims } from '../claims/id-token-claims.ts'
import { authenticateClient, type Caller } from '../clients/client-auth.ts'
import type { Client } from '../clients/client-record.ts'
import { invalidGrant, unauthorizedClient, unsupportedGrantType } from '../core/errors.ts'
import type { FamilyId } from '../core/ids.ts'
import { type Parameters, required } from '../core/parameters.ts'
import { scopeNames } from '../core/scope.ts'
import { signAccessToken } from '../tokens/access-jwt.ts'
import { signIdToken } from '../tokens/id-token.ts'
import { planTokens, type TokenPlan } from '../tokens/plan.ts'
import type { Issued } from '../tokens/sealed-answer.ts'
import { hasAccount } from '../tokens/token-account.ts'
import type { TokenResponse } from '../tokens/token-response.ts'
import { authorizationCode } from './authorization-code.ts'
import { clientCredentials } from './client-credentials.ts'
import type { GrantContext, Granted, GrantHandler } from './grant-handler.ts'
import { refreshToken } from './refresh-token.ts'

const HANDLERS: readonly GrantHandler[] = [authorizationCode, clientCredentials, refreshToken]

/** The grant types that the token endpoint supports. */
export const SUPPORTED_GRANT_TYPES = HANDLERS.map((handler) => handler.grant_type)

/**
 * Answers a token request (RFC 6749 §3.2). Every grant runs through these steps in this order.
 * @throws OAuthError; StorageUnavailable
 */
export async function issueTokens(
  context: GrantContext,
  parameters: Parameters,
  caller: Caller,
): Promise<TokenResponse> {
  const handler = findHandler(required(parameters, 'grant_type'))
  const request = handler.parse(parameters)
  const client = await authenticateClient(context, caller, parameters)
  checkGrantType(handler, client)
  // Signing keys can be missing: fail before a code or refresh token is spent.
  const family = request.familyId()
  const plan = planTokens(context, client, family, handler.has_user)
  const granted = await request.write(context, client, plan)
  await checkAccount(context, client, family, granted)
  return respond(context, client, plan, granted)
}

function findHandler(grant_type: string): GrantHandler {
  const handler = HANDLERS.find((candidate) => candidate.grant_type === grant_type)
  if (handler === undefined) {
    throw unsupportedGrantType(`grant_type must be one of ${SUPPORTED_GRANT_TYPES.join(', ')}.`)
  }
  return handler
}

function checkGrantType(handler: GrantHandler, client: Client): void {
  if (client.is_public && !handler.public_clients) {
    throw unauthorizedClient(`A public client cannot use ${handler.grant_type}.`)
  }
  if (!client.grant_types.includes(handler.registered_as)) {
    throw unauthorizedClient(`This client is not registered for ${handler.registered_as}.`)
  }
}

/**
 * Refuses tokens for a user whose account is disabled, gone or of another user now. Only the record of the grant names
 * the account, so it is checked when the tokens are written and before they leave; they end with their family.
 * @throws OAuthError `invalid_grant`; StorageUnavailable
 */
async function checkAccount(
  context: GrantContext,
  client: Client,
  family: FamilyId,
  { user }: Granted,
): Promise<void> {
  if (user === undefined || (await hasAccount(context, client, user.sign_in))) return
  await context.storage.families.revokeFamily(family)
  context.log.info({ client_id: client.client_id }, 'A grant ends, because its user is disabled or gone.')
  throw invalidGrant('The user of this grant cannot sign in any more.', 'account disabled, gone or changed')
}

async function respond(
  context: GrantContext,
  client: Client,
  plan: TokenPlan,
  { scope, issued, user }: Granted,
): Promise<TokenResponse> {
  const { client_id } = client
  const { settings, keys } = context
  const { format, jti, issued_at, access_token_ttl: ttl } = issued ?? plan
  const at_issue = { settings, now: () => issued_at * 1000 }
  const facts = { jti, client_id, subject: user?.sign_in.subject ?? '', scope }
  const signing_key = () => plan.access_token_key ?? keys.signingKey(settings.access_token_alg)
  const access_token = format === 'jwt' ? signAccessToken(at_issue, { key: signing_key(), ttl }, facts) : jti
  const expires_in = issued === undefined ? ttl : remaining(issued, context.now())
  const response = { access_token, token_type: 'Bearer', expires_in, scope } as const
  if (user === undefined) return response
  const { sign_in, nonce, refresh } = user
  const refreshable = {
    ...response,
    ...(refresh && { refresh_token: refresh.token, refresh_token_expires_in: refresh.expires_in }),
  }
  if (plan.id_token === undefined || !scopeNames(scope).includes('openid')) return refreshable
  const claims = await idTokenClaims(context, client, sign_in)
  const about = { client_id, sign_in, access_token, claims, ...(nonce === undefined ? {} : { nonce }) }
  return { ...refreshable, id_token: signIdToken(at_issue, plan.id_token, about) }
}

/** The seconds that an access token lives on, at least 0. */
function remaining({ issued_at, access_token_ttl }: Issued, now: number): number {
  return Math.max(0, issued_at + access_token_ttl - Math.floor(now / 1000))
}
