import { type Static, Type } from '@sinclair/typebox'
import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import { invalidToken } from '../core/bearer-errors.ts'
import type { Log } from '../core/log.ts'
import { FieldReader } from '../core/record-hash.ts'
import { demandScopes } from '../resource-server/check-access.ts'
import { ownPlace } from '../resource-server/own-guard.ts'
import { SIGN_IN_FIELDS } from '../storage/families.ts'
import type { SignIn } from '../tokens/code-record.ts'
import { findAnswerKeys, type SignedAnswerContext, writeAnswer } from '../tokens/signed-answer.ts'
import { findAccount, type TokenAccountContext } from '../tokens/token-account.ts'
import type { ValidAccessToken } from '../tokens/validation.ts'
import { allowedClaims, Claims, claimsFor, claimsOfScope } from './claims.ts'
import { type ClaimsRequest, parseClaimsRequest } from './claims-request.ts'

interface UserInfoContext extends TokenAccountContext, SignedAnswerContext {
  readonly clients: Pick<ClientRegistry, 'find' | 'read'>
  readonly settings: TokenAccountContext['settings'] &
    SignedAnswerContext['settings'] &
    Pick<Settings, 'scope_claims'>
  readonly log: Log
}

/** The response of the user information endpoint (OpenID Connect Core §5.3.2). */
export const UserInfo = Type.Object(
  { ...Claims.properties, sub: Type.String({ description: 'The user; the sub of the id_token' }) },
  {
    $id: 'redmint:UserInfo',
    description: 'Claims about the user (OpenID Connect Core §5.1), and those of SCOPE_CLAIMS',
    additionalProperties: true,
  },
)
export type UserInfo = Static<typeof UserInfo>

/**
 * Answers a request for user information: with a signed JWT if the client is registered for that (OpenID Connect Core
 * §5.3.2).
 * @throws OAuthError `insufficient_scope` without `openid`; `invalid_token` without a user, if the client is missing or
 * disabled, or the account is missing, disabled or belongs to another user now; as findAnswerKeys;
 * `temporarily_unavailable` if the document of the client cannot be fetched now; StorageUnavailable
 */
export async function userInfo(
  context: UserInfoContext,
  token: ValidAccessToken,
): Promise<UserInfo | string> {
  const place = ownPlace(token)
  const { subject, client_id } = token
  // RFC 6750 §3.1: "invalid for other reasons". No scope would help, so it is not insufficient_scope.
  if (subject === '')
    throw invalidToken(
      'token_without_user',
      'issued to a client for itself',
      place,
      'The token was issued to a client, not for a user.',
    )
  demandScopes(token, ['openid'], place)
  const sign_in = new FieldReader(token.grant ?? {}).given(SIGN_IN_FIELDS)
  const requested = parseClaimsRequest(sign_in.claims, context.settings.scope_claims)
  const known = await context.clients.find(client_id)
  // The client gets nothing but a JWT, so its document is fetched if this process does not know it.
  const is_undescribed = known !== undefined && requested.as_jwt && !getsJwt(known)
  const client = is_undescribed ? await context.clients.read(client_id) : known
  if (client === undefined)
    throw invalidToken('token_client_gone', 'its client is unknown, disabled or malformed', place)
  const claims = await claimsAbout(context, client, { sign_in, requested }, token)
  if (!getsJwt(client)) return claims
  const keys = await findAnswerKeys(context, client, 'userinfo')
  // Without `exp` and `iat` it never passes as an id_token.
  return await writeAnswer(keys, 'JWT', { ...claims, iss: context.settings.issuer, aud: client_id })
}

/**
 * Whether a client gets user information as a JWT. What is encrypted is signed first, whether its client chose the
 * algorithm or not.
 */
export function getsJwt({
  userinfo_signed_response_alg: signed,
  userinfo_encrypted_response_alg: encrypted,
}: Client): boolean {
  return signed !== undefined || encrypted !== undefined
}

/** Returns the claims about the user of a token: those of its scope, and those requested by name. @throws as userInfo */
async function claimsAbout(
  context: UserInfoContext,
  client: Client,
  { sign_in, requested }: { readonly sign_in: Partial<SignIn>; readonly requested: ClaimsRequest },
  token: ValidAccessToken,
): Promise<UserInfo> {
  const { subject, scope } = token
  const user = await findAccount(context, client, { subject, ...sign_in })
  if (user === undefined) {
    // Only the sign-in of demo mode works without an account.
    if (sign_in.sid !== undefined)
      throw invalidToken(
        'account_gone',
        "its user's account is missing, disabled or belongs to another user",
        ownPlace(token),
      )
    return { sub: subject }
  }
  const { scope_claims } = context.settings
  const by_name = allowedClaims(requested.userinfo, client.allowed_scopes, scope_claims)
  const names = new Set([...claimsOfScope(scope, scope_claims), ...by_name])
  return Object.assign(claimsFor(client, user, [...names], context.log), { sub: subject })
}
