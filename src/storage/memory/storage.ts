import type { Storage } from '../storage.ts'
import { MemoryCounters } from './counters.ts'
import { MemoryEvidence } from './evidence.ts'
import { MemoryFamilies } from './families.ts'
import { Gate } from './gate.ts'
import { MemoryLists } from './lists.ts'
import { MemoryQueue } from './queue.ts'
import { MemoryRecords } from './records.ts'
import { MemoryRegistrations } from './registrations.ts'
import { MemoryRosters } from './rosters.ts'
import { MemorySharedHash } from './shared-hash.ts'
import { MemorySignIns } from './sign-ins.ts'

/** The storage of a single process. Its data is lost when the process ends. */
export class MemoryStorage implements Storage {
  readonly description = 'memory'
  readonly tokens_at_rest = 'plain'
  readonly records: MemoryRecords
  readonly changes: MemoryRecords
  readonly families: MemoryFamilies
  readonly lists: MemoryLists
  readonly queue: MemoryQueue
  readonly counters: MemoryCounters
  readonly registrations: MemoryRegistrations
  readonly sign_ins: MemorySignIns
  readonly evidence: MemoryEvidence
  readonly rosters: MemoryRosters
  readonly signing_keys: MemorySharedHash
  readonly sealing_keys: MemorySharedHash
  readonly #gate = new Gate()

  /** @param now the clock, in milliseconds since 1970 */
  constructor({ now = Date.now }: { now?: () => number } = {}) {
    const base = { now, gate: this.#gate }
    this.lists = new MemoryLists(base)
    this.records = new MemoryRecords(base, this.lists)
    this.changes = this.records
    this.families = new MemoryFamilies(base, this.records, this.lists)
    this.queue = new MemoryQueue(base)
    this.sign_ins = new MemorySignIns(base)
    this.counters = new MemoryCounters(base, this.sign_ins)
    this.registrations = new MemoryRegistrations(base, this.records)
    this.rosters = new MemoryRosters(base)
    this.evidence = new MemoryEvidence(base)
    this.signing_keys = new MemorySharedHash(base)
    this.sealing_keys = new MemorySharedHash(base)
  }

  async probe(): Promise<void> {
    this.#gate.pass()
  }

  async close(): Promise<void> {
    this.#gate.close()
  }
}
