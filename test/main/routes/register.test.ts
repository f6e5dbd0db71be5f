// Registration (RFC 7591) and its management (RFC 7592) at the endpoints.
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { DESCRIBED_FIELDS } from '../../../src/clients/documents/client-metadata.ts'
import { CLIENT_FIELDS } from '../../../src/clients/record/client-fields.ts'
import { secretHash } from '../../../src/clients/record/client-secret.ts'
import { createInitialAccessToken } from '../../../src/clients/registration/initial-access-token.ts'
import type { RecordStore } from '../../../src/storage/storage.ts'
import { countImports } from '../../support/keys/count-imports.ts'
import { changeClient, readClient } from '../../support/records.ts'
import { APP, DAY, startRegistration } from '../../support/registration.ts'
import { bearer, codeRequest, ISSUER, REDIRECT_URI, startService } from '../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  type IssuerKey,
  issuerKey,
} from '../../support/trusted-issuer.ts'

t.test('registration is off unless the operator turns it on', async (t) => {
  const { fastify, get } = await startService(t)
  const { statusCode } = await fastify.inject({ method: 'POST', url: '/oauth2/register', payload: APP })
  t.equal(statusCode, 404)
  for (const path of ['openid-configuration', 'oauth-authorization-server'])
    t.notOk('registration_endpoint' in (await get(`/.well-known/${path}`)).json)
})

t.test('a public client registers itself and gets tokens', async (t) => {
  const { get, register, signIn, log } = await startRegistration(t)
  for (const path of ['openid-configuration', 'oauth-authorization-server']) {
    const { registration_endpoint } = (await get(`/.well-known/${path}`)).json
    t.equal(registration_endpoint, `${ISSUER}/oauth2/register`)
  }
  const { status, headers, json } = await register(APP)
  t.equal(status, 201)
  t.same([headers['cache-control'], headers['access-control-allow-origin']], ['no-store', '*'])
  const { registration_access_token, registration_client_uri, client_id, ...rest } = json
  t.match(registration_access_token, /^[\w-]{43}$/)
  t.equal(registration_client_uri, `${ISSUER}/oauth2/register/${client_id}`)
  t.strictSame(rest, {
    client_id_issued_at: 1_795_000_000,
    client_name: 'Notes',
    redirect_uris: [REDIRECT_URI],
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'openid profile email offline_access',
  })
  t.match(await signIn(json), { status: 200, json: { token_type: 'Bearer', refresh_token: /./ } })
  const line = log.find((text) => text.includes('"client_registered"')) ?? ''
  t.match(JSON.parse(line), { client_id, by: 'anybody', remoteAddress: '192.0.2.1' })
  t.notOk(log.join('').includes(registration_access_token), 'the token is not logged')
})

t.test('a confidential client gets a secret once; both ways to send it are accepted', async (t) => {
  const { register, read, signIn, storage } = await startRegistration(t)
  const { token_endpoint_auth_method: _, ...confidential } = APP
  const { json } = await register(confidential)
  t.match(json, { client_secret: /^[\w-]{43}$/, client_secret_expires_at: 0 })
  t.equal(json.token_endpoint_auth_method, 'client_secret_basic')
  t.match(await signIn(json), { status: 200 })
  const stored = JSON.stringify(await readClient(storage, json.client_id))
  for (const secret of [json.client_secret ?? '', json.registration_access_token])
    t.notOk(stored.includes(secret), 'storage has digests only')
  const again = (await read(json)).json
  t.equal(again.client_secret, undefined)
  t.equal(again.client_secret_expires_at, 0)
})

