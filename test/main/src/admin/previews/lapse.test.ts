// How previews end, and what reaches them of their originals.

import type { Test } from 'tap'
import t from 'tap'
import { formatClient } from '../../../../../src/clients/record/client-record.ts'
import { newPreviewId } from '../../../../../src/clients/record/preview-fields.ts'
import { RELYING_PARTIES } from '../../../../support/accounts.ts'
import { beforeWriteOf } from '../../../../support/meanwhile.ts'
import { agreeAt, type Made, previewScene, previewUri } from '../../../../support/previews.ts'
import { changeClient, createClient, readClient } from '../../../../support/records.ts'
import { claimsIn } from '../../../../support/scene/tokens.ts'
import type { Given } from '../../../../support/scene.ts'
import { bearer, REDIRECT_URI } from '../../../../support/service.ts'

/** A preview at which alice signed in, with the token that it got. */
async function signedIn(t: Test, body: object = {}, given: Given = {}) {
  const stage = await previewScene(t, given)
  await changeClient(stage.storage, 'shop', {
    set: { grant_types: 'authorization_code refresh_token', refresh_tokens: 'always' },
  })
  const preview = await stage.made(body)
  const { json } = await stage.redeemAt(preview, await agreeAt(stage.visitor(), stage.requestTo(preview)))
  const access_token = String(json.access_token)
  const { client_id } = preview
  return {
    ...stage,
    pass: stage.passWithKeys,
    preview,
    json,
    access_token,
    /** The status of user information for the token. */
    userinfo: async () => (await stage.get('/userinfo', bearer(access_token))).status,
    refresh: (refresh_token: unknown) =>
      stage.token({ grant_type: 'refresh_token', client_id, refresh_token: String(refresh_token) }),
    /** The title of what the sign-in of a new browser shows. */
    shown: async (more = {}) => (await stage.visitor().page(stage.requestTo(preview, more))).title,
  }
}

t.test('D7: a preview that lapsed gets nothing, its tokens end, and its id is not given again', async (t) => {
  const { pass, preview, json, userinfo, refresh, shown, make, storage, call, tokenOf, newToken } =
    await signedIn(t, {
      lives: 1800,
    })
  const { client_id } = preview
  t.match(json, { expires_in: 900, refresh_token_expires_in: Number })
  t.ok(Number(json.refresh_token_expires_in) <= 1800, 'no refresh token outlives it')
  await pass(890)
  t.equal(await userinfo(), 200)
  const later = await refresh(json.refresh_token)
  t.match(later, { status: 200 })
  await pass(900)
  const last = await refresh(later.json.refresh_token)
  t.match(last.status, 200)
  t.ok(Number(last.json.expires_in) <= 10 && Number(last.json.expires_in) > 0, 'no access token outlives it')
  await pass(11)
  t.equal(await userinfo(), 401)
  t.match(await refresh(last.json.refresh_token), { status: 401, json: { error: 'invalid_client' } })
  t.equal(await shown(), 'Unknown application')
  t.equal(await readClient(storage, client_id), undefined, 'nothing renews it')
  // As any operator, at every way that registers a client.
  const operator = { token: await tokenOf('redmint:read', 'redmint:write') }
  const record = { is_public: true, redirect_uris: [REDIRECT_URI], grant_types: ['authorization_code'] }
  for (const [method, path, body] of [
    ['POST', '/clients', { client_id, ...record }],
    ['PUT', `/clients/${client_id}`, record],
    ['POST', '/clients', { client_id, ...record, preview_of: 'shop', lapses_at: '2100-01-01T00:00:00.000Z' }],
    ['POST', '/clients/bulk', { items: [{ client_id, ...record }] }],
  ] as const) {
    const answer = await call(method, path, { ...operator, body })
    t.match(answer.text, /client_id|preview_of/)
    t.equal(await readClient(storage, client_id), undefined, `${method} ${path}`)
  }
  const again = await make({}, 'shop', await newToken())
  t.match(again, { status: 200, json: { renewed: false } })
  t.not(again.json.client_id, client_id)
})

