import { decodeJwt } from 'jose'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { forEachService, type Lifecycle, type Start } from '../../../support/lifecycle.ts'
import { changeClient } from '../../../support/records.ts'
import { authorizationRequest, basic, bearer, codeRequest, ISSUER } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const ORDERS = 'https://orders.example/v1'
const BILLING = 'https://billing.example'
const OPEN = 'https://open.example/'
const MIXED = 'https://mixed.example/x'

/** Resources as an operator writes them by hand, by the URI in the key. */
const RECORDS = {
  [ORDERS]: { scopes: 'api.read' },
  [BILLING]: { scopes: 'api.write', access_token_format: 'jwt', access_token_ttl: '60' },
  [OPEN]: { resource_name: 'Open' },
  [MIXED]: { resource: 'https://MIXED.example/x' },
  'https://off.example/x': { disabled: 'true' },
  'https://broken.example/x': { access_token_ttl: 'long' },
  'https://Upper.example/x': { scopes: 'api.read' },
  'https://private.example/x': { scopes: 'nobody' },
}

async function startWithResources(start: Start): Promise<Lifecycle> {
  const service = await start()
  for (const [id, hash] of Object.entries(RECORDS))
    await service.storage.records.put({ kind: RESOURCE, id, hash })
  await changeClient(service.storage, 'web', { set: { allowed_scopes: 'openid api.read api.write' } })
  return service
}

/** Parameters, the values of `resource` each on its own. */
const query = (parameters: Record<string, string>, uris: readonly string[]) =>
  [String(new URLSearchParams(parameters)), ...uris.map((uri) => `resource=${encodeURIComponent(uri)}`)].join(
    '&',
  )

async function authorize({ get }: Lifecycle, uris: readonly string[], scope: string | undefined) {
  return (await get(`/oauth2/authorize?${query(authorizationRequest({ client_id: 'web', scope }), uris)}`))
    .redirect
}

async function send({ fastify }: Lifecycle, form: Record<string, string>, uris: readonly string[]) {
  const response = await fastify.inject({
    method: 'POST',
    url: '/oauth2/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...basic('web') },
    payload: query(form, uris),
  })
  return { status: response.statusCode, json: response.json() as Record<string, unknown> }
}

const redeem = (service: Lifecycle, code: string, ...uris: string[]) =>
  send(service, codeRequest(code, { client_id: 'web' }), uris)

/** Signs in for resources. Returns the code. */
async function codeFor(service: Lifecycle, uris: readonly string[], scope?: string): Promise<string> {
  return String((await authorize(service, uris, scope)).get('code'))
}

/** What an access token says of itself. */
async function factsOf(service: Lifecycle, token: unknown) {
  const { json } = await service.introspect('gateway', String(token))
  const { active, aud, scope } = json
  return { active, aud, scope }
}

forEachService(
  'each token is for one resource of the sign-in, with its part of the scope',
  async (t, start) => {
    const service = await startWithResources(start)
    const code = await codeFor(service, [ORDERS, `${BILLING}/`])
    const first = await redeem(service, code, ORDERS)
    t.match(first, { status: 200, json: { scope: 'openid api.read', expires_in: 900, id_token: String } })
    t.match(await factsOf(service, first.json.access_token), {
      active: true,
      aud: ORDERS,
      scope: 'openid api.read',
    })
    const form = { grant_type: 'refresh_token', refresh_token: String(first.json.refresh_token) }
    t.match(await send(service, form, []), { status: 400, json: { error: 'invalid_target' } })
    const second = await send(service, form, [BILLING])
    t.match(second, { status: 200, json: { scope: 'openid api.write', expires_in: 60, id_token: String } })
    t.match(decodeJwt(String(second.json.access_token)), { aud: BILLING, scope: 'openid api.write' })
    t.match(await factsOf(service, second.json.access_token), { active: true, aud: BILLING })
  },
)

forEachService(
  'the spelling of a resource does not matter, its audience is as registered',
  async (t, start) => {
    const service = await startWithResources(start)
    for (const [named, audience] of [
      ['https://open.example', OPEN],
      ['HTTPS://OPEN.example:443/', OPEN],
      [`${BILLING}/`, BILLING],
      ['https://mixed.example/x', 'https://MIXED.example/x'],
    ] as const) {
      const { status, json } = await redeem(service, await codeFor(service, [named]), named)
      t.equal(status, 200, named)
      t.equal((await factsOf(service, json.access_token)).aud, audience, named)
    }
  },
)