t.test('the errors of RFC 7591, and bodies that are no metadata', async (t) => {
  const { register, send } = await startRegistration(t)
  const uri = await register({ ...APP, redirect_uris: ['http://app.example/cb'] })
  t.match(uri, { status: 400, json: { error: 'invalid_redirect_uri', error_description: /\[0\] is http/ } })
  const grant = await register({ ...APP, grant_types: ['client_credentials'] })
  t.match(grant, { status: 400, json: { error: 'invalid_client_metadata' } })
  const post = (type: string | undefined, payload: string) =>
    send({
      method: 'POST',
      url: '/oauth2/register',
      payload,
      headers: type === undefined ? {} : { 'content-type': type },
    })
  const refused: [type: string | undefined, payload: string][] = [
    ['application/json', '{"redirect_uris":'],
    ['application/json', '[]'],
    ['application/json', 'null'],
    ['application/json', ''],
    ['application/x-www-form-urlencoded', 'redirect_uris=x'],
    ['text/plain', '{}'],
  ]
  for (const [type, payload] of refused) {
    const answer = await post(type, payload)
    t.match(answer, { status: 400, json: { error: 'invalid_client_metadata' } }, `${type} ${payload}`)
  }
  t.equal((await post('application/json', JSON.stringify({ x: 'x'.repeat(6000) }))).status, 413)
})

t.test('an invitation lets as many clients in as it says', async (t) => {
  const { register, storage, now, pass, log } = await startRegistration(t, {
    client_registration: 'invitation',
  })
  const without = await register(APP)
  t.match(without, { status: 401, json: { error: 'unauthorized', error_description: /needs an invitation/ } })
  t.equal(without.headers['www-authenticate'], 'Bearer realm="redmint"')
  const context = { storage, now: now() }
  const twice = await createInitialAccessToken(context, { uses: 2, ttl: DAY })
  const statuses = await Promise.all([1, 2, 3].map(async () => (await register(APP, bearer(twice))).status))
  t.same(statuses.sort(), [201, 201, 401])
  t.match(await register(APP, bearer('x'.repeat(43))), { status: 401, json: { error: 'invalid_token' } })
  const late = await createInitialAccessToken(context, { uses: 1, ttl: DAY })
  t.equal((await register({}, bearer(late))).status, 400, 'metadata that are refused')
  const { json } = await register(APP, bearer(late))
  t.ok(json.client_id, 'spend no use')
  t.ok(log.some((line) => line.includes('"by":"invitation"')))
  const old = await createInitialAccessToken(context, { uses: 1, ttl: DAY })
  pass(DAY + 1)
  t.equal((await register(APP, bearer(old))).status, 401, 'its time is over')
})

t.test('registrations without an invitation are limited by address and in all', async (t) => {
  const { register, storage, now, pass, log } = await startRegistration(t, {
    client_registrations: 4,
    client_registrations_per_address: 3,
  })
  for (let i = 0; i < 3; i++) t.equal((await register(APP)).status, 201)
  const refused = await register(APP)
  t.match(refused, { status: 429, json: { error: 'temporarily_unavailable' } })
  t.equal(refused.headers['retry-after'], '3600')
  t.equal((await register(APP, {}, '192.0.2.2')).status, 201, 'another address')
  t.match(await register(APP, {}, '192.0.2.3'), {
    status: 429,
    json: { error_description: /within an hour/ },
  })
  t.equal(log.filter((line) => line.includes('"registration_limited"')).length, 2)
  const invitation = await createInitialAccessToken({ storage, now: now() }, { uses: 1, ttl: DAY })
  t.equal((await register(APP, bearer(invitation))).status, 201, 'an invitation is not limited')
  pass(3601)
  t.equal((await register(APP)).status, 201, 'the next window')
})

t.test('keys are imported only for who may register', async (t) => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const keys = Array.from({ length: 20 }, (_, i) => ({ ...jwk, use: i % 2 === 0 ? 'sig' : 'enc' }))
  const encrypted = {
    id_token_encrypted_response_alg: 'RSA-OAEP-256',
    id_token_encrypted_response_enc: 'A256GCM',
  }
  const signing = { ...APP, jwks: { keys }, token_endpoint_auth_method: 'private_key_jwt' }
  const encrypting = { ...APP, jwks: { keys }, ...encrypted }
  const { register, change } = await startRegistration(t, { client_registrations_per_address: 1 })
  const { json } = await register(APP)
  const invited = await startRegistration(t, { client_registration: 'invitation' })
  const imported = countImports(t)
  for (const document of [signing, encrypting]) {
    t.equal((await register(document)).status, 429)
    t.equal((await register(document, bearer('x'.repeat(43)))).status, 401)
    t.equal((await invited.register(document)).status, 401)
    t.equal((await invited.register(document, bearer('x'.repeat(43)))).status, 401)
    const { client_id } = json
    t.equal(
      (await change({ ...json, registration_access_token: 'x' }, { ...document, client_id })).status,
      401,
    )
  }
  t.equal(imported(), 0)
  t.equal((await register(signing, {}, '192.0.2.2')).status, 201)
  t.equal(imported(), 10, 'those that can sign')
  t.equal((await register(encrypting, {}, '192.0.2.3')).status, 400)
  t.equal(imported(), 11, 'the first one that can encrypt')
})

