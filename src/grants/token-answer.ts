import { accessTokenClaims } from '../claims/access-token-claims.ts'
import type { Client } from '../clients/record/client-record.ts'
import { schemeOf } from '../core/confirmation.ts'
import { type CustomClaims, fitBeside } from '../core/custom-claims.ts'
import { countOnce, usableDetails } from '../details/check-details.ts'
import type { Detail } from '../details/read-details.ts'
import { type SigningContext, signAccessToken } from '../tokens/access-jwt.ts'
import type { Issued } from '../tokens/derived-tokens.ts'
import { accessTokenKey, type TokenPlan } from '../tokens/plan.ts'
import type { TokenResponse } from '../tokens/token-response.ts'
import type { GrantContext, Granted, GrantHandler, Issuance } from './grant-handler.ts'

/**
 * Returns the response to a token request whose tokens are written (RFC 6749 §5.1). A retry gets the same access token.
 * @throws OAuthError or StorageUnavailable, as accessTokenKey, if a retry needs a key that its plan lacks
 */
export async function tokenAnswer(
  context: GrantContext,
  { answer }: Pick<GrantHandler, 'answer'>,
  issuance: Issuance,
): Promise<TokenResponse> {
  const { client, plan, granted } = issuance
  const { scope, issued } = granted
  const { format, jti, access_token_ttl } = issued ?? plan
  const finding = usableDetails(context, client, granted.authorization_details)
  const authorization_details = finding && (await finding)
  const access_token =
    format === 'jwt' ? await signedAccessToken(context, client, plan, granted, authorization_details) : jti
  return {
    access_token,
    token_type: schemeOf(plan.confirmation),
    expires_in: issued === undefined ? access_token_ttl : remaining(issued, context.now()),
    scope,
    ...(authorization_details && { authorization_details: [...authorization_details] }),
    ...(answer && (await answer.of(context, issuance, access_token))),
  }
}

async function signedAccessToken(
  context: GrantContext,
  client: Client,
  plan: TokenPlan,
  granted: Granted,
  authorization_details: readonly Detail[] | undefined,
): Promise<string> {
  const { scope, user, act } = granted
  const { target, confirmation } = plan
  const { jti, access_token_ttl: ttl, status } = granted.issued ?? plan
  const key = plan.access_token_key ?? accessTokenKey(context, client, target)
  return signAccessToken(
    whenIssued(context, plan, granted),
    { key, ttl },
    {
      jti,
      client_id: client.client_id,
      subject: user?.sign_in.subject ?? '',
      scope,
      audience: target.audience,
      sign_in: user?.sign_in,
      confirmation,
      act,
      authorization_details,
      once: await countOnce(context, authorization_details),
      status,
      claims: await customClaims(context, client, granted, [act, authorization_details]),
    },
  )
}

/**
 * Returns the claims of an operator for an access token: those of the user, or of a client that acts for itself. None if
 * the token would be too long for a header with them (docs/decisions/0072-tokens-that-come-back.md): a claim may be missing
 * (OpenID Connect Core §5.5.1), what a token is for may not.
 */
async function customClaims(
  context: GrantContext,
  client: Client,
  { scope, user }: Granted,
  others: readonly unknown[],
): Promise<CustomClaims | undefined> {
  if (user === undefined) return client.claims
  if (!client.custom_claims_in_access_token) return undefined
  const claims = await accessTokenClaims(context, user.origin ?? client, user.sign_in, scope)
  if (claims === undefined || fitBeside(claims, others)) return claims
  context.log.warn(
    { client_id: client.client_id },
    'An access token is issued without custom claims: with its authorization_details they are too long for a header.',
  )
  return undefined
}

/** Returns the context of a signature with the clock at the issue of the tokens: a retry gets the same tokens. */
export function whenIssued({ settings }: GrantContext, plan: TokenPlan, { issued }: Granted): SigningContext {
  const { issued_at } = issued ?? plan
  return { settings, now: () => issued_at * 1000 }
}

/** The seconds that an access token lives on, at least 0. */
function remaining({ issued_at, access_token_ttl }: Issued, now: number): number {
  return Math.max(0, issued_at + access_token_ttl - Math.floor(now / 1000))
}
