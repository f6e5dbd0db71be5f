import { createHash } from 'node:crypto'
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose'
import { VERIFIED_ALGS } from '../../../../src/core/algs.ts'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { ACCEPTED, accepts, failing, inUse, refused, unavailable } from '../../../support/expect.ts'
import { type ClientName, forEachService, pass, type Tokens, tokensOf } from '../../../support/lifecycle.ts'
import { changeClient } from '../../../support/records.ts'
import { basic, bearer, ISSUER } from '../../../support/service.ts'

forEachService('a refresh replaces the refresh token by a successor', async (t, start) => {
  const service = await start()
  for (const client of ['app', 'web', 'public-fixed'] as ClientName[]) {
    let tokens = await service.signIn(client)
    const seen: Tokens[] = [tokens]
    for (let round = 0; round < 3; round++) {
      const answer = await service.refresh(client, tokens.refresh_token)
      t.match(answer.headers, { 'cache-control': 'no-store', pragma: 'no-cache' })
      t.strictSame(Object.keys(answer.json).sort(), [
        'access_token',
        'expires_in',
        'id_token',
        'refresh_token',
        'refresh_token_expires_in',
        'scope',
        'token_type',
      ])
      t.match(answer.json, { token_type: 'Bearer', expires_in: 900, scope: 'openid api.read' })
      tokens = tokensOf(answer)
      seen.push(tokens)
    }
    t.equal(new Set(seen.flatMap(({ access_token, refresh_token }) => [access_token, refresh_token])).size, 8)
    for (const { access_token } of seen) t.strictSame(await accepts(service, access_token), ACCEPTED, client)
    const refresh_tokens = seen.map(({ refresh_token }) => refresh_token)
    t.strictSame(await inUse(service, refresh_tokens), [tokens.refresh_token], 'one of them is in use')
  }
})

forEachService(
  'a confidential client may keep its refresh token (refresh_token_rotation=false)',
  async (t, start) => {
    const service = await start({ refresh_retry_window: 0 })
    const { refresh_token } = await service.signIn('fixed')
    for (let round = 0; round < 3; round++) {
      const tokens = tokensOf(await service.refresh('fixed', refresh_token))
      t.equal(tokens.refresh_token, refresh_token)
      t.strictSame(await accepts(service, tokens.access_token), ACCEPTED)
    }
    const all = Array.from({ length: 10 }, () => service.refresh('fixed', refresh_token))
    for (const answer of await Promise.all(all)) t.equal(answer.json.refresh_token, refresh_token)
    t.strictSame(await inUse(service, [refresh_token]), [refresh_token])

    await changeClient(service.storage, 'fixed', { set: { refresh_token_rotation: 'true' }, unset: [] })
    const rotated = async () =>
      tokensOf(await service.refresh('fixed', refresh_token)).refresh_token !== refresh_token
    await pass(service, 0, rotated)
    refused(
      t,
      await service.refresh('fixed', refresh_token),
      'after rotation is switched on, it is spent like any other',
    )
  },
)

forEachService('another client can neither use nor spend a refresh token', async (t, start) => {
  const service = await start()
  const { post } = service
  for (const client of ['app', 'web', 'fixed'] as ClientName[]) {
    const { refresh_token, access_token } = await service.signIn(client)
    const attempts = async (when: string) => {
      for (const other of ['app', 'web', 'fixed', 'public-fixed'] as ClientName[]) {
        if (other === client) continue
        refused(t, await service.refresh(other, refresh_token), `${other}, ${when}`)
        refused(t, await service.refresh(other, refresh_token, { scope: 'more' }), `${other}, ${when}`)
      }
      const form = { grant_type: 'refresh_token', refresh_token }
      for (const [who, fields, headers] of [
        ['nobody', {}, {}],
        ['an unknown client', { client_id: 'nobody' }, {}],
        ['a wrong secret', {}, basic('web', 'wrong')],
        ['a confidential client without its secret', { client_id: 'web' }, {}],
        ['a public client with a secret', { client_id: 'app', client_secret: 'x' }, {}],
      ] as const) {
        const { status, json } = await post('/oauth2/token', { ...form, ...fields }, headers)
        t.strictSame([status, json.error], [401, 'invalid_client'], `${who}, ${when}`)
      }
      const { status, json } = await service.refresh('service', refresh_token)
      t.strictSame([status, json.error], [400, 'unauthorized_client'], 'no user signs in there')
    }
    await attempts('in use')
    t.strictSame(await inUse(service, [refresh_token]), [refresh_token])
    const next = tokensOf(await service.refresh(client, refresh_token))
    await attempts('spent')
    t.strictSame(await inUse(service, [next.refresh_token]), [next.refresh_token], 'not revoked')
    t.strictSame(await accepts(service, access_token), ACCEPTED)
  }
})