t.test('D7: a preview that was ended is as one that lapsed', async (t) => {
  const { userinfo, refresh, json, shown, preview, made, endPreview, call, tokenOf, storage } =
    await signedIn(t)
  t.equal(await userinfo(), 200)
  t.match(await endPreview(), { status: 200, json: { client_id: preview.client_id, removed: true } })
  t.equal(await userinfo(), 401)
  t.match(await refresh(json.refresh_token), { status: 401 })
  t.equal(await shown(), 'Unknown application')
  t.match(await endPreview(), { status: 404 })
  const next = await made()
  t.match(next, { renewed: false })
  t.not(next.client_id, preview.client_id)
  // By the operation that removes any client.
  const operator = { token: await tokenOf('redmint:read', 'redmint:write') }
  const path = `/clients/${next.client_id}`
  const { etag } = (await call('GET', path, operator)).headers
  t.equal((await call('DELETE', path, { ...operator, headers: { 'if-match': String(etag) } })).status, 200)
  t.strictSame((await call('GET', '/clients/shop/previews', operator)).json, { items: [] })
  const third = await made()
  t.notOk([next.client_id, preview.client_id].includes(third.client_id))
  // By hand.
  await storage.records.remove(
    { name: 'client', format: () => ({}), parse: () => ({ ok: true, record: {} }) },
    third.client_id,
    undefined,
  )
  const fourth = await made()
  t.match(fourth, { renewed: false })
  t.not(fourth.client_id, third.client_id)
})

t.test('signed tokens end with it, too', async (t) => {
  const { json, preview } = await signedIn(t, { lives: 400 }, { access_token_format: 'jwt' })
  const end = Date.parse(preview.lapses_at) / 1000
  t.ok(claimsIn(json.access_token).exp <= end)
  t.ok(claimsIn(json.id_token).exp <= end)
})

t.test('no refresh token of a preview is longer than an hour, whatever its original has', async (t) => {
  const { json, refresh, pass } = await signedIn(t, { lives: 86_400 }, { refresh_token_ttl: 2_592_000 })
  t.equal(json.refresh_token_expires_in, 3600)
  await pass(3000)
  const next = await refresh(json.refresh_token)
  t.ok(Number(next.json.refresh_token_expires_in) <= 600, 'nor does its use make it longer')
})

t.test('getting tokens does not let a preview live longer', async (t) => {
  const { preview, storage, refresh, json, pass } = await signedIn(t, { lives: 3600 })
  await pass(2000)
  t.equal((await refresh(json.refresh_token)).status, 200)
  t.equal((await readClient(storage, preview.client_id))?.lapses_at, preview.lapses_at)
})

t.test('made again, it keeps its id, and lives on', async (t) => {
  const { preview, made, pass, userinfo, storage, newToken, make, shown } = await signedIn(t, { lives: 600 })
  await changeClient(storage, preview.client_id, { set: { disabled: 'true' } })
  const next = await made({ lives: 3600 })
  t.match(next, { client_id: preview.client_id, renewed: true, state: 'disabled' })
  t.equal(await userinfo(), 401, 'who was disabled stays it')
  await changeClient(storage, preview.client_id, { set: {}, unset: ['disabled'] })
  await pass(700)
  t.match(await readClient(storage, preview.client_id), { lapses_at: next.lapses_at })
  t.equal(await userinfo(), 401, 'a token that ended with it is over')
  t.equal(await shown(), 'Sign in')
  const shorter = (await make({ lives: 300 }, 'shop', await newToken())).json as unknown as Made
  t.ok(shorter.lapses_at < next.lapses_at)
  await pass(301)
  t.equal(await shown(), 'Unknown application', 'sooner, too')
})

