import { readDer, readText } from '../certificates/der.ts'
import { ATTRIBUTE_TYPES } from '../certificates/distinguished-name.ts'

/** An attribute of a DN: its type in lower case, or as an object identifier where it is a known one, and its value. */
export interface DnAttribute {
  readonly type: string
  readonly value: string
}

// RFC 4514 §3, with the spaces that people and directories put around separators.
const TYPE = /^\s*(?:oid\.)?([a-z][a-z0-9-]*|\d+(?:\.\d+)*)\s*=\s*/iu
const VALUE = /^(?:\\[0-9a-f]{2}|\\.|[^\\,+"])*/isu
const ESCAPED = /\\([0-9a-f]{2})|\\?(.)/gisu
const HEX_VALUE = /^#((?:[0-9a-f]{2})+)\s*$/iu

/**
 * Reads a DN as a directory or a person writes it (RFC 4514 §3).
 * @returns its parts, each with its attributes in the order of the text; undefined: it is none
 */
export function readDn(dn: string): readonly (readonly DnAttribute[])[] | undefined {
  const parts: DnAttribute[][] = [[]]
  let rest = dn
  for (;;) {
    const [head, type = ''] = TYPE.exec(rest) ?? []
    if (head === undefined) return undefined
    const [text] = VALUE.exec(rest.slice(head.length)) ?? ['']
    const value = readValue(text)
    if (value === undefined) return undefined
    parts.at(-1)?.push({ type: ATTRIBUTE_TYPES[type.toUpperCase()] ?? type.toLowerCase(), value })
    rest = rest.slice(head.length + text.length)
    if (rest === '') return parts
    if (rest.startsWith(',')) parts.push([])
    else if (!rest.startsWith('+')) return undefined
    rest = rest.slice(1)
  }
}

/**
 * Returns the form that all spellings of one DN have: directories escape, compose and order differently what is the same
 * name (RFC 4514 §2.4, RFC 4518 §2).
 * @returns undefined: it is no DN
 */
export function dnForm(dn: string): string | undefined {
  const parts = readDn(dn)?.map((part) =>
    part.map(({ type, value }) => JSON.stringify([type, prepared(value)])).sort(),
  )
  return parts && JSON.stringify(parts)
}

function readValue(text: string): string | undefined {
  const [, digits] = HEX_VALUE.exec(text) ?? []
  if (digits !== undefined) return valueOfDer(Buffer.from(digits, 'hex'))
  const octets = [...text.matchAll(ESCAPED)].map(([, pair, character = '']) =>
    pair === undefined ? Buffer.from(character) : Buffer.from(pair, 'hex'),
  )
  return Buffer.concat(octets).toString().trim()
}

function valueOfDer(octets: Buffer): string | undefined {
  try {
    const [value, ...others] = readDer(octets)
    return value === undefined || others.length > 0 ? undefined : readText(value)
  } catch {
    return undefined
  }
}

/** A value as directories compare it: case and the number of spaces say nothing (RFC 4518 §2.2, §2.3, §2.6.1). */
const prepared = (value: string) =>
  value.normalize('NFKC').toLowerCase().normalize('NFKC').replace(/\s+/gu, ' ').trim()
