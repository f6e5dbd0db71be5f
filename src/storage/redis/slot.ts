const SLOTS = 16_384
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
  for (const byte of Buffer.from(text)) crc = ((crc << 8) & 0xffff) ^ (TABLE[(crc >> 8) ^ byte] ?? 0)
  return crc % SLOTS
}

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
  const found: string[] = []
  for (const a of ALPHABET)
    for (const b of ALPHABET) for (const c of ALPHABET) found[slotOf(a + b + c)] ??= a + b + c
  return found
}
