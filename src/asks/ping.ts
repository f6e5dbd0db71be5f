import { parseObject } from '../core/json.ts'
import type { Sealer } from '../keys/sealer.ts'
import type { AskedRecord } from '../tokens/asked-record.ts'
import { waitingIdOf } from '../tokens/waiting-code.ts'

/** What tells a client that a person answered (OpenID Connect CIBA Core §10.2). */
export interface Ping {
  readonly auth_req_id: string
  /** The `client_notification_token` of the request. */
  readonly token: string
}

/** What it takes to keep what a client is told. */
export interface PingSealer {
  readonly sealer: Pick<Sealer, 'seal'>
}

/** Returns what the record of a request keeps: neither of both can be read there. @throws StorageUnavailable */
export function sealPing({ sealer }: PingSealer, { auth_req_id, token }: Ping): string {
  return sealer.seal('ask-ping', JSON.stringify({ auth_req_id, token }))
}

/**
 * Returns what the client of a request is told; undefined: it polls, or what was sealed cannot be opened any more.
 * @param id that of the record, so that what one request keeps is not sent for another
 * @throws StorageUnavailable
 */
export function openPing(
  { sealer }: { readonly sealer: Pick<Sealer, 'open'> },
  id: string,
  { ping }: Pick<AskedRecord, 'ping'>,
): Ping | undefined {
  const { auth_req_id, token } = parseObject((ping && sealer.open('ask-ping', ping)) ?? '') ?? {}
  if (typeof auth_req_id !== 'string' || typeof token !== 'string') return undefined
  return waitingIdOf(auth_req_id) === id ? { auth_req_id, token } : undefined
}
