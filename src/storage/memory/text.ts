import type { Hash } from '../../core/record-hash.ts'

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

/** A copy for the caller, who may change it. */
export function copyOf(hash: Hash | undefined): Hash | undefined {
  return hash && { ...hash }
}

/** Whether a hash has all of these fields with these values. */
export function hasFields(hash: Hash, expected: Hash): boolean {
  return Object.entries(expected).every(
    ([field, value]) => Object.hasOwn(hash, field) && hash[field] === value,
  )
}
