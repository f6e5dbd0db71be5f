import { mismatch, verifyPresented } from '../clients/authentication/client-assertion.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { KeyConfirmation } from '../core/confirmation.ts'
import { isOpaqueToken } from '../core/token-string.ts'
import { knownType, TOKEN_TYPE } from '../core/token-types.ts'
import { singleUseOf } from '../issuers/assertion-id.ts'
import type { ProvenToken } from '../storage/derivation.ts'
import type { SingleUse } from '../storage/single-use.ts'
import { validateAccessToken } from '../tokens/access-token.ts'
import { refusalFor } from './exchange-subject.ts'
import type { GrantContext } from './grant-handler.ts'

/** What proves the actor of an exchange besides the authentication of the client. */
export interface ExchangeActor {
  /** Seconds since 1970: no new token outlives it. */
  readonly ends_at: number
  /** An access token, with which the new token dies. */
  readonly proven?: ProvenToken
  /** An assertion, which the exchange uses up. */
  readonly single_use?: SingleUse
  readonly confirmation?: KeyConfirmation
}

/**
 * Returns the actor token of an exchange (RFC 8693 §2.1): an access token that the client has for itself, or the assertion
 * of a trusted issuer about it.
 * @throws OAuthError `invalid_request` (RFC 8693 §2.2.2), `temporarily_unavailable`; StorageUnavailable
 */
export async function findActor(
  context: GrantContext,
  client: Client,
  presented: string,
  type: string,
): Promise<ExchangeActor> {
  const refuse = refusalFor(client)
  if (type === TOKEN_TYPE.access_token) {
    const found = await validateAccessToken(context, presented, true)
    if (!found.valid)
      throw refuse('exchange_actor', 'The actor_token is no access token of this server, or not live.', {
        fault: found.reason,
      })
    const { client_id, subject, jti, expires_at, confirmation } = found.token
    if (client_id !== client.client_id || subject !== '')
      throw refuse('exchange_actor', 'The actor_token is not one that this client has for itself.', {
        ...{ client_id, has_user: subject !== '' },
      })
    return {
      ends_at: Math.floor(expires_at.getTime() / 1000),
      proven: { token: jti, is_jwt: !isOpaqueToken(presented) },
      ...(confirmation && { confirmation }),
    }
  }
  if (type !== TOKEN_TYPE.jwt)
    throw refuse('exchange_type', `actor_token_type must be ${SUPPORTED}.`, {
      actor_token_type: knownType(type),
    })
  const verified = await verifyPresented(context, presented, 'client_authentication')
  const detail = verified.ok ? mismatch(client, verified) : verified.text
  if (!verified.ok || detail !== undefined)
    throw refuse('exchange_actor', 'The actor_token is no assertion of a trusted issuer about this client.', {
      fault: detail ?? '',
    })
  const single_use = singleUseOf(verified, context.now())
  return { ends_at: Math.floor(verified.claims.exp), ...(single_use && { single_use }) }
}

const SUPPORTED = `${TOKEN_TYPE.access_token} or ${TOKEN_TYPE.jwt}`