forEachService('a token request without resource is for the resource of the sign-in', async (t, start) => {
  const service = await startWithResources(start)
  const { json } = await redeem(service, await codeFor(service, [BILLING]))
  t.match(json, { scope: 'openid api.write', expires_in: 60 })
  t.equal(decodeJwt(String(json.access_token)).aud, BILLING)
  const refreshed = await send(
    service,
    { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) },
    [],
  )
  t.equal(decodeJwt(String(refreshed.json.access_token)).aud, BILLING)
})

forEachService('a wrong resource is invalid_target, and spends nothing', async (t, start) => {
  const service = await startWithResources(start)
  const code = await codeFor(service, [ORDERS])
  const unaimed = await codeFor(service, [])
  const refused = { status: 400, json: { error: 'invalid_target' } }
  for (const wrong of [
    'https://unknown.example',
    'https://off.example/x',
    'https://broken.example/x',
    'https://upper.example/x',
    'https://private.example/x',
    `${ORDERS}/`,
    `${ORDERS}#part`,
    `${ORDERS}?a=1`,
    'orders',
    '/v1',
    'https://orders.example/v1 x',
    BILLING,
  ]) {
    t.match(await redeem(service, code, wrong), refused, wrong)
    t.match(await redeem(service, unaimed, wrong), refused, `${wrong}, without a resource at the sign-in`)
  }
  t.match(await redeem(service, unaimed, ORDERS), refused, 'a resource that the sign-in did not name')
  t.match(
    await redeem(service, code, ORDERS, OPEN),
    refused,
    'one that it did not name beside one that it did',
  )
  t.match(await redeem(service, code, ORDERS), { status: 200 })
  const { status, json } = await redeem(service, unaimed)
  t.equal(status, 200)
  t.equal((await factsOf(service, json.access_token)).aud, undefined)
})

forEachService(
  'a scope of SCOPE_CLAIMS must belong to the resource, as any other scope',
  async (t, start) => {
    const service = await start({ scope_claims: new Map([['roles', 'groups']]) })
    await changeClient(service.storage, 'web', { set: { allowed_scopes: 'openid api.read groups' } })
    const error = async (scopes: string) => {
      await service.storage.records.put({ kind: RESOURCE, id: ORDERS, hash: { scopes } })
      return (await authorize(service, [ORDERS], 'openid groups')).get('error')
    }
    t.equal(await error('api.read'), 'invalid_scope')
    await until('the change is seen', async () => (await error('api.read groups')) === null)
  },
)

forEachService(
  'an authorization request for a wrong resource is reported to the client',
  async (t, start) => {
    const service = await startWithResources(start)
    for (const uris of [
      ['https://unknown.example'],
      [ORDERS, 'https://off.example/x'],
      ['https://private.example/x'],
      ['no URI'],
      Array.from({ length: 11 }, () => ORDERS),
    ]) {
      const answer = await authorize(service, uris, 'openid')
      t.equal(answer.get('error'), 'invalid_target', uris.join(' '))
      t.notOk(answer.get('code'))
    }
    const foreign = await authorize(service, [ORDERS], 'openid api.write')
    t.equal(foreign.get('error'), 'invalid_scope', 'a scope that the resource does not have')
    const description = `The resource ${ORDERS} does not have the requested scope: api.write. With it this client may obtain: `
    t.match(foreign.get('error_description'), description)
    const unknown = await authorize(service, [ORDERS], 'api.write admin')
    t.match(unknown.get('error_description'), /does not have the requested scope: api\.write\./)
    const lacking = await authorize(service, [ORDERS], 'admin')
    t.match(lacking.get('error_description'), /^This client may not obtain the requested scope: admin\./)
    for (const [uri, reason] of [
      ['https://off.example/x', 'is disabled here: an operator can enable it'],
      ['https://unknown.example', 'is unknown here: an operator can add it'],
    ] as const) {
      const answer = await authorize(service, [uri], 'openid')
      t.match(answer.get('error_description'), `The resource ${uri} ${reason}`)
    }
  },
)

