import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { SIGNING_ALGS } from '../../../../src/core/algs.ts'
import { isOpaqueToken, newFamilyId } from '../../../../src/core/token-string.ts'
import type { AcceptedNonce, NonceRules } from '../../../../src/dpop/nonce-period.ts'
import { singleUseOfProof, verifyProof } from '../../../../src/dpop/proof.ts'
import { readProofKey } from '../../../../src/dpop/proof-key.ts'
import { type DpopKey, makeDpopKey, makeProof, sha256, signProof } from '../../../support/dpop.ts'

const NOW = 1_800_000_000
const METHOD = 'POST'
const URL_OF_REQUEST = 'https://auth.example.com/oauth2/token'
const TOKEN = 'an.access-token'

const key = makeDpopKey()
const CLAIMS = { jti: 'jti-1', htm: METHOD, htu: URL_OF_REQUEST, iat: NOW }
const HEADER = { typ: 'dpop+jwt', alg: 'ES256', jwk: key.jwk }

const proofWith = (claims: object, header: Record<string, unknown> = {}, by: DpopKey = key) =>
  makeProof(by, { ...CLAIMS, ...claims }, header)

/** The reason why a proof is refused. */
function reasonOf(
  proof: string,
  expected: { url?: string; access_token?: string; not_before?: number } = {},
): string {
  const verified = verifyProof(proof, { method: METHOD, url: URL_OF_REQUEST, now: NOW * 1000, ...expected })
  return verified.ok ? 'accepted' : verified.refusal.text
}

t.test('a proof is accepted by each algorithm, and its thumbprint is that of RFC 7638', async (t) => {
  for (const alg of SIGNING_ALGS) {
    const own = makeDpopKey(alg)
    // The second time its key is not imported again.
    for (const nonce of ['n-1', 'n-2']) {
      const expected = { method: METHOD, url: URL_OF_REQUEST, now: NOW * 1000 }
      t.strictSame(
        verifyProof(proofWith({ nonce }, {}, own), expected),
        { ok: true, proof: { jkt: own.jkt, alg, jti: 'jti-1', htu: URL_OF_REQUEST, ends_at: NOW + 60 } },
        alg,
      )
    }
  }
})

t.test('the thumbprint is that of the example of RFC 7638 §3.1', async (t) => {
  const jwk = {
    kty: 'RSA',
    n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
    e: 'AQAB',
    alg: 'RS256',
    kid: '2011-04-29',
  }
  t.match(readProofKey('RS256', jwk), {
    ok: true,
    key: { kid: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' },
  })
})

t.test('a proof has a bounded length, and is signed by the key in its header', async (t) => {
  t.equal(reasonOf(proofWith({})), 'accepted')
  t.equal(reasonOf(proofWith({ more: 'x'.repeat(5000) })), 'accepted')
  t.match(reasonOf(proofWith({ more: 'x'.repeat(8000) })), /longer than 8192/)
  t.match(reasonOf(signProof(makeDpopKey(), HEADER, CLAIMS)), /signature/)
})

t.test('the header says dpop+jwt, and has a public key for its algorithm (RFC 9449 §4.2)', async (t) => {
  const other = makeDpopKey()
  const table: [reason: RegExp, header: Record<string, unknown>][] = [
    [/^accepted$/, { typ: 'application/DPoP+JWT' }],
    [/its typ/, { typ: undefined }],
    [/its typ/, { typ: 'JWT' }],
    [/its jwk is not a JSON object/, { jwk: undefined }],
    [/its jwk is not a JSON object/, { jwk: JSON.stringify(key.jwk) }],
    [/its jwk is not a JSON object/, { jwk: [key.jwk] }],
    [/not a public key for RS256/, { alg: 'RS256' }],
    [/not a public key for EdDSA/, { alg: 'EdDSA' }],
    [/not a public key for EdDSA/, { alg: 'Ed25519' }],
    [/its alg is none of/, { alg: 'Ed448' }],
    [/not a public key for ES256/, { jwk: makeDpopKey('RS256').jwk }],
    [/its signature/, { jwk: other.jwk }],
    // Nothing else of the header is used.
    [
      /^accepted$/,
      { kid: 'x', jku: 'https://x.example', x5u: 'https://x.example', x5c: ['x'], 'x5t#S256': 'x' },
    ],
    [/its jwk is not a JSON object/, { jwk: undefined, kid: key.jkt, jku: 'https://x.example' }],
  ]
  for (const [reason, header] of table)
    t.match(reasonOf(proofWith({}, header)), reason, JSON.stringify(header))
})

t.test('a private or symmetric key is refused (RFC 9449 §4.3)', async (t) => {
  for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) {
    t.match(reasonOf(proofWith({}, { jwk: { ...key.jwk, [name]: 'AA' } })), `private member ${name}`)
  }
  t.match(reasonOf(proofWith({}, { jwk: key.privateKey.export({ format: 'jwk' }) })), /private member d/)
  t.match(reasonOf(proofWith({}, { jwk: { kty: 'oct', K: 'AAAA' } })), /not a public key/)
})

