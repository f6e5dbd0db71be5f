import type { Storage } from '../storage.ts'
import { MemoryBoundedLists } from './bounded-lists.ts'
import { MemoryCounters } from './counters.ts'
import { MemoryEvidence } from './evidence.ts'
import { MemoryFamilies } from './families.ts'
import { MemoryGate } from './gate.ts'
import { MemoryLists } from './lists.ts'
import { MemoryNotedJwts } from './noted-jwts.ts'
import { MemoryOutboxes } from './outboxes.ts'
import { MemoryQueue } from './queue.ts'
import { MemoryRecords } from './records.ts'
import { MemoryRegistrations } from './registrations.ts'
import { MemorySharedHash } from './shared-hash.ts'
import { MemorySignIns } from './sign-ins.ts'
import { MemoryTrail } from './trail.ts'

/** The storage of a single process. Its data is lost when the process ends. */
export class MemoryStorage implements Storage {
  readonly description = 'memory'
  readonly tokens_at_rest = 'plain'
  readonly records: MemoryRecords
  readonly changes: MemoryRecords
  readonly families: MemoryFamilies
  readonly lists: MemoryLists
  readonly queue: MemoryQueue
  readonly outboxes: MemoryOutboxes
  readonly counters: MemoryCounters
  readonly registrations: MemoryRegistrations
  readonly sign_ins: MemorySignIns
  readonly evidence: MemoryEvidence
  readonly bounded: MemoryBoundedLists
  readonly trail: MemoryTrail
  readonly signing_keys: MemorySharedHash
  readonly sealing_keys: MemorySharedHash
  readonly noted_jwts: MemoryNotedJwts
  readonly status_lists: MemorySharedHash
  readonly #gate = new MemoryGate()

  /** @param now the clock, in milliseconds since 1970 */
  constructor({ now = Date.now }: { now?: () => number } = {}) {
    const base = { now, gate: this.#gate }
    this.lists = new MemoryLists(base)
    this.trail = new MemoryTrail(base)
    this.records = new MemoryRecords(base, this.lists, this.trail)
    this.bounded = new MemoryBoundedLists(base, this.records, this.trail)
    this.changes = this.records
    this.noted_jwts = new MemoryNotedJwts(base)
    this.families = new MemoryFamilies(base, this)
    this.queue = new MemoryQueue(base, this.trail)
    this.outboxes = new MemoryOutboxes(base)
    this.sign_ins = new MemorySignIns(base)
    this.counters = new MemoryCounters(base, this.sign_ins)
    this.registrations = new MemoryRegistrations(base, this.records)
    this.evidence = new MemoryEvidence(base, this.trail)
    this.signing_keys = new MemorySharedHash(base, this.trail)
    this.sealing_keys = new MemorySharedHash(base, this.trail)
    this.status_lists = new MemorySharedHash(base, this.trail)
  }

  async probe(): Promise<void> {
    this.#gate.pass()
  }

  async close(): Promise<void> {
    this.#gate.close()
  }
}
