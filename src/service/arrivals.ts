import { hash } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { FieldReader } from '../core/record-hash.ts'
import { type Sealer, sealOnce } from '../keys/sealer.ts'
import { type Kind, recordOf } from '../storage/records.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'

/** The header of a request that asks how it arrives: it has a value of `expectArrival`. */
export const ARRIVAL_HEADER = 'redmint-arrival'

/** How a request arrived at a server. */
export interface Arrival {
  /** Whose connection it was. */
  readonly peer: string
  /** Whether its X-Forwarded-For counts: the peer is one of TRUSTED_PROXIES, and sent it. */
  readonly is_forwarded: boolean
  /** The address that counts as that of the client. */
  readonly address: string
  /** Headers, as they arrived; empty: without it. */
  readonly forwarded_for: string
  readonly forwarded_proto: string
  readonly host: string
  /** The trace that it belongs to; empty: none. */
  readonly trace_id: string
  readonly request_id: string
}

/** A sealed instant, in milliseconds since 1970. */
const VALUE = /^[\w-]{8}\.[\w-]{71}$/
const PURPOSE = 'arrival'
/** In seconds. */
const TTL = 60
/** Headers are cut to so many characters. */
const MAX_LENGTH = 200
/** A request that is expected, and has not arrived. */
const EXPECTED = { state: 'expected' }

const ARRIVAL: Kind<Arrival> = {
  name: 'arrival',
  by_operators: true,
  format: ({ is_forwarded, ...texts }) => ({
    ...texts,
    is_forwarded: String(is_forwarded),
    state: 'arrived',
  }),
  parse(stored) {
    const fields = new FieldReader(stored)
    const record = {
      peer: fields.required('peer'),
      is_forwarded: stored.is_forwarded === 'true',
      address: fields.required('address'),
      forwarded_for: stored.forwarded_for ?? '',
      forwarded_proto: stored.forwarded_proto ?? '',
      host: stored.host ?? '',
      trace_id: stored.trace_id ?? '',
      request_id: stored.request_id ?? '',
    }
    const { problems } = fields
    return problems.length === 0 ? { ok: true, record } : { ok: false, problems }
  },
}

// Whoever reads storage cannot send the request.
const idOf = (value: string) => hash('sha256', value, 'base64url')

/**
 * Returns a value for ARRIVAL_HEADER: the one request with it is noted, within a minute. undefined: no server has run yet.
 * @throws StorageUnavailable; StoredKeyError if the sealing keys cannot be used here
 */
export async function expectArrival(
  { records, sealing_keys: store }: Pick<Storage, 'records' | 'sealing_keys'>,
  settings: Pick<Settings, 'key_encryption_key'>,
): Promise<string | undefined> {
  const end = (await store.now()) + TTL * 1000
  const value = await sealOnce({ store, settings }, PURPOSE, String(end))
  if (value !== undefined) await records.put({ kind: ARRIVAL, id: idOf(value), hash: EXPECTED, ttl: TTL })
  return value
}

/** What it takes to note how a request arrived. */
export interface ArrivalContext {
  readonly storage: RecordStore
  readonly sealer: Pick<Sealer, 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Notes how a request arrived, if it is expected. Its sender learns nothing of it.
 * @throws StorageUnavailable
 */
export async function noteArrival(
  { storage: { records }, sealer, now }: ArrivalContext,
  value: string,
  arrival: Arrival,
): Promise<void> {
  // Only doctor has the keys: what others make up, or send again later, asks storage nothing.
  const end = VALUE.test(value) ? sealer.open(PURPOSE, value) : undefined
  if (end === undefined || Number(end) + CLOCK_SKEW * 1000 <= now()) return
  const { forwarded_for, forwarded_proto, host, ...own } = arrival
  const cut = (text: string) => text.slice(0, MAX_LENGTH)
  const set = ARRIVAL.format({
    ...own,
    // Each proxy adds to its end.
    forwarded_for: forwarded_for.slice(-MAX_LENGTH),
    forwarded_proto: cut(forwarded_proto),
    host: cut(host),
  })
  await records.change(ARRIVAL, idOf(value), { set, expected: EXPECTED, whole: true })
}

/** Returns how the request with a value arrived, and forgets it; undefined: it did not arrive. @throws StorageUnavailable */
export async function takeArrival({ records }: RecordStore, value: string): Promise<Arrival | undefined> {
  return recordOf(await records.take(ARRIVAL, idOf(value)))
}
