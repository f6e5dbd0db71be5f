import assert from 'node:assert/strict'
import fc from 'fast-check'
import { formatSigningKeys, KEY_STATUSES, parseSigningKeys } from '../../../../src/keys/key-record.ts'
import type { Target } from '../target.ts'

const KID = 'the-kid'
const INSTANT = '2026-11-21T10:15:30Z'
const JWK = { kty: 'OKP', crv: 'Ed25519', x: 'x' }
const TIMES = { created_at: INSTANT, usable_at: INSTANT, current_since: INSTANT, published_until: INSTANT }
const VALID = { kid: KID, alg: 'EdDSA', status: 'current', ...TIMES, public_jwk: JWK, private_jwk: JWK }
const NAMES = [...Object.keys(VALID), 'private_jwe', '__proto__', 'unknown']
const VALUES = [
  null,
  '',
  'next',
  'retired',
  'ES256',
  'none',
  'now',
  INSTANT,
  {},
  [],
  JWK,
  0,
  true,
  'a.b.c.d.e',
]

/** A record in the hash `signing-keys`: JSON that is read as it was written, or one error that says what to restore. */
export const signingKey: Target = {
  name: 'record-signing-key',
  words: [
    ...NAMES.map((name) => `"${name}":`),
    ...VALUES.map((value) => JSON.stringify(value)),
    '{',
    '}',
    ',',
  ],
  inputs: fc.oneof(
    fc
      .dictionary(fc.constantFrom(...NAMES), fc.constantFrom<unknown>(...VALUES), { maxKeys: 3 })
      .map((change) => JSON.stringify({ ...VALID, ...change })),
    fc.json(),
  ),
  check(input) {
    let records: ReturnType<typeof parseSigningKeys>
    try {
      records = parseSigningKeys({ [KID]: input })
    } catch (error) {
      assert.match((error as Error).message, /^The signing key the-kid is malformed: restore /)
      return
    }
    const [record] = records
    assert.equal(record?.kid, KID)
    assert.ok(KEY_STATUSES.includes(record.status))
    assert.ok(!Number.isNaN(Date.parse(record.created_at)))
    // Keys are objects; null would be a fault wherever the key is used.
    for (const jwk of [record.public_jwk, record.private_jwk ?? {}]) assert.equal(`${jwk}`, '[object Object]')
    assert.ok(record.private_jwk !== undefined || typeof record.private_jwe === 'string')
    assert.deepEqual(parseSigningKeys(formatSigningKeys(records)), records)
  },
}
