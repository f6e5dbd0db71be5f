// Identity assertions for other servers (draft-ietf-oauth-identity-assertion-authz-grant-04 §4.3): who gets one, and what it
// says.

import { decodeJwt, decodeProtectedHeader } from 'jose'
import t from 'tap'
import { APPLICATION } from '../../../../src/applications/application-record.ts'
import { TOKEN_TYPE } from '../../../../src/core/token-types.ts'
import { SESSION } from '../../../../src/sessions/session-record.ts'
import { detailsOf, PAYMENT, storePayments } from '../../../support/details.ts'
import { makeDpopKey } from '../../../support/dpop.ts'
import { dpopClient } from '../../../support/dpop-client.ts'
import { AGENT, askAs, CHAT, CHAT_API, OF_REFRESH, startIssuing } from '../../../support/identity.ts'
import { changeClient } from '../../../support/records.ts'
import { signInAndAgree } from '../../../support/scene/requests.ts'
import { basic, codeRequest, ISSUER } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const OFFLINE = 'openid offline_access'

t.test('an agent gets an assertion about the person who signed in to it', async (t) => {
  const service = await startIssuing(t)
  const { id_token } = await service.signInTo(service.visitor())
  const { status, json, headers } = await askAs(service, 'agent', id_token)
  t.equal(status, 200)
  t.equal(headers['cache-control'], 'no-store')
  const { access_token, expires_in, ...answer } = json
  t.strictSame(answer, {
    issued_token_type: TOKEN_TYPE.id_jag,
    token_type: 'N_A',
    scope: 'chat.read chat.write',
  })
  const assertion = String(access_token)
  t.match(decodeProtectedHeader(assertion), { typ: 'oauth-id-jag+jwt', alg: 'RS256', kid: String })
  const { jti, iat, exp, auth_time, acr, amr, ...claims } = decodeJwt(assertion)
  t.strictSame(claims, {
    iss: ISSUER,
    sub: 'sub-of-alice',
    aud: CHAT,
    client_id: 'agent-there',
    resource: CHAT_API,
    scope: 'chat.read chat.write',
  })
  t.match({ jti, auth_time, acr, amr }, { jti: String, auth_time: Number, acr: String, amr: ['pwd'] })
  t.equal(Number(exp) - Number(iat), expires_in)
  t.ok(Number(expires_in) <= 300)
  t.equal(service.happened('assertion_issued', 'alice'), 1)
  const again = decodeJwt(String((await askAs(service, 'agent', id_token)).json.access_token))
  t.not(again.jti, jti, 'each has a jti of its own')
})

t.test('the assertion is no access token of this server', async (t) => {
  const service = await startIssuing(t)
  const { id_token } = await service.signInTo(service.visitor())
  const assertion = String((await askAs(service, 'agent', id_token)).json.access_token)
  const { status } = await service.get('/userinfo', { authorization: `Bearer ${assertion}` })
  t.equal(status, 401)
  const chained = await askAs(service, 'agent', assertion)
  t.match(chained.json, { error: 'invalid_request' }, 'T7: it is no id_token either')
})

t.test('a refresh token gets one, and stays as it is', async (t) => {
  const service = await startIssuing(t)
  const visitor = service.visitor()
  const { refresh_token } = await service.signInTo(visitor, 'agent', OFFLINE)
  for (const _ of [1, 2]) t.equal((await askAs(service, 'agent', refresh_token, OF_REFRESH)).status, 200)
  const form = { grant_type: 'refresh_token', refresh_token }
  const refreshed = await service.token(form, basic('agent'))
  t.equal(refreshed.status, 200, 'it was not spent')
  t.match((await askAs(service, 'agent', refresh_token, OF_REFRESH)).json, {
    error: 'invalid_request',
    refresh_token: undefined,
  })
  const next = String(refreshed.json.refresh_token)
  t.equal((await askAs(service, 'agent', next, OF_REFRESH)).status, 200, 'a spent one ended nothing')
  await service.post('/oauth2/revoke', { token: next }, basic('agent'))
  t.match((await askAs(service, 'agent', next, OF_REFRESH)).json, { error: 'invalid_request' })
})

