import { accessTokenClaims } from '../claims/access-token-claims.ts'
import { idTokenClaims } from '../claims/id-token-claims.ts'
import { proveClient } from '../clients/client-auth.ts'
import { keyOfTokens, type ProvingCaller } from '../clients/client-proof.ts'
import type { Client, GrantType } from '../clients/client-record.ts'
import { keepRegistered } from '../clients/registration/lifetime.ts'
import type { Settings } from '../config/settings.ts'
import { confirmationOf, schemeOf } from '../core/confirmation.ts'
import type { CustomClaims } from '../core/custom-claims.ts'
import {
  invalidGrant,
  notRegisteredFor,
  unauthorizedClient,
  unsupportedGrantType,
} from '../core/grant-errors.ts'
import type { FamilyId } from '../core/ids.ts'
import { type Parameters, required } from '../core/parameters.ts'
import { scopeNames } from '../core/scope.ts'
import { findTarget, ungrantedTarget } from '../resources/target.ts'
import { type SigningContext, signAccessToken } from '../tokens/access-jwt.ts'
import { signIdToken } from '../tokens/id-token.ts'
import { accessTokenKey, planTokens, type TokenPlan } from '../tokens/plan.ts'
import type { Issued } from '../tokens/sealed-answer.ts'
import { encryptJwt, findRecipient } from '../tokens/signed-answer.ts'
import { hasAccount } from '../tokens/token-account.ts'
import type { TokenResponse } from '../tokens/token-response.ts'
import { authorizationCode } from './authorization-code.ts'
import { clientCredentials } from './client-credentials.ts'
import { deviceCode } from './device-code.ts'
import type { GrantContext, Granted, GrantedUser, GrantHandler } from './grant-handler.ts'
import { jwtBearer } from './jwt-bearer.ts'
import { certificateBinding } from './planned-tokens.ts'
import { refreshToken } from './refresh-token.ts'

const HANDLERS: readonly GrantHandler[] = [
  authorizationCode,
  clientCredentials,
  refreshToken,
  deviceCode,
  jwtBearer,
]

type GrantSettings = Pick<Settings, 'trusted_issuers'>

/** Returns the grant types that the token endpoint supports. */
export function supportedGrantTypes(settings: GrantSettings): GrantType[] {
  return handlersOf(settings).map(({ grant_type }) => grant_type)
}

function handlersOf(settings: GrantSettings): GrantHandler[] {
  return HANDLERS.filter((handler) => isEnabled(handler, settings))
}

const isEnabled = (handler: GrantHandler, { trusted_issuers }: GrantSettings) =>
  handler !== jwtBearer || trusted_issuers

/**
 * Answers a token request (RFC 6749 §3.2). Every grant runs through these steps in this order.
 * @throws OAuthError; StorageUnavailable
 */
export async function issueTokens(
  context: GrantContext,
  parameters: Parameters,
  caller: ProvingCaller,
): Promise<TokenResponse> {
  const handler = findHandler(context.settings, required(parameters, 'grant_type'))
  const request = handler.parse(parameters)
  const { client, single_uses: of_client } = await (request.authenticate?.(context, caller) ??
    proveClient(context, caller, parameters))
  checkGrantType(handler, client)
  const key = keyOfTokens(context, caller, client)
  const single_uses = key === undefined ? of_client : [...of_client, key.single_use]
  const confirmation = confirmationOf(key?.jkt, certificateBinding(client, caller))
  const first = handler.issues.id_token ? context.keys.firstKeys() : undefined
  if (first !== undefined) await first
  const family = request.familyId(context, single_uses)
  const { resource } = parameters
  const target = resource === undefined ? undefined : await findTarget(context, client, resource)
  // Keys can be missing: fail before a code or refresh token is spent.
  const recipient = handler.issues.id_token ? await findRecipient(context, client, 'id_token') : undefined
  let plan = planTokens(context, client, family, handler.issues, { single_uses, confirmation, target })
  let granted = await request.write(context, client, plan)
  if ('target' in granted) {
    if (resource !== undefined) throw ungrantedTarget()
    // RFC 8707 §2.2: the tokens are then for the resource of the grant, which only storage knows.
    const of_grant = await findTarget(context, client, granted.target)
    plan = planTokens(context, client, family, handler.issues, {
      single_uses,
      confirmation,
      target: of_grant,
    })
    granted = await request.write(context, client, plan)
    if ('target' in granted) throw ungrantedTarget()
  }
  if (granted.user !== undefined) await checkAccount(context, client, family, granted.user)
  if (client.lapses_at !== undefined) await keepRegistered(context, client, client.lapses_at)
  const { format } = granted.issued ?? plan
  context.counts.tokens[handler.grant_type][format] += 1
  if (granted.user === undefined) return respond(context, client, plan, granted, client.claims)
  const response = await respondForUser(context, client, plan, granted, granted.user)
  const { id_token } = response
  if (id_token === undefined || recipient === undefined) return response
  return { ...response, id_token: await encryptJwt(recipient, id_token) }
}