t.test('a client reads, changes and deletes its registration', async (t) => {
  const { register, read, change, remove, signIn, token, get } = await startRegistration(t)
  const { json } = await register(APP)
  // RFC 7592 §3: each answer has the token.
  t.match(json, { registration_access_token: /^[\w-]{43}$/ })
  t.strictSame((await read(json)).json, json)

  const { client_id } = json
  const changed = await change(json, {
    client_id,
    ...APP,
    client_name: null,
    redirect_uris: [`${REDIRECT_URI}/2`],
  })
  t.equal(changed.status, 200)
  t.same([changed.json.client_name, changed.json.redirect_uris], [undefined, [`${REDIRECT_URI}/2`]])
  t.equal(changed.json.registration_access_token, json.registration_access_token)
  t.same((await read(json)).json, changed.json)
  t.equal((await change(json, { client_id, ...APP })).status, 200)

  const tokens = (await signIn(json)).json
  t.same([(await remove(json)).status, (await remove(json)).status], [204, 401])
  t.match(await read(json), { status: 401, json: { error: 'invalid_token' } })
  const refresh = { grant_type: 'refresh_token', client_id, refresh_token: String(tokens.refresh_token) }
  t.match(await token(refresh), { status: 401, json: { error: 'invalid_client' } })
  const access = bearer(String(tokens.access_token))
  for (const path of ['/userinfo', '/api/resource']) t.equal((await get(path, access)).status, 401, path)
})

t.test('only its own token reads, changes and deletes a client', async (t) => {
  const { register, read, change, remove, storage } = await startRegistration(t)
  const [{ json: one }, { json: other }] = [await register(APP), await register(APP)]
  const before = await readClient(storage, one.client_id)
  const foreign = bearer(other.registration_access_token)
  for (const headers of [foreign, bearer('x'), bearer('x'.repeat(43)), { authorization: 'Basic eDp5' }]) {
    for (const answer of [
      await read(one, headers),
      await change(one, { client_id: one.client_id, ...APP }, headers),
      await remove(one, headers),
    ]) {
      t.match(answer, { status: 401, json: { error: 'invalid_token' } })
      t.match(answer.headers['www-authenticate'], /^Bearer realm="redmint", error="invalid_token"/)
    }
  }
  t.same(await readClient(storage, one.client_id), before)
  for (const client_id of ['app', 'unknown', '__proto__', '%00', 'x'.repeat(3000)]) {
    const target = { ...one, registration_client_uri: `${ISSUER}/oauth2/register/${client_id}` }
    t.equal((await read(target)).status, 401, client_id.slice(0, 20))
    t.equal((await remove(target)).status, 401, client_id.slice(0, 20))
  }
})

t.test('a token that the operator withdraws meanwhile changes nothing', async (t) => {
  const { register, change, storage } = await startRegistration(t)
  const { json } = await register(APP)
  const { client_id } = json
  const { read } = storage.records
  t.intercept(storage.records, 'read', {
    value: async (...args: Parameters<typeof read>) => {
      const found = await read.apply(storage.records, args)
      await changeClient(storage, client_id, { set: { registration_token_hash: 'x'.repeat(43) } })
      return found
    },
  })
  const changed = await change(json, { client_id, ...APP, redirect_uris: [`${REDIRECT_URI}/thief`] })
  t.match(changed, { status: 401, json: { error: 'invalid_token' } })
  t.equal((await readClient(storage, client_id))?.redirect_uris, REDIRECT_URI)
})

