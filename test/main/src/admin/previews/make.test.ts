// Who may make previews of what, and where they may lie.
import t from 'tap'
import { MAX_PREVIEWS } from '../../../../../src/clients/previews/places.ts'
import { formatClient } from '../../../../../src/clients/record/client-record.ts'
import { PREVIEWS } from '../../../../../src/core/admin-scopes.ts'
import { ADMIN } from '../../../../support/admin.ts'
import { agreeAt, previewScene, previewUri } from '../../../../support/previews.ts'
import { changeClient, createClient, readClient } from '../../../../support/records.ts'
import { basic, CLIENTS, REDIRECT_URI } from '../../../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  trust,
} from '../../../../support/trusted-issuer.ts'

t.test('a preview is a client of its own that signs people in', async (t) => {
  const { made, requestTo, redeemAt, visitor, storage, log } = await previewScene(t)
  const before = Date.now()
  const preview = await made({ lives: 3600 })
  t.match(preview, {
    client_id: /^preview-[\w-]{22}$/,
    preview_of: 'shop',
    redirect_uri: previewUri(),
    state: 'active',
    issuer: 'https://auth.example.com',
    renewed: false,
  })
  const lives = Date.parse(preview.lapses_at) - before
  t.ok(lives > 3_590_000 && lives <= 3_601_000)
  t.match(await readClient(storage, preview.client_id), {
    client_name: 'The Shop (pr-12)',
    is_public: 'true',
    client_secret_hash: '',
    redirect_uris: previewUri(),
    preview_of: 'shop',
    lapses_at: preview.lapses_at,
    refresh_token_ttl: '3600',
    grant_types: 'authorization_code',
  })
  const { status, json } = await redeemAt(preview, await agreeAt(visitor(), requestTo(preview)))
  t.match({ status, json }, { status: 200, json: { scope: 'openid profile', expires_in: 900 } })
  const line = log.find((text) => text.includes('"preview_made"')) ?? ''
  t.match(JSON.parse(line), { client_id: preview.client_id, preview_of: 'shop' })
})

t.test('it may do no more than sign people in', async (t) => {
  const { made, storage, token, post } = await previewScene(t)
  const set = {
    is_public: 'false',
    client_secret_hash: formatClient(CLIENTS.web).client_secret_hash ?? '',
    grant_types:
      'authorization_code refresh_token client_credentials urn:ietf:params:oauth:grant-type:token-exchange',
    allowed_scopes: 'openid api.read offline_access redmint:users:read',
    exchange_mode: 'delegate',
    first_party: 'true',
    can_introspect: 'true',
    refresh_token_ttl: '2592000',
    managed_by: 'team',
    backchannel_logout_uri: 'https://app.example.com/logout',
    sector_identifier: 'app.example.com',
    post_logout_redirect_uris: 'https://app.example.com/out https://elsewhere.example.com/out',
  }
  await changeClient(storage, 'shop', { set })
  const { client_id, scope } = await made()
  t.equal(scope, 'openid api.read offline_access', 'no right at the admin API')
  const record = await readClient(storage, client_id)
  t.match(record, {
    is_public: 'true',
    client_secret_hash: '',
    grant_types: 'authorization_code refresh_token',
    refresh_token_ttl: '3600',
    post_logout_redirect_uris: 'https://pr-12.preview.example.com/out',
  })
  for (const name of [
    ...['exchange_mode', 'first_party', 'can_introspect', 'managed_by', 'backchannel_logout_uri'],
    ...['sector_identifier', 'preview_hosts', 'preview_makers'],
  ])
    t.equal(record?.[name], undefined, name)
  const alone = await token({ grant_type: 'client_credentials', client_id })
  t.equal(alone.json.error, 'unauthorized_client')
  const introspection = await post('/oauth2/introspect', { client_id, token: 'x' })
  t.equal(introspection.status, 401, 'it does not even authenticate')
})

