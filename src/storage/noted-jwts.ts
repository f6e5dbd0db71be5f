import type { ClientId } from '../core/ids.ts'
import { parseJson } from '../core/json.ts'

/** Where the status of a JWT is: one bit of a list (draft-ietf-oauth-status-list §6.2). */
export interface StatusBit {
  readonly list: string
  readonly index: number
}

/** A JWT whose status is in a list, as it is noted until it expires: it has no record that could be found. */
export interface NotedJwt extends StatusBit {
  readonly jti: string
  readonly client_id: ClientId
  /** In seconds since 1970. */
  readonly issued_at: number
  /** Whether the client got it for itself: then it has no family. */
  readonly is_own: boolean
  /** Who acts with it, as text; absent: nobody but its client. */
  readonly act?: string
}

/** The JWTs whose status is in lists. Storage notes them in the step that writes their family. */
export interface NotedJwts {
  /** Notes a JWT of a client for itself for `ttl` seconds. @throws StorageUnavailable */
  add(noted: NotedJwt, ttl: number): Promise<void>
  /**
   * Yields all that were noted before the call and have not expired, in parts for `findTokensAndFamilies`; some twice if
   * others are noted meanwhile.
   * @throws StorageUnavailable
   */
  walk(): AsyncGenerator<readonly NotedJwt[]>
}

/** How many JWTs are looked at in one step. */
export const NOTED_PER_STEP = 100

/** Returns what is stored of a noted JWT. */
export function formatNoted({ list, index, jti, client_id, issued_at, is_own, act }: NotedJwt): string {
  return JSON.stringify([list, index, jti, client_id, issued_at, is_own, act])
}

/** Reads what is stored; undefined: somebody wrote something else there. */
export function parseNoted(text: string): NotedJwt | undefined {
  const values = parseJson(text)
  if (!Array.isArray(values)) return undefined
  const [list, index, jti, client_id, issued_at, is_own, act] = values
  if (typeof list !== 'string' || typeof jti !== 'string' || typeof client_id !== 'string') return undefined
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(issued_at)) return undefined
  const noted = { list, index, jti, client_id, issued_at, is_own: is_own === true }
  return typeof act === 'string' ? { ...noted, act } : noted
}
