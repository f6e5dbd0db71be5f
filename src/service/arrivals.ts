import { hash } from 'node:crypto'
import { FieldReader } from '../core/record-hash.ts'
import { randomText } from '../core/token-string.ts'
import { type Kind, recordOf } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'

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
}

const VALUE_BYTES = 32
const VALUE = /^[\w-]{43}$/
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
    }
    const { problems } = fields
    return problems.length === 0 ? { ok: true, record } : { ok: false, problems }
  },
}

// Whoever reads storage cannot send the request.
const idOf = (value: string) => hash('sha256', value, 'base64url')

/** Returns a value for ARRIVAL_HEADER: the one request with it is noted, within a minute. @throws StorageUnavailable */
export async function expectArrival({ records }: RecordStore): Promise<string> {
  const value = randomText(VALUE_BYTES)
  await records.put({ kind: ARRIVAL, id: idOf(value), hash: EXPECTED, ttl: TTL })
  return value
}

/**
 * Notes how a request arrived, if it is expected. Its sender learns nothing of it.
 * @throws StorageUnavailable
 */
export async function noteArrival({ records }: RecordStore, value: string, arrival: Arrival): Promise<void> {
  if (!VALUE.test(value)) return
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