t.test('what its original may do no more, it may not do either, at once', async (t) => {
  const narrowed: [set: Record<string, string>, sees: RegExp | number][] = [
    [{ disabled: 'true' }, 401],
    [{ is_public: 'perhaps' }, 401],
    [{ preview_hosts: 'other.example.com' }, 401],
    [{ preview_hosts: '' }, 401],
    [{ redirect_uris: 'https://app.example.com/other' }, 401],
    [{ grant_types: 'urn:ietf:params:oauth:grant-type:device_code' }, 401],
    [{ allowed_groups: 'staff' }, 401],
    [{ grants_end_before: String(Date.now() + 60_000) }, 401],
  ]
  const { userinfo, storage } = await signedIn(t)
  for (const [set, status] of narrowed) {
    const former = (await readClient(storage, 'shop')) ?? {}
    await changeClient(storage, 'shop', { set })
    t.equal(await userinfo(), status, JSON.stringify(set))
    const unset = Object.keys(set).filter((name) => former[name] === undefined)
    await changeClient(storage, 'shop', { set: former, unset })
    t.equal(await userinfo(), 200)
  }
})

t.test('nor ask for a scope that its original lost, nor sign in who may not any more', async (t) => {
  const { preview, requestTo, visitor, storage, refresh, json } = await signedIn(t)
  await changeClient(storage, 'shop', { set: { allowed_scopes: 'openid' } })
  const answer = await visitor().open(requestTo(preview, { scope: 'openid profile' }))
  t.match('told' in answer && answer.told.get('error'), 'invalid_scope')
  const narrower = await refresh(json.refresh_token)
  t.match(narrower, { status: 200, json: { scope: 'openid' } })
  await changeClient(storage, 'shop', { set: { refresh_tokens: 'never' } })
  t.match(await refresh(narrower.json.refresh_token), { json: { error: 'unauthorized_client' } })
  await changeClient(storage, 'shop', { set: { required_acr: '9' } })
  const demanding = await visitor().open(requestTo(preview, { scope: 'openid' }))
  t.match('told' in demanding && demanding.told.get('error'), 'unmet_authentication_requirements')
})

t.test('a removed original takes its previews along, and the next one of its id has none', async (t) => {
  const { userinfo, preview, storage, call, tokenOf, pass, log } = await signedIn(t)
  const operator = { token: await tokenOf('redmint:read', 'redmint:write') }
  const { etag } = (await call('GET', '/clients/shop', operator)).headers
  await call('DELETE', '/clients/shop', { ...operator, headers: { 'if-match': String(etag) } })
  t.equal(await userinfo(), 401)
  t.equal(await readClient(storage, preview.client_id), undefined)
  t.ok(log.some((line) => line.includes('"client_removed"') && line.includes(preview.client_id)))
  await pass(3)
  const set = { preview_hosts: 'preview.example.com', preview_makers: 'ci' }
  await createClient(storage, 'shop', { ...formatClient(RELYING_PARTIES.shop), ...set })
  t.equal(await userinfo(), 401)
  t.strictSame((await call('GET', '/clients/shop/previews', operator)).json, { items: [] })
})

t.test('an original that is removed while a preview is made keeps none', async (t) => {
  const { storage, make, pass, call, tokenOf } = await previewScene(t)
  const operator = { token: await tokenOf('redmint:read', 'redmint:write') }
  const { etag } = (await call('GET', '/clients/shop', operator)).headers
  // Before the place is taken: the removal finds no preview.
  const happened = beforeWriteOf({ storage, now: Date.now, pass }, 'previews', async () => {
    await call('DELETE', '/clients/shop', { ...operator, headers: { 'if-match': String(etag) } })
  })
  t.equal((await make()).status, 403)
  t.ok(happened())
  for await (const { id } of storage.records.list({ name: 'client' })) t.notMatch(id, /^preview-/)
})

t.test('an original that is removed by hand ends them, too', async (t) => {
  const { userinfo, storage } = await signedIn(t)
  const { take } = storage.records
  await take.call(
    storage.records,
    { name: 'client', format: () => ({}), parse: () => ({ ok: true, record: {} }) },
    'shop',
  )
  t.equal(await userinfo(), 401)
})

