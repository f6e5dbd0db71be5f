import { LRUCache } from 'lru-cache'
import { atMost } from '../../core/at-most.ts'
import { inBatches } from '../../core/batches.ts'
import type { ReportEvent } from '../../core/events.ts'
import type { ClientId } from '../../core/ids.ts'
import type { Log } from '../../core/log.ts'
import { FieldReader, type Hash } from '../../core/record-hash.ts'
import { StorageUnavailable } from '../../storage/errors.ts'
import { type Kind, recordOf, write } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { CLIENT } from '../record/client-kind.ts'

/** The last use of a secret of a client. */
interface SecretUse {
  /** ISO 8601, to the hour. */
  readonly used_at: string
  /** Whether the secret is short: its digest in the record of the client does not tell. */
  readonly is_short: boolean
}

/** The last uses of secrets, by client_id and digest of the secret. */
const SECRET_USE: Kind<SecretUse> = {
  name: 'secret-use',
  format: ({ used_at, is_short }) => ({ used_at, ...(is_short && { short: 'true' }) }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const used_at = fields.required('used_at')
    const is_short = hash.short === 'true'
    const { problems } = fields
    return problems.length === 0 ? { ok: true, record: { used_at, is_short } } : { ok: false, problems }
  },
}

const idOf = (client_id: ClientId, digest: string) => `${client_id}:${digest}`
// A digest has no colon; a client_id may.
const clientOf = (id: string) => id.slice(0, id.lastIndexOf(':'))

const HOUR_MS = 3_600_000
const FLUSH_MS = 60_000
/** Seconds. Longer than a year, for a secret that a yearly task uses. */
const USE_TTL = 400 * 86_400
const PARALLEL = 64
// Not `max`, for which lru-cache reserves the memory at once.
const BOUND = atMost(50_000)

interface SecretUsesOptions {
  readonly storage: RecordStore
  readonly log: Log
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Notes which secrets of clients are used. A request only notes it in memory; each use is written within a minute, and
 * at most once an hour for each secret. If storage fails, no request fails, and the next minute tries again. A client
 * that uses a short secret is an event once an hour.
 */
export class SecretUses {
  readonly #options: SecretUsesOptions
  /**
   * Whose secret of this digest was noted within the hour. A dropped one is written sooner again, as is that of two clients
   * with the same digest.
   */
  readonly #noted: LRUCache<string, ClientId>
  readonly #unwritten = new LRUCache<string, SecretUse>(BOUND)
  /** The clients of which a short secret was an event within the hour. */
  readonly #warned: LRUCache<ClientId, true>
  #timer: NodeJS.Timeout | undefined

  constructor(options: SecretUsesOptions) {
    this.#options = options
    const hour = { ...BOUND, ttl: HOUR_MS, ttlResolution: 0, perf: options }
    this.#noted = new LRUCache(hour)
    this.#warned = new LRUCache(hour)
  }

  /** Writes what was noted, every minute. */
  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref()
  }

  /** Writes what is left. */
  close(): Promise<void> {
    clearInterval(this.#timer)
    return this.flush()
  }

  /** Notes that a secret, known by its stored digest, authenticated a client now. */
  note(client_id: ClientId, digest: string, is_short: boolean): void {
    if (this.#noted.get(digest) === client_id) return
    this.#noted.set(digest, client_id)
    const { now, report } = this.#options
    this.#unwritten.set(idOf(client_id, digest), { used_at: new Date(now()).toISOString(), is_short })
    if (!is_short || this.#warned.has(client_id)) return
    this.#warned.set(client_id, true)
    report({ event: 'short_secret_used', client_id })
  }

  /** Writes what was noted since the last time. If storage does not answer, the next time writes it. */
  async flush(): Promise<void> {
    const { storage, log } = this.#options
    try {
      await inBatches(this.#unwritten, PARALLEL, (batch) =>
        Promise.all(
          batch.map(async ([id, use]) => {
            // The uses of a client that was removed meanwhile are gone.
            if ((await storage.records.read(CLIENT, clientOf(id))) !== undefined) {
              await storage.records.put(write(SECRET_USE, id, use, USE_TTL))
            }
            if (this.#unwritten.peek(id) === use) this.#unwritten.delete(id)
          }),
        ),
      )
    } catch (error) {
      // Storage logs its outages itself.
      if (!(error instanceof StorageUnavailable)) {
        log.error({ err: error }, 'The last uses of client secrets could not be written. Trying again.')
      }
    }
  }
}

/** Returns when a secret was last used, in ISO 8601; undefined if that is not known. @throws StorageUnavailable */
export async function lastUseOf(
  { records }: RecordStore,
  client_id: ClientId,
  digest: string,
): Promise<string | undefined> {
  return recordOf(await records.read(SECRET_USE, idOf(client_id, digest)))?.used_at
}

/** Whether a secret, known by its stored digest, was used and is short. @throws StorageUnavailable */
export async function isShortSecret(
  { records }: RecordStore,
  client_id: ClientId,
  digest: string,
): Promise<boolean> {
  return recordOf(await records.read(SECRET_USE, idOf(client_id, digest)))?.is_short === true
}

/**
 * Returns a function that tells whether the secret of a client, known by its stored digest, was used and is short.
 * Scans all keys: for operators.
 * @throws StorageUnavailable
 */
export async function findShortSecrets({ records }: RecordStore): Promise<IsShort> {
  const short = new Set<string>()
  for await (const { id, hash } of records.scan(SECRET_USE)) if (hash.short === 'true') short.add(id)
  return (client_id, digest) => short.has(idOf(client_id, digest))
}

/** Whether a stored digest is that of a secret which was used and is short. */
export type IsShort = (client_id: ClientId, digest: string) => boolean

/**
 * Removes the last uses of the secrets that a client has by its record. Those of earlier secrets end by their time: there is
 * no list of them.
 * @throws StorageUnavailable
 */
export async function forgetUses(
  { records }: RecordStore,
  client_id: ClientId,
  { client_secret_hash, old_secret_hash }: Hash,
): Promise<void> {
  const digests = [client_secret_hash, old_secret_hash].filter((digest) => digest !== undefined)
  await Promise.all(digests.map((digest) => records.take(SECRET_USE, idOf(client_id, digest))))
}
