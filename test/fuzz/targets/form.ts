import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readParameters } from '../../../src/core/parameters.ts'
import { inheritedNames } from '../../support/inherited-names.ts'
import { type Target, unlessRefused } from '../target.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const MAX_PARAMETERS = 100

const PIECES = [
  'a',
  'b',
  'client_id',
  'resource',
  '__proto__',
  '=',
  '&',
  '+',
  '%41',
  '%c3%a9',
  '%ED%A0%80',
  '%00',
  '%',
  'é',
]

/**
 * Decodes form-encoded text byte by byte, as the WHATWG parser does, but strictly.
 * Returns undefined for anything that is malformed or that redmint refuses.
 */
export function decodedOf(encoded: string): string | undefined {
  const bytes: number[] = []
  const given = Buffer.from(encoded)
  for (let at = 0; at < given.length; at++) {
    const byte = given[at] ?? 0
    if (byte === 0x25) {
      const hex = given.toString('latin1', at + 1, at + 3)
      if (!/^[0-9a-f]{2}$/i.test(hex)) return undefined
      bytes.push(Number.parseInt(hex, 16))
      at += 2
    } else bytes.push(byte === 0x2b ? 0x20 : byte)
  }
  const forbidden = bytes.some((byte) => byte < 0x20 || byte === 0x7f)
  try {
    const text = UTF8.decode(Uint8Array.from(bytes))
    return forbidden || text.includes('\ufffd') ? undefined : text
  } catch {
    return undefined
  }
}

/** The parameters of a form as a list of pairs; undefined if it must be refused. */
function expectedOf(encoded: string): [name: string, value: string][] | undefined {
  if (encoded === '') return []
  const pairs = encoded.split('&')
  const decoded = pairs.filter((pair) => pair !== '').map((pair) => /^([^=]*)=?(.*)$/s.exec(pair) ?? [])
  const read = decoded.map(([, name = '', value = '']) => [decodedOf(name), decodedOf(value)] as const)
  // RFC 8707 §2: resource alone may be repeated.
  const names = read.map(([name]) => name).filter((name) => name !== 'resource')
  if (pairs.length > MAX_PARAMETERS || new Set(names).size < names.length) return undefined
  const complete = read.filter((pair): pair is [string, string] => !pair.includes(undefined))
  if (complete.length < read.length) return undefined
  const merged = new Map<string, string>()
  for (const [name, value] of complete) {
    if (value !== '') merged.set(name, merged.has(name) ? `${merged.get(name)} ${value}` : value)
  }
  return [...merged]
}

/** Form bodies and query strings (RFC 6749 Appendix B): the reader equals a byte-wise one, and repeats its own output. */
export const form: Target = {
  name: 'form',
  words: [...PIECES, '&&', '==', '%2', '%zz', '%ef%bf%bd', '%f0%9f%98%80', 'scope=', '&a=1&a=2'],
  inputs: fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join('')),
    fc.dictionary(fc.string(), fc.string()).map((pairs) => new URLSearchParams(pairs).toString()),
    fc
      .integer({ min: 95, max: 105 })
      .map((count) => Array.from({ length: count }, (_, i) => `p${i}=1`).join('&')),
    fc.string({ unit: 'grapheme' }),
  ),
  check(input) {
    // The HTTP parser and the body parser make well-formed strings.
    const encoded = input.toWellFormed()
    const parameters = unlessRefused('invalid_request', () => readParameters(encoded))
    const expected = expectedOf(encoded)
    assert.deepEqual(
      parameters === undefined ? undefined : Object.entries(parameters).sort(),
      expected?.sort(),
    )
    if (parameters === undefined) return
    assert.deepEqual(inheritedNames(parameters), [])
    const again = new URLSearchParams(Object.entries(parameters) as [string, string][]).toString()
    assert.deepEqual(readParameters(again), parameters, 'it reads what it read')
  },
}