t.test('nobody changes a preview: not what it may do, not where it leads, not when it ends', async (t) => {
  const { preview, call, tokenOf, storage } = await signedIn(t)
  const token = await tokenOf('redmint:read', 'redmint:write')
  const path = `/clients/${preview.client_id}`
  const before = await readClient(storage, preview.client_id)
  const send = async (method: string, way: string, body: object) => {
    const { etag } = (await call('GET', path, { token })).headers
    const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
    return call(method, way, { token, body, headers: { 'if-match': String(etag), ...type } })
  }
  for (const body of [
    { lapses_at: '2100-01-01T00:00:00.000Z' },
    { lapses_at: null },
    { preview_of: null },
    { preview_of: 'own' },
    { redirect_uris: [REDIRECT_URI] },
    { redirect_uris: [previewUri('pr-13')] },
    { first_party: true },
    { is_public: false },
    { allowed_scopes: ['api.read'] },
    { refresh_token_ttl: 31_622_400 },
    { exchange_mode: 'delegate' },
    { client_name: 'The Shop' },
  ]) {
    const answer = await send('PATCH', path, body)
    t.ok([409, 422].includes(answer.status), JSON.stringify(body))
  }
  const whole = { is_public: true, redirect_uris: [REDIRECT_URI], grant_types: ['authorization_code'] }
  for (const body of [whole, { ...whole, managed_by: 'team' }]) {
    const { status } = await send('PUT', path, body)
    t.equal(status, 409)
  }
  t.ok([409, 422].includes((await send('POST', `${path}/secrets`, {})).status))
  t.strictSame(await readClient(storage, preview.client_id), before)
})

t.test('a record that says more than a preview may be is refused, by whomever it was written', async (t) => {
  const { preview, storage, userinfo, shown } = await signedIn(t)
  const former = (await readClient(storage, preview.client_id)) ?? {}
  const written: Record<string, string>[] = [
    { first_party: 'true' },
    { can_introspect: 'true' },
    { exchange_mode: 'delegate' },
    { redirect_uris: REDIRECT_URI },
    { redirect_uris: `${previewUri()} ${previewUri('pr-13')}` },
    { redirect_uris: 'http://pr-12.preview.example.com/callback' },
    { refresh_token_ttl: '3601' },
    { grant_types: 'authorization_code urn:ietf:params:oauth:grant-type:device_code' },
    { allowed_scopes: 'openid redmint:users:read' },
    { preview_of: newPreviewId() },
    { preview_of: preview.client_id },
    { preview_of: 'nobody' },
    { preview_of: '' },
    { lapses_at: '' },
    { lapses_at: '2026-01-01T00:00:00.000Z' },
    { registered_at: '2026-01-01T00:00:00.000Z' },
    { preview_hosts: 'preview.example.com' },
    { managed_by: 'team' },
    { sector_identifier: 'app.example.com' },
    { is_public: 'false', client_secret_hash: `${'a'.repeat(43)}=` },
    { registration_token_hash: `${'a'.repeat(43)}=` },
    { demo: 'true' },
    { preview_makers: 'ci' },
    { backchannel_logout_uri: 'https://pr-12.preview.example.com/logout' },
    { forward_auth_hosts: 'pr-12.preview.example.com' },
    { jwks_uri: 'https://pr-12.preview.example.com/keys' },
    { redirect_uris: 'https://pr-12.preview.example.com/other' },
    { redirect_uris: 'https://pr-12.evil.example/callback' },
  ]
  for (const set of written) {
    await changeClient(storage, preview.client_id, { set })
    t.equal(await userinfo(), 401, JSON.stringify(set))
    t.equal(await shown(), 'Unknown application')
    const unset = Object.keys(set).filter((name) => former[name] === undefined)
    await changeClient(storage, preview.client_id, { set: former, unset })
  }
  t.equal(await userinfo(), 200)
  t.equal(await shown(), 'Sign in')
})
