import type { Hash } from '../../core/record-hash.ts'
import type { SigningKeyStore } from '../signing-keys.ts'
import type { Base } from './gate.ts'
import { asStored, hasFields } from './text.ts'

/** The signing keys in memory. */
export class MemorySigningKeys implements SigningKeyStore {
  readonly #base: Base
  #keys: Hash = {}

  constructor(base: Base) {
    this.#base = base
  }

  async read(): Promise<Hash> {
    this.#base.gate.pass()
    return { ...this.#keys }
  }

  async replace(expected: Hash, next: Hash): Promise<boolean> {
    this.#base.gate.pass()
    const before = asStored(expected)
    const sameSize = Object.keys(before).length === Object.keys(this.#keys).length
    if (!sameSize || !hasFields(this.#keys, before)) return false
    this.#keys = asStored(next)
    return true
  }
}
