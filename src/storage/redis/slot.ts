const SLOTS = 16_384
const SUFFIX_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

// CRC16 as Redis Cluster uses it: polynomial 0x1021, initial value 0.
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc
})

function crcOf(text: string, start = 0): number {
  let crc = start
  for (const byte of Buffer.from(text)) crc = next(crc, byte)
  return crc
}

const next = (crc: number, byte: number) => ((crc << 8) & 0xffff) ^ (TABLE[(crc >> 8) ^ byte] ?? 0)

/** Returns the slot of a hash tag, or of a key without one, in a Redis Cluster. */
export function slotOf(text: string): number {
  return crcOf(text) % SLOTS
}

/** Returns three characters of base64url that put a key without a hash tag into a slot; undefined if there are none. */
export function suffixFor(key: string, slot: number): string | undefined {
  const start = crcOf(key)
  for (const a of SUFFIX_ALPHABET) {
    const first = next(start, a.charCodeAt(0))
    for (const b of SUFFIX_ALPHABET) {
      const second = next(first, b.charCodeAt(0))
      for (const c of SUFFIX_ALPHABET) {
        if (next(second, c.charCodeAt(0)) % SLOTS === slot) return a + b + c
      }
    }
  }
  return undefined
}
