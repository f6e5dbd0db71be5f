import type { Client } from '../../../src/clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../../../src/clients/record/grant-types.ts'
import { TOKEN_TYPE } from '../../../src/core/token-types.ts'
import { checkGrantType } from '../../../src/grants/pipeline.ts'
import { tokenExchange } from '../../../src/grants/token-exchange.ts'
import { planTokens } from '../../../src/tokens/plan.ts'
import type { TokenResponse } from '../../../src/tokens/token-response.ts'
import type { DevParts } from '../../parts.ts'
import { answered, targetOf, type WantedTokens, written } from './issue.ts'

/** An access token that a client exchanges, to act with the new one at an API. */
interface WantedExchange
  extends Pick<WantedTokens, 'scope' | 'expires_in' | 'format' | 'alg' | 'confirmation'> {
  readonly client: Client
  readonly resource: string
}

/**
 * Exchanges an access token by the steps of the grant (RFC 8693), without its request.
 * @throws OAuthError if the client may not; StorageUnavailable
 */
export async function exchange(
  parts: DevParts,
  subject_token: string,
  { client, resource, scope, confirmation, ...wanted }: WantedExchange,
): Promise<TokenResponse> {
  const context = parts.fastify.redmint
  checkGrantType(tokenExchange, client)
  const presented = tokenExchange.parse({
    ...{ grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type: TOKEN_TYPE.access_token, resource },
    ...(scope !== undefined && { scope }),
  })
  if (!('write' in presented)) throw new TypeError('an exchange for an access token writes one')
  await presented.check?.(context, client)
  const family = presented.familyId?.() ?? context.storage.families.newClientFamily()
  const target = await targetOf(parts, client, { client, resource, ...wanted })
  const purpose = { target, confirmation, ...presented.purpose?.() }
  const plan = planTokens(context, client, family, tokenExchange.issues, purpose)
  return await answered(parts, tokenExchange, client, plan, await written(parts, presented, client, plan))
}
