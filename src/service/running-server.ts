import cluster from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Log } from '../core/log.ts'
import { FieldReader, type Hash } from '../core/record-hash.ts'
import { VERSION } from '../core/version.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { type Kind, recordOf, write } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { type AgreedContext, agreedSettings, settingsDigest } from './agreed-settings.ts'

/** What a process that serves says of itself. */
export interface ServerRecord {
  readonly version: string
  /** Times are in ISO 8601. */
  readonly started_at: string
  readonly seen_at: string
  /** The name of its machine or container. */
  readonly host: string
  readonly pid: string
  /** The process that runs the workers of which it is one. */
  readonly worker_of?: string
  /** A digest of `settings`. */
  readonly settings_digest: string
  /** The settings in which all servers must agree. */
  readonly settings: Hash
}

/** The records have random ids, one for each process. */
export const SERVER: Kind<ServerRecord> = {
  name: 'servers',
  by_operators: true,
  format: ({ settings, ...own }) => ({ ...settings, ...own }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const {
      version: _v,
      started_at: _a,
      seen_at: _n,
      host: _h,
      pid: _p,
      settings_digest: _d,
      ...others
    } = hash
    const { worker_of, ...settings } = others
    const record = {
      version: fields.required('version'),
      started_at: fields.required('started_at'),
      seen_at: fields.required('seen_at'),
      host: fields.required('host'),
      pid: fields.required('pid'),
      ...(worker_of !== undefined && { worker_of }),
      settings_digest: fields.required('settings_digest'),
      settings,
    }
    const { problems } = fields
    return problems.length === 0 ? { ok: true, record } : { ok: false, problems }
  },
}

/** The ids of the servers that run, with the issuer of each. */
const IDS = 'server-ids'
/** The issuers of servers that ran in the last days. */
const ISSUERS = 'server-issuers'

/** Seconds between two writes of a record. */
const SERVER_RENEWAL = 20
/** Seconds after the last write until the record is gone. */
export const SERVER_TTL = 60
const MAX_SERVERS = 1000

const WEEK_MS = 7 * 86_400_000
const MAX_ISSUERS = 10

interface Options extends AgreedContext {
  readonly storage: Pick<Storage, 'records' | 'bounded' | 'tokens_at_rest'>
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Says in storage that this process serves, and with which settings, for as long as it does. */
export class RunningServer {
  readonly #options: Options
  readonly #id = randomUUID()
  readonly #record: Omit<ServerRecord, 'seen_at'>
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #closed = false

  constructor(options: Options) {
    this.#options = options
    const settings = agreedSettings(options)
    this.#record = {
      version: VERSION,
      started_at: new Date(options.now()).toISOString(),
      host: hostname(),
      pid: String(process.pid),
      ...(cluster.isWorker && { worker_of: String(process.ppid) }),
      settings_digest: settingsDigest(settings),
      settings,
    }
  }

  /** Writes the record now, and again and again. Returns even if storage is unavailable, and then tries again. */
  async start(): Promise<void> {
    this.#writing = this.#write()
    await this.#writing
    if (!this.#closed) this.#timer = setTimeout(() => void this.start(), SERVER_RENEWAL * 1000).unref()
  }

  /** Removes the record. Returns even if storage is unavailable: the record expires. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#writing
    const { records, bounded } = this.#options.storage
    await this.#attempt(() => Promise.all([bounded.drop(IDS, this.#id), records.take(SERVER, this.#id)]))
  }

  #write(): Promise<void> {
    const { storage, now } = this.#options
    const { issuer = '' } = this.#record.settings
    const record = { ...this.#record, seen_at: new Date(now()).toISOString() }
    return this.#attempt(() =>
      Promise.all([
        storage.records.put(write(SERVER, this.#id, record, SERVER_TTL)),
        storage.bounded.put(IDS, [{ name: this.#id, text: issuer }], {
          ttl: SERVER_TTL * 1000,
          max: MAX_SERVERS,
        }),
        storage.bounded.put(ISSUERS, [{ name: issuer, text: '' }], { ttl: WEEK_MS, max: MAX_ISSUERS }),
      ]),
    )
  }

  async #attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      // Storage logs the cause itself.
      if (error instanceof StorageUnavailable) return
      this.#options.log.error({ err: error }, 'The record of this server could not be written.')
    }
  }
}

/**
 * Returns the processes that serve now, those that started first at the top.
 * @param most of so many of them
 * @throws StorageUnavailable
 */
export async function readServers(
  { records, bounded }: Pick<Storage, 'records' | 'bounded'>,
  most = MAX_SERVERS,
): Promise<ServerRecord[]> {
  const ids = (await bounded.read(IDS)).slice(0, most)
  const found = await Promise.all(ids.map(({ name }) => records.read(SERVER, name)))
  return found
    .flatMap((one) => recordOf(one) ?? [])
    .sort((one, other) => (one.started_at < other.started_at ? -1 : 1))
}

/** A process that serves, and its clock when it wrote its record, as milliseconds of some common time. */
export interface ServerClock {
  readonly host: string
  readonly clock: number
}

/**
 * Returns the clocks of the processes that serve now. Only differences between them mean something.
 * @throws StorageUnavailable
 */
export async function readServerClocks({
  records,
  bounded,
}: Pick<Storage, 'records' | 'bounded'>): Promise<ServerClock[]> {
  const ids = await bounded.read(IDS)
  const found = await Promise.all(
    ids.map(async ({ name, ends_in }) => ({
      name,
      ends_in,
      record: recordOf(await records.read(SERVER, name)),
    })),
  )
  // A record that was written anew meanwhile does not belong to the entry that was read.
  const after = new Map((await bounded.read(IDS)).map(({ name, ends_in }) => [name, ends_in]))
  return found.flatMap(({ name, ends_in, record }) =>
    record === undefined || (after.get(name) ?? Number.POSITIVE_INFINITY) > ends_in
      ? []
      : // Storage measures how long ago it was written, with a clock of its own.
        [{ host: record.host, clock: Date.parse(record.seen_at) + SERVER_TTL * 1000 - ends_in }],
  )
}

/**
 * Returns the issuers of the servers that run; if none does, that of the one that ran last, in the last 7 days.
 * @throws StorageUnavailable
 */
export async function readIssuers({ bounded }: Pick<Storage, 'bounded'>): Promise<string[]> {
  const [running, before] = await Promise.all([bounded.read(IDS), bounded.read(ISSUERS)])
  if (running.length > 0) return [...new Set(running.map(({ text }) => text))].sort()
  const [last] = before.sort((one, other) => other.ends_in - one.ends_in)
  return last === undefined ? [] : [last.name]
}