t.test('the answer has what the client asked of its requests, and a change keeps it', async (t) => {
  const { register, change, read } = await startRegistration(t)
  const strict = {
    require_pushed_authorization_requests: true,
    request_object_signing_alg: 'ES256',
    require_signed_request_object: true,
    jwks: { keys: [issuerKey('one').jwk] },
  }
  const { json } = await register({ ...APP, ...strict })
  t.match(json, strict)
  const { json: found } = await read(json)
  // RFC 7592 §2.2: these must not be sent.
  const {
    registration_access_token: _,
    registration_client_uri: __,
    client_id_issued_at: ___,
    ...members
  } = found
  t.equal((await change(json, members)).status, 200)
  t.match((await read(json)).json, strict)
  const { json: usual } = await register(APP)
  for (const name of Object.keys(strict)) t.notOk(name in usual, name)
})

t.test('a change that does not fit what the operator set is refused, and nothing changes', async (t) => {
  const { register, change, read, storage } = await startRegistration(t)
  const twoHosts = { redirect_uris: [REDIRECT_URI, 'https://other.example/callback'] }
  const secret = { token_endpoint_auth_method: 'client_secret_basic' }
  for (const [described, set, members] of [
    [{}, { subject_type: 'pairwise' }, twoHosts],
    [secret, { require_pkce: 'false' }, { token_endpoint_auth_method: 'none' }],
  ] as const) {
    const { json } = await register({ ...APP, ...described })
    const { client_id } = json
    await changeClient(storage, client_id, { set })
    const before = await readClient(storage, client_id)
    const { status, json: answer } = await change(json, { client_id, ...APP, ...members })
    t.match([status, answer.error], [400, 'invalid_client_metadata'], JSON.stringify(set))
    t.match(answer.error_description, /^This does not fit what the operator set for this client: /)
    t.strictSame(await readClient(storage, client_id), before)
    t.equal((await read(json)).status, 200)
  }
})

// CVE-2026-96547 (Keycloak): a member of a registration made roles of what the client sent.
t.test(
  'no field of a record can be set by a member of its name but those that describe a client',
  async (t) => {
    const { register, storage } = await startRegistration(t)
    const { json: plain } = await register(APP)
    const expected = Object.keys((await readClient(storage, plain.client_id)) ?? {}).sort()
    const others = Object.keys(CLIENT_FIELDS).filter((name) => !DESCRIBED_FIELDS.includes(name))
    t.ok(others.length > 20)
    for (const value of ['true', true, 'redmint:write', ['admin'], 1, { admin: true }]) {
      const members = [...others, 'admin', 'groups', 'roles', 'claims'].map((name) => [name, value] as const)
      const { status, json } = await register({ ...Object.fromEntries(members), ...APP })
      t.equal(status, 201, JSON.stringify(value))
      const record = (await readClient(storage, json.client_id)) ?? {}
      t.strictSame(Object.keys(record).sort(), expected, JSON.stringify(value))
      t.notMatch(JSON.stringify(record), /redmint:|admin/)
    }
  },
)

t.test('a change gives no right, and takes none back that the operator gave', async (t) => {
  const { register, change, storage } = await startRegistration(t)
  const { json } = await register(APP)
  const { client_id } = json
  const set = {
    allowed_scopes: 'openid',
    access_token_format: 'jwt',
    refresh_token_ttl: '600',
    allowed_groups: '',
  }
  await changeClient(storage, client_id, { set })
  const privileged = {
    first_party: true,
    can_introspect: true,
    allowed_scopes: 'admin',
    allowed_groups: ['staff'],
    scope: 'openid email',
  }
  const more = {
    lapses_at: '2100-01-01T00:00:00.000Z',
    registration_token_hash: 'x',
    disabled: false,
    demo: true,
  }
  const { status, json: changed } = await change(json, { client_id, ...APP, ...privileged, ...more })
  t.same([status, changed.scope], [200, 'openid'])
  const { registration_token_hash, registered_at, lapses_at, ...record } =
    (await readClient(storage, client_id)) ?? {}
  t.ok(registration_token_hash && registered_at && lapses_at && lapses_at < '2100')
  t.strictSame(record, {
    ...set,
    client_id,
    client_name: 'Notes',
    is_public: 'true',
    client_secret_hash: '',
    redirect_uris: REDIRECT_URI,
    grant_types: 'authorization_code refresh_token',
  })
  const refused: object[] = [
    {},
    { client_id: 'app' },
    { client_id, registration_access_token: json.registration_access_token },
    { client_id, client_id_issued_at: 1 },
    { client_id, client_secret: 'y'.repeat(43) },
  ]
  for (const members of refused) {
    const answer = await change(json, { ...APP, ...members })
    t.match(answer, { status: 400, json: { error: 'invalid_client_metadata' } }, JSON.stringify(members))
  }
  await changeClient(storage, client_id, { set: { disabled: 'true' } })
  t.equal((await change(json, { client_id, ...APP })).status, 401, 'a disabled client')
})

