// Tokens that are bound to the key of a DPoP proof (RFC 9449 §7) or to a client certificate (RFC 8705 §3).
import t from 'tap'
import type { KeyConfirmation } from '../../../../src/core/confirmation.ts'
import type { OAuthError } from '../../../../src/core/errors.ts'
import type { TokenFacts } from '../../../../src/resource-server/access-token.ts'
import type { ProofRules } from '../../../../src/resource-server/binding.ts'
import { checkAccess, type Gate } from '../../../../src/resource-server/check-access.ts'
import { keyedNonces } from '../../../../src/resource-server/keyed-nonces.ts'
import type { ApiRequest } from '../../../../src/resource-server/presented-token.ts'
import { RememberedProofs } from '../../../../src/resource-server/remembered-proofs.ts'
import { makeDpopKey, makeProof, sha256 } from '../../../support/dpop.ts'

const NOW = 1_800_000_000
const BASE = 'https://api.example.com'
const PLACE = { realm: 'api' }
const ALGS = 'algs="ES256 RS256 PS256 EdDSA Ed25519"'
const TOKEN = 'the.token'
const CERTIFICATE = sha256('a certificate')

const key = makeDpopKey()
const clock = { now: NOW * 1000 }
const now = () => clock.now

interface Setting {
  confirmation?: KeyConfirmation
  /** Undefined: the API checks no proofs. */
  proofs?: Partial<ProofRules> | undefined
  certificate?: string
}

function gateOf({ confirmation, proofs, certificate }: Setting): Gate<TokenFacts> {
  const token = { client_id: 'app', subject: '', scope: 'a', expires_at: new Date(0), confirmation }
  return {
    verify: async (given) => (given === TOKEN ? { valid: true, token } : { valid: false, reason: 'unknown' }),
    place: PLACE,
    now,
    ...(proofs && {
      proofs: { baseOf: () => BASE, required: false, used: new RememberedProofs(now), ...proofs },
    }),
    ...(certificate && { certificateOf: () => certificate }),
  }
}

const proofFor = (claims: object = {}, header: Record<string, unknown> = {}, by = key) =>
  makeProof(by, { htm: 'GET', htu: `${BASE}/reports`, iat: NOW, ath: sha256(TOKEN), ...claims }, header)

/** A request that presents the token, with this proof. */
function requestWith(scheme: string, dpop?: string, more: Partial<ApiRequest> = {}): ApiRequest {
  return {
    method: 'GET',
    url: '/reports?a=b',
    headers: { authorization: `${scheme} ${TOKEN}`, ...(dpop !== undefined && { dpop }) },
    ...more,
  }
}

/** The status and the challenge of a refusal, without its description; or `accepted`. */
async function outcome(setting: Setting, request: ApiRequest, needs = {}): Promise<string> {
  return await checkAccess(gateOf(setting), request, needs).then(
    () => 'accepted',
    ({ status, headers }: OAuthError) =>
      `${status} ${headers['www-authenticate']}`.replace(/, error_description="[^"]+"/, ''),
  )
}

const BOUND = { confirmation: { jkt: key.jkt }, proofs: {} }
const UNBOUND = { proofs: {} }
const challenge = (error: string) => `401 DPoP realm="api", ${ALGS}, error="${error}"`

t.test('a bound token comes with a proof of its key, and no other token does', async (t) => {
  const other = makeDpopKey()
  const table: [expected: string, setting: Setting, request: ApiRequest][] = [
    ['accepted', BOUND, requestWith('DPoP', proofFor())],
    ['accepted', BOUND, requestWith('dpop', proofFor())],
    ['accepted', UNBOUND, requestWith('Bearer')],
    ['accepted', UNBOUND, requestWith('Bearer', proofFor())],
    [challenge('invalid_token'), BOUND, requestWith('Bearer')],
    [challenge('invalid_token'), BOUND, requestWith('Bearer', proofFor())],
    [challenge('invalid_token'), UNBOUND, requestWith('DPoP', proofFor())],
    [challenge('invalid_dpop_proof'), BOUND, requestWith('DPoP')],
    [challenge('invalid_dpop_proof'), BOUND, requestWith('DPoP', 'x')],
    [challenge('invalid_dpop_proof'), BOUND, requestWith('DPoP', proofFor({}, {}, other))],
    [challenge('invalid_dpop_proof'), BOUND, requestWith('DPoP', proofFor({ ath: sha256('other') }))],
    [challenge('invalid_dpop_proof'), BOUND, requestWith('DPoP', proofFor({ ath: undefined }))],
    [challenge('invalid_dpop_proof'), BOUND, requestWith('DPoP', proofFor({ htm: 'POST' }))],
    [challenge('invalid_dpop_proof'), BOUND, requestWith('DPoP', proofFor({ htu: `${BASE}/other` }))],
    [challenge('invalid_dpop_proof'), BOUND, requestWith('DPoP', proofFor({ iat: NOW - 61 }))],
    [challenge('invalid_dpop_proof'), BOUND, requestWith('DPoP', `${proofFor()}, ${proofFor()}`)],
  ]
  for (const [expected, setting, request] of table) {
    t.equal(await outcome(setting, request), expected, JSON.stringify(request.headers))
  }
})

