import type { Context } from '../../../src/context.ts'
import { confirmationOf } from '../../../src/core/confirmation.ts'
import { newId, randomText, successorWith } from '../../../src/core/token-string.ts'

/**
 * Uses a refresh token, and then the one that replaced it, as somebody does who stole it: the next use of the token itself
 * is a reuse. Nothing happens to what is no live refresh token.
 * @throws StorageUnavailable
 */
export async function reuseRefreshToken({ storage, settings }: Context, token: string): Promise<void> {
  const { families } = storage
  const record = await families.findToken(token)
  if (record?.type !== 'refresh_token' || record.client_id === undefined) return
  const { client_id, scope = '' } = record
  const confirmation = confirmationOf(record.jkt, record['x5t#S256'])
  const use = (presented: string, successor: string) =>
    families.refresh(presented, {
      client_id,
      allowed_scopes: scope,
      operation: newId(),
      access_token_ttl: settings.access_token_ttl,
      successor: { token: successor, answered: '' },
      retry_window: 0,
      ...(confirmation && { confirmation }),
    })
  const second = successorWith(token, randomText(32))
  await use(token, second)
  await use(second, successorWith(token, randomText(32)))
}