t.test('D5: a preview lies one label below a host of its original, with the path of that one', async (t) => {
  const { make, call, tokenOf } = await previewScene(t)
  const refused = [
    'https://pr-1.evil.preview.example.com/callback',
    'https://pr-1.preview.example.com.evil/callback',
    'https://pr-1.preview.example.com.evil.example/callback',
    'https://preview.example.com/callback',
    'https://evilpreview.example.com/callback',
    'https://.preview.example.com/callback',
    'https://-.preview.example.com/callback',
    'https://alice@pr-1.preview.example.com/callback',
    'https://alice:secret@pr-1.preview.example.com/callback',
    'https://pr-1.preview.example.com@evil.example/callback',
    'https://evil.example\\.preview.example.com/callback',
    'https://evil.example#.preview.example.com/callback',
    'https://evil.example?.preview.example.com/callback',
    'https://evil.example/.preview.example.com/callback',
    'https://pr-1.preview.example.com:8443/callback',
    'https://pr-1.preview.example.com:443/callback',
    'https://pr-1.preview.example.com:/callback',
    'https://pr-1%2epreview.example.com/callback',
    'https://evil%2eexample%2f.preview.example.com/callback',
    'https://pr-1.preview.example.com./callback',
    'https://pr-1..preview.example.com/callback',
    'https://xn--pr1-0na.preview.example.com/callback',
    'https://pr\u0131.preview.example.com/callback',
    'https://PR-1.preview.example.com/callback',
    'HTTPS://pr-1.preview.example.com/callback',
    'http://pr-1.preview.example.com/callback',
    'com.example.pr-1:/callback',
    'https://pr-1.preview.example.com/callback/',
    'https://pr-1.preview.example.com/callback/../other',
    'https://pr-1.preview.example.com/callback/%2e%2e/other',
    'https://pr-1.preview.example.com/callback?next=https://evil.example',
    'https://pr-1.preview.example.com/other',
    'https://pr-1.preview.example.com',
    'https://pr-1.preview.example.com/callback#x',
    'https://pr-1.preview.example.com/callback ',
    `https://${'a'.repeat(64)}.preview.example.com/callback`,
    REDIRECT_URI,
  ]
  const operator = await tokenOf('redmint:write')
  for (const redirect_uri of refused)
    for (const by of [undefined, operator]) {
      const { status, json } = await make({ redirect_uri }, 'shop', by)
      t.match({ status, json }, { status: 422, json: { fields: [{ field: 'redirect_uri' }] } }, redirect_uri)
    }
  const { status, json } = await call('GET', '/clients/shop/previews', {
    token: await tokenOf('redmint:read'),
  })
  t.strictSame({ status, json }, { status: 200, json: { items: [] } })
  for (const label of ['pr-1', '1', 'a', 'a'.repeat(63)])
    t.equal((await make({ redirect_uri: previewUri(label) })).status, 200, label)
})

t.test('D5: every wildcard and pattern is refused at every way, and the refusal says this way', async (t) => {
  const { make, call, tokenOf } = await previewScene(t)
  const token = await tokenOf('redmint:read', 'redmint:write')
  const patterns = [
    'https://*.preview.example.com/callback',
    'https://pr-*.preview.example.com/callback',
    'https://*/callback',
    'https://pr-1.preview.example.com/*',
    'https://pr-1.preview.example.com:*/callback',
    'https://%2A.preview.example.com/callback',
    'https://%2a.preview.example.com/callback',
    'https://pr-{number}.preview.example.com/callback',
    'https://{sha}.preview.example.com/callback',
    'https://<branch>.preview.example.com/callback',
    'https://:branch.preview.example.com/callback',
    'https://pr-[0-9]+.preview.example.com/callback',
    'https://(a|b).preview.example.com/callback',
    'https://(.+).preview.example.com/callback',
    'https://pr-1.preview.example.com/callback|https://evil.example/callback',
    'https://.preview.example.com/callback',
  ]
  for (const uri of patterns) {
    const answers = [
      await make({ redirect_uri: uri }),
      await call('POST', '/clients', {
        token,
        body: {
          client_id: 'new',
          is_public: true,
          redirect_uris: [uri],
          grant_types: ['authorization_code'],
        },
      }),
      await call('PATCH', '/clients/shop', {
        token,
        body: { redirect_uris: [uri] },
        headers: {
          'if-match': String((await call('GET', '/clients/shop', { token })).headers.etag),
          'content-type': 'application/merge-patch+json',
        },
      }),
    ]
    for (const { status, text } of answers)
      t.match({ status, text }, { status: 422, text: /redmint client for-preview/ }, uri)
  }
  for (const host of [
    '*.example.com',
    '.example.com',
    'com',
    '127.0.0.1',
    'Preview.example.com',
    'vercel.app',
    'a.b:80',
  ]) {
    const body = { client_id: 'new', is_public: true, redirect_uris: [REDIRECT_URI], preview_hosts: [host] }
    const { status, json } = await call('POST', '/clients', { token, body })
    t.match({ status, json }, { status: 422, json: { fields: [{ field: 'preview_hosts' }] } }, host)
  }
})