t.test('a refusal says what to do', async (t) => {
  const table: [description: RegExp, setting: Setting, request: ApiRequest][] = [
    [/the request has no DPoP header/, BOUND, requestWith('DPoP')],
    [/its htm is not the method/, BOUND, requestWith('DPoP', proofFor({ htm: 'POST' }))],
    [/send Authorization: DPoP <token>, with a DPoP proof/, BOUND, requestWith('Bearer')],
    [/not bound to a key: send Authorization: Bearer <token>/, UNBOUND, requestWith('DPoP', proofFor())],
    [/accepts only access tokens that are bound/, { proofs: { required: true } }, requestWith('Bearer')],
    [/DPoP <token>, with a DPoP proof/, { proofs: { required: true } }, { headers: {} }],
    [/with this certificate/, { confirmation: { 'x5t#S256': CERTIFICATE } }, requestWith('Bearer')],
  ]
  for (const [description, setting, request] of table) {
    const refused = await checkAccess(gateOf(setting), request).catch((error: OAuthError) => error)
    t.match(refused, { description })
  }
})

t.test('two DPoP headers are refused (RFC 9449 §4.3)', async (t) => {
  const [first, second] = [proofFor(), proofFor()]
  for (const names of [
    ['DPoP', 'DPoP'],
    ['dpop', 'DPOP'],
  ]) {
    const rawHeaders = ['Authorization', `DPoP ${TOKEN}`, names[0] ?? '', first, names[1] ?? '', second]
    t.equal(
      await outcome(BOUND, requestWith('DPoP', first, { rawHeaders })),
      challenge('invalid_dpop_proof'),
      names.join(),
    )
  }
  const one = ['Authorization', `DPoP ${TOKEN}`, 'dpop', first, 'x-dpop', second]
  t.equal(await outcome(BOUND, requestWith('DPoP', first, { rawHeaders: one })), 'accepted')
})

t.test('the URL is that of the API and the path of the request, whatever its headers say', async (t) => {
  const at = (more: Partial<ApiRequest>, htu = `${BASE}/reports`) =>
    outcome(BOUND, requestWith('DPoP', proofFor({ htu }), more))
  const refused = challenge('invalid_dpop_proof')
  t.equal(await at({ url: '/reports' }), 'accepted')
  t.equal(await at({ url: 'http://internal:8080/reports?a' }), 'accepted', 'the target is a whole URI')
  t.equal(await at({ url: '/', originalUrl: '/reports' }), 'accepted', 'a framework took a prefix away')
  t.equal(await at({ url: '/reports', originalUrl: '/v1/reports' }), refused)
  t.equal(await at({ url: '//evil.example/reports' }), refused)
  t.equal(await at({ url: '*' }), refused)
  t.equal(await at({ url: undefined }), refused)
  const elsewhere = {
    headers: {
      authorization: `DPoP ${TOKEN}`,
      dpop: proofFor({ htu: 'https://evil.example/reports' }),
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
    },
  }
  t.equal(await at(elsewhere), refused)
})

t.test('a proof is accepted once, and only that of a valid token is remembered', async (t) => {
  const asked: [id: string, seconds: number][] = []
  const used = {
    use(id: string, seconds: number) {
      asked.push([id, seconds])
      return asked.filter(([other]) => other === id).length === 1
    },
  }
  const proofs = { used }
  const request = requestWith('DPoP', proofFor())
  t.equal(await outcome({ ...BOUND, proofs }, request), 'accepted')
  t.equal(await outcome({ ...BOUND, proofs }, request), challenge('invalid_dpop_proof'))
  t.match(asked[0], [/^[\w-]{16}\.[\w-]{43}$/, 120])
  const before = asked.length
  await outcome({ proofs }, requestWith('DPoP', proofFor()))
  await outcome({ ...BOUND, proofs }, requestWith('DPoP', proofFor({}, {}, makeDpopKey())))
  const unknown = { authorization: 'DPoP other', dpop: proofFor({ ath: sha256('other') }) }
  t.match(await outcome({ ...BOUND, proofs }, requestWith('DPoP', '', { headers: unknown })), /invalid_token/)
  t.equal(asked.length, before, 'nothing else is written')
  const again = await checkAccess(gateOf({ ...BOUND, proofs }), request).catch((error: OAuthError) => error)
  t.match(again, { event: { event: 'proof_replayed', client_id: 'app' } })
})

t.test('503 if nobody can say whether a proof was used', async (t) => {
  for (const use of [
    () => {
      throw new Error('full')
    },
    async () => {
      throw new Error('away')
    },
  ]) {
    t.equal(
      await outcome({ ...BOUND, proofs: { used: { use } } }, requestWith('DPoP', proofFor())),
      '503 undefined',
    )
  }
})

