import type { Hash } from '../../core/record-hash.ts'
import { assertFields } from '../common.ts'
import type { Change, Changed, Created } from '../storage.ts'

/** Records by name that stay until they are removed. Hashes are never changed in place, only replaced. */
export class MemoryRecords {
  readonly #hashes = new Map<string, Hash>()

  read(name: string): Hash | undefined {
    return copyOf(this.#hashes.get(wellFormed(name)))
  }

  list(): [name: string, hash: Hash][] {
    return [...this.#hashes].map(([name, hash]) => [name, { ...hash }])
  }

  create(name: string, hash: Hash): Created {
    assertFields(hash)
    if (this.#hashes.has(wellFormed(name))) return 'exists'
    this.#hashes.set(wellFormed(name), asStored(hash))
    return 'ok'
  }

  change(name: string, { set, unset, expected = {} }: Change): Changed {
    const record = this.#hashes.get(wellFormed(name))
    if (record === undefined) return 'missing'
    const asExpected = Object.entries(asStored(expected))
    if (asExpected.some(([field, value]) => !Object.hasOwn(record, field) || record[field] !== value))
      return 'missing'
    const fields = new Map(Object.entries({ ...record, ...asStored(set) }))
    for (const field of unset) fields.delete(wellFormed(field))
    // Redis drops a hash with its last field.
    if (fields.size === 0) this.#hashes.delete(wellFormed(name))
    else this.#hashes.set(wellFormed(name), Object.fromEntries(fields))
    return 'ok'
  }

  remove(name: string): Changed {
    return this.#hashes.delete(wellFormed(name)) ? 'ok' : 'missing'
  }
}

/** A string as UTF-8 can hold it: a lone surrogate becomes U+FFFD, as on the way to Redis. */
export function wellFormed(text: string): string {
  return text.toWellFormed()
}

/** A copy of a hash, its strings as Redis would hold them. */
export function asStored(hash: Hash): Hash {
  const entries = Object.entries(hash)
  if (entries.every(([field, value]) => field.isWellFormed() && value.isWellFormed())) return { ...hash }
  return Object.fromEntries(entries.map(([field, value]) => [wellFormed(field), wellFormed(value)]))
}

/** A copy for the caller, who may do with it as he likes. */
export function copyOf(hash: Hash | undefined): Hash | undefined {
  return hash && { ...hash }
}