forEachService('a refresh may narrow the scope, never widen it (RFC 6749 §6)', async (t, start) => {
  const service = await start()
  const { refresh, storage } = service
  let { refresh_token } = await service.signIn('app', 'openid api.read')
  for (const scope of ['api.write', 'openid api.read api.write', 'API.READ', 'api', '"', 'openid,api.read']) {
    const { status, json } = await refresh('app', refresh_token, { scope })
    t.strictSame([status, json.error], [400, 'invalid_scope'], scope)
  }
  t.strictSame(await inUse(service, [refresh_token]), [refresh_token], 'the refused requests spent nothing')

  for (const [scope, granted, id_token] of [
    ['api.read', 'api.read', false],
    ['', 'openid api.read', true],
    ['  openid  ', 'openid', true],
    ['api.read openid', 'api.read openid', true],
    ['openid openid', 'openid', true],
  ] as const) {
    const answer = await refresh('app', refresh_token, { scope })
    t.strictSame([answer.status, answer.json.scope], [200, granted], `"${scope}"`)
    t.equal('id_token' in answer.json, id_token, 'an id_token if openid is granted')
    refresh_token = tokensOf(answer).refresh_token
    const introspected = await service.introspect('gateway', tokensOf(answer).access_token)
    t.equal(introspected.json.scope, granted, 'the access token has exactly this scope')
    t.equal((await service.storage.families.findToken(refresh_token))?.scope, 'openid api.read')
  }

  const narrow = tokensOf(await refresh('app', refresh_token, { scope: 'api.read' }))
  t.equal((await service.get('/userinfo', bearer(narrow.access_token))).status, 403)
  refresh_token = narrow.refresh_token
  await changeClient(storage, 'app', { set: { allowed_scopes: 'openid api.write' }, unset: [] })
  await pass(service, 0, async () => {
    const answer = await refresh('app', refresh_token)
    refresh_token = tokensOf(answer).refresh_token
    return answer.json.scope === 'openid'
  })
  t.equal(
    (await refresh('app', refresh_token, { scope: 'api.read' })).json.scope,
    '',
    'a scope that the client may no longer have',
  )
})

forEachService(
  'a refreshed id_token keeps sub, aud and auth_time, without nonce (OIDC Core §12.2)',
  async (t, start) => {
    const service = await start()
    const keys = createLocalJWKSet(
      (await service.get('/.well-known/jwks.json')).json as unknown as JSONWebKeySet,
    )
    for (const client of ['app', 'web', 'fixed'] as ClientName[]) {
      const tokens = await service.signIn(client)
      const before = decodeJwt(tokens.id_token)
      t.equal(before.nonce, 'a nonce')
      let answer = await service.refresh(client, tokens.refresh_token)
      await pass(service, 50, async () => {
        answer = await service.refresh(client, tokensOf(answer).refresh_token)
        return Number(decodeJwt(tokensOf(answer).id_token).iat) > Number(before.iat)
      })
      const { access_token, id_token } = tokensOf(answer)
      const currentDate = new Date(Number(decodeJwt(id_token).iat) * 1000)
      const { payload } = await jwtVerify(id_token, keys, { issuer: ISSUER, audience: client, currentDate })
      const { sub, aud, auth_time } = before
      t.match(payload, { sub, aud, auth_time, iss: ISSUER })
      t.notOk('nonce' in payload, 'OpenID Connect Core §12.2')
      t.equal(Number(payload.exp) - Number(payload.iat), 900)
      const digest = createHash('sha256').update(access_token).digest().subarray(0, 16)
      t.equal(payload.at_hash, digest.toString('base64url'))
      if (service.advance) t.equal(Number(payload.iat) - Number(before.iat), 50)
    }
  },
)

