import type { Entry } from 'ldapts'
import { DirectoryFailure } from './failure.ts'

/** The attributes of an entry, by their names in lower case: each directory writes them in its own case. */
export interface ReadEntry {
  readonly dn: string
  readonly values: ReadonlyMap<string, readonly (string | Buffer)[]>
}

// [MS-ADTS] §3.1.1.3.1.3.3: of many values Active Directory sends the first ones, and says so beside the name.
const RANGE = /;range=/i

/** Reads an entry. @throws DirectoryFailure `partial` if it has a part of some values; `malformed` if it has no DN */
export function readEntry({ dn, ...attributes }: Entry): ReadEntry {
  const cut = Object.keys(attributes).find((name) => RANGE.test(name))
  if (cut !== undefined) throw new DirectoryFailure('partial', cut.slice(0, cut.indexOf(';')))
  // An entry without a name is the root, as which nobody signs in; its attribute of this name is not asked for.
  if (typeof dn !== 'string' || dn === '') throw new DirectoryFailure('malformed')
  const values = Object.entries(attributes).map(
    ([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value : [value]] as const,
  )
  return { dn, values: new Map(values) }
}

/** Returns the values of an attribute that are texts. */
export function textsOf({ values }: ReadEntry, attribute: string): readonly string[] {
  const found = values.get(attribute.toLowerCase()) ?? []
  return found.filter(
    (value) => typeof value === 'string' && value.isWellFormed() && value.trim() !== '',
  ) as string[]
}

/** Attributes whose value is a GUID of 16 bytes. */
const GUIDS = ['objectguid', 'guid']

/** An id that stays when a name changes: as it is kept here, and as the directory has it. */
export interface EntryId {
  readonly text: string
  readonly value: string | Buffer
}

const TEXT_ID = /^[\x21-\x7E]{1,128}$/

/** Returns the id of an entry; undefined: it has none, or several. */
export function idOf({ values }: ReadEntry, attribute: string): EntryId | undefined {
  const name = attribute.toLowerCase()
  const [value, ...others] = values.get(name) ?? []
  if (value === undefined || others.length > 0) return undefined
  if (GUIDS.includes(name)) {
    const bytes = Buffer.from(value as Buffer)
    return bytes.length === 16 ? { text: guidText(bytes), value: bytes } : undefined
  }
  return typeof value === 'string' && TEXT_ID.test(value) ? { text: value.toLowerCase(), value } : undefined
}

/** Returns the value that the directory has for the text of an id. */
export function idValue(text: string, attribute: string): string | Buffer {
  return GUIDS.includes(attribute.toLowerCase()) ? guidBytes(text) : text
}

// [MS-DTYP] §2.3.4.2: the first three parts have their least significant byte first.
const ORDER = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]

const reordered = (bytes: Uint8Array) => Buffer.from(ORDER.map((at) => bytes[at] ?? 0))

function guidText(bytes: Uint8Array): string {
  return reordered(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function guidBytes(text: string): Buffer {
  return reordered(Buffer.from(text.replaceAll('-', ''), 'hex'))
}