t.test('T14: the audience is exactly one record that names the client', async (t) => {
  const service = await startIssuing(t)
  const { id_token } = await service.signInTo(service.visitor())
  const own_record = { clients: 'agent', resources: CHAT_API }
  await service.storage.records.put({ kind: APPLICATION, id: ISSUER, hash: own_record })
  const others = [`${CHAT}/`, 'https://CHAT.example', 'https://chat.example:443', `${CHAT}/tenant`, ISSUER]
  for (const audience of [...others, 'urn:example:chat', `${CHAT} ${CHAT}`, 'https://unknown.example'])
    t.match(
      (await askAs(service, 'agent', id_token, { audience })).json,
      { error: 'invalid_target' },
      audience,
    )
  t.match((await askAs(service, 'agent', id_token, { audience: undefined })).json, {
    error: 'invalid_request',
  })
  const body = new URLSearchParams({ subject_token: id_token, subject_token_type: TOKEN_TYPE.id_token })
  const twice = `grant_type=${encodeURIComponent('urn:ietf:params:oauth:grant-type:token-exchange')}&${body}&requested_token_type=${TOKEN_TYPE.id_jag}&resource=${CHAT_API}&audience=${CHAT}&audience=${ISSUER}`
  const { json } = await service.request({
    method: 'POST',
    url: '/oauth2/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...basic('agent') },
    payload: twice,
  })
  t.match(json, { error: 'invalid_request' })
  const own = await service.signInTo(service.visitor(), 'other')
  t.match((await askAs(service, 'other', own.id_token)).json, { error: 'invalid_target' }, 'another client')
  await service.keep({ disabled: true })
  t.match((await askAs(service, 'agent', id_token)).json, { error: 'invalid_target' }, 'a disabled record')
})

t.test('resource and scope are within the record', async (t) => {
  const service = await startIssuing(t)
  const { id_token } = await service.signInTo(service.visitor())
  const ask = async (given: Record<string, string | undefined>) =>
    (await askAs(service, 'agent', id_token, given)).json
  for (const resource of [undefined, 'https://api.chat.example', `${CHAT_API}/more`, 'nothing'])
    t.match(await ask({ resource }), { error: 'invalid_target' }, String(resource))
  t.match(await ask({ scope: 'chat.read' }), { scope: 'chat.read' })
  t.match(await ask({ scope: 'chat.read admin' }), { error: 'invalid_scope' })
  await service.keep({ scopes: [] })
  const { scope, access_token } = await ask({})
  t.equal(scope, '')
  t.notOk('scope' in decodeJwt(String(access_token)))
})

t.test('T15: an id_token counts for its client, until it expires, while its session lives', async (t) => {
  const service = await startIssuing(t, { id_token_ttl: 600 })
  const refused = async (id_token: string, name: string, client = 'agent') =>
    t.match((await askAs(service, client, id_token)).json, { error: 'invalid_request' }, name)
  const own = await service.signInTo(service.visitor(), 'other')
  await refused(own.id_token, 'one of another client')
  const visitor = service.visitor()
  const { id_token } = await service.signInTo(visitor)
  const [header = '', , signature = ''] = id_token.split('.')
  const forged = { ...decodeJwt(id_token), at_hash: decodeJwt(own.id_token).at_hash }
  const payload = Buffer.from(JSON.stringify(forged)).toString('base64url')
  await refused(`${header}.${payload}.${signature}`, 'the at_hash of another one')
  await refused(id_token.replace(/\.[^.]*$/, '.'), 'without a signature')
  t.equal((await askAs(service, 'agent', id_token)).status, 200)
  await service.passWithKeys(610)
  await refused(id_token, 'expired')
  const next = await service.signInTo(service.visitor())
  t.equal((await askAs(service, 'agent', next.id_token)).status, 200)
  await service.setFields('alice', { disabled: 'true' })
  await until(
    'the account ends it',
    async () => (await askAs(service, 'agent', next.id_token)).status === 400,
  )
})

t.test('T15: a sign-out ends it, and offline access goes on by the refresh token', async (t) => {
  const service = await startIssuing(t)
  const visitor = service.visitor()
  const { id_token, refresh_token } = await service.signInTo(visitor, 'agent', OFFLINE)
  t.equal((await askAs(service, 'agent', id_token)).status, 200)
  await service.storage.records.forget(SESSION, () => true)
  t.match((await askAs(service, 'agent', id_token)).json, { error: 'invalid_request' })
  t.equal((await askAs(service, 'agent', refresh_token, OF_REFRESH)).status, 200)
})

t.test('T15: an id_token of a client that could not exchange it names no sign-in', async (t) => {
  const service = await startIssuing(t)
  await changeClient(service.storage, 'agent', { set: { grant_types: 'authorization_code' } })
  const { id_token } = await service.signInTo(service.visitor())
  t.notOk('jti' in decodeJwt(id_token))
  await changeClient(service.storage, 'agent', { set: { grant_types: AGENT.grant_types.join(' ') } })
  await until('the client may exchange', async () => {
    const { json } = await askAs(service, 'agent', id_token)
    return json.error === 'invalid_request'
  })
})

