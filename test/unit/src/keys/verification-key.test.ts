import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import t from 'tap'
import { SIGNING_ALGS, type SigningAlg } from '../../../../src/core/algs.ts'
import { readVerificationKey, verificationKeyOf } from '../../../../src/keys/verification-key.ts'
import { countImports } from '../../../support/keys/count-imports.ts'

const KEYS: Record<string, [key: KeyObject, algs: SigningAlg[]]> = {
  'P-256': [generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey, ['ES256']],
  'P-384': [generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey, []],
  'RSA of 2048 bits': [generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey, ['RS256', 'PS256']],
  'RSA of 1024 bits': [generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey, []],
  Ed25519: [generateKeyPairSync('ed25519').publicKey, ['EdDSA']],
  Ed448: [generateKeyPairSync('ed448').publicKey, []],
}

const INSTANT = '2026-11-21T10:15:30Z'
const record = (alg: SigningAlg, public_jwk: JWK) =>
  ({ kid: 'the-kid', alg, status: 'current', created_at: INSTANT, usable_at: INSTANT, public_jwk }) as const

t.test('a key is for the algorithms that RFC 7518 §3 and RFC 8037 §3.1 allow', async (t) => {
  for (const [name, [key, algs]] of Object.entries(KEYS)) {
    const jwk = key.export({ format: 'jwk' }) as JWK
    for (const alg of SIGNING_ALGS) {
      const read = () => verificationKeyOf(record(alg, jwk))
      if (algs.includes(alg)) t.ok(read().publicKey.equals(key), `${name}, ${alg}`)
      else t.throws(read, { name: 'StoredKeyError' }, `${name}, ${alg}`)
    }
  }
})

t.test('a key that cannot be read is a StoredKeyError that says what to restore', async (t) => {
  for (const jwk of [{}, { kty: 'oct', k: 'AA' }, { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }]) {
    t.throws(() => verificationKeyOf(record('ES256', jwk)), {
      name: 'StoredKeyError',
      message: /^The signing key the-kid is not a key for ES256: restore the field the-kid /,
    })
  }
})

t.test('an RSA key that would make each verification slow is no key', async (t) => {
  const read = (bits: number, exponent: string) => {
    const n = Buffer.alloc(bits / 8, 0xff).toString('base64url')
    const e = Buffer.from(exponent, 'hex').toString('base64url')
    return readVerificationKey('k', 'RS256', { kty: 'RSA', n, e })
  }
  t.ok(read(2048, '010001'))
  t.ok(read(8192, 'ffffffff'))
  t.notOk(read(8200, '010001'), 'its modulus')
  t.notOk(read(2048, '0100000001'), 'its exponent')
})

t.test('an RSA key whose private operation everybody knows is no key (RFC 8017 §3.1)', async (t) => {
  const { n: odd } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
  const even = Buffer.from(String(odd), 'base64url')
  even[255] = 0
  const power = Buffer.alloc(256)
  power[0] = 0x80
  const table: [n: string | Buffer, e: string, is_key: boolean][] = [
    [String(odd), 'AQAB', true],
    [String(odd), 'Aw', true],
    [String(odd), 'AQ', false],
    [String(odd), 'AA', false],
    [String(odd), 'Ag', false],
    [String(odd), 'AQAA', false],
    [even, 'AQAB', false],
    [power, 'AQAB', false],
  ]
  for (const [modulus, e, is_key] of table) {
    const n = typeof modulus === 'string' ? modulus : modulus.toString('base64url')
    for (const alg of ['RS256', 'PS256'] as const) {
      const key = readVerificationKey('k', alg, { kty: 'RSA', n, e })
      t.equal(key !== undefined, is_key, `${alg}, ${e}, ${n.slice(-4)}`)
    }
  }
})

// Node 20 accepts 64 octets that anybody can make as a signature by such a key; OpenSSL 3.5 does not.
t.test('an Ed25519 key of small order is no key: anybody can sign by it', async (t) => {
  const p = 2n ** 255n - 19n
  const of_order_8 = '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'
  const y = BigInt(`0x${Buffer.from(of_order_8, 'hex').reverse().toString('hex')}`)
  for (const point of [1n, p - 1n, 0n, y, p - y, p, p + 1n]) {
    for (const sign of [0n, 2n ** 255n]) {
      const octets = Buffer.from((point + sign).toString(16).padStart(64, '0'), 'hex').reverse()
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: octets.toString('base64url') }
      t.equal(readVerificationKey('k', 'EdDSA', jwk), undefined, octets.toString('hex'))
    }
  }
})

t.test('a key of another curve is not imported, which would be slow', async (t) => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-521' })
  const jwk = { ...publicKey.export({ format: 'jwk' }) }
  const imported = countImports(t)
  for (const alg of SIGNING_ALGS) t.equal(readVerificationKey('k', alg, jwk), undefined)
  t.equal(imported(), 0)
})
