import { idTokenClaims } from '../claims/id-token-claims.ts'
import { TOKEN_EXCHANGE } from '../clients/record/grant-types.ts'
import { scopeNames } from '../core/scope.ts'
import { idTokenJti, signIdToken } from '../tokens/id-token.ts'
import { encryptJwt } from '../tokens/signed-answer.ts'
import { type TokenResponse, USER_MEMBERS } from '../tokens/token-response.ts'
import type { GrantAnswer, GrantContext, Issuance } from './grant-handler.ts'
import { whenIssued } from './token-answer.ts'

/** What the response to a client has for a user who signed in here: a refresh token, and an id_token. */
export const USER_ANSWER: GrantAnswer = { members: USER_MEMBERS, of: userMembers }

async function userMembers(
  context: GrantContext,
  { client, plan, granted, recipient }: Issuance,
  access_token: string,
): Promise<Partial<TokenResponse>> {
  const { scope, user } = granted
  const members: Partial<TokenResponse> = {}
  if (user?.refresh !== undefined) {
    members.refresh_token = user.refresh.token
    members.refresh_token_expires_in = user.refresh.expires_in
  }
  // OpenID Connect Core §3.1.3.3.
  if (user === undefined || plan.id_token === undefined || !scopeNames(scope).includes('openid'))
    return members
  const { sign_in, nonce } = user
  const claims = await idTokenClaims(context, client, sign_in, scope)
  // Only a client that may exchange it needs it, and no other id_token grows.
  const jti = client.grant_types.includes(TOKEN_EXCHANGE) && idTokenJti((granted.issued ?? plan).jti)
  const facts = {
    ...{ client, sign_in, access_token, claims },
    ...(nonce !== undefined && { nonce }),
    ...(jti && { jti }),
  }
  const id_token = signIdToken(whenIssued(context, plan, granted), plan.id_token, facts)
  members.id_token = recipient === undefined ? id_token : await encryptJwt(recipient, id_token)
  return members
}
