import type { Settings } from '../config/settings.ts'
import type { About, AuditEntries, Origin, TrailText } from '../core/audit-entries.ts'
import type { SecurityEvent } from '../core/events.ts'
import type { Log } from '../core/log.ts'
import { randomText } from '../core/token-string.ts'
import { PollingWorker } from '../core/worker.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { Storage } from '../storage/storage.ts'
import { USER } from '../users/user-kind.ts'
import { entryText } from './entry.ts'
import { Often, SIGNALLED } from './often.ts'
import { isRepeatable, PARTS, partOf, type TrailPartName } from './parts.ts'
import { type Repeat, Repeats } from './repeats.ts'
import { signText } from './signature.ts'

/** When entries are written, in milliseconds, and how many wait at most. */
export interface RecorderTiming {
  readonly every: number
  /** How long closing waits for storage. */
  readonly close_within: number
  readonly max_waiting: number
}

const RECORDER_TIMING: RecorderTiming = { every: 500, close_within: 2000, max_waiting: 10_000 }

/** What the recorder works with. */
export interface AuditRecorderContext {
  readonly storage: Pick<Storage, 'trail' | 'records'>
  readonly settings: Pick<Settings, 'audit_days' | 'audit_key'> & Partial<Pick<Settings, 'shared_signals'>>
  readonly log: Log
  /** How many entries are lost. */
  readonly audit_lost: { trail: number }
  /** Milliseconds since 1970. */
  readonly now: () => number
}

interface Batch {
  readonly part: TrailPartName
  readonly id: string
  readonly told: AuditEntries
}

const PER_BATCH = 200
const BATCH_ID_BYTES = 12
const DAY = 86_400

/**
 * Makes entries of the audit trail. Those of a change leave with the write of the record. Others wait here for a moment and
 * are written in batches, so that no request waits for them; if storage takes none for long, further ones are lost and
 * counted. What anybody can repeat, or somebody repeats often, is counted together, and waits apart, so that none of it
 * takes the place of others.
 */
export class AuditRecorder extends PollingWorker {
  readonly #context: AuditRecorderContext
  readonly #timing: RecorderTiming
  /** Events that a write took along. */
  readonly #told = new WeakSet<SecurityEvent>()
  readonly #waiting: Readonly<Record<TrailPartName, Repeat[]>> = { changes: [], repeated: [] }
  readonly #repeats: Repeats
  readonly #often: Often
  /** What was sent and not answered: it is repeated as it is. */
  #batch: Batch | undefined
  #loses = false

  constructor(context: AuditRecorderContext, timing: RecorderTiming = RECORDER_TIMING) {
    super(
      () => this.#write(),
      () => timing.every,
    )
    this.#context = context
    this.#timing = timing
    this.#repeats = new Repeats(context.now)
    this.#often = new Often(context.now, context.settings.shared_signals === 'on' ? SIGNALLED : [])
  }

  /** Returns what a write takes along: nothing of what is counted together. */
  entriesOf(events: readonly SecurityEvent[], about: About, origin: Origin): AuditEntries {
    const at = this.#context.now()
    const told = events.filter((event) => !this.#isRepeated(event, origin))
    const entries = told.map((event) => {
      this.#told.add(event)
      return this.#signed(entryText(event, about.sub, about, origin, at))
    })
    return { entries, ttl: this.#ttl }
  }

  /** Writes an event soon, unless a write took it along. */
  note(event: SecurityEvent, origin: Origin): void {
    if (this.#told.has(event)) return
    if (!this.#isRepeated(event, origin)) this.#wait('changes', { event, origin, at: this.#context.now() })
    else {
      const first = this.#repeats.take(event, origin)
      if (first !== undefined) this.#wait('repeated', first)
    }
  }

  /** Whether an event is counted together. */
  #isRepeated(event: SecurityEvent, origin: Origin): boolean {
    return isRepeatable(event, origin) || this.#often.includes(event, origin)
  }

  #wait(part: TrailPartName, repeat: Repeat): void {
    if (this.#waiting[part].length >= this.#timing.max_waiting) this.#lose(repeat.counted?.count ?? 1)
    else this.#waiting[part].push(repeat)
  }

  #collect(is_end = false): void {
    for (const repeat of this.#repeats.due(is_end)) this.#wait('repeated', repeat)
  }

  /** Writes what waits, as far as storage takes it in time; the rest is lost. */
  override async close(): Promise<void> {
    await super.close()
    this.#collect(true)
    const end = performance.now() + this.#timing.close_within
    while (this.#left > 0 && performance.now() < end) {
      const before = this.#left
      await this.#write()
      if (this.#left === before) break
    }
    this.#lose(this.#left)
    for (const part of PARTS) this.#waiting[part].length = 0
  }

  get #left(): number {
    const { changes, repeated } = this.#waiting
    return changes.length + repeated.length + (this.#batch?.told.entries.length ?? 0)
  }

  get #ttl(): number {
    return this.#context.settings.audit_days * DAY
  }

  async #write(): Promise<void> {
    this.#collect()
    try {
      while (this.#left > 0) {
        this.#batch ??= await this.#nextBatch()
        await partOf(this.#context.storage.trail, this.#batch.part).append(this.#batch.id, this.#batch.told)
        this.#batch = undefined
        this.#loses = false
      }
    } catch (error) {
      // Storage logs why it is unavailable.
      if (error instanceof StorageUnavailable) return
      this.#lose(this.#batch?.told.entries.length ?? 0)
      this.#batch = undefined
      this.#context.log.error({ err: error }, 'A bug prevented entries of the audit trail.')
    }
  }

  async #nextBatch(): Promise<Batch> {
    const part = this.#waiting.changes.length > 0 ? 'changes' : 'repeated'
    const waiting = this.#waiting[part].slice(0, PER_BATCH)
    const subs = await this.#subsOf(waiting)
    const entries = waiting.map(({ event, origin, at, counted }) => {
      const sub = 'username' in event ? subs.get(String(event.username)) : undefined
      return this.#signed(entryText(event, sub, {}, origin, at, counted))
    })
    this.#waiting[part].splice(0, waiting.length)
    return { part, id: randomText(BATCH_ID_BYTES), told: { entries, ttl: this.#ttl } }
  }

  /** The subs of the users whom events name by username alone; a user who is gone has none. */
  async #subsOf(waiting: readonly Repeat[]): Promise<Map<string, string>> {
    const names = new Set(
      waiting.flatMap(({ event }) =>
        'username' in event && typeof event.username === 'string' && !hasSub(event) ? [event.username] : [],
      ),
    )
    const subs = new Map<string, string>()
    await Promise.all(
      [...names].map(async (name) => {
        const { sub } =
          (await this.#context.storage.records.read(USER, name, { fields: ['sub'] }))?.hash ?? {}
        if (sub !== undefined) subs.set(name, sub)
      }),
    )
    return subs
  }

  #signed(text: string): TrailText {
    const { audit_key } = this.#context.settings
    return audit_key === undefined ? { text } : { text, mac: signText(audit_key, text) }
  }

  #lose(count: number): void {
    if (count === 0) return
    this.#context.audit_lost.trail += count
    if (this.#loses) return
    this.#loses = true
    this.#context.log.error(
      {},
      'Entries of the audit trail are lost, because storage takes none: redmint_audit_lost_total counts them.',
    )
  }
}

const hasSub = (event: SecurityEvent) => 'sub' in event && event.sub !== undefined
