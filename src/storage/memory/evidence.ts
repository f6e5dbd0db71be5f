import type { AuditEntries } from '../../core/audit-entries.ts'
import {
  EVIDENCE_PER_ACCOUNT,
  type Evidence,
  type EvidenceStore,
  evidenceTag,
  isAsExpected,
  type KeptEvidence,
  type Taken,
} from '../evidence.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { Base } from './gate.ts'
import type { MemoryTrail } from './trail.ts'

/** Evidence in memory. */
export class MemoryEvidence implements EvidenceStore {
  readonly #base: Base
  readonly #trail: MemoryTrail
  /** By tag, then by digest. */
  readonly #accounts: ExpiringMap<Map<string, KeptEvidence>>

  constructor(base: Base, trail: MemoryTrail) {
    this.#base = base
    this.#trail = trail
    this.#accounts = new ExpiringMap(base.now)
  }

  async give(digest: string, evidence: KeptEvidence, told?: AuditEntries): Promise<void> {
    const { account, purpose, browser } = evidence
    const kept = this.#keptBy(evidenceTag(account))
    for (const [other, older] of kept) {
      if (older.purpose === purpose && older.browser === browser) kept.delete(other)
    }
    const [first] = [...kept].sort(([, a], [, b]) => a.ends_at - b.ends_at)
    if (first !== undefined && kept.size >= EVIDENCE_PER_ACCOUNT) kept.delete(first[0])
    kept.set(digest, evidence)
    const latest = Math.max(...[...kept.values()].map(({ ends_at }) => ends_at))
    this.#accounts.set(evidenceTag(account), kept, latest)
    this.#trail.write(told)
  }

  async read(tag: string, digest: string): Promise<KeptEvidence | undefined> {
    return this.#keptBy(tag).get(digest)
  }

  async take(tag: string, digest: string, expected: Evidence, told?: AuditEntries): Promise<Taken> {
    const kept = this.#keptBy(tag)
    const found = kept.get(digest)
    if (found === undefined) return 'missing'
    if (!isAsExpected(found, expected)) return 'refused'
    for (const [other, { purpose }] of kept) {
      if (purpose === found.purpose) kept.delete(other)
    }
    this.#trail.write(told)
    return 'taken'
  }

  async list(tag: string): Promise<ReadonlyMap<string, KeptEvidence>> {
    return new Map(this.#keptBy(tag))
  }

  async end(tag: string, digest?: string): Promise<void> {
    const kept = this.#keptBy(tag)
    if (digest === undefined) kept.clear()
    else kept.delete(digest)
  }

  async endMadeBefore(time: number): Promise<number> {
    this.#base.gate.pass()
    let ended = 0
    for (const [tag] of this.#accounts.entries()) {
      const kept = this.#keptBy(tag)
      for (const [digest, { created_at }] of kept) {
        if (created_at < time && kept.delete(digest)) ended += 1
      }
    }
    return ended
  }

  /** Those of an account that did not end. */
  #keptBy(tag: string): Map<string, KeptEvidence> {
    this.#base.gate.pass()
    const kept = this.#accounts.get(tag) ?? new Map<string, KeptEvidence>()
    for (const [digest, { ends_at }] of kept) {
      if (ends_at <= this.#base.now()) kept.delete(digest)
    }
    return kept
  }
}
