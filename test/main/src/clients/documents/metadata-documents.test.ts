// Clients whose client_id is the URL of a metadata document, from the sign-in to the end of their grants.
import { EventEmitter } from 'node:events'
import t from 'tap'
import { DESCRIBED_ASSERTIONS } from '../../../../../src/clients/authentication/own-assertion.ts'
import {
  DOCUMENT_RESULTS,
  type DocumentContext,
  documentGetter,
  MetadataDocuments,
} from '../../../../../src/clients/documents/metadata-documents.ts'
import { CLIENT } from '../../../../../src/clients/record/client-kind.ts'
import { tallyOf } from '../../../../../src/core/tally.ts'
import { away, fetchFailure, type GetDocument } from '../../../../../src/outbound/public-get.ts'
import {
  AWAY,
  allow,
  askConsent,
  CALLBACK,
  CLIENT_URL,
  DOCUMENT,
  documentRequest,
  fetched,
  GONE,
  redeem,
  startWithDocuments,
} from '../../../../support/clients/document-clients.ts'
import { json, startDocumentHost } from '../../../../support/outbound/document-host.ts'
import { createClient, listClients } from '../../../../support/records.ts'
import { requestUrl } from '../../../../support/scene/requests.ts'
import { bearer } from '../../../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
} from '../../../../support/trusted-issuer.ts'
import { asDeparture } from '../../../../support/visitor.ts'

/** The documents of a server that takes all of them. */
function documentsOf(get: GetDocument, more: Partial<DocumentContext> = {}) {
  const settings = {
    client_id_metadata: 'all',
    client_id_metadata_deny: [],
    self_registered_scopes: ['openid'],
    signing_algs: ['ES256'],
  } as const
  const counts = { documents: tallyOf(DOCUMENT_RESULTS) }
  return new MetadataDocuments({ settings, get, counts, steps: new EventEmitter(), now: Date.now, ...more })
}

t.test('a client that was never registered gets tokens, and refreshes them', async (t) => {
  const { host, storage, visitor, token, get } = await startWithDocuments(t)
  const alice = visitor()
  const page = await askConsent(alice, { scope: 'openid email offline_access' })
  t.equal(page.title, 'Allow Example Tool to access your account?')
  const first = (await token(redeem(await allow(alice, page)))).json
  t.equal(first.scope, 'openid email offline_access')
  const refresh = {
    grant_type: 'refresh_token',
    refresh_token: String(first.refresh_token),
    client_id: CLIENT_URL,
  }
  const second = await token(refresh)
  t.equal(second.status, 200)
  t.match((await get('/userinfo', bearer(String(second.json.access_token)))).json, {
    email: 'alice@example.com',
  })
  t.strictSame(host.asked, [CLIENT_URL], 'one fetch')
  t.equal(await storage.records.read(CLIENT, CLIENT_URL), undefined, 'nothing is registered')
})

t.test('documents count only if the operator wants them', async (t) => {
  const refused = async (options: Parameters<typeof startWithDocuments>[1]) => {
    const { host, visitor, get } = await startWithDocuments(t, options)
    const page = await visitor().page(documentRequest())
    const { json } = await get('/.well-known/oauth-authorization-server')
    return [page.status, host.asked.length, json.client_id_metadata_document_supported]
  }
  t.strictSame(await refused({ client_id_metadata: 'none' }), [400, 0, undefined])
  t.strictSame(await refused({ client_id_metadata: [] }), [400, 0, undefined])
  t.strictSame(await refused({ client_id_metadata: ['other.example'] }), [400, 0, true])
  t.strictSame(await refused({ client_id_metadata_deny: ['*.example.net'] }), [400, 0, true])
  t.strictSame(
    await refused({ client_id_metadata: ['*.example.net'], client_id_metadata_deny: ['tool.example.net'] }),
    [400, 0, true],
  )
  t.strictSame(await refused({ client_id_metadata: ['tool.example.net'] }), [200, 1, true])
})

t.test('a client_id that is no such URL is not fetched', async (t) => {
  const { host, visitor, token } = await startWithDocuments(t)
  for (const client_id of [
    'http://tool.example.net/a',
    'https://tool.example.net',
    'https://user@tool.example.net/a',
    'https://tool.example.net/a#b',
    'https://tool.example.net/a/../b',
    `https://tool.example.net/${'x'.repeat(255)}`,
  ]) {
    t.equal((await visitor().page(documentRequest({ client_id }))).status, 400, client_id)
    t.equal((await token(redeem('x'.repeat(64), { client_id }))).status, 401)
  }
  t.strictSame(host.asked, [])
})

