// The rules of a JWT that no token of the endpoint suites breaks alone, and what holds when a token comes again.
import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import t from 'tap'
import type { SigningAlg } from '../../../../src/core/algs.ts'
import { signatureLength, type VerificationKey } from '../../../../src/keys/verification-key.ts'
import { VerifiedTokens } from '../../../../src/keys/verified-jws.ts'
import { signJwt, verifyJwt } from '../../../../src/tokens/jwt.ts'

const ISSUER = 'https://auth.example.com'
const IAT = 1_800_000_000
const EXP = IAT + 900
const EXPECTED = { issuer: ISSUER, audience: ISSUER, required: ['sub'], now: IAT * 1000 }
const CLAIMS = { iss: ISSUER, aud: ISSUER, sub: 'alice', iat: IAT, exp: EXP }

const PAIRS = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  PS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: generateKeyPairSync('ed25519'),
}
type Alg = keyof typeof PAIRS

/** A key ring with one key for each algorithm; the kid is the algorithm. */
function ring() {
  const published = new Map<string, VerificationKey>(
    Object.entries(PAIRS).map(([alg, { publicKey }]) => [
      alg,
      { kid: alg, alg: alg as SigningAlg, publicKey, signature_length: signatureLength(publicKey) },
    ]),
  )
  const keys = {
    verificationKey: (kid: string) => published.get(kid),
    verified: new VerifiedTokens(),
    notBefore: 0,
  }
  const verify = (token: string, changes: Partial<typeof EXPECTED> = {}, typ: 'at+jwt' | 'JWT' = 'at+jwt') =>
    verifyJwt(keys, token, typ, { ...EXPECTED, ...changes })
  return { published, keys, verify }
}

const keyOf = (alg: Alg) => ({ alg, kid: alg, privateKey: PAIRS[alg].privateKey })
const tokenBy = (alg: Alg, claims: object = {}) => signJwt(keyOf(alg), 'at+jwt', { ...CLAIMS, ...claims })

type Bytes = string | Buffer
const encode = (part: Bytes) => Buffer.from(part as string).toString('base64url')
const p1363 = (key: KeyObject) => ({ key, dsaEncoding: 'ieee-p1363' }) as const

/** A token with exactly these bytes as header and payload, signed with the ES256 key. */
function signed(header: Bytes, payload: Bytes, options: object = p1363(PAIRS.ES256.privateKey)): string {
  const input = `${encode(header)}.${encode(payload)}`
  const signature = sign('sha256', Buffer.from(input), options as ReturnType<typeof p1363>)
  return `${input}.${encode(signature)}`
}

const HEADER = '{"alg":"ES256","kid":"ES256","typ":"at+jwt"}'
const PAYLOAD = JSON.stringify(CLAIMS)
const withMember = (json: string, member: string) => `${json.slice(0, -1)},${member}}`

t.test('a token of each algorithm is accepted', async (t) => {
  const { verify } = ring()
  for (const alg of Object.keys(PAIRS) as Alg[])
    t.match(verify(tokenBy(alg)), { ok: true, claims: CLAIMS }, alg)
  t.match(verify(signed(HEADER, PAYLOAD)), { ok: true, claims: CLAIMS })
})

t.test('a signature in another form of its algorithm is refused (RFC 7518 §3)', async (t) => {
  const { verify } = ring()
  t.match(verify(signed(HEADER, PAYLOAD, { key: PAIRS.ES256.privateKey })), { ok: false }, 'ES256 in DER')
  const ps256 = HEADER.replaceAll('ES256', 'PS256')
  const pss = { key: PAIRS.PS256.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING }
  t.match(verify(signed(ps256, PAYLOAD, { ...pss, saltLength: 32 })), { ok: true })
  t.match(verify(signed(ps256, PAYLOAD, { ...pss, saltLength: 20 })), { ok: false }, 'a salt of 20 bytes')
  t.match(verify(signed(ps256, PAYLOAD, { key: PAIRS.PS256.privateKey })), { ok: false }, 'PKCS #1 v1.5')
})

t.test('an RSA signature without its leading zero byte is refused (RFC 8017 §8.1.2)', async (t) => {
  const { verify } = ring()
  // The salt is random: about one signature in 256 starts with a zero byte.
  const bytesOf = (jwt: string) => Buffer.from(jwt.slice(jwt.lastIndexOf('.') + 1), 'base64url')
  let token: string
  do token = tokenBy('PS256')
  while (bytesOf(token)[0] !== 0)
  const shorter = `${token.slice(0, token.lastIndexOf('.'))}.${encode(bytesOf(token).subarray(1))}`
  t.match(verify(shorter), { ok: false, reason: 'its signature is invalid' })
  t.match(verify(token), { ok: true })
})