t.test('a key is what its algorithm needs, in one spelling, and not costly', async (t) => {
  const { x, y } = key.jwk
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' })
  const changed: object[] = [
    { x: undefined },
    { y: undefined },
    { crv: undefined },
    { kty: undefined },
    { kty: 'ec' },
    { kty: '__proto__' },
    { crv: 'secp256k1' },
    { x: y, y: x },
    { x: `${x}=` },
    { x: [x] },
    { y: `AAAA${y}` },
    p384,
  ]
  for (const change of changed) {
    t.match(
      reasonOf(proofWith({}, { jwk: { ...key.jwk, ...change } })),
      /not a public key/,
      JSON.stringify(change),
    )
  }
  const rsa = makeDpopKey('PS256')
  const leading = Buffer.concat([Buffer.alloc(3), Buffer.from(String(rsa.jwk.n), 'base64url')])
  for (const change of [{ n: leading.toString('base64url') }, { e: 'AAEAAQ' }, { e: '' }, { n: '' }]) {
    t.match(reasonOf(proofWith({}, { jwk: { ...rsa.jwk, ...change } }, rsa)), /not a public key/)
  }
  const large = Buffer.alloc(513, 255).toString('base64url')
  for (const change of [{ n: large }, { e: 'AQAAAAE' }]) {
    t.match(reasonOf(proofWith({}, { jwk: { ...rsa.jwk, ...change } }, rsa)), /too large/)
  }
  const small = makeDpopKey('RS256', { modulusLength: 1024 })
  t.match(reasonOf(proofWith({}, {}, small)), /not a public key for RS256/)
})

t.test('the claims are those of this request, and of now', async (t) => {
  const table: [reason: RegExp, claims: object][] = [
    [/its jti/, { jti: undefined }],
    [/its jti/, { jti: '' }],
    [/its jti/, { jti: 1 }],
    [/its jti/, { jti: 'x'.repeat(257) }],
    [/^accepted$/, { jti: 'x'.repeat(256) }],
    [/its htm/, { htm: undefined }],
    [/its htm/, { htm: 'post' }],
    [/its htm/, { htm: 'GET' }],
    [/its htm/, { htm: [METHOD] }],
    [/its iat is not/, { iat: undefined }],
    [/its iat is not/, { iat: String(NOW) }],
    [/^accepted$/, { iat: NOW - 60 }],
    [/its iat is more than 60 seconds ago/, { iat: NOW - 61 }],
    [/^accepted$/, { iat: NOW + 10 }],
    [/its iat is more than 10 seconds in the future/, { iat: NOW + 11 }],
    [/^accepted$/, { exp: NOW + 1, nbf: NOW }],
    [/its exp/, { exp: NOW }],
    [/its exp/, { exp: '9999999999' }],
    [/its nbf/, { nbf: NOW + 11 }],
    [/its nbf/, { nbf: null }],
    [/its nonce/, { nonce: 1 }],
    [/its nonce/, { nonce: null }],
    [/^accepted$/, { ath: 'for no request with a token' }],
  ]
  for (const [reason, claims] of table) t.match(reasonOf(proofWith(claims)), reason, JSON.stringify(claims))
})