t.test('a document that breaks a rule is refused, and the page says which', async (t) => {
  const HOST = new URL(CLIENT_URL).hostname
  const { host, visitor, pass } = await startWithDocuments(t)
  const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }
  const rows: [Record<string, unknown>, RegExp][] = [
    [{ client_id: `${CLIENT_URL}/` }, /its client_id differs from the URL/],
    [{ client_id: CLIENT_URL.toUpperCase() }, /its client_id differs/],
    // RFC 3986 §6.2.1: nothing is normalised, so that each text is a client of its own.
    [{ client_id: CLIENT_URL.replace(HOST, `${HOST}:443`) }, /its client_id differs/],
    [
      { client_id: CLIENT_URL.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`) },
      /its client_id differs/,
    ],
    [{ client_id: [CLIENT_URL] }, /its client_id differs/],
    [{ client_id: undefined }, /its client_id differs/],
    [{ client_secret: 'x' }, /must not have client_secret/],
    [{ client_secret: null }, /must not have client_secret/],
    [{ client_secret_expires_at: 0 }, /must not have client_secret_expires_at/],
    [{ token_endpoint_auth_method: 'client_secret_basic' }, /token_endpoint_auth_method must be none/],
    [{ token_endpoint_auth_method: 'client_secret_jwt' }, /token_endpoint_auth_method must be none/],
    [{ token_endpoint_auth_method: 'private_key_jwt' }, /jwks is missing/],
    [{ jwks: { keys: [{ ...key, d: 'secret' }] } }, /private or symmetric keys/],
    [{ jwks: { keys: [{ kty: 'oct', k: 'secret' }] } }, /private or symmetric keys/],
    [{ redirect_uris: [] }, /redirect_uris/],
    [{ redirect_uris: 'https://tool.example.net/callback' }, /redirect_uris/],
    [{ redirect_uris: ['javascript:alert(1)'] }, /redirect_uris\[0\]/],
    [{ redirect_uris: ['http://tool.example.net/callback'] }, /redirect_uris\[0\]/],
    [{ grant_types: ['client_credentials'] }, /grant_types/],
  ]
  for (const [change, message] of rows) {
    host.answer = () =>
      fetched(JSON.parse(JSON.stringify({ ...DOCUMENT, ...change })) as Record<string, unknown>)
    const page = await visitor().page(documentRequest())
    t.equal(page.status, 400, JSON.stringify(change))
    t.equal(page.title, 'This application cannot be used here')
    t.match(page.text.replaceAll('&#39;', "'"), message)
    // One host has a budget for each minute.
    pass(60)
  }
})

t.test('members that only operators set mean nothing in a document', async (t) => {
  const { host, visitor, token } = await startWithDocuments(t)
  const powers = {
    first_party: true,
    can_introspect: true,
    is_public: false,
    require_pkce: false,
    allowed_scopes: 'admin',
    backchannel_logout_uri: 'https://victim.example/logout',
    disabled: false,
    subject_type: 'pairwise',
  }
  host.answer = () => fetched({ ...DOCUMENT, ...powers, scope: 'openid admin' })
  const page = await askConsent(visitor())
  t.equal(page.title, 'Allow Example Tool to access your account?', 'not a first party')
  const answer = await token({ grant_type: 'client_credentials', client_id: CLIENT_URL })
  t.match(answer.json, { error: 'unauthorized_client' })
  const scope = await visitor().open(documentRequest({ scope: 'admin' }))
  t.equal(asDeparture(scope).told.get('error'), 'invalid_scope')
  const pkce = await visitor().open(
    documentRequest({ code_challenge: undefined, code_challenge_method: undefined }),
  )
  t.equal(asDeparture(pkce).told.get('error'), 'invalid_request')
})

t.test('a redirect_uri is one of the document, character by character', async (t) => {
  const { visitor } = await startWithDocuments(t)
  for (const redirect_uri of [
    `${CALLBACK}/`,
    `${CALLBACK}?x`,
    'https://tool.example.net/Callback',
    'https://evil.example/',
  ]) {
    t.equal((await visitor().page(documentRequest({ redirect_uri }))).status, 400, redirect_uri)
  }
})

t.test(
  'a document that cannot be fetched ends the sign-in with one page, which does not say why',
  async (t) => {
    const { host, visitor, log } = await startWithDocuments(t)
    for (const code of ['address', 'network', 'time', 'unavailable'] as const) {
      host.answer = () => away(code, `the detail of ${code}`)
      const page = await visitor().page(documentRequest())
      t.equal(page.status, 503)
      t.equal(page.title, 'This application cannot be checked right now')
      t.match(
        page.text,
        /<dd><span lang="en" dir="ltr">The metadata document at the client_id cannot be fetched now\.</,
      )
      t.ok(page.headers['retry-after'])
      const refusals = log.splice(0).filter((line) => line.includes('"cause"'))
      t.match(refusals, [new RegExp(`the detail of ${code}`)], 'the log says it')
    }
    for (const code of ['status', 'media_type', 'size', 'json'] as const) {
      host.answer = () => fetchFailure(code, 'is not right')
      const page = await visitor().page(documentRequest())
      t.equal(page.status, 400)
      t.equal(page.title, 'This application cannot be used here')
    }
    t.notMatch(log.join(''), /"level":50/)
  },
)

t.test('an outage of the host of a client lets nobody sign in, and ends no grant', async (t) => {
  const { host, visitor, token, pass } = await startWithDocuments(t)
  const alice = visitor()
  const page = await askConsent(alice, { scope: 'openid offline_access' })
  const { json } = await token(redeem(await allow(alice, page)))
  host.answer = () => AWAY
  pass(61)
  t.equal((await visitor().page(documentRequest())).status, 503)
  const { refresh_token } = json
  const refresh = { grant_type: 'refresh_token', refresh_token: String(refresh_token), client_id: CLIENT_URL }
  t.equal((await token(refresh)).status, 200)
  t.equal((await token({ ...refresh, client_id: `${CLIENT_URL}2` })).status, 503, 'one that is not known')
})

t.test('a document cannot have notices of logouts sent anywhere', async (t) => {
  const get = async () => fetched({ ...DOCUMENT, backchannel_logout_uri: 'https://victim.example/logout' })
  t.equal((await documentsOf(get).demand(CLIENT_URL)).backchannel_logout_uri, undefined)
})

t.test('a document serves existing grants for a day after its host was reached last', async (t) => {
  let now = Date.now()
  let answer: ReturnType<typeof fetched> | typeof AWAY | typeof GONE = fetched(DOCUMENT)
  const counts = { documents: tallyOf(DOCUMENT_RESULTS) }
  const documents = documentsOf(async () => answer, { counts, now: () => now })
  t.equal((await documents.demand(CLIENT_URL)).client_name, 'Example Tool')
  answer = AWAY
  now += 61_000
  await t.rejects(documents.demand(CLIENT_URL), { code: 'temporarily_unavailable', status: 503 })
  t.equal((await documents.renew(CLIENT_URL))?.client_name, 'Example Tool')
  now += 86_398_000
  t.equal((await documents.renew(CLIENT_URL))?.client_name, 'Example Tool')
  t.equal(documents.known(CLIENT_URL).client_name, 'Example Tool')
  now += 2_000
  await t.rejects(documents.renew(CLIENT_URL), { code: 'temporarily_unavailable', status: 503 })
  t.strictSame(documents.known(CLIENT_URL).redirect_uris, [], 'its tokens are still those of a client')
  answer = GONE
  t.equal(await documents.renew(CLIENT_URL), undefined)
  t.match(counts.documents, { accepted: 1, status: 1, invalid: 0 })
  t.ok(counts.documents.network >= 3)
})

t.test('a client whose document is gone or refused now gets no tokens', async (t) => {
  for (const answer of [GONE, fetched({ ...DOCUMENT, client_secret: 'x' })]) {
    const { host, visitor, token, pass } = await startWithDocuments(t, { code_ttl: 600 })
    const alice = visitor()
    const code = await allow(alice, await askConsent(alice))
    host.answer = () => answer
    pass(61)
    const refused = await token(redeem(code))
    t.equal(refused.status, 401)
    t.equal(refused.json.error, 'invalid_client')
  }
})

t.test('an access token does not depend on the host of its client', async (t) => {
  const { host, storage, visitor, token } = await startWithDocuments(t)
  const alice = visitor()
  const { json } = await token(redeem(await allow(alice, await askConsent(alice))))
  // Another replica, which knows no document.
  const other = await startWithDocuments(t, { storage })
  other.host.answer = () => AWAY
  t.equal((await other.get('/userinfo', bearer(String(json.access_token)))).status, 200)
  t.strictSame(other.host.asked, [])
  t.equal(host.asked.length, 1)
  const denying = await startWithDocuments(t, { storage, client_id_metadata_deny: ['tool.example.net'] })
  t.equal(
    (await denying.get('/userinfo', bearer(String(json.access_token)))).status,
    401,
    'but on the operator',
  )
})

t.test('user information is a JWT for a client whose document says so, at every replica', async (t) => {
  const document = { ...DOCUMENT, userinfo_signed_response_alg: 'ES256' }
  const { host, storage, visitor, token } = await startWithDocuments(t)
  host.answer = () => fetched(document)
  const alice = visitor()
  const { json } = await token(redeem(await allow(alice, await askConsent(alice))))
  const authorization = bearer(String(json.access_token))
  // Another replica, which knows no document.
  const other = await startWithDocuments(t, { storage })
  other.host.answer = () => AWAY
  const refused = await other.get('/userinfo', authorization)
  t.match(refused, { status: 503, json: { error: 'temporarily_unavailable' } }, 'nothing else is sent')
  other.host.answer = () => fetched(document)
  const { status, headers } = await other.get('/userinfo', authorization)
  t.match({ status, type: headers['content-type'] }, { status: 200, type: /^application\/jwt/ })
})

t.test('a logout returns to the address of a document, at every replica', async (t) => {
  const post_logout_redirect_uri = 'https://tool.example.net/signed-out'
  const document = { ...DOCUMENT, post_logout_redirect_uris: [post_logout_redirect_uri] }
  const { host, storage, visitor, token } = await startWithDocuments(t)
  host.answer = () => fetched(document)
  const alice = visitor()
  const { json } = await token(redeem(await allow(alice, await askConsent(alice))))
  const request = { id_token_hint: String(json.id_token), post_logout_redirect_uri }
  // Another replica, which knows no document.
  const other = await startWithDocuments(t, { storage })
  const there = other.visitor()
  for (const [name, value] of alice.cookies) there.cookies.set(name, value)
  const logout = `/oauth2/logout?${new URLSearchParams(request)}`
  other.host.answer = () => AWAY
  t.equal(
    (await there.page(logout)).title,
    'Sign out of redmint?',
    'its host is away: the user can still sign out',
  )
  other.host.answer = () => fetched(document)
  t.equal(asDeparture(await there.open(logout)).location.href, post_logout_redirect_uri)
})

t.test('a record of the same client_id counts instead of the document', async (t) => {
  const { host, storage, visitor } = await startWithDocuments(t)
  t.equal((await visitor().page(documentRequest())).status, 200)
  const record = {
    client_id: CLIENT_URL,
    redirect_uris: CALLBACK,
    allowed_scopes: 'openid',
    grant_types: 'authorization_code',
    is_public: 'true',
    disabled: 'true',
  }
  await createClient(storage, CLIENT_URL, record)
  t.equal((await visitor().page(documentRequest())).status, 400, 'so an operator can disable it')
  t.equal(host.asked.length, 1)
})

t.test('a replay at one installation ends no grant of another one', async (t) => {
  const { visitor, token, get } = await startWithDocuments(t)
  const [laptop, desktop] = [visitor(), visitor()]
  const scope = 'openid offline_access'
  const code = await allow(laptop, await askConsent(laptop, { scope }))
  const first = (await token(redeem(code))).json
  const page = await askConsent(desktop, { scope, prompt: 'consent' })
  const second = (await token(redeem(await allow(desktop, page)))).json
  t.equal((await token(redeem(code))).json.error, 'invalid_grant', 'replayed')
  t.equal((await get('/userinfo', bearer(String(first.access_token)))).status, 401)
  t.equal(
    (await get('/userinfo', bearer(String(second.access_token)))).status,
    200,
    'of the same user and client',
  )
  const refresh = {
    grant_type: 'refresh_token',
    refresh_token: String(second.refresh_token),
    client_id: CLIENT_URL,
  }
  t.equal((await token(refresh)).status, 200)
})

t.test('a flood of client_ids is bounded, and leaves nothing in storage', async (t) => {
  const { host, storage, visitor, get } = await startWithDocuments(t)
  host.answer = (url) => fetched({ ...DOCUMENT, client_id: url })
  const known = visitor()
  t.equal((await known.page(documentRequest())).status, 200)
  const ids = Array.from({ length: 300 }, (_, i) => `https://h${i}.example/client`)
  const statuses = new Set<number>()
  for (const client_id of ids)
    statuses.add((await visitor().request('GET', documentRequest({ client_id }))).status)
  t.ok(host.asked.length <= 120, `${host.asked.length} fetches in a minute`)
  t.ok(statuses.has(503))
  t.equal((await known.page(documentRequest())).status, 200, 'a client that is known is not affected')
  const ids_stored: string[] = []
  for await (const page of listClients(storage)) ids_stored.push(JSON.stringify(page))
  t.notMatch(ids_stored.join(), /https:\/\/h\d/)
  t.equal((await get('/actuator/health/liveness')).status, 200)
})

t.test('a document on an address that is not public is not fetched', async (t) => {
  const { port, requests } = await startDocumentHost(t, { '*': json(DOCUMENT) })
  const addresses = ['127.0.0.1', '[::1]', '10.0.0.1', '169.254.169.254', '[fd00::1]', '[::ffff:7f00:1]']
  for (const address of addresses) {
    const fetched = await documentGetter('https://auth.example.com')(`https://${address}:${port}/client`)
    t.match(fetched, { ok: false, code: 'address' }, address)
  }
  // A server on loopback is used by nobody else.
  const local = documentGetter('http://localhost:3000')
  t.match(await local(`https://127.0.0.1:${port}/client`), {
    ok: false,
    code: 'network',
    detail: /SELF_SIGNED/,
  })
  t.match(await local('https://10.0.0.1/client'), { ok: false, code: 'address' })
  t.equal(requests.length, 0)
})

t.test('a registered client is not affected', async (t) => {
  const { host, visitor } = await startWithDocuments(t)
  t.equal((await visitor().page(requestUrl())).status, 200)
  t.strictSame(host.asked, [])
})

t.test('a client with keys in its document authenticates by them, and by nothing else', async (t) => {
  const KEY = issuerKey()
  const { host, visitor, token } = await startWithDocuments(t)
  const document = { ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY.jwk] } }
  host.answer = () => fetched(document)
  const browser = visitor()
  const code = await allow(browser, await askConsent(browser))
  const proof = (key = KEY) => ({
    client_assertion_type: CLIENT_ASSERTION_TYPE,
    client_assertion: assertionOf(key, claimsOf(CLIENT_URL, CLIENT_URL)),
  })
  t.match(await token(redeem(code)), { status: 401, json: { error: 'invalid_client' } })
  t.match(await token({ ...redeem(code), ...proof(issuerKey()) }), { status: 401 })
  const { status, json } = await token({ ...redeem(code), ...proof() })
  t.match({ status, json }, { status: 200, json: { refresh_token: /./ } })
  const form = { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) }
  t.equal((await token({ ...form, client_id: CLIENT_URL })).status, 401)
  t.equal((await token({ ...form, ...proof() })).status, 200)
})

t.test('clients that describe themselves leave a bounded number of ids in storage', async (t) => {
  const KEY = issuerKey()
  const clock = { now: Date.now() }
  const { host, token } = await startWithDocuments(t, { now: () => clock.now })
  const document = { ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY.jwk] } }
  host.answer = () => fetched(document)
  const attempt = (key = KEY) =>
    token({
      ...redeem('no-code'),
      client_assertion_type: CLIENT_ASSERTION_TYPE,
      client_assertion: assertionOf(key, claimsOf(CLIENT_URL, CLIENT_URL)),
    })
  for (let i = 0; i < DESCRIBED_ASSERTIONS.per_name; i += 1) {
    t.equal((await attempt()).json.error, 'invalid_grant')
  }
  const { status, json, headers } = await attempt()
  t.match({ status, json }, { status: 429, json: { error: 'temporarily_unavailable' } })
  t.equal(headers['retry-after'], '60')
  t.equal((await attempt(issuerKey(KEY.kid))).status, 401, 'strangers do not use up the number')
  clock.now += 60_000
  t.equal((await attempt()).json.error, 'invalid_grant')
})
