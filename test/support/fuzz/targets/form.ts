import assert from 'node:assert/strict'
import fc from 'fast-check'
import { OAuthError } from '../../../../src/core/errors.ts'
import { faultIn, fieldsOf, readParameters } from '../../../../src/core/parameters.ts'
import { inheritedNames } from '../../inherited-names.ts'
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

interface Expected {
  readonly parameters: readonly [name: string, value: string][]
  /** The names of those that cannot be read. */
  readonly faulty: readonly string[]
}

/** The parameters of a form as a list of pairs; undefined if it must be refused. */
function expectedOf(encoded: string): Expected | undefined {
  if (encoded === '') return { parameters: [], faulty: [] }
  const pairs = encoded.split('&')
  if (pairs.length > MAX_PARAMETERS) return undefined
  const split = pairs.filter((pair) => pair !== '').map((pair) => /^([^=]*)=?(.*)$/s.exec(pair) ?? [])
  const values = new Map<string, (string | undefined)[]>()
  for (const [, name = '', value = ''] of split) {
    const known = decodedOf(name)
    if (known !== undefined) values.set(known, [...(values.get(known) ?? []), decodedOf(value)])
  }
  // RFC 8707 §2: resource alone may be repeated, and a URI has no spaces.
  const isFaulty = ([name, given]: [string, (string | undefined)[]]) =>
    given.includes(undefined) ||
    (name === 'resource' ? given.some((value) => value?.includes(' ')) : given.length > 1)
  const all = [...values]
  const readable = all.filter((entry) => !isFaulty(entry))
  return {
    faulty: all.filter(isFaulty).map(([name]) => name),
    parameters: readable.flatMap(([name, given]): [string, string][] => {
      const value = given.filter((one) => one !== '').join(' ')
      return value === '' ? [] : [[name, value]]
    }),
  }
}

// A name with a control character is one of those that nothing reads, whether it has a value or not.
const isOrdinary = ([name]: readonly [string, ...unknown[]]) =>
  decodedOf(encodeURIComponent(name)) !== undefined

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
      parameters && Object.entries(parameters).filter(isOrdinary).sort(),
      expected?.parameters.filter(isOrdinary).sort(),
    )
    if (parameters === undefined || expected === undefined) return
    for (const [name] of expected.parameters) assert.equal(faultIn(parameters, [name]), undefined, name)
    for (const name of expected.faulty.filter((name) => isOrdinary([name]))) {
      assert.ok(faultIn(parameters, [name]) instanceof OAuthError, name)
    }
    assert.deepEqual(inheritedNames(parameters), [])
    const again = readParameters(String(new URLSearchParams(fieldsOf(parameters))))
    assert.deepEqual(Object.entries(again), Object.entries(parameters), 'it reads what it read')
  },
}
