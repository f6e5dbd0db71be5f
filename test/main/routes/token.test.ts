import t from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { supportedGrantTypes } from '../../../src/grants/handlers.ts'
import { forEachService } from '../../support/matrix.ts'
import { createClient } from '../../support/records.ts'
import {
  basic,
  CLIENTS,
  codeRequest,
  REDIRECT_URI,
  SECRET,
  startService,
  VERIFIER,
} from '../../support/service.ts'

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/
const OPAQUE = /^[\w-]{16}\.[\w-]{43}$/
const SERVICE = { grant_type: 'client_credentials', client_id: 'service', client_secret: SECRET }

forEachService(t, 'the token response of the authorization code grant', async (t, start, format) => {
  const { code, token } = await start()
  const { status, headers, json } = await token(codeRequest(await code()))

  t.equal(status, 200)
  t.same(
    Object.keys(json).sort(),
    [
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'refresh_token_expires_in',
      'scope',
      'token_type',
    ],
    'exactly the fields of the token response',
  )
  t.match(json.access_token, format === 'jwt' ? JWT : OPAQUE)
  t.equal(json.token_type, 'Bearer')
  t.equal(json.expires_in, 900)
  t.match(json.refresh_token, OPAQUE)
  t.match(json.id_token, JWT)
  t.equal(json.scope, 'openid api.read')
  t.match(headers['content-type'], /^application\/json/)
  t.equal(headers['cache-control'], 'no-store')
  t.equal(headers.pragma, 'no-cache')
})

forEachService(t, 'id_token only with the scope openid, refresh_token in any case', async (t, start) => {
  const { code, token } = await start()
  const { json } = await token(codeRequest(await code({ scope: 'api.read' })))
  t.equal(json.scope, 'api.read')
  t.match(json.refresh_token, OPAQUE)
  t.notOk(Object.hasOwn(json, 'id_token'))
})

t.test('a missing or unknown grant_type is refused', async (t) => {
  const { code, token } = await startService(t)
  const refused: [grant_type: string | undefined, error: string][] = [
    [undefined, 'invalid_request'],
    ['', 'invalid_request'],
    ['password', 'unsupported_grant_type'],
    ['Authorization_Code', 'unsupported_grant_type'],
    ['authorization_code ', 'unsupported_grant_type'],
    ['urn:ietf:params:oauth:grant-type:saml2-bearer', 'unsupported_grant_type'],
    ['__proto__', 'unsupported_grant_type'],
    ['constructor', 'unsupported_grant_type'],
  ]
  for (const [grant_type, error] of refused) {
    const form = { ...codeRequest(await code()), ...SERVICE }
    if (grant_type === undefined) Reflect.deleteProperty(form, 'grant_type')
    else form.grant_type = grant_type
    const answer = await token(form)
    t.equal(answer.status, 400, `${grant_type}`)
    t.equal(answer.json.error, error)
    t.same(
      Object.keys(answer.json).sort(),
      ['error', 'error_description'],
      'error responses have the fields of RFC 6749 §5.2',
    )
    t.equal(answer.headers['cache-control'], 'no-store')
  }
  t.equal((await token(codeRequest(await code()))).status, 200, 'authorization_code')
  t.equal((await token(SERVICE)).status, 200, 'client_credentials')
})

const NEVER_ISSUED = `${'A'.repeat(16)}.${'A'.repeat(43)}`
const WRONG_PARAMETERS: [name: string, value: string, status: number, error: string][] = [
  ['code', '', 400, 'invalid_request'],
  ['code', 'nonsense', 400, 'invalid_grant'],
  ['code', NEVER_ISSUED, 400, 'invalid_grant'],
  ['redirect_uri', '', 400, 'invalid_request'],
  ['redirect_uri', `${REDIRECT_URI}/`, 400, 'invalid_grant'],
  ['redirect_uri', 'http://127.0.0.1/callback', 400, 'invalid_grant'],
  ['code_verifier', '', 400, 'invalid_grant'],
  ['code_verifier', 'a-code-verifier-of-forty-three-characters-or-less', 400, 'invalid_grant'],
  ['code_verifier', 'short', 400, 'invalid_grant'],
  ['client_id', '', 401, 'invalid_client'],
  ['client_id', 'nobody', 401, 'invalid_client'],
  ['client_id', 'web', 401, 'invalid_client'],
]

t.test('each parameter of the authorization_code grant: missing, empty, wrong', async (t) => {
  const { code, token } = await startService(t)
  const good = codeRequest(await code())
  for (const [name, value, status, error] of WRONG_PARAMETERS) {
    const answer = await token({ ...good, [name]: value })
    t.equal(answer.status, status, `${name}=${value}`)
    t.equal(answer.json.error, error)
    if (value === '') {
      const missing = Object.entries(good).filter(([other]) => other !== name)
      t.same(
        (await token(Object.fromEntries(missing))).json,
        answer.json,
        `missing ${name} is the same as empty`,
      )
    }
  }
  t.equal((await token(good)).status, 200, 'none of them spent the code')
})