forEachService('everything except a refresh token of this server is refused', async (t, start) => {
  const service = await start()
  const { post } = service
  const code = await service.codeFor('app')
  const { access_token, id_token, refresh_token } = await service.signIn()
  const unknown = newToken(newFamilyId())
  const sibling = newToken(refresh_token.slice(0, 16))
  const spelled = [`${refresh_token}=`, ` ${refresh_token}`, `{${refresh_token}}`, '__proto__', '*']
  for (const token of [access_token, id_token, code, unknown, sibling, ...spelled]) {
    refused(t, await service.refresh('app', token), token.slice(17, 20))
  }
  const form = { grant_type: 'refresh_token', client_id: 'app' }
  for (const fields of [{}, { refresh_token: '' }]) {
    const { status, json } = await post('/oauth2/token', { ...form, ...fields })
    t.strictSame([status, json.error], [400, 'invalid_request'])
  }
  t.strictSame(await inUse(service, [refresh_token]), [refresh_token])
})

forEachService('a refresh token is not accepted as bearer token', async (t, start) => {
  const service = await start()
  const { refresh_token } = await service.signIn()
  const { refresh_token: next } = tokensOf(await service.refresh('app', refresh_token))
  for (const token of [refresh_token, next]) {
    for (const path of ['/api/resource', '/userinfo']) {
      const { status, headers } = await service.get(path, bearer(token))
      t.equal(status, 401)
      t.match(headers['www-authenticate'], /^Bearer .*error="invalid_token"/)
    }
  }
})

forEachService(
  'a client without the grant refresh_token can neither get nor use a refresh token',
  async (t, start) => {
    const service = await start()
    const { refresh_token } = await service.signIn('web')
    await changeClient(service.storage, 'web', { set: { grant_types: 'client_credentials' }, unset: [] })
    await pass(
      service,
      0,
      async () =>
        (await service.refresh('web', newToken(newFamilyId()))).json.error === 'unauthorized_client',
    )
    const { status, json } = await service.refresh('web', refresh_token)
    t.strictSame([status, json.error], [400, 'unauthorized_client'])
    await changeClient(service.storage, 'web', { set: { grant_types: 'authorization_code' }, unset: [] })
    await pass(service, 0, async () => (await service.refresh('web', refresh_token)).status === 200)
  },
)

forEachService(
  'a refresh while storage is unavailable is 503, never invalid_grant',
  async (t, start, place) => {
    const control = failing(place.open(t))
    const service = await start({ storage: control.storage })
    const { refresh_token } = await service.signIn()
    control.fault = 'before'
    unavailable(t, await service.refresh('app', refresh_token), 'a valid token')
    unavailable(t, await service.refresh('app', newToken(newFamilyId())), 'an unknown token')
    delete control.fault
    t.equal((await service.refresh('app', refresh_token)).status, 200)
  },
)

const METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']

forEachService('the metadata names the grant type and the endpoints', async (t, start) => {
  const { get } = await start()
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
    t.match((await get(path)).json, {
      grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
      revocation_endpoint: `${ISSUER}/oauth2/revoke`,
      introspection_endpoint: `${ISSUER}/oauth2/introspect`,
      revocation_endpoint_auth_methods_supported: [...METHODS, 'none'],
      revocation_endpoint_auth_signing_alg_values_supported: VERIFIED_ALGS,
      introspection_endpoint_auth_methods_supported: METHODS,
      introspection_endpoint_auth_signing_alg_values_supported: VERIFIED_ALGS,
    })
  }
})