t.test('T16: a public client gets none', async (t) => {
  const service = await startIssuing(t)
  const { id_token } = await service.signInTo(service.visitor())
  await changeClient(service.storage, 'agent', {
    set: { is_public: 'true' },
    unset: ['client_secret_hash'],
  })
  await until('the client is public', async () => {
    const { token } = service
    const form = { client_id: 'agent', subject_token: id_token, subject_token_type: TOKEN_TYPE.id_token }
    const asked = { requested_token_type: TOKEN_TYPE.id_jag, audience: CHAT, resource: CHAT_API }
    const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange'
    return (await token({ grant_type, ...form, ...asked })).json.error === 'unauthorized_client'
  })
})

t.test('a refresh token of another client, an access token and an actor are refused', async (t) => {
  const service = await startIssuing(t)
  const own = await service.signInTo(service.visitor(), 'other', OFFLINE)
  const { id_token, access_token, refresh_token } = await service.signInTo(
    service.visitor(),
    'agent',
    OFFLINE,
  )
  const rows: [token: string, given: Record<string, string | undefined>][] = [
    [own.refresh_token, OF_REFRESH],
    [access_token, {}],
    [access_token, OF_REFRESH],
    [access_token, { subject_token_type: TOKEN_TYPE.access_token }],
    [id_token, OF_REFRESH],
    [refresh_token, {}],
    [id_token, { actor_token: access_token, actor_token_type: TOKEN_TYPE.access_token }],
    [id_token, { actor_token_type: TOKEN_TYPE.access_token }],
    [id_token, { subject_token_type: TOKEN_TYPE.jwt }],
    [id_token, { subject_token: undefined }],
  ]
  for (const [token, given] of rows)
    t.match((await askAs(service, 'agent', token, given)).json, { error: 'invalid_request' })
  t.equal((await askAs(service, 'agent', id_token)).status, 200)
})

t.test('the groups of the record and the acr of the client decide about whom', async (t) => {
  const service = await startIssuing(t, { people: { alice: { 'claim:groups': '["chat"]' } } })
  const alice = await service.signInTo(service.visitor())
  const bob = await service.signInTo(service.visitor(), 'agent', 'openid', 'bob')
  await service.keep({ allowed_groups: ['chat'] })
  await until('only the group', async () => (await askAs(service, 'agent', bob.id_token)).status === 400)
  t.equal((await askAs(service, 'agent', alice.id_token)).status, 200)
  await changeClient(service.storage, 'agent', { set: { required_acr: 'urn:redmint:acr:mfa' } })
  await until('too weak', async () => (await askAs(service, 'agent', alice.id_token)).status === 400)
})

t.test(
  'people are named as the other server knows them, and by e-mail only if the record says so',
  async (t) => {
    const sso = {
      ...AGENT,
      client_id: 'chat-sso',
      subject_type: 'pairwise',
      sector_identifier: 'chat.example',
    } as const
    const service = await startIssuing(t, {
      clients: [sso],
      pairwise_salt: 'a salt of at least sixteen characters',
      record: { subject_of: 'chat-sso', says_email: true, assertion_signing_alg: 'ES256' },
    })
    const visitor = service.visitor()
    const there = decodeJwt((await service.signInTo(visitor, 'chat-sso')).id_token)
    const { id_token } = await service.signInTo(service.visitor())
    const assertion = String((await askAs(service, 'agent', id_token)).json.access_token)
    t.match(decodeJwt(assertion), { sub: there.sub, email: 'alice@example.com', email_verified: true })
    t.not(there.sub, 'sub-of-alice')
    t.equal(decodeProtectedHeader(assertion).alg, 'ES256')
    const bob = await service.signInTo(service.visitor(), 'agent', 'openid', 'bob')
    const of_bob = decodeJwt(String((await askAs(service, 'agent', bob.id_token)).json.access_token))
    t.notOk('email' in of_bob, 'an address that is not verified is not said')
    await changeClient(service.storage, 'chat-sso', { set: { disabled: 'true' } })
    await until(
      'nobody is named otherwise',
      async () => (await askAs(service, 'agent', id_token)).status === 500,
    )
  },
)

t.test('a proof binds the assertion to its key, and counts once', async (t) => {
  const service = await startIssuing(t)
  const { id_token } = await service.signInTo(service.visitor())
  const key = makeDpopKey()
  const { proof } = dpopClient(service, { key })
  const dpop = proof('/oauth2/token')
  const { status, json } = await askAs(service, 'agent', id_token, {}, { dpop })
  t.match({ status, json }, { status: 200, json: { token_type: 'N_A' } })
  t.strictSame(decodeJwt(String(json.access_token)).cnf, { jkt: key.jkt })
  t.match((await askAs(service, 'agent', id_token, {}, { dpop })).json, { error: 'invalid_dpop_proof' })
  t.notOk('cnf' in decodeJwt(String((await askAs(service, 'agent', id_token)).json.access_token)))
})

