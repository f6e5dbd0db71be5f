import type { Storage } from '../../../src/storage/storage.ts'
import {
  type RefreshResult,
  type TokenRefresh,
  useRefreshToken as use,
} from '../../../src/tokens/token-families.ts'

type Ok = Extract<RefreshResult, { outcome: 'ok' }>

/** The answer to a refresh, without the expiry of its family. */
export type Refreshed = Exclude<RefreshResult, Ok> | Omit<Ok, 'refresh_until'>

/** Uses a refresh token. The contract of lifetimes tests the expiry of the family in the answer. */
export async function useRefreshToken(
  storage: Pick<Storage, 'families'>,
  token: string,
  refresh: TokenRefresh,
): Promise<Refreshed> {
  const result = await use(storage, token, refresh)
  if (result.outcome !== 'ok') return result
  const { refresh_until: _, ...answered } = result
  return answered
}
