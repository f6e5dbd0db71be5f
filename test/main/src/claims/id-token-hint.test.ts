// id_token_hint: verified by signature, algorithm, key and type; expired ones are accepted (OIDC Core §3.1.2.1).
import { generateKeyPairSync, sign } from 'node:crypto'
import t from 'tap'
import { SIGNING_ALGS } from '../../../../src/core/algs.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { KeyRing, type SigningKey } from '../../../../src/keys/ring.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { signAccessToken } from '../../../../src/tokens/access-jwt.ts'
import { signIdToken, verifyIdToken } from '../../../../src/tokens/id-token.ts'
import { signJwt } from '../../../../src/tokens/jwt.ts'
import { inMemory } from '../../../support/matrix.ts'
import { ISSUER, useTestKeys } from '../../../support/service.ts'

const SETTINGS = { key_rotation_days: 90 }
const settings = { ...SETTINGS, issuer: ISSUER } as Parameters<typeof verifyIdToken>[0]['settings']
const { storage } = await inMemory()
await useTestKeys(storage)
let ahead = 0
const now = () => Date.now() + ahead
const keys = new KeyRing({
  store: storage.signing_keys,
  records: storage.records,
  settings: SETTINGS,
  log: SILENT,
  now,
})
await keys.reload()
const verify = (token: string) => verifyIdToken({ settings, keys }, token)

const sign_in = { subject: 'sub-of-alice', auth_time: 1_700_000_000, sid: 'a-sid', acr: '1', amr: 'pwd' }
const client = { client_id: 'shop', post_logout_redirect_uris: ['https://shop.example/'] }
const facts = { client, sign_in, access_token: 'x', claims: {} }
const CLAIMS = { iss: ISSUER, sub: 'sub-of-alice', aud: 'shop', exp: 1, iat: 1, auth_time: 1, sid: 'a-sid' }
const key = keys.signingKey('RS256')
const idToken = (claims: object = {}, typ: 'JWT' | 'at+jwt' = 'JWT', by: SigningKey = key) =>
  signJwt(by, typ, { ...CLAIMS, ...claims })
const HINT = { client_id: 'shop', sub: 'sub-of-alice', sid: 'a-sid' }

t.test('an id_token signed with any algorithm is accepted, also when expired', async (t) => {
  for (const alg of SIGNING_ALGS) {
    const by = keys.signingKey(alg)
    t.strictSame(verify(signIdToken({ settings, now }, { key: by, ttl: 900 }, facts)), HINT, alg)
    const long_ago = () => now() - 10 * 365 * 86_400_000
    t.strictSame(
      verify(signIdToken({ settings, now: long_ago }, { key: by, ttl: 900 }, facts)),
      HINT,
      `${alg}, expired`,
    )
  }
  const { sid: _, ...without } = sign_in
  const token = signIdToken({ settings, now }, { key, ttl: 900 }, { ...facts, sign_in: without })
  t.strictSame(verify(token), { client_id: 'shop', sub: 'sub-of-alice' }, 'without a sid')
  t.strictSame(verify(idToken()), HINT, 'the valid id_token that the invalid ones differ from')
})

t.test('any other token and any invalid id_token is refused', async (t) => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const head = { alg: 'RS256', kid: key.kid, typ: 'JWT' }
  const ec = keys.signingKey('ES256')
  const access = { jti: 'j', client_id: 'shop', subject: 'sub-of-alice', scope: 'openid' }
  const bad: Record<string, string> = {
    nothing: '',
    'an opaque token': `${'a'.repeat(16)}.${'b'.repeat(43)}`,
    'an access token': signAccessToken({ settings, now }, { key, ttl: 900 }, access),
    'the type of an access token': idToken({}, 'at+jwt'),
    'the type of a logout token': forge(key, { ...head, typ: 'logout+jwt' }),
    'no type': forge(key, { alg: 'RS256', kid: key.kid }),
    'another issuer': idToken({ iss: 'https://other.example.com' }),
    'no issuer': idToken({ iss: undefined }),
    'no audience': idToken({ aud: undefined }),
    'two audiences': idToken({ aud: ['shop', 'wiki'] }),
    'an audience in an array': idToken({ aud: ['shop'] }),
    'no sub': idToken({ sub: undefined }),
    'a sub that is not a string': idToken({ sub: 5 }),
    'a sid that is not a string': idToken({ sid: 5 }),
    'no exp': idToken({ exp: undefined }),
    'an exp that is not a number': idToken({ exp: 'never' }),
    'no iat': idToken({ iat: undefined }),
    'a key that is not ours': idToken({}, 'JWT', { ...key, privateKey }),
    'an unknown kid': idToken({}, 'JWT', { ...key, kid: 'x'.repeat(43) }),
    'the kid of another key': idToken({}, 'JWT', { ...key, kid: ec.kid }),
    'an algorithm that is not that of the key': idToken({}, 'JWT', { ...key, alg: 'PS256' }),
    'no kid': forge(key, { alg: 'RS256', typ: 'JWT' }),
  }
  for (const [name, token] of Object.entries(bad)) t.equal(verify(token), undefined, name)
})

t.test('without fresh keys it is StorageUnavailable, not a refusal', async (t) => {
  ahead = 3600_000
  t.throws(() => verify(idToken()), StorageUnavailable)
})

/** Signs a JWT with any header. */
function forge(by: SigningKey, header: object): string {
  const encode = (text: string) => Buffer.from(text).toString('base64url')
  const input = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(CLAIMS))}`
  return `${input}.${sign('sha256', Buffer.from(input), by.privateKey).toString('base64url')}`
}
