import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { addressIn } from '../../../../src/core/address.ts'
import type { Target } from '../target.ts'

const PORTS = ['', ':80', ':65535', ':0']

/** Entries of X-Forwarded-For: nothing but an address is read, and ports, brackets and zones make no other one of it. */
export const address: Target = {
  name: 'address',
  words: [
    '127.0.0.1',
    '::1',
    '[::1]',
    ':80',
    '%eth0',
    '::ffff:1.2.3.4',
    '[',
    ']',
    ':',
    '.',
    'unknown',
    '_x',
    '0x7f',
  ],
  inputs: fc.oneof(
    fc.tuple(fc.ipV4(), fc.constantFrom(...PORTS, ':x', ':123456', ' ')).map((parts) => parts.join('')),
    fc.tuple(fc.ipV6(), fc.constantFrom(...PORTS)).map(([ip, port]) => (port === '' ? ip : `[${ip}]${port}`)),
    fc.tuple(fc.ipV6(), fc.string({ maxLength: 4 })).map((parts) => parts.join('%')),
    fc.string(),
  ),
  check(input) {
    const found = addressIn(input)
    const plain = isIP(input) !== 0 && !input.includes('%')
    if (plain) assert.equal(found, input)
    if (found === undefined) return
    assert.ok(isIP(found) !== 0 && input.includes(found) && !/[[\]%]/.test(found))
    const spellings =
      isIP(found) === 4 ? PORTS.map((port) => found + port) : PORTS.map((port) => `[${found}]${port}`)
    for (const spelling of [found, ...spellings]) assert.equal(addressIn(spelling), found)
  },
}
