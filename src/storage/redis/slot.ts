/** How many slots a Redis Cluster has. */
export const SLOTS = 16_384
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

// CRC16 as Redis Cluster uses it: polynomial 0x1021, initial value 0.
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc
})

/** Returns the slot of a hash tag, or of a key without one, in a Redis Cluster. */
export function slotOf(text: string): number {
  let crc = 0
  for (const byte of Buffer.from(text)) crc = next(crc, byte)
  return crc % SLOTS
}

/** Returns the hash tag of a key; undefined if it has none. */
export function tagOf(key: string): string | undefined {
  return /^[^{]*\{([^}]+)\}/.exec(key)?.[1]
}

/** Returns the slot of a key in a Redis Cluster. */
export function slotOfKey(key: string): number {
  return slotOf(tagOf(key) ?? key)
}

function next(crc: number, byte: number): number {
  return ((crc << 8) & 0xffff) ^ (TABLE[(crc >> 8) ^ byte] ?? 0)
}

/** The length of what suffixFor returns. */
export const SUFFIX_LENGTH = 3

/**
 * Returns three characters of base64url that put a key without a hash tag into a slot. A CRC is linear: what these
 * characters change does not depend on the key.
 */
export function suffixFor(key: string, slot: number): string {
  suffixes ??= suffixesBySlot()
  const suffix = suffixes[slot ^ slotOf(`${key}\0\0\0`)]
  if (suffix === undefined) throw new RangeError(`there is no slot ${slot}`)
  return suffix
}

let suffixes: readonly string[] | undefined

/** The first three characters for each slot, as if nothing preceded them; each slot has some. */
function suffixesBySlot(): string[] {
  const found: string[] = new Array(SLOTS).fill('')
  const bytes = [...Buffer.from(ALPHABET)]
  // A loop over slotOf takes several times as long.
  for (const a of bytes) {
    for (const b of bytes) {
      const crc = next(next(0, a), b)
      for (const c of bytes) found[next(crc, c) % SLOTS] ||= String.fromCharCode(a, b, c)
    }
  }
  return found
}
