import type { AuditEntries } from '../../core/audit-entries.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { SharedHash } from '../shared-hash.ts'
import type { Base } from './gate.ts'
import { asStored, hasFields } from './text.ts'
import type { MemoryTrail } from './trail.ts'

/** A shared hash in memory. */
export class MemorySharedHash implements SharedHash {
  readonly #base: Base
  readonly #trail: MemoryTrail
  #fields: Hash = {}

  constructor(base: Base, trail: MemoryTrail) {
    this.#base = base
    this.#trail = trail
  }

  async read(): Promise<Hash> {
    this.#base.gate.pass()
    return { ...this.#fields }
  }

  async now(): Promise<number> {
    this.#base.gate.pass()
    return this.#base.now()
  }

  async replace(expected: Hash, next: Hash, told?: AuditEntries): Promise<boolean> {
    this.#base.gate.pass()
    const before = asStored(expected)
    const sameSize = Object.keys(before).length === Object.keys(this.#fields).length
    if (!sameSize || !hasFields(this.#fields, before)) return false
    this.#fields = asStored(next)
    this.#trail.write(told)
    return true
  }
}
