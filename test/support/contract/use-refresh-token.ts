import type { Refresh } from '../../../src/storage/families.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { type RefreshResult, useRefreshToken as use } from '../../../src/tokens/token-families.ts'

type Ok = Extract<RefreshResult, { outcome: 'ok' }>

/** The answer to a refresh, without the expiry of its family. */
export type Refreshed = Exclude<RefreshResult, Ok> | Omit<Ok, 'refresh_until'>

/** An attempt to refresh. What it notes for its retries follows from its operation. */
export interface RefreshAttempt extends Omit<Refresh, 'successor'> {
  successor?: string
}

/** What an attempt notes for its retries. Storage does not read it. */
export function answeredBy(operation: string): string {
  return `facts of ${operation}`
}

/** The attempt as storage gets it. */
export function asRefresh({ successor, ...attempt }: RefreshAttempt): Refresh {
  if (successor === undefined) return attempt
  return { ...attempt, successor: { token: successor, answered: answeredBy(attempt.operation) } }
}

/** Uses a refresh token. The contract of lifetimes tests the expiry of the family in the answer. */
export async function useRefreshToken(
  storage: Pick<Storage, 'families'>,
  token: string,
  attempt: RefreshAttempt,
): Promise<Refreshed> {
  const result = await use(storage, token, asRefresh(attempt))
  if (result.outcome !== 'ok') return result
  const { refresh_until: _, ...answered } = result
  return answered
}
