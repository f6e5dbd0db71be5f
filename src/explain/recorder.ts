import type { ClientRegistry } from '../clients/client-registry.ts'
import { describedItself } from '../clients/keys/client-keys.ts'
import { CLIENT } from '../clients/record/client-kind.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import { inBatches } from '../core/batches.ts'
import type { Log } from '../core/log.ts'
import { nearestName } from '../core/nearest.ts'
import type { RefusedRequest } from '../core/refusal.ts'
import { shownValue } from '../core/shown-facts.ts'
import { SharedBudget } from '../limits/shared-budget.ts'
import type { NewEntry } from '../storage/bounded-lists.ts'
import type { Storage } from '../storage/storage.ts'
import { Losses } from './losses.ts'
import { kindOf, type RefusalRecord, refusalRecord } from './record.ts'

/** How many of one kind are kept, of one client and reason. */
const PER_KIND = 20
/**
 * How many a process writes in a minute: more of a kind are only counted, and a flood of refusals is not one of writes.
 * Strangers have half of it, and no client is refused its first ones for what others write.
 */
const WRITES = { per_name: PER_KIND, per_owner: 100, in_all: 600, always: 10 }
const WRITES_OF_STRANGERS = 300
/** How many wait to be written: more than are written in a minute, so that only a slow storage fills it. */
const MAX_WAITING = 1000
/** Of how many kinds more are counted, of strangers and of all. */
const MAX_KINDS = { of_strangers: 250, in_all: 500 }
/**
 * Whom all belong to whom no operator knows: those who name no client, and clients that registered or describe
 * themselves.
 */
export const OF_STRANGERS = '-'
const BATCH = 100
/** Among how many clients the nearest one is looked for. */
const NEAREST_OF = 200

/** How many milliseconds refusals wait, to be written together. */
export const RECORDER_DELAY = 250

/** What it takes to keep explanations. */
export interface RecorderContext {
  readonly storage: Pick<Storage, 'bounded' | 'records'>
  readonly settings: Pick<Settings, 'explain_max' | 'explain_ttl'>
  readonly clients: Pick<ClientRegistry, 'cached'>
  readonly counts: { explanations_lost: number }
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A record, and a client_id that no client has, which is looked for among those that there are. */
interface Waiting {
  readonly record: RefusalRecord
  readonly owner: string
  readonly unknown_client?: string
}

/**
 * Keeps what explains refusals. It never delays a request: what is refused waits here, in bounded number, and is written a
 * moment after the answer. What cannot be written is counted, and said once.
 */
export class Recorder {
  readonly #context: RecorderContext
  readonly #delay: number
  readonly #writes: SharedBudget
  #waiting: Waiting[] = []
  #more = new Map<string, number>()
  readonly #losses: Losses
  #timer: NodeJS.Timeout | undefined

  constructor(context: RecorderContext, delay = RECORDER_DELAY) {
    this.#context = context
    this.#delay = delay
    this.#losses = new Losses(context)
    this.#writes = new SharedBudget(WRITES, { [OF_STRANGERS]: WRITES_OF_STRANGERS }, context.now)
  }

  /** Takes a refusal over. */
  take(refused: RefusedRequest): void {
    const { clients, now } = this.#context
    const { reason, client_id, sent_client } = refused
    const known = clients.cached(client_id ?? sent_client ?? '')
    const client = client_id ?? known?.client_id
    const owner = ownerOf(client, known)
    const record = refusalRecord(refused, client, now())
    const kind = kindOf(record)
    if (!this.#writes.take(kind, owner)) this.#count(kind, owner)
    else if (this.#waiting.length >= MAX_WAITING) this.#losses.count(1)
    else {
      const is_unknown = reason === 'client_unknown' && sent_client !== undefined
      this.#waiting.push({ record, owner, ...(is_unknown && { unknown_client: sent_client }) })
    }
    this.#timer ??= setTimeout(() => void this.flush(), this.#delay).unref()
  }

  #count(kind: string, owner: string): void {
    const max = owner === OF_STRANGERS ? MAX_KINDS.of_strangers : MAX_KINDS.in_all
    if (this.#more.has(kind) || this.#more.size < max) this.#more.set(kind, (this.#more.get(kind) ?? 0) + 1)
    else this.#losses.count(1)
  }

  /** Writes what waits. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = this.#waiting
    const more = this.#more
    this.#waiting = []
    this.#more = new Map()
    if (waiting.length === 0 && more.size === 0) return
    let left = waiting.length
    try {
      const write = async (batch: readonly Waiting[]) => {
        const kept = await Promise.all(batch.map((one) => this.#kept(one)))
        // A kind has a number only beside what is kept of it.
        await this.#keep(kept, batch.length === left ? more : new Map())
        left -= batch.length
      }
      if (waiting.length === 0) await write([])
      else await inBatches(waiting, BATCH, write)
      this.#losses.end()
    } catch (error) {
      this.#losses.fail(left, error)
    }
  }

  async #kept(waiting: Waiting): Promise<NewEntry> {
    const record = await this.#complete(waiting)
    return { name: record.id, kind: kindOf(record), owner: waiting.owner, text: JSON.stringify(record) }
  }

  #keep(kept: readonly NewEntry[], more: ReadonlyMap<string, number>): Promise<void> {
    const { storage, settings } = this.#context
    const { explain_max: max, explain_ttl } = settings
    const bounds = {
      max,
      ttl: explain_ttl * 1000,
      of_kind: PER_KIND,
      looked_at: 2 * PER_KIND,
      keep: true,
    } as const
    return storage.bounded.put('explanations', kept, bounds, more)
  }

  /** Shows a client_id that no client has, and the nearest one. @throws StorageUnavailable */
  async #complete({ record, unknown_client }: Waiting): Promise<RefusalRecord> {
    if (unknown_client === undefined) return record
    const { records } = this.#context.storage
    const { items } = await records.page(CLIENT, { prefix: unknown_client.slice(0, 1), limit: NEAREST_OF })
    const nearest = nearestName(
      unknown_client,
      items.map(({ id }) => id),
    )
    return {
      ...record,
      received: { ...record.received, client_id: shownValue(unknown_client) },
      ...(nearest !== undefined && { expected: { ...record.expected, client_id: nearest } }),
    }
  }

  /** Writes what still waits. */
  async close(): Promise<void> {
    await this.flush()
  }
}

/** Whose explanations those of a client are, without spaces. @param known its record, as far as it is in the cache */
function ownerOf(client_id: string | undefined, known: Client | undefined): string {
  if (client_id === undefined || (known !== undefined && describedItself(known))) return OF_STRANGERS
  return encodeURIComponent(client_id)
}
