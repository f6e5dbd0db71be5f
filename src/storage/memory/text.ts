import type { Hash } from '../../core/record-hash.ts'

/** Returns the string as Redis stores it in UTF-8: a lone surrogate becomes U+FFFD. */
export function wellFormed(text: string): string {
  return text.toWellFormed()
}

/** Returns a copy of a hash with its strings as Redis stores them. */
export function asStored(hash: Hash): Hash {
  const entries = Object.entries(hash)
  if (entries.every(([field, value]) => field.isWellFormed() && value.isWellFormed())) return { ...hash }
  return Object.fromEntries(entries.map(([field, value]) => [wellFormed(field), wellFormed(value)]))
}

/** Returns a copy that the caller may change. */
export function copyOf(hash: Hash | undefined): Hash | undefined {
  return hash && { ...hash }
}

/** Whether a hash has all of these fields with these values. */
export function hasFields(hash: Hash, expected: Hash): boolean {
  return Object.entries(expected).every(
    ([field, value]) => Object.hasOwn(hash, field) && hash[field] === value,
  )
}
