// What every JWT must be (RFC 8725). test/proofs/system/hostile/malformed-jwts.test.ts has the same table at every endpoint.
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { signJws } from '../../../../src/keys/compact-jws.ts'
import { decodeJwt, readJwt } from '../../../../src/keys/jwt-reader.ts'
import { readKey } from '../../../../src/keys/key-set.ts'
import { signatureLength } from '../../../../src/keys/verification-key.ts'
import { MALFORMED, type RightJwt, signedJwt, UNPROVEN } from '../../../support/malformed-jwts.ts'

const MAX = 2000
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KEY = { kid: 'k', alg: 'ES256', publicKey, signature_length: signatureLength(publicKey) } as const
const RIGHT: RightJwt = {
  header: { alg: 'ES256', kid: 'k', typ: 'JWT' },
  claims: { iss: 'a', sub: 'b' },
  privateKey,
  max_length: MAX,
}

/** Returns a new public key of this type as a JWK. */
function pair(type: 'ed25519' | 'ed448' | 'x25519'): Record<string, unknown> {
  return { ...generateKeyPairSync(type as 'ed25519').publicKey.export({ format: 'jwk' }) }
}

/** Reads a JWT as one of these types; returns the reason why it is refused, or the JWT. */
function read(jwt: string, types: readonly (string | undefined)[] = ['JWT']) {
  const found = readJwt(jwt, MAX)
  return typeof found === 'string' ? found : found.ofType(types)
}

t.test('a JWT of the right form is read, and is proven by its key', async (t) => {
  const jwt = read(signedJwt(RIGHT))
  if (typeof jwt === 'string') throw new Error(jwt)
  t.match(jwt, { alg: 'ES256', kid: 'k', claims: RIGHT.claims, jwk: undefined })
  t.equal(jwt.isSignedBy(KEY), true)
  const bare = read(signedJwt(RIGHT, { header: { alg: 'ES256' } }), [undefined])
  t.match(bare, { kid: undefined }, 'neither kid nor typ')
})