t.test('no preview lies below a host that gives labels to anybody, by whomever it was written', async (t) => {
  const { make, storage } = await previewScene(t)
  await changeClient(storage, 'shop', { set: { preview_hosts: 'preview.example.com vercel.app' } })
  t.match(await make({ redirect_uri: 'https://pr-12.vercel.app/callback' }), {
    status: 422,
    json: { detail: /domain of your own/ },
  })
  t.equal((await make()).status, 200)
})

t.test('a CI job makes previews of what names it, and can do nothing else', async (t) => {
  const { make, call, tokenOf, tokenOfCi, storage } = await previewScene(t)
  const ci = { token: await tokenOfCi() }
  for (const [method, path] of [
    ['GET', '/clients'],
    ['GET', '/clients/shop'],
    ['GET', '/clients/shop/previews'],
    ['DELETE', '/clients/shop'],
    ['POST', '/clients/shop/secrets'],
    ['GET', '/users'],
  ] as const)
    t.match(
      await call(method, path, { ...ci, ...(method === 'POST' && { body: {} }) }),
      { status: 403 },
      path,
    )
  const others = await tokenOf(PREVIEWS)
  t.match(await make({}, 'shop', others), { status: 403, json: { detail: /preview_makers/ } }, 'another job')
  await createClient(storage, 'bank', formatClient({ ...CLIENTS.app, client_id: 'bank' }))
  const elsewhere = await make({}, 'bank')
  const nowhere = await make({}, 'nobody')
  t.match([elsewhere.status, nowhere.status], [403, 403])
  t.equal(
    String(elsewhere.json.detail).replaceAll('bank', 'nobody'),
    String(nowhere.json.detail),
    'it does not learn which clients there are',
  )
  t.match(
    await make({}, 'shop', await tokenOf('redmint:clients:write')),
    { status: 403 },
    'not without the right',
  )
  const operator = await tokenOf(PREVIEWS, 'redmint:clients:write')
  t.match(await make({}, 'shop', operator), { status: 200 }, 'who may write clients needs no name')
  t.match(await make({}, 'bank', operator), { status: 409, json: { detail: /no preview_hosts/ } })
})

t.test('it proves itself by the identity of its platform, without a secret', async (t) => {
  const { storage, token, make } = await previewScene(t, { trusted_issuers: true })
  const key = issuerKey()
  const issuer = 'https://ci.example.com'
  const subject = 'repo:acme/shop:pull_request'
  await trust(storage, key, { issuer })
  const set = { client_secret_hash: '', assertion_issuer: issuer, assertion_subject: subject }
  await changeClient(storage, 'ci', { set })
  const assertion = () => assertionOf(key, claimsOf(issuer, subject))
  const { json } = await token({
    grant_type: 'client_credentials',
    client_id: 'ci',
    client_assertion_type: CLIENT_ASSERTION_TYPE,
    client_assertion: assertion(),
    resource: ADMIN,
  })
  t.equal(json.scope, PREVIEWS)
  t.match(await make({}, 'shop', String(json.access_token)), { status: 200 })
  await changeClient(storage, 'ci', { set: { grant_types: `client_credentials ${JWT_BEARER}` } })
  const granted = await token({
    grant_type: JWT_BEARER,
    client_id: 'ci',
    assertion: assertion(),
    resource: ADMIN,
  })
  t.notMatch(String(granted.json.scope), 'redmint', 'the grant of assertions gives no right, as before')
})