function findHandler(settings: GrantSettings, grant_type: string): GrantHandler {
  const handler = HANDLERS.find((candidate) => candidate.grant_type === grant_type)
  if (handler === undefined || !isEnabled(handler, settings)) {
    throw unsupportedGrantType(`grant_type must be one of ${supportedGrantTypes(settings).join(', ')}.`)
  }
  return handler
}

function checkGrantType(handler: GrantHandler, client: Client): void {
  if (client.is_public && !handler.public_clients) {
    throw unauthorizedClient(`A public client cannot use ${handler.grant_type}.`)
  }
  if (!handler.registered_as.some((grant_type) => client.grant_types.includes(grant_type))) {
    throw notRegisteredFor(handler.registered_as[0])
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
  { sign_in }: GrantedUser,
): Promise<void> {
  if (await hasAccount(context, client, sign_in)) return
  await context.storage.families.revokeFamily(family)
  const { client_id } = client
  const { username } = sign_in
  throw invalidGrant('The user of this grant cannot sign in any more.', 'account disabled, gone or changed', {
    event: 'grant_ended',
    client_id,
    username,
  })
}

/** Returns the response to a client that acts for itself; every other has more members. */
function respond(
  context: GrantContext,
  client: Client,
  plan: TokenPlan,
  granted: Granted,
  claims: CustomClaims | undefined,
): TokenResponse {
  const { scope, issued } = granted
  const { format, jti, access_token_ttl } = issued ?? plan
  return {
    access_token: format === 'jwt' ? signedAccessToken(context, client, plan, granted, claims) : jti,
    token_type: schemeOf(plan.confirmation),
    expires_in: issued === undefined ? access_token_ttl : remaining(issued, context.now()),
    scope,
  }
}

function signedAccessToken(
  context: GrantContext,
  client: Client,
  plan: TokenPlan,
  { scope, issued, user }: Granted,
  claims: CustomClaims | undefined,
): string {
  const { jti, issued_at, access_token_ttl: ttl } = issued ?? plan
  const key = plan.access_token_key ?? accessTokenKey(context, client, plan.target)
  const { client_id } = client
  const { audience } = plan.target
  const sign_in = user?.sign_in
  const { confirmation } = plan
  const facts = {
    jti,
    client_id,
    subject: sign_in?.subject ?? '',
    scope,
    audience,
    sign_in,
    confirmation,
    claims,
  }
  return signAccessToken(at(issued_at, context), { key, ttl }, facts)
}

async function respondForUser(
  context: GrantContext,
  client: Client,
  plan: TokenPlan,
  granted: Granted,
  { sign_in, nonce, refresh }: GrantedUser,
): Promise<TokenResponse> {
  const { format } = granted.issued ?? plan
  const custom_claims =
    client.custom_claims_in_access_token && format === 'jwt'
      ? await accessTokenClaims(context, client, sign_in, granted.scope)
      : undefined
  const response = respond(context, client, plan, granted, custom_claims)
  if (refresh !== undefined) {
    response.refresh_token = refresh.token
    response.refresh_token_expires_in = refresh.expires_in
  }
  if (plan.id_token === undefined || !scopeNames(granted.scope).includes('openid')) return response
  const claims = await idTokenClaims(context, client, sign_in, granted.scope)
  const { access_token } = response
  const about = { client, sign_in, access_token, claims, ...(nonce === undefined ? {} : { nonce }) }
  const { issued_at } = granted.issued ?? plan
  response.id_token = signIdToken(at(issued_at, context), plan.id_token, about)
  return response
}

/** Returns the context of a signature with the clock at the issue of the tokens: a retry gets the same tokens. */
function at(issued_at: number, { settings }: GrantContext): SigningContext {
  return { settings, now: () => issued_at * 1000 }
}

/** The seconds that an access token lives on, at least 0. */
function remaining({ issued_at, access_token_ttl }: Issued, now: number): number {
  return Math.max(0, issued_at + access_token_ttl - Math.floor(now / 1000))
}
