import {
  bodyOf,
  DerError,
  type DerValue,
  objectIdentifier,
  readDer,
  readObjectIdentifier,
  readText,
  readUtf8,
  TAG,
  valuesIn,
} from './der.ts'

/** An attribute of a name: its type as objectIdentifier, and its value: a text, or the octets of a value in DER. */
export interface Attribute {
  readonly type: string
  readonly value: string | Buffer
}

/** The parts of a name, in the order of the certificate; a part is a set of attributes (X.501 §9.2). */
export type DistinguishedName = readonly (readonly Attribute[])[]

/** An attribute of a certificate. */
interface FoundAttribute {
  readonly type: string
  /** Absent if the value has a type whose text is ambiguous, such as TeletexString. */
  readonly text: string | undefined
  readonly der: Buffer
}

/** A name of a certificate, as DistinguishedName. */
export type FoundName = readonly (readonly FoundAttribute[])[]

/** RFC 4514 §3, and the names that OpenSSL prints for further types; in upper case. */
export const ATTRIBUTE_TYPES: Readonly<Record<string, string>> = {
  CN: '2.5.4.3',
  SN: '2.5.4.4',
  SERIALNUMBER: '2.5.4.5',
  C: '2.5.4.6',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  STREET: '2.5.4.9',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  TITLE: '2.5.4.12',
  BUSINESSCATEGORY: '2.5.4.15',
  POSTALCODE: '2.5.4.17',
  GN: '2.5.4.42',
  ORGANIZATIONIDENTIFIER: '2.5.4.97',
  UID: '0.9.2342.19200300.100.1.1',
  DC: '0.9.2342.19200300.100.1.25',
  EMAILADDRESS: '1.2.840.113549.1.9.1',
  JURISDICTIONL: '1.3.6.1.4.1.311.60.2.1.1',
  JURISDICTIONST: '1.3.6.1.4.1.311.60.2.1.2',
  JURISDICTIONC: '1.3.6.1.4.1.311.60.2.1.3',
}

// RFC 4514 §3: descr and numericoid (RFC 4512 §1.4).
const TYPE = /^(?:([A-Za-z][A-Za-z0-9-]*)|((?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))+))=/
const HEX_VALUE = /^#((?:[0-9A-Fa-f]{2})+)/
const ESCAPED = /^\\(?:([0-9A-Fa-f]{2})|(["+,;<>\\ #=]))/
/** The characters that a value can have only after a backslash. */
const FORBIDDEN = '"+,;<>\\\0'

/**
 * Parses the string representation of a name (RFC 4514 §3). Its first part is the last of the certificate (§2.1).
 * @returns the name, or its problem, as text that completes "<field> …"
 */
export function parseDistinguishedName(text: string): DistinguishedName | string {
  const parts: Attribute[][] = [[]]
  let rest = text
  for (;;) {
    const read = readAttribute(rest)
    if (typeof read === 'string') return read
    parts.at(-1)?.push(read.attribute)
    rest = read.rest
    if (rest === '') return parts.reverse()
    if (rest.startsWith(',')) parts.push([])
    rest = rest.slice(1)
  }
}

function readAttribute(text: string): { attribute: Attribute; rest: string } | string {
  const [head, descr, oid] = TYPE.exec(text) ?? []
  if (head === undefined) {
    return `is not a name of RFC 4514, such as CN=billing,O=Example,C=DE without spaces between its parts: it has ${JSON.stringify(text.slice(0, 20))} where a part must begin`
  }
  const dotted = oid ?? ATTRIBUTE_TYPES[descr?.toUpperCase() ?? '']
  if (dotted === undefined)
    return `has the attribute type ${descr}, which is not known: write its number, such as 2.5.4.3`
  const type = objectIdentifier(dotted)
  if (type === undefined)
    return `has the attribute type ${dotted.slice(0, 80)}, which is no object identifier`
  const value = text.slice(head.length)
  const [hex, digits = ''] = HEX_VALUE.exec(value) ?? []
  const read = hex === undefined ? readString(value) : readHexString(Buffer.from(digits, 'hex'), hex.length)
  if (typeof read === 'string') return read
  const rest = value.slice(read.length)
  if (rest !== '' && !/^[,+]/.test(rest))
    return `has the character ${JSON.stringify(rest[0])}, which needs a backslash`
  return { attribute: { type, value: read.value }, rest }
}

function readHexString(value: Buffer, length: number): { value: Buffer; length: number } | string {
  try {
    if (readDer(value).length === 1) return { value, length }
  } catch {}
  return 'has a value with # that is not a value in DER, such as #0c0161'
}

/** Reads a value up to the next separator. RFC 4514 §2.4: octets behind backslashes are UTF-8. */
function readString(text: string): { value: string; length: number } | string {
  const octets: Buffer[] = []
  let position = 0
  let is_escaped = false
  for (;;) {
    const [character = ''] = text.slice(position, position + 2)
    const [escaped = '', pair, special = ''] = ESCAPED.exec(text.slice(position, position + 3)) ?? []
    if (escaped === '' && (character === '' || FORBIDDEN.includes(character))) break
    is_escaped = escaped !== ''
    octets.push(pair === undefined ? Buffer.from(special || character) : Buffer.from(pair, 'hex'))
    position += (escaped || character).length
  }
  if (/^[ #]/.test(text) || (text[position - 1] === ' ' && !is_escaped)) {
    return 'has a value that begins or ends with a space, or begins with #: put a backslash before it'
  }
  try {
    return { value: readUtf8(Buffer.concat(octets)), length: position }
  } catch {
    return 'has a value that is not UTF-8'
  }
}

/** Reads a name of a certificate (RFC 5280 §4.1.2.4). @throws DerError */
export function readName(name: DerValue | undefined): FoundName {
  return valuesIn(name, TAG.sequence).map((part) => valuesIn(part, TAG.set).map(readFoundAttribute))
}

function readFoundAttribute(attribute: DerValue): FoundAttribute {
  const [type, value, ...others] = readDer(bodyOf(attribute, TAG.sequence))
  if (value === undefined || others.length > 0) throw new DerError('an attribute needs a type and one value')
  return { type: readObjectIdentifier(type), text: readText(value), der: value.whole }
}

/**
 * Whether a certificate has exactly this name: the same parts in the same order, each with the same attributes in any
 * order. Texts are the same if their characters are: RFC 5280 §7.1 also ignores case, but operators can copy the name
 * from the certificate.
 */
export function isSameName(expected: DistinguishedName, found: FoundName): boolean {
  return (
    expected.length === found.length && expected.every((part, index) => isSamePart(part, found[index] ?? []))
  )
}

function isSamePart(expected: readonly Attribute[], found: readonly FoundAttribute[]): boolean {
  const left = [...found]
  for (const attribute of expected) {
    const index = left.findIndex((candidate) => isSameAttribute(attribute, candidate))
    if (index === -1) return false
    left.splice(index, 1)
  }
  return left.length === 0
}

function isSameAttribute({ type, value }: Attribute, found: FoundAttribute): boolean {
  if (type !== found.type) return false
  return typeof value === 'string' ? value === found.text : value.equals(found.der)
}
