/** One value in DER: its identifier octet, its contents, and the octets of the whole value. */
export interface DerValue {
  readonly tag: number
  readonly body: Buffer
  readonly whole: Buffer
}

/** The universal types that a certificate has (X.690 §8). */
export const TAG = {
  boolean: 0x01,
  octet_string: 0x04,
  object_identifier: 0x06,
  utf8_string: 0x0c,
  printable_string: 0x13,
  ia5_string: 0x16,
  sequence: 0x30,
  set: 0x31,
} as const

/** The octets are not DER, or not what was expected. */
export class DerError extends Error {
  override readonly name = 'DerError'
}

// No certificate is so long that its length needs more than four octets.
const MAX_LENGTH_OCTETS = 4

/**
 * Reads the values that follow each other in some octets. It accepts one encoding only (X.690 §10.1), so that no other
 * reader sees other values: definite lengths in the shortest form, and tags of one octet.
 * @throws DerError
 */
export function readDer(octets: Buffer): DerValue[] {
  const values: DerValue[] = []
  for (let start = 0; start < octets.length; ) {
    const value = readValue(octets, start)
    values.push(value)
    start += value.whole.length
  }
  return values
}

/** Returns the values in a value of a type. @throws DerError if it is of another type */
export function valuesIn(value: DerValue | undefined, tag: number): DerValue[] {
  return readDer(bodyOf(value, tag))
}

/** Returns the contents of a value of a type. @throws DerError if it is of another type */
export function bodyOf(value: DerValue | undefined, tag: number): Buffer {
  if (value?.tag !== tag) throw new DerError(`tag ${tag} expected, found ${value?.tag}`)
  return value.body
}

// The arc of a UUID is the longest in use (X.667 §7): 128 bits, seven in an octet.
const MAX_ARC_OCTETS = 19
const MAX_ARC_DIGITS = 39

/**
 * Returns an object identifier as the hexadecimal digits of its contents (X.690 §8.19), which are compared as they are:
 * to compute the number of an arc costs the square of its length.
 * @throws DerError
 */
export function readObjectIdentifier(value: DerValue | undefined): string {
  const body = bodyOf(value, TAG.object_identifier)
  let length = 0
  for (const octet of body) {
    if (length === 0 && octet === 0x80) throw new DerError('an arc has a leading zero')
    length += 1
    if (length > MAX_ARC_OCTETS) throw new DerError('an arc is too long')
    if ((octet & 0x80) === 0) length = 0
  }
  if (body.length === 0 || length > 0) throw new DerError('an arc is cut off')
  return body.toString('hex')
}

/** Returns an object identifier in the notation with dots as readObjectIdentifier does; undefined if it is none. */
export function objectIdentifier(text: string): string | undefined {
  const arcs = text.split('.')
  if (arcs.some((arc) => arc.length > MAX_ARC_DIGITS)) return undefined
  const [top = 0n, second = 0n, ...others] = arcs.map(BigInt)
  // X.690 §8.19.4.
  if (top > 2n || (top < 2n && second > 39n)) return undefined
  return [top * 40n + second, ...others].map(arcInHex).join('')
}

function arcInHex(arc: bigint): string {
  const octets = [Number(arc & 0x7fn)]
  for (let rest = arc >> 7n; rest > 0n; rest >>= 7n) octets.unshift(Number(rest & 0x7fn) | 0x80)
  return Buffer.from(octets).toString('hex')
}

/** Returns the text of a string of the types that certificates have today; undefined for other types. @throws DerError */
export function readText({ tag, body }: DerValue): string | undefined {
  if (tag === TAG.utf8_string) return readUtf8(body)
  return tag === TAG.printable_string || tag === TAG.ia5_string ? readAscii(body) : undefined
}

/** Returns octets as ASCII. @throws DerError if they are not */
export function readAscii(octets: Buffer): string {
  if (octets.some((octet) => octet > 0x7f)) throw new DerError('a string is not ASCII')
  return octets.toString('latin1')
}

/** Returns octets as UTF-8, whose byte order mark is a character. @throws DerError if they are not */
export function readUtf8(octets: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets)
  } catch {
    throw new DerError('a string is not UTF-8')
  }
}

function readValue(octets: Buffer, start: number): DerValue {
  const tag = octets[start] ?? 0
  if ((tag & 0x1f) === 0x1f) throw new DerError('a tag has several octets')
  const [length, header] = readLength(octets, start + 1)
  const end = start + 1 + header + length
  if (end > octets.length) throw new DerError('a value is cut off')
  return { tag, body: octets.subarray(start + 1 + header, end), whole: octets.subarray(start, end) }
}

function readLength(octets: Buffer, start: number): [length: number, octets: number] {
  const first = octets[start]
  if (first === undefined) throw new DerError('a length is missing')
  if (first < 0x80) return [first, 1]
  const count = first & 0x7f
  // X.690 §10.1: no indefinite length.
  if (count === 0 || count > MAX_LENGTH_OCTETS || start + 1 + count > octets.length) {
    throw new DerError('a length is indefinite, too long or cut off')
  }
  const length = octets.readUIntBE(start + 1, count)
  const shortest = length < 0x80 ? 0 : Math.ceil((32 - Math.clz32(length)) / 8)
  if (count !== shortest) throw new DerError('a length is not in its shortest form')
  return [length, 1 + count]
}