t.test('a change keeps what the operator sets at the same time', async (t) => {
  const { register, change, storage } = await startRegistration(t)
  const { token_endpoint_auth_method: _, ...confidential } = APP
  const { json } = await register(confidential)
  const { client_id } = json
  const set = { allowed_scopes: 'openid', client_secret_hash: secretHash('z'.repeat(43)) }
  const renamed = { ...confidential, client_id, client_name: 'Better notes' }
  beforeNextChange(storage, () => changeClient(storage, client_id, { set }))
  t.equal((await change(json, renamed)).status, 200)
  t.match(await readClient(storage, client_id), { ...set, client_name: 'Better notes' })

  const other_token = { registration_token_hash: secretHash('another token') }
  beforeNextChange(storage, () => changeClient(storage, client_id, { set: other_token }))
  t.equal((await change(json, { ...renamed, client_name: 'Best notes' })).status, 401, 'without its token')
  t.match(await readClient(storage, client_id), { client_name: 'Better notes' })
})

t.test('two changes at the same time leave what one of them describes', async (t) => {
  const { register, change, read, signIn, storage } = await startRegistration(t)
  const { json } = await register(APP)
  const { client_id } = json
  const renamed = { client_id, ...APP, client_name: 'Better notes' }
  const confidential = { client_id, ...APP, token_endpoint_auth_method: 'client_secret_basic' }
  beforeNextChange(storage, () => change(json, confidential))
  t.match(await change(json, renamed), { status: 200, json: renamed })
  t.match(await read(json), { status: 200, json: renamed })
  t.match(await signIn(json), { status: 200 })

  const { change: write } = storage.records
  storage.records.change = async () => 'missing'
  t.match(await change(json, confidential), { status: 503, json: { error: 'temporarily_unavailable' } })
  storage.records.change = write
})

/** Does something after the next record to be changed was read, and before it is written. */
function beforeNextChange({ records }: RecordStore, act: () => Promise<unknown>): void {
  const write = records.change.bind(records)
  records.change = async (...change) => {
    records.change = write
    await act()
    return write(...change)
  }
}

t.test('a client with keys gets no secret, and may exchange the one way for the other', async (t) => {
  const { register, change, read, code, token, storage, now } = await startRegistration(t)
  const keys = [issuerKey('first'), issuerKey('second')] as const
  const withKey = (key: IssuerKey) => ({
    ...APP,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [key.jwk] },
  })
  const { json } = await register(withKey(keys[0]))
  const { client_id } = json
  t.same([json.client_secret, json.client_secret_expires_at], [undefined, undefined])
  t.same((await read(json)).json.jwks, { keys: [keys[0].jwk] })
  const signIn = async (key: IssuerKey) => {
    const iat = Math.floor(now() / 1000)
    const claims = claimsOf(client_id, client_id, { iat, exp: iat + 60 })
    const proof = { client_assertion_type: CLIENT_ASSERTION_TYPE, client_assertion: assertionOf(key, claims) }
    return (
      await token({ ...codeRequest(await code({ client_id, scope: 'openid' }), { client_id }), ...proof })
    ).status
  }
  t.equal(await signIn(keys[0]), 200)
  t.equal((await change(json, { client_id, ...withKey(keys[1]) })).status, 200)
  t.same([await signIn(keys[0]), await signIn(keys[1])], [401, 200], 'another key takes effect at once')
  const basic = { client_id, ...APP, token_endpoint_auth_method: 'client_secret_basic' }
  const { json: secret } = await change(json, basic)
  t.match(secret, { client_secret: /^[\w-]{43}$/, jwks: undefined })
  t.equal(await signIn(keys[1]), 401)
  await change(json, { client_id, ...withKey(keys[1]) })
  const record = await readClient(storage, client_id)
  t.notOk(record?.client_secret_hash || record?.client_secret_created_at, 'the secret is gone')
})