t.test('Ed25519 is EdDSA with this curve, and Ed448 is nothing (RFC 9864 §2.2)', async (t) => {
  const pair = generateKeyPairSync('ed25519')
  const key = { kid: 'k', alg: 'EdDSA', publicKey: pair.publicKey, signature_length: 64 } as const
  const of = (alg: string) => {
    const input = [{ alg, kid: 'k', typ: 'JWT' }, RIGHT.claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    return signJws({ alg: 'EdDSA', privateKey: pair.privateKey }, input.join('.'))
  }
  for (const alg of ['EdDSA', 'Ed25519']) {
    const jwt = read(of(alg))
    if (typeof jwt === 'string') throw new Error(jwt)
    t.equal(jwt.alg, 'EdDSA')
    t.equal(jwt.isSignedBy(key), true, alg)
    t.equal(jwt.isSignedBy(KEY), false, `${alg} by a key for ES256`)
  }
  for (const alg of ['Ed448', 'ed25519', 'ED25519', 'Ed25519ph'])
    t.match(read(of(alg)), /its alg is none of ES256, RS256, PS256, EdDSA, Ed25519/, alg)
})

t.test('a key set may name the key either way, and none for Ed448', async (t) => {
  const jwk = pair('ed25519')
  const found = (alg: string | undefined, key = jwk) =>
    readKey({ ...key, kid: 'k', alg }).map((one) => one.alg)
  for (const alg of [undefined, 'EdDSA', 'Ed25519']) t.strictSame(found(alg), ['EdDSA'], String(alg))
  for (const alg of ['Ed448', 'ES256']) t.strictSame(found(alg), [], alg)
  for (const alg of [undefined, 'EdDSA', 'Ed25519', 'Ed448'])
    t.strictSame(found(alg, pair('ed448')), [], `Ed448 as ${alg}`)
  t.strictSame(found('Ed25519', pair('x25519')), [])
})

t.test('every malformed one is refused', async (t) => {
  for (const { name, reason, of } of MALFORMED) t.match(readJwt(of(RIGHT), MAX), reason, name)
})

t.test('each part has one spelling', async (t) => {
  const parts = signedJwt(RIGHT).split('.')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. '
  for (const [at, part] of parts.entries()) {
    const bytes = Buffer.from(part, 'base64url')
    const spellings = [...alphabet].flatMap((letter) => [part.slice(0, -1) + letter, part + letter])
    for (const spelling of spellings.filter((other) => other !== part)) {
      if (!Buffer.from(spelling, 'base64url').equals(bytes)) continue
      t.match(readJwt(parts.with(at, spelling).join('.'), MAX), /three parts/, `${at}: ${spelling.slice(-4)}`)
    }
  }
})

t.test('the longest one is read', async (t) => {
  const filled = (length: number) => signedJwt(RIGHT, { claims: { fill: 'x'.repeat(length) } })
  const longest = Math.max(...[...Array(MAX).keys()].filter((length) => filled(length).length <= MAX))
  t.equal(typeof readJwt(filled(longest), MAX), 'object')
  t.match(readJwt(filled(longest + 2), MAX), /longer than 2000/)
})

t.test('of repeated members the last one counts (RFC 7515 §4, RFC 7519 §4)', async (t) => {
  const twice = (json: object, member: string) => `${JSON.stringify(json).slice(0, -1)},${member}}`
  t.match(read(signedJwt(RIGHT, { claims: twice(RIGHT.claims, '"sub":"c"') })), { claims: { sub: 'c' } })
  t.match(read(signedJwt(RIGHT, { header: twice(RIGHT.header, '"typ":"at+jwt"') })), /its typ must be JWT/)
  t.match(read(signedJwt(RIGHT, { header: twice(RIGHT.header, '"kid":"other"') })), { kid: 'other' })
})

t.test('the type is one of those that are expected, in each spelling (RFC 7515 §4.1.9)', async (t) => {
  const of = (typ: unknown, types: readonly (string | undefined)[]) =>
    typeof read(signedJwt(RIGHT, { header: { ...RIGHT.header, typ } }), types) === 'object'
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/At+Jwt'])
    t.ok(of(typ, ['JWT', 'at+jwt']), typ)
  for (const typ of [
    '',
    'JWT',
    'text/at+jwt',
    'application/application/at+jwt',
    'at+jwt ',
    'at+jwt;x',
    undefined,
  ])
    t.notOk(of(typ, ['at+jwt']), String(typ))
  t.ok(of(undefined, [undefined, 'JWT']), 'none')
  t.notOk(of('', [undefined]), 'an empty one is not none')
})

t.test('only the signature by the key, with its algorithm, proves a JWT', async (t) => {
  for (const [name, of] of Object.entries(UNPROVEN)) {
    const jwt = read(of(RIGHT), ['JWT', 'other+jwt'])
    if (typeof jwt === 'string') throw new Error(`${name}: ${jwt}`)
    t.equal(jwt.isSignedBy(KEY), name === 'another type', name)
  }
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
  const named = (alg: string) => read(signedJwt(RIGHT, { header: { ...RIGHT.header, alg } }))
  const [right, wrong] = [named('ES256'), named('EdDSA')]
  if (typeof right === 'string' || typeof wrong === 'string') throw new Error('not read')
  t.equal(right.isSignedBy({ ...KEY, publicKey: other }), false, 'another key')
  t.equal(wrong.isSignedBy(KEY), false, 'another algorithm in the header (RFC 8725 §3.1)')
})

t.test('decoding shows what a JWT says, right or wrong', async (t) => {
  const header = { ...RIGHT.header, alg: 'none', crit: ['x'] }
  t.strictSame(decodeJwt(signedJwt(RIGHT, { header })), { header, claims: RIGHT.claims })
  for (const text of ['', 'x', '..', `${signedJwt(RIGHT)}=`, signedJwt(RIGHT, { claims: '[]' })])
    t.equal(decodeJwt(text), undefined, text)
})
