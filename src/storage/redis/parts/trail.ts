import type { AuditEntries } from '../../../core/audit-entries.ts'
import type { Block, Trail, TrailEntry, TrailPart, TrailRange } from '../../trail.ts'
import type { RedisAccess } from './access.ts'

/** How long a batch is known that was added, in milliseconds: its writer repeats it for seconds. */
const BATCH_KNOWN = 3_600_000
/** The same for an entry that was beside its record: its server may have stopped before it was removed there. */
const ENTRY_KNOWN = 7 * 86_400_000
/** How long a place is remembered after the last entry that was announced, in milliseconds: longer than any write takes. */
const PLACE_KNOWN = 3_600_000
/** After that time this process announces a place again, in milliseconds. */
const ANNOUNCE_AFTER = 600_000
const ENTRIES_PER_READ = 500

type StreamItem = [id: string, fields: string[]]

/** The keys of a part of the trail, in one slot. */
interface PartKeys {
  readonly entries: string
  readonly chain: string
  readonly batches: string
}

/** A part of the audit trail in Redis: a stream. */
class RedisTrailPart implements TrailPart {
  protected readonly access: RedisAccess
  readonly #keys: PartKeys

  constructor(access: RedisAccess, keys: PartKeys) {
    this.access = access
    this.#keys = keys
  }

  async append(batch: string, told: AuditEntries): Promise<void> {
    await this.add(batch, BATCH_KNOWN, told)
  }

  async read(range: TrailRange): Promise<TrailEntry[]> {
    const items = await this.range(this.#keys.entries, range)
    return items.map(entryOf)
  }

  size(): Promise<number> {
    return this.access.command('count-entries', 'xlen', this.#keys.entries)
  }

  async trim(before: string, told: AuditEntries): Promise<boolean> {
    const args = { before, entries: argumentsOf(told) }
    return (await this.access.run('trim-trail', [this.#keys.entries, this.#keys.chain], args)) === 1
  }

  async seal(last: string | undefined, text: string, ttl: number): Promise<boolean> {
    const args = { last: last ?? '', text, ttl: ttl * 1000 }
    return (await this.access.run('seal-trail', [this.#keys.chain], args)) === 1
  }

  async blocks(range: TrailRange): Promise<Block[]> {
    const items = await this.range(this.#keys.chain, range)
    return items.map(([id, fields]) => ({ id, text: fieldIn(fields, 'block') ?? '' }))
  }

  /** @param keep how long the batch is known, in milliseconds */
  protected async add(batch: string, keep: number, told: AuditEntries): Promise<void> {
    const { entries, batches } = this.#keys
    await this.access.run('append-trail', [entries, batches], { batch, keep, entries: argumentsOf(told) })
  }

  protected range(key: string, { after, before, is_reverse, limit }: TrailRange): Promise<StreamItem[]> {
    const low = after === undefined ? '-' : `(${after}`
    const high = before === undefined ? '+' : `(${before}`
    const [command, from, to] = is_reverse
      ? (['xrevrange', high, low] as const)
      : (['xrange', low, high] as const)
    return this.access.command('read-entries', command, key, from, to, 'COUNT', limit)
  }
}

/** The audit trail in Redis. */
export class RedisTrail extends RedisTrailPart implements Trail {
  readonly repeated: TrailPart

  constructor(access: RedisAccess) {
    const { trail, trailChain, trailBatches, repeated } = access.keys
    super(access, { entries: trail, chain: trailChain, batches: trailBatches })
    this.repeated = new RedisTrailPart(access, repeated)
  }

  async collect(): Promise<void> {
    const { keys, connection } = this.access
    if (connection.spansSlots) {
      // There is nothing beside records, but storage that is away says so.
      await this.size()
      return
    }
    const known = await this.access.command<string[]>('collect-entries', 'zrange', keys.trailPlaces, 0, -1)
    // A failover may have lost what this process announced.
    const places = new Set([...known, ...(announced.get(this.access)?.keys() ?? [])])
    if (places.size === 0) return
    const since = Date.now() - PLACE_KNOWN
    for (const place of places) await this.#collectFrom(place)
    // One that is announced meanwhile has a later score.
    await this.access.command('collect-entries', 'zremrangebyscore', keys.trailPlaces, '-inf', since)
  }

  async #collectFrom(place: string): Promise<void> {
    const key = this.access.keys.besideRecords(place)
    for (;;) {
      const items = await this.range(key, { limit: ENTRIES_PER_READ })
      for (const item of items) {
        const entry = entryOf(item)
        // Apart, because another server may have added some of them.
        await this.add(`${place} ${entry.id}`, ENTRY_KNOWN, {
          entries: [entry],
          ttl: await this.#ttlOf(key),
        })
        await this.access.command('collect-entries', 'xdel', key, entry.id)
      }
      if (items.length < ENTRIES_PER_READ) return
    }
  }

  // Entries beside a record live as long as the trail.
  async #ttlOf(key: string): Promise<number> {
    const left = await this.access.command<number>('collect-entries', 'pttl', key)
    return Math.max(1, Math.ceil(left / 1000))
  }
}

/** The key and arguments that a script needs to add entries of the audit trail. */
interface TrailArguments {
  readonly keys: readonly string[]
  readonly args: readonly (string | number)[]
}

const NONE: TrailArguments = { keys: [], args: [] }

/** When this process announced places, by access, in milliseconds of performance.now(). */
const announced = new WeakMap<RedisAccess, Map<string, number>>()

/**
 * Runs a script that writes records, with what the audit trail says of it. The entries are added to the trail by the same
 * script; in a Cluster to a stream in the slot of the record, whose place is announced before, so that it is found whatever
 * fails next.
 * @throws StorageUnavailable
 */
export function withTrail<T>(
  access: RedisAccess,
  record: string,
  told: AuditEntries | undefined,
  run: (trail: TrailArguments) => Promise<T>,
): Promise<T> {
  if (told === undefined || told.entries.length === 0) return run(NONE)
  const { keys } = access
  const args = argumentsOf(told)
  if (access.connection.spansSlots) return run({ keys: [keys.trail], args })
  const place = keys.placeBeside(record)
  return announce(access, place, told.ttl).then(() => run({ keys: [keys.besideRecords(place)], args }))
}

async function announce(access: RedisAccess, place: string, ttl: number): Promise<void> {
  const places = announced.get(access) ?? new Map<string, number>()
  announced.set(access, places)
  const now = performance.now()
  if (now - (places.get(place) ?? Number.NEGATIVE_INFINITY) < ANNOUNCE_AFTER) return
  const { trailPlaces } = access.keys
  await Promise.all([
    access.command('collect-entries', 'zadd', trailPlaces, Date.now(), place),
    access.command('collect-entries', 'pexpire', trailPlaces, ttl * 1000),
  ])
  places.set(place, now)
}

function argumentsOf({ entries, ttl }: AuditEntries): (string | number)[] {
  return [ttl * 1000, ...entries.flatMap(({ text, mac = '' }) => [text, mac])]
}

function entryOf([id, fields]: StreamItem): TrailEntry {
  const mac = fieldIn(fields, 'mac')
  return { id, text: fieldIn(fields, 'entry') ?? '', ...(mac !== undefined && { mac }) }
}

function fieldIn(fields: readonly string[], name: string): string | undefined {
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1]
  return undefined
}