t.test('what has no previews', async (t) => {
  const { make, storage, tokenOf } = await previewScene(t)
  // The record of a malformed client names nobody.
  const operator = await tokenOf(PREVIEWS, 'redmint:clients:write')
  const refused: [set: Record<string, string>, why: RegExp][] = [
    [{ preview_hosts: '' }, /no preview_hosts/],
    [{ grant_types: 'urn:ietf:params:oauth:grant-type:device_code' }, /nobody signs in/],
    [{ registered_at: '2026-11-30T00:00:00.000Z' }, /no operator registered it/],
    [{ require_signed_request_object: 'true', jwks: '{"keys":[]}' }, /keys|well-formed/],
    [{ tls_client_certificate_bound_access_tokens: 'true' }, /keys/],
    [{ disabled: 'true' }, /enabled/],
    [{ is_public: 'perhaps' }, /well-formed/],
  ]
  for (const [set, why] of refused) {
    const former = (await readClient(storage, 'shop')) ?? {}
    await changeClient(storage, 'shop', { set })
    t.match(await make({}, 'shop', operator), { status: 409, json: { detail: why } }, JSON.stringify(set))
    const unset = Object.keys(set).filter((name) => former[name] === undefined)
    await changeClient(storage, 'shop', { set: former, unset })
  }
  const { json } = await make()
  const set = { preview_hosts: 'preview.example.com', preview_makers: 'ci' }
  await changeClient(storage, String(json.client_id), { set })
  t.match(await make({}, String(json.client_id)), { status: 403 }, 'a preview is none either')
})

t.test('however many ask at once, there are no more than there may be', async (t) => {
  const { make, storage, endPreview } = await previewScene(t)
  const labels = Array.from({ length: MAX_PREVIEWS - 2 }, (_, i) => `pr-${i}`)
  for (const label of labels) t.equal((await make({ redirect_uri: previewUri(label) })).status, 200)
  const answers = await Promise.all(
    ['x', 'y', 'z', 'w', 'v', 'u'].map((label) => make({ redirect_uri: previewUri(label) })),
  )
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 200, 409, 409, 409, 409])
  const previews = []
  for await (const { id } of storage.records.list({ name: 'client' }))
    if (id.startsWith('preview-')) previews.push(id)
  t.equal(previews.length, MAX_PREVIEWS)
  t.match(await make({ redirect_uri: previewUri('pr-1') }), { status: 200, json: { renewed: true } })
  t.equal((await endPreview(previewUri('pr-1'))).status, 200)
  const next = await Promise.all(['1', '2', '3'].map((label) => make({ redirect_uri: previewUri(label) })))
  t.strictSame(next.map(({ status }) => status).sort(), [200, 409, 409])
})

t.test('one redirect URI has one preview, however many ask at once', async (t) => {
  const { make } = await previewScene(t)
  const answers = await Promise.all([1, 2, 3, 4].map(() => make()))
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  t.equal(new Set(answers.map(({ json }) => json.client_id)).size, 1)
})

t.test('lint says what is of no use or unsafe, and nothing of a preview', async (t) => {
  const { made, storage, call, tokenOf } = await previewScene(t)
  const { client_id } = await made()
  const token = await tokenOf('redmint:clients:read')
  const found = async (id: string) => {
    const { findings } = (await call('GET', `/clients/${id}/lint`, { token })).json as {
      findings: { field: string }[]
    }
    return findings.map(({ field }) => field).filter((field) => /^(preview|lapses)/.test(field))
  }
  t.strictSame(await found(client_id), [])
  t.strictSame(await found('shop'), [])
  await changeClient(storage, 'shop', { set: { preview_hosts: '' } })
  t.strictSame(await found('shop'), ['preview_makers'])
  // As a hand can write it.
  await changeClient(storage, 'shop', { set: { preview_hosts: 'vercel.app' } })
  t.strictSame(await found('shop'), ['preview_hosts'])
})

t.test('a secret is no way to it', async (t) => {
  const { made, token } = await previewScene(t)
  const { client_id } = await made()
  t.match(await token({ grant_type: 'client_credentials' }, basic(client_id)), { status: 401 })
})