t.test('no empty, zero or repeated secret or code_verifier passes a check', async (t) => {
  const { fastify, code, token } = await startService(t)
  const good = codeRequest(await code())
  const send = async (body: string) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return (await fastify.inject({ method: 'POST', url: '/oauth2/token', headers, payload: body })).statusCode
  }
  const bodies = (name: string, value: string, form: Record<string, string>) => {
    const { [name]: _, ...rest } = form
    const others = new URLSearchParams(rest).toString()
    return [
      ...['', '0', '[]', 'null', 'undefined', 'false', '%00'].map((wrong) => `${others}&${name}=${wrong}`),
      ...[`${name}=${value}&${name}=${value}`, `${name}=&${name}=${value}`, `${name}[]=${value}`, name].map(
        (wrong) => `${others}&${wrong}`,
      ),
    ]
  }
  for (const body of bodies('code_verifier', VERIFIER, good))
    t.match(String(await send(body)), /^40[01]$/, body)
  const own = { grant_type: 'client_credentials', client_id: 'service' }
  for (const body of bodies('client_secret', SECRET, own)) t.match(String(await send(body)), /^40[01]$/, body)
  t.equal(await send(new URLSearchParams({ ...own, client_secret: SECRET }).toString()), 200)
  t.equal((await token(good)).status, 200, 'none of them spent the code')
})

t.test('each grant without its own parameter is invalid_request (RFC 6749 §5.2)', async (t) => {
  const { token } = await startService(t, { trusted_issuers: true, ask_people: 'on' })
  const missing = {
    authorization_code: 'code',
    client_credentials: undefined,
    refresh_token: 'refresh_token',
    'urn:ietf:params:oauth:grant-type:device_code': 'device_code',
    'urn:openid:params:grant-type:ciba': 'auth_req_id',
    'urn:ietf:params:oauth:grant-type:jwt-bearer': 'assertion',
    'urn:ietf:params:oauth:grant-type:token-exchange': 'subject_token',
  }
  t.same(supportedGrantTypes({ trusted_issuers: true, ask_people: 'on' }).sort(), Object.keys(missing).sort())
  for (const [grant_type, name] of Object.entries(missing)) {
    const { status, json } = await token({ grant_type }, basic('service'))
    if (name === undefined) t.equal(status, 200, grant_type)
    else {
      t.match({ status, json }, { status: 400, json: { error: 'invalid_request' } }, grant_type)
      t.match(json.error_description, name)
    }
  }
})

t.test('a confidential client needs its secret to redeem a code', async (t) => {
  const { code, token } = await startService(t)
  const asWeb = async () => codeRequest(await code({ client_id: 'web' }), { client_id: 'web' })
  t.equal((await token({ ...(await asWeb()), client_secret: SECRET })).status, 200, 'in the body')
  t.equal((await token(await asWeb(), basic('web'))).status, 200, 'by Basic')
  const without = await token(await asWeb())
  t.equal(without.status, 401, 'PKCE does not replace the secret')
  t.equal(without.json.error, 'invalid_client')
})

t.test('a client may use only its registered grant types', async (t) => {
  const { storage, code, token } = await startService(t)
  const client_id = 'only-codes'
  const onlyCodes = { ...CLIENTS.web, client_id, grant_types: ['authorization_code'] as const }
  await createClient(storage, client_id, formatClient(onlyCodes))

  const credentials = await token({ grant_type: 'client_credentials' }, basic(client_id))
  t.equal(credentials.status, 400)
  t.equal(credentials.json.error, 'unauthorized_client')
  const redemption = await token(codeRequest(await code(), { client_id: 'service' }), basic('service'))
  t.equal(redemption.status, 400)
  t.equal(redemption.json.error, 'unauthorized_client')
  const owned = codeRequest(await code({ client_id }), { client_id })
  t.equal((await token(owned, basic(client_id))).status, 200)
})

t.test('only application/x-www-form-urlencoded bodies are accepted', async (t) => {
  const { fastify, token } = await startService(t)
  const post = (type: string, payload?: string, url = '/oauth2/token') =>
    fastify.inject({ method: 'POST', url, headers: { 'content-type': type }, ...(payload && { payload }) })
  const form = new URLSearchParams(SERVICE).toString()

  t.equal((await post('application/x-www-form-urlencoded; charset=UTF-8', form)).statusCode, 200)
  const inQuery = await post('application/x-www-form-urlencoded', '', `/oauth2/token?${form}`)
  t.equal(inQuery.statusCode, 400, 'parameters of the query string are ignored')
  t.equal((await post('application/x-www-form-urlencoded', '')).json().error, 'invalid_request')
  t.equal(
    (await token({ ...SERVICE, unknown: 'x', __proto__: 'x' })).status,
    200,
    'unknown parameters are ignored',
  )
})

t.test('the limit of the body size', async (t) => {
  const { fastify } = await startService(t)
  const post = (length: number) => {
    const form = `${new URLSearchParams(SERVICE)}&padding=`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return fastify.inject({
      method: 'POST',
      url: '/oauth2/token',
      headers,
      payload: form.padEnd(length, 'x'),
    })
  }
  t.equal((await post(65_535)).statusCode, 200)
  const tooLarge = await post(65_536)
  t.equal(tooLarge.statusCode, 413)
  t.equal(tooLarge.json().error, 'invalid_request')
})

t.test('the endpoint accepts POST only', async (t) => {
  const { fastify } = await startService(t)
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH'] as const) {
    const { statusCode, headers } = await fastify.inject({ method, url: '/oauth2/token' })
    t.equal(statusCode, 405, method)
    t.match(headers.allow, /\bPOST\b/)
  }
})

t.test('the lifetimes come from the configuration', async (t) => {
  const { code, token, storage } = await startService(t, { access_token_ttl: 77, refresh_token_ttl: 777 })
  const { json } = await token(codeRequest(await code()))
  t.equal(json.expires_in, 77)
  const { expires_at } = (await storage.families.findToken(String(json.refresh_token))) ?? {}
  const left = Date.parse(String(expires_at)) - Date.now()
  t.ok(left > 770_000 && left <= 777_000, `the refresh token lives for ${left} ms`)
  t.equal((await token(SERVICE)).json.expires_in, 77)
})