forEachService('a token for several resources needs multiple_audiences', async (t, start) => {
  const service = await startWithResources(start)
  const code = await codeFor(service, [ORDERS, OPEN])
  const refused = { status: 400, json: { error: 'invalid_target', error_description: /one resource/ } }
  t.match(await redeem(service, code, ORDERS, OPEN), refused)
  t.match(await redeem(service, code), refused, 'the resources of the sign-in')
  await changeClient(service.storage, 'web', { set: { multiple_audiences: 'true' } })
  const both = async () => (await redeem(service, code, ORDERS, OPEN)).status === 200
  // Only the last of these attempts succeeds, since the code is spent once.
  await until('the client is read again', both)
  const { json } = await redeem(service, await codeFor(service, [ORDERS, OPEN]))
  t.strictSame((await factsOf(service, json.access_token)).aud, [ORDERS, OPEN])
  const unlike = await redeem(service, await codeFor(service, [OPEN, BILLING]))
  t.match(unlike, {
    status: 400,
    json: { error: 'invalid_target', error_description: /access_token_format/ },
  })
})

forEachService('a token for another resource is refused here', async (t, start) => {
  const service = await startWithResources(start)
  const tokenFor = async (uri: string) =>
    String((await redeem(service, await codeFor(service, [uri]), uri)).json.access_token)
  const statuses = async (token: string) => [
    (await service.get('/api/resource', bearer(token))).status,
    (await service.get('/userinfo', bearer(token))).status,
  ]
  t.strictSame(await statuses(await tokenFor(ORDERS)), [401, 401])
  t.strictSame(await statuses(await tokenFor(BILLING)), [401, 401])
  t.strictSame(await statuses(await tokenFor(`${ISSUER}/api`)), [200, 401], 'the demo API')
  t.strictSame(await statuses(await tokenFor(ISSUER)), [200, 200], 'this server')
})

forEachService('a client gets a token for a resource for itself', async (t, start) => {
  const service = await startWithResources(start)
  const form = { grant_type: 'client_credentials' }
  const { json } = await send(service, form, [BILLING])
  t.match(json, { scope: /^openid api\.write$/, expires_in: 60 })
  t.equal(decodeJwt(String(json.access_token)).aud, BILLING)
  const opaque = await send(service, form, [ORDERS])
  t.match(await factsOf(service, opaque.json.access_token), {
    active: true,
    aud: ORDERS,
    scope: /^openid api\.read$/,
  })
  const refused = await send(service, { ...form, scope: 'api.write' }, [ORDERS])
  const error_description = `The resource ${ORDERS} does not have the requested scope: api.write. With it this client may obtain: openid api.read.`
  t.match(refused, { status: 400, json: { error: 'invalid_scope', error_description } })
  t.match(await send(service, form, ['https://unknown.example']), {
    status: 400,
    json: { error: 'invalid_target' },
  })
})

forEachService('a token for a resource that is disabled or removed is inactive', async (t, start) => {
  const service = await startWithResources(start)
  const { json } = await redeem(service, await codeFor(service, [ORDERS]))
  t.equal((await factsOf(service, json.access_token)).active, true)
  await service.storage.records.change(RESOURCE, ORDERS, { set: { disabled: 'true' } })
  await until('it is inactive', async () => !(await factsOf(service, json.access_token)).active)
})

forEachService('resource is the one parameter that may be repeated', async (t, start) => {
  const service = await startWithResources(start)
  const twice = await send(service, { grant_type: 'client_credentials' }, [ORDERS, ORDERS])
  t.equal(twice.status, 200, 'the same twice')
  const { redirect } = await service.get(
    `/oauth2/authorize?${query(authorizationRequest(), [ORDERS])}&scope=x`,
  )
  t.equal(redirect.get('error'), 'invalid_request')
})

forEachService('one value of resource is one resource', async (t, start) => {
  const service = await startWithResources(start)
  const both = [`${ORDERS} ${OPEN}`]
  t.equal((await authorize(service, both, undefined)).get('error'), 'invalid_target')
  const { status, json } = await send(service, { grant_type: 'client_credentials' }, both)
  t.strictSame([status, json.error], [400, 'invalid_target'])
  const form = query(authorizationRequest({ client_id: 'web', subject: undefined }), [ORDERS, OPEN])
  const repeated = await service.fastify.inject({
    method: 'POST',
    url: '/oauth2/authorize',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: form,
  })
  const fields = [...repeated.payload.matchAll(/name="resource" value="([^"]*)"/g)].map(([, value]) => value)
  t.strictSame(fields, [ORDERS, OPEN], 'and a form that is sent again keeps both')
})