t.test('a change makes a client confidential, and public again', async (t) => {
  const { register, change, signIn, storage } = await startRegistration(t)
  const { json } = await register(APP)
  const { client_id } = json
  const basic = { client_id, ...APP, token_endpoint_auth_method: 'client_secret_basic' }
  const { json: confidential } = await change(json, basic)
  t.match(confidential.client_secret, /^[\w-]{43}$/)
  t.match(await signIn({ ...json, ...confidential }), { status: 200 })
  const { json: kept } = await change(json, { ...basic, client_secret: confidential.client_secret })
  t.equal(kept.client_secret, undefined, 'the secret stays')
  t.match(await signIn({ ...json, ...confidential }), { status: 200 })
  t.equal((await change(json, { client_id, ...APP })).json.token_endpoint_auth_method, 'none')
  const record = await readClient(storage, client_id)
  t.notOk(record?.client_secret_hash || record?.client_secret_created_at)
  t.match(await signIn({ ...json }), { status: 200 })
})

t.test('a client lapses by disuse, and not before its refresh tokens', async (t) => {
  const HOUR = 3600
  const settings = { client_registration_ttl: HOUR, refresh_token_ttl: HOUR, code_ttl: 600 }
  const { register, pass, get, storage, now } = await startRegistration(t, settings)
  // A process that got no keys for hours does not sign: each step is one that has just started.
  const fresh = () => startRegistration(t, { ...settings, storage, now })
  const { json: unused } = await register(APP)
  const { json: used } = await register(APP)
  const { client_id } = used
  const signIn = async () => (await fresh()).signIn(used)
  const refresh = async ({ client_id }: { client_id: string }, refresh_token: unknown) =>
    (await fresh()).token({ grant_type: 'refresh_token', client_id, refresh_token: String(refresh_token) })
  const lapses = async () => (await readClient(storage, client_id))?.lapses_at
  const first = await lapses()

  pass(DAY - HOUR)
  t.match(await signIn(), { status: 200 })
  t.equal(await lapses(), first, 'at least half is left')
  pass(HOUR / 2)
  const { json: tokens } = await signIn()
  t.not(await lapses(), first)
  pass(HOUR - 10)
  const { status, json: refreshed } = await refresh(used, tokens.refresh_token)
  t.equal(status, 200, 'the client lives as long as the refresh token')

  const lapsed = await refresh(unused, refreshed.refresh_token)
  t.match(lapsed, { status: 401, json: { error: 'invalid_client' } }, 'nobody used it for a day')
  const request = new URLSearchParams({ client_id: unused.client_id, redirect_uri: REDIRECT_URI })
  const page = await get(`/oauth2/authorize?${request}`, { accept: 'text/html' })
  t.match(page, { status: 400, text: /Unknown application/ })

  pass(2 * HOUR + 10)
  t.equal(await readClient(storage, client_id), undefined, 'not used any more')
  t.match(await refresh(used, refreshed.refresh_token), { status: 401, json: { error: 'invalid_client' } })
})

t.test('scripts of any page may register a client, and manage it', async (t) => {
  const { send } = await startRegistration(t)
  const preflight = (url: string, method: string) =>
    send({
      method: 'OPTIONS',
      url,
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    })
  t.match((await preflight('/oauth2/register', 'POST')).headers, {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'authorization,content-type',
  })
  const { headers } = await preflight('/oauth2/register/x', 'PUT')
  t.equal(headers['access-control-allow-methods'], 'GET, POST, PUT, DELETE')
  const { headers: token } = await preflight('/oauth2/token', 'POST')
  t.equal(token['access-control-allow-methods'], 'GET, POST')
})