t.test('the assertion ends no later than what it comes from', async (t) => {
  const service = await startIssuing(t, { id_token_ttl: 600 })
  const { id_token } = await service.signInTo(service.visitor())
  await service.passWithKeys(500)
  const { json } = await askAs(service, 'agent', id_token)
  const { exp } = decodeJwt(String(json.access_token))
  t.equal(exp, decodeJwt(id_token).exp)
  t.ok(Number(json.expires_in) <= 100)
})

t.test(
  'details are those that the person allowed, or fewer, and none unless they are asked for',
  async (t) => {
    const service = await startIssuing(t)
    await storePayments(service.storage, {}, ['agent'])
    const asked = { authorization_details: detailsOf() }
    const { id_token } = await service.signInTo(service.visitor(), 'agent', 'openid', 'alice', asked)
    const { json } = await askAs(service, 'agent', id_token, asked)
    t.match(json, { authorization_details: [PAYMENT], token_type: 'N_A' })
    t.match(decodeJwt(String(json.access_token)), { authorization_details: [PAYMENT] })
    const more = detailsOf({ ...PAYMENT, amount: 13 })
    t.match((await askAs(service, 'agent', id_token, { authorization_details: more })).json, {
      error: 'invalid_authorization_details',
    })
    const none = await askAs(service, 'agent', id_token)
    t.notOk('authorization_details' in none.json)
    t.notOk('authorization_details' in decodeJwt(String(none.json.access_token)))
  },
)

t.test(
  'T15: an end that comes while it is judged counts, and so does one of the whole sign-in',
  async (t) => {
    const service = await startIssuing(t)
    const { families } = service.storage
    const present = families.presentToken.bind(families)
    for (const scope of ['openid', OFFLINE]) {
      const { id_token, refresh_token } = await service.signInTo(service.visitor(), 'agent', scope)
      const [token, given] = scope === OFFLINE ? [refresh_token, OF_REFRESH] : [id_token, {}]
      const family = String(decodeJwt(id_token).jti).slice(0, 16)
      families.presentToken = async (...args) => {
        await families.revokeFamily(family)
        return await present(...args)
      }
      t.match((await askAs(service, 'agent', token, given)).json, {
        error: 'invalid_request',
        error_description: /while it was exchanged/,
      })
      families.presentToken = present
      const ended = await askAs(service, 'agent', token, given)
      t.match(ended.json, { error: 'invalid_request', access_token: undefined })
    }
    t.equal(service.happened('assertion_issued'), 0)
  },
)

t.test('a refresh token counts as at a refresh: by the field of the client, and by its key', async (t) => {
  const service = await startIssuing(t)
  const { refresh_token } = await service.signInTo(service.visitor())
  const answer = async (given = {}) => (await askAs(service, 'agent', refresh_token, OF_REFRESH, given)).json
  t.match(await answer(), { token_type: 'N_A' })
  for (const [refresh_tokens, error] of [
    ['offline_access', 'invalid_request'],
    ['never', 'unauthorized_client'],
  ] as const) {
    await changeClient(service.storage, 'agent', { set: { refresh_tokens } })
    await until(refresh_tokens, async () => (await answer()).error === error)
  }
  const { client_secret_hash } = AGENT
  const is_public = { is_public: 'true', refresh_tokens: 'always' }
  await changeClient(service.storage, 'agent', { set: is_public, unset: ['client_secret_hash'] })
  const bound = dpopClient(service)
  const { told } = await signInAndAgree(service.visitor(), { client_id: 'agent', scope: 'openid' })
  const code = codeRequest(told.get('code') ?? '', { client_id: 'agent' })
  const { json } = await bound.token(code)
  t.equal(json.token_type, 'DPoP')
  await changeClient(service.storage, 'agent', { set: { is_public: 'false', client_secret_hash } })
  const ask = async (headers = {}) =>
    (await askAs(service, 'agent', String(json.refresh_token), OF_REFRESH, headers)).json
  await until('the client has a secret', async () => (await ask()).error === 'invalid_request')
  t.match(await ask({ dpop: dpopClient(service).proof('/oauth2/token') }), { error: 'invalid_request' })
  t.match(await ask({ dpop: bound.proof('/oauth2/token') }), { token_type: 'N_A' })
})