t.test(
  'after a restore no proof counts that may have been used before it, but one with a nonce',
  async (t) => {
    const table: [reason: RegExp, not_before: number][] = [
      [/^accepted$/, 0],
      [/^accepted$/, NOW - 10],
      // The clock of the client may be ahead by ten seconds.
      [/restore mark/, NOW - 9],
      [/restore mark/, NOW + 1],
    ]
    for (const [reason, not_before] of table)
      t.match(reasonOf(proofWith({}), { not_before }), reason, String(not_before))
    const expected = { method: METHOD, url: URL_OF_REQUEST, now: NOW * 1000, not_before: NOW }
    t.match(verifyProof(proofWith({ nonce: 'ours' }), expected, nonces(MADE_NOW)), { ok: true })
  },
)

const MADE_NOW = { age: 0, ends_at: NOW + 120, is_old: false }

/** The nonces of a server that accepts `ours`. */
const nonces = (accepted: AcceptedNonce, required = false): NonceRules => ({
  required,
  current: () => 'next',
  judge: (nonce) => (nonce === 'ours' ? accepted : undefined),
})

const verifiedBy = (rules: NonceRules, claims: object) =>
  verifyProof(proofWith(claims), { method: METHOD, url: URL_OF_REQUEST, now: NOW * 1000 }, rules)

t.test('with a nonce the clock of the client may be off by its age and five minutes', async (t) => {
  for (const age of [0, 60, 119.5]) {
    const off = Math.ceil(age) + 300
    const table: [reason: RegExp, claims: object][] = [
      [/^accepted$/, { iat: NOW - off }],
      [RegExp(`its iat is more than ${off} seconds ago`), { iat: NOW - off - 1 }],
      [/^accepted$/, { iat: NOW + off }],
      [RegExp(`its iat is more than ${off} seconds in the future`), { iat: NOW + off + 1 }],
      [/^accepted$/, { exp: NOW - off + 1, nbf: NOW + off }],
      [/its exp/, { exp: NOW - off }],
      [/its nbf/, { nbf: NOW + off + 1 }],
    ]
    for (const [reason, claims] of table) {
      const verified = verifiedBy(nonces({ ...MADE_NOW, age }), { ...claims, nonce: 'ours' })
      t.match(verified.ok ? 'accepted' : verified.refusal.text, reason, `${age}, ${JSON.stringify(claims)}`)
    }
  }
})

t.test('a proof with a nonce could be accepted as long as its nonce', async (t) => {
  for (const iat of [NOW - 300, NOW, NOW + 300]) {
    t.match(verifiedBy(nonces(MADE_NOW), { iat, nonce: 'ours' }), { proof: { ends_at: NOW + 120 } })
  }
  t.match(verifiedBy(nonces(MADE_NOW), {}), { proof: { ends_at: NOW + 60 } }, 'without a nonce')
})

t.test('a nonce comes before the times, so that a client whose clock is wrong learns it', async (t) => {
  const iat = NOW + 300
  t.strictSame(verifiedBy(nonces(MADE_NOW, true), { iat }), {
    ok: false,
    refusal: { fault: 'claims', text: 'it has no nonce' },
    nonce: 'next',
  })
  t.match(verifiedBy(nonces(MADE_NOW), { iat, nonce: 'other' }), {
    ok: false,
    refusal: { text: /its nonce has expired/ },
    nonce: 'next',
  })
  const without = verifiedBy(nonces(MADE_NOW), { iat })
  t.match(
    without,
    {
      ok: false,
      refusal: {
        fault: 'clock',
        text: /10 seconds in the future/,
        received: { iat },
        expected: { now: NOW },
      },
    },
    'none is required',
  )
  t.notOk(Object.hasOwn(without, 'nonce'))
})

t.test('an old nonce brings the next one', async (t) => {
  const old = { ...MADE_NOW, is_old: true }
  t.match(verifiedBy(nonces(old), { nonce: 'ours' }), { ok: true, next_nonce: 'next' })
  t.notOk(Object.hasOwn(verifiedBy(nonces(MADE_NOW), { nonce: 'ours' }), 'next_nonce'))
})

