import { hkdfSync, randomBytes } from 'node:crypto'
import t from 'tap'
import { derivedKey } from '../../../../src/core/hkdf.ts'

t.test('a derived key is that of HKDF with SHA-256', async (t) => {
  const secret = randomBytes(32)
  for (const [salt, info] of [
    [randomBytes(24), 'redmint browser'],
    [randomBytes(64), 'redmint successor'],
    [Buffer.alloc(0), ''],
  ] as const) {
    const expected = Buffer.from(hkdfSync('sha256', secret, salt, info, 32))
    t.same(derivedKey(secret, salt, info), expected, info)
  }
})

t.test('a salt that HMAC would have to hash first is refused', async (t) => {
  t.throws(() => derivedKey(randomBytes(32), randomBytes(65), ''), RangeError)
})