t.test('a token from before the restore mark is refused, and one without a time', async (t) => {
  const { keys } = ring()
  const verify = (token: string, notBefore: number) =>
    verifyJwt({ ...keys, notBefore }, token, 'at+jwt', EXPECTED)
  const token = tokenBy('ES256')
  t.match(verify(token, IAT), { ok: true })
  t.match(
    verify(token, IAT + 1),
    { ok: false, reason: 'from before the restore mark' },
    'also if it was verified before',
  )
  const timeless = tokenBy('ES256', { iat: undefined })
  t.match(verify(timeless, 0), { ok: true })
  t.match(verify(timeless, 1), { ok: false, reason: 'from before the restore mark' })
})

t.test('times must be finite numbers', async (t) => {
  const { verify } = ring()
  for (const member of ['"exp":1e400', '"nbf":-1e400', '"iat":1e400', '"iat":null', '"nbf":null']) {
    t.match(verify(signed(HEADER, withMember(PAYLOAD, member))), { ok: false }, member)
  }
  t.match(verify(signed(HEADER, withMember(PAYLOAD, `"nbf":${IAT}`))), { ok: true }, 'from now on')
  t.match(verify(signed(HEADER, withMember(PAYLOAD, `"nbf":${IAT + 1}`))), { ok: false }, 'not yet')
})

t.test('a required claim is one of the token itself, not of every object', async (t) => {
  const { verify } = ring()
  t.match(verify(tokenBy('EdDSA'), { required: ['sub'] }), { ok: true })
  t.match(verify(tokenBy('EdDSA'), { required: ['toString'] }), { ok: false })
})

t.test('only an access token with a valid signature is kept', async (t) => {
  const { keys, verify } = ring()
  const token = tokenBy('ES256')
  const forged = `${token.slice(0, token.lastIndexOf('.'))}.${encode(Buffer.alloc(64, 1))}`
  const id_token = signJwt(keyOf('EdDSA'), 'JWT', CLAIMS)
  t.match(verify(forged), { ok: false })
  t.match(verify(id_token, {}, 'JWT'), { ok: true })
  for (const unkept of [token, forged, id_token]) t.equal(keys.verified.find(unkept), undefined)
  t.match(verify(token), { ok: true })
  t.match(keys.verified.find(token), { key: { kid: 'ES256' }, claims: CLAIMS })
})

t.test('a token that was verified before is judged again', async (t) => {
  const { keys, verify } = ring()
  const token = tokenBy('ES256', { nbf: IAT })
  for (let i = 0; i < 2; i++) t.match(verify(token), { ok: true, claims: CLAIMS })
  t.ok(keys.verified.find(token), 'it is kept')
  t.match(verify(token, { now: EXP * 1000 }), { ok: false, reason: 'expired' })
  t.match(verify(token, { now: (IAT - 1) * 1000 }), { ok: false, reason: 'not valid yet' })
  t.match(verify(token, { issuer: 'https://other.example.com' }), { ok: false })
  t.match(verify(token, { audience: 'https://other.example.com' }), { ok: false })
  t.match(verify(token, { required: ['jti'] }), { ok: false })
  t.match(verify(token, {}, 'JWT'), { ok: false }, 'as an id_token')
  t.match(verify(token), { ok: true }, 'still accepted')
})

t.test('a token that was verified before is refused once its key is withdrawn or replaced', async (t) => {
  const { published, verify } = ring()
  const token = tokenBy('ES256')
  const own = published.get('ES256')
  t.match(verify(token), { ok: true })
  published.delete('ES256')
  t.match(verify(token), { ok: false, reason: 'its key is unknown' })
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
  published.set('ES256', { kid: 'ES256', alg: 'ES256', publicKey: other, signature_length: 64 })
  t.match(verify(token), { ok: false, reason: 'its signature is invalid' }, 'another key with the same kid')
  if (own !== undefined) published.set('ES256', own)
  t.match(verify(token), { ok: true })
})

t.test('another spelling of a token that was verified before is refused', async (t) => {
  const { verify } = ring()
  const token = tokenBy('EdDSA')
  t.match(verify(token), { ok: true })
  const signature = token.slice(token.lastIndexOf('.') + 1)
  const last = String.fromCharCode(token.charCodeAt(token.length - 1) + 1)
  const respelled = Buffer.from(signature.slice(0, -1) + last, 'base64url')
  t.same(respelled, Buffer.from(signature, 'base64url'), 'the same bytes')
  for (const other of [`${token}=`, ` ${token}`, `${token}.`, token.slice(0, -1) + last]) {
    t.match(verify(other), { ok: false }, other.slice(-12))
  }
})