t.test('an API that checks no proofs refuses bound tokens, whatever the scheme', async (t) => {
  const setting = { confirmation: { jkt: key.jkt } }
  t.equal(await outcome(setting, requestWith('Bearer')), '401 Bearer realm="api", error="invalid_token"')
  t.equal(await outcome(setting, requestWith('DPoP', proofFor())), '401 Bearer realm="api"')
  t.equal(await outcome({}, requestWith('DPoP', proofFor())), '401 Bearer realm="api"')
})

t.test('the challenge names every way to present a token', async (t) => {
  const none = { headers: {} }
  t.equal(await outcome(UNBOUND, none), `401 Bearer realm="api", DPoP realm="api", ${ALGS}`)
  t.equal(
    await outcome(UNBOUND, none, { scopes: ['a'] }),
    `401 Bearer realm="api", scope="a", DPoP realm="api", ${ALGS}, scope="a"`,
  )
  t.equal(
    await outcome(BOUND, requestWith('DPoP', proofFor()), { scopes: ['b'] }),
    `403 DPoP realm="api", ${ALGS}, error="insufficient_scope", scope="b"`,
  )
})

t.test('an API can demand that every token is bound', async (t) => {
  const proofs = { required: true }
  t.equal(await outcome({ proofs }, { headers: {} }), `401 DPoP realm="api", ${ALGS}`)
  t.equal(await outcome({ proofs }, requestWith('Bearer')), challenge('invalid_token'))
  t.equal(await outcome({ proofs }, requestWith('DPoP', proofFor())), challenge('invalid_token'))
  t.equal(await outcome({ ...BOUND, proofs }, requestWith('Bearer')), challenge('invalid_token'))
  t.equal(await outcome({ ...BOUND, proofs }, requestWith('DPoP', proofFor())), 'accepted')
})

t.test('a proof has the nonce of the API, if it has nonces (RFC 9449 §9)', async (t) => {
  t.teardown(() => {
    clock.now = NOW * 1000
  })
  const proofs = { nonces: keyedNonces('x'.repeat(32), now) }
  const ask = async (nonce?: string, error = 0): Promise<Record<string, string>> => {
    const iat = Math.floor(clock.now / 1000) + error
    return await checkAccess(
      gateOf({ ...BOUND, proofs }),
      requestWith('DPoP', proofFor({ iat, nonce })),
    ).then(
      ({ headers }) => ({ ...headers }),
      ({ status, code, headers }: OAuthError) => ({ status: String(status), code, ...headers }),
    )
  }
  const first = await ask(undefined, 300)
  t.match(first, { status: '401', code: 'use_dpop_nonce', 'dpop-nonce': /^[\w-]{43}$/ })
  t.match(first['www-authenticate'], /^DPoP realm="api", algs=".*", error="use_dpop_nonce"$/)
  const nonce = first['dpop-nonce'] ?? ''
  t.match(await ask('another'), { code: 'use_dpop_nonce', 'dpop-nonce': nonce })
  t.same(await ask(nonce), {}, 'it can be used again')
  for (const error of [-300, 300]) t.same(await ask(nonce, error), {}, 'the clock of the client may be off')
  clock.now += 60_000
  const renewed = await ask(nonce)
  t.match(renewed, { 'dpop-nonce': /^[\w-]{43}$/ }, 'accepted, and the answer has the next one')
  t.not(renewed['dpop-nonce'], nonce)
  t.same(await ask(renewed['dpop-nonce']), {})
  clock.now += 60_000
  t.match(await ask(nonce), { code: 'use_dpop_nonce' })
})

t.test('a token that is bound to a certificate comes with it (RFC 8705 §3)', async (t) => {
  const confirmation = { 'x5t#S256': CERTIFICATE }
  const both = { jkt: key.jkt, 'x5t#S256': CERTIFICATE }
  const other = sha256('another certificate')
  const refused = '401 Bearer realm="api", error="invalid_token"'
  const bearer = requestWith('Bearer')
  t.equal(await outcome({ confirmation, certificate: CERTIFICATE }, bearer), 'accepted')
  t.equal(await outcome({ certificate: CERTIFICATE }, bearer), 'accepted')
  t.equal(await outcome({ confirmation, certificate: other }, bearer), refused)
  t.equal(await outcome({ confirmation }, bearer), refused)
  const dpop = () => requestWith('DPoP', proofFor())
  const proofs = {}
  t.equal(await outcome({ confirmation: both, certificate: CERTIFICATE, proofs }, dpop()), 'accepted')
  t.equal(
    await outcome({ confirmation: both, certificate: other, proofs }, dpop()),
    challenge('invalid_token'),
  )
  t.equal(
    await outcome({ confirmation: both, certificate: CERTIFICATE, proofs }, bearer),
    challenge('invalid_token'),
  )
  t.equal(
    await outcome({ confirmation, certificate: CERTIFICATE, proofs }, dpop()),
    challenge('invalid_token'),
  )
})