t.test('the proof names the access token that it comes with (RFC 9449 §4.3)', async (t) => {
  const access_token = TOKEN
  t.equal(reasonOf(proofWith({ ath: sha256(TOKEN) }), { access_token }), 'accepted')
  for (const ath of [undefined, '', TOKEN, sha256('another'), `${sha256(TOKEN)}=`, [sha256(TOKEN)]]) {
    t.match(reasonOf(proofWith({ ath }), { access_token }), /its ath/, String(ath))
  }
})

t.test('htu is the URL of the request, after normalisation (RFC 9449 §4.3)', async (t) => {
  const equal: [htu: string, url: string][] = [
    ['HTTPS://AUTH.example.com:443/a', 'https://auth.example.com/a'],
    ['https://auth.example.com/a?b=c#d', 'https://auth.example.com/a'],
    ['https://auth.example.com/a', 'https://auth.example.com/a?b=c'],
    ['https://auth.example.com', 'https://auth.example.com/'],
    ['https://auth.example.com?a=b', 'https://auth.example.com/'],
    ['https://auth.example.com/x/../a/./b', 'https://auth.example.com/a/b'],
    ['https://auth.example.com/%7Ea%2fb', 'https://auth.example.com/~a%2Fb'],
    ['https://auth.example.com/%41', 'https://auth.example.com/A'],
    ['http://[::1]:3000/a', 'http://[0:0::1]:3000/a'],
  ]
  // Browsers leave these characters of a query as they are (WHATWG URL).
  for (const query of ['?f={"a":1}', '?f=a|b', '?f=a^b', '?f=`', '?f=\\', '?f=é', '#{']) {
    equal.push([URL_OF_REQUEST, URL_OF_REQUEST + query])
  }
  for (const [htu, url] of equal) t.equal(reasonOf(proofWith({ htu }), { url }), 'accepted', htu)
  const url = 'https://auth.example.com/a'
  for (const htu of [
    'https://auth.example.com/A',
    'https://auth.example.com/a/',
    'https://auth.example.com//a',
    'https://auth.example.com/a%2F',
    'https://auth.example.com:8443/a',
    'http://auth.example.com/a',
    'https://auth.example.com.evil.example/a',
    'https://auth.example.com@evil.example/a',
    'https://user@auth.example.com/a',
    'https:/auth.example.com/a',
    'https:auth.example.com/a',
    'https:\\\\auth.example.com\\a',
    ' https://auth.example.com/a',
    'https://auth.exa\nmple.com/a',
    'wss://auth.example.com/a',
    '//auth.example.com/a',
    '/a',
    '',
    undefined,
    [url],
  ]) {
    t.match(reasonOf(proofWith({ htu }), { url }), /its htu/, JSON.stringify(htu))
  }
  t.match(reasonOf(proofWith({ htu: 'x' }), { url: 'x' }), /its htu/, 'an unusable URL matches nothing')
})

t.test('a proof is used once by its key, jti and target, as long as it could be accepted', async (t) => {
  const proof = { jkt: key.jkt, jti: 'jti-1', htu: URL_OF_REQUEST, ends_at: NOW + 60 }
  const use = singleUseOfProof(proof, NOW * 1000)
  t.equal(use.kind, 'proof')
  t.ok(isOpaqueToken(use.id))
  // The clocks of two replicas differ by a minute.
  t.equal(use.ttl, 120)
  t.equal(singleUseOfProof({ ...proof, ends_at: NOW + 70 }, NOW * 1000).ttl, 130)
  t.equal(singleUseOfProof({ ...proof, ends_at: NOW }, NOW * 1000).ttl, 60)
  t.equal(singleUseOfProof({ ...proof, ends_at: NOW + 57 }, NOW * 1000 + 5000).id, use.id)
  for (const change of [{ jkt: 'x' }, { jti: 'jti-2' }, { htu: `${URL_OF_REQUEST}/x` }]) {
    t.not(singleUseOfProof({ ...proof, ...change }, NOW * 1000).id, use.id)
  }
  const family = newFamilyId()
  t.equal(singleUseOfProof(proof, NOW * 1000, family).id, `${family}${use.id.slice(16)}`)
})
