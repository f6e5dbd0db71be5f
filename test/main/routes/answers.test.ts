// Every field that src/ returns for a response is sent: no response schema drops one.
import type { Static } from '@sinclair/typebox'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import redmint from '../../../app.ts'
import { createInstance } from '../../../instance.ts'
import { BackchannelAuthentication } from '../../../src/asks/ask-answer.ts'
import type { askPerson } from '../../../src/asks/ask-request.ts'
import { PushedRequest, type pushRequest } from '../../../src/authorize/push-request.ts'
import { UserInfo, type userInfo } from '../../../src/claims/userinfo.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../../../src/clients/record/grant-types.ts'
import { SIGNED_ANSWER_FIELDS } from '../../../src/clients/record/signed-answer-fields.ts'
import { ClientInformation } from '../../../src/clients/registration/information.ts'
import { ErrorBody, type errorBody } from '../../../src/core/error-body.ts'
import type { Field } from '../../../src/core/field-kinds.ts'
import { nodeNotice } from '../../../src/core/node-floor.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { TOKEN_TYPE } from '../../../src/core/token-types.ts'
import { DemoMetadata, DemoResource, type demoResource } from '../../../src/demo/demo-resource.ts'
import { type authorizeDevice, DeviceAuthorization } from '../../../src/device/device-authorization.ts'
import { TokenResponse } from '../../../src/grants/handlers.ts'
import type { issueTokens } from '../../../src/grants/pipeline.ts'
import { RESOURCE } from '../../../src/resources/resource-record.ts'
import {
  Health,
  type health,
  Info,
  type info,
  type liveness,
  Readiness,
  type readinessForOperators,
  Status,
} from '../../../src/service/health.ts'
import { JwkSet, type publicKeySet } from '../../../src/service/key-set.ts'
import { ServerMetadata, StatusLists, type serverMetadata } from '../../../src/service/metadata.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { Introspection, type introspect } from '../../../src/tokens/introspection.ts'
import { ADDRESS_MEMBERS } from '../../../src/users/claim-kinds.ts'
import { STANDARD_CLAIMS } from '../../../src/users/standard-claims.ts'
import { storeRelyingParties } from '../../support/accounts.ts'
import { BANK } from '../../support/asks.ts'
import { saveCode } from '../../support/claims/sign-ins.ts'
import { detailsOf, storePayments } from '../../support/details.ts'
import { storeDevices } from '../../support/device.ts'
import { makeDpopKey, makeProof } from '../../support/dpop.ts'
import { decryptionKey } from '../../support/encryption-key.ts'
import { ACTING_CLIENTS, ORDERS } from '../../support/exchange.ts'
import { createClient, createUser } from '../../support/records.ts'
import {
  authorizationRequest,
  basic,
  bearer,
  CLIENTS,
  codeRequest,
  ISSUER,
  useTestKeys,
} from '../../support/service.ts'
import { issuerKey } from '../../support/trusted-issuer.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Returned<F extends (...args: never[]) => unknown> = Awaited<ReturnType<F>>

/** Compiles only if each schema has exactly the type that its function returns. */
const PROVEN: [
  Equal<Static<typeof TokenResponse>, Returned<typeof issueTokens>>,
  Equal<Static<typeof DeviceAuthorization>, Returned<typeof authorizeDevice>>,
  Equal<Static<typeof BackchannelAuthentication>, Returned<typeof askPerson>>,
  Equal<Static<typeof PushedRequest>, Returned<typeof pushRequest>>,
  Equal<Static<typeof Introspection>, Exclude<Returned<typeof introspect>, string>>,
  Equal<Static<typeof UserInfo>, Exclude<Returned<typeof userInfo>, string>>,
  Equal<Static<typeof ServerMetadata>, Returned<typeof serverMetadata>>,
  Equal<Static<typeof JwkSet>, Returned<typeof publicKeySet>>,
  Equal<Static<typeof Status>, Returned<typeof liveness>>,
  Equal<Static<typeof Readiness>, Returned<typeof readinessForOperators>>,
  Equal<Static<typeof Health>, Returned<typeof health>>,
  Equal<Static<typeof Info>, Returned<typeof info>>,
  Equal<Static<typeof DemoResource>, Returned<typeof demoResource>>,
  Equal<Static<typeof ErrorBody>, Returned<typeof errorBody>>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true]

/** The schema of the response of each operation. */
const ANSWERS = {
  token: TokenResponse,
  deviceAuthorization: DeviceAuthorization,
  backchannelAuthentication: BackchannelAuthentication,
  pushAuthorizationRequest: PushedRequest,
  introspect: Introspection,
  userinfo: UserInfo,
  userinfoByForm: UserInfo,
  register: ClientInformation,
  openidConfiguration: ServerMetadata,
  oauthServerMetadata: ServerMetadata,
  jwks: JwkSet,
  statusLists: StatusLists,
  health: Status,
  liveness: Status,
  readiness: Readiness,
  aggregateHealth: Health,
  info: Info,
  demoResource: DemoResource,
}
type Operation = keyof typeof ANSWERS

const CLAIMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(STANDARD_CLAIMS).map((name) => [name, `a ${name}`])),
  email_verified: 'true',
  phone_number_verified: 'false',
  updated_at: '1700000000',
  address: JSON.stringify(Object.fromEntries(ADDRESS_MEMBERS.map((name) => [name, `a ${name}`]))),
}
const SCOPE = 'openid profile email address phone api.read'

/** A service that records what its handlers return. */
async function start(t: Test) {
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  await storeRelyingParties(storage)
  await storeDevices(storage)
  for (const client of [
    CLIENTS.service,
    { ...CLIENTS.service, client_id: 'gateway', can_introspect: true },
    BANK,
  ]) {
    await createClient(storage, client.client_id, formatClient(client))
  }
  await createUser(storage, 'full', { sub: 'full', ...CLAIMS })
  await storePayments(storage, { once: 'true' })
  await createClient(storage, ACTING_CLIENTS.orders.client_id, formatClient(ACTING_CLIENTS.orders))
  await storage.records.put({ kind: RESOURCE, id: ORDERS, hash: { acting_clients: 'orders' } })
  const certified = newToken(newFamilyId())
  const owner = { client_id: 'service', scope: 'api.read', confirmation: { 'x5t#S256': 'a thumbprint' } }
  await storage.families.saveClientToken({ token: certified, ...owner }, 60)
  const drain = new AbortController()
  const fastify = createInstance({ level: 'silent' })
  t.teardown(() => fastify.close())
  let returned: unknown
  fastify.addHook('preSerialization', async (_request, _reply, payload) => {
    returned = payload
    return payload
  })
  await fastify.register(redmint, {
    issuer: ISSUER,
    storage,
    drain: drain.signal,
    trusted_issuers: true,
    global_token_revocation: 'on',
    ask_people: 'on',
    status_lists: 'on',
    client_registration: 'open',
    client_id_metadata: 'all',
    client_certificate_secret: 'a-secret-of-the-proxy-0123456789abcdef',
    client_certificate_proxies: ['127.0.0.1'],
    mtls_origin: 'https://mtls.example.com',
  })

  /** Returns the sent fields; the test fails unless they include every returned field. Prepared bytes are all sent. */
  const send = async (request: InjectOptions | string) => {
    returned = undefined
    const { statusCode, body } = await fastify.inject(request)
    if (returned !== undefined)
      t.strictSame(
        JSON.parse(body),
        JSON.parse(JSON.stringify(returned)),
        `${statusCode} ${body.slice(0, 60)}`,
      )
    return JSON.parse(body) as Record<string, unknown>
  }
  const post = (url: string, form: Record<string, string>, headers = {}) =>
    send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(form).toString(),
    })
  const code = (resource?: string) =>
    saveCode(storage, 'shop', {
      ...{ username: 'full', subject: 'full', scope: SCOPE, resource },
      authorization_details: detailsOf(),
    })
  const signIn = async (resource?: string) =>
    post('/oauth2/token', codeRequest(await code(resource), { client_id: 'shop' }))
  return { fastify, drain, send, post, signIn, certified }
}

type Sent = Record<string, unknown>

const PAGE = 'https://app.example/'
/** How answers to the client are signed and encrypted. */
const ANSWERED = Object.fromEntries(
  Object.entries<Field<unknown>>(SIGNED_ANSWER_FIELDS).map(([name, { choices }]) => [name, choices?.[0]]),
)
/** All metadata that a client can have. */
const METADATA = {
  ...{
    redirect_uris: [PAGE],
    client_name: 'App',
    client_uri: PAGE,
    logo_uri: PAGE,
    policy_uri: PAGE,
    tos_uri: PAGE,
  },
  ...{
    post_logout_redirect_uris: [PAGE],
    backchannel_logout_uri: PAGE,
    id_token_signed_response_alg: 'ES256',
  },
  ...{ contacts: ['dev@app.example'], software_id: 'app', software_version: '1' },
  dpop_bound_access_tokens: true,
  tls_client_certificate_bound_access_tokens: true,
}

const SOME_KEYS = ['ES256', 'RS256', 'EdDSA'] as const
const KEYS_METHOD = {
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_signing_alg: 'ES256',
}
const WITH_KEYS = [
  {
    ...METADATA,
    ...KEYS_METHOD,
    ...ANSWERED,
    require_pushed_authorization_requests: true,
    request_object_signing_alg: 'ES256',
    require_signed_request_object: true,
    jwks: { keys: [...SOME_KEYS.map((alg) => issuerKey(alg, alg).jwk), decryptionKey('enc').jwk] },
  },
  { ...METADATA, ...KEYS_METHOD, jwks_uri: PAGE },
]

/** Responses with every optional field, and with none. */
async function answersOf(service: Awaited<ReturnType<typeof start>>): Promise<Record<Operation, Sent[]>> {
  const { send, post, signIn, drain, certified } = service
  const signed_in = await signIn()
  const [access_token, refresh_token] = [String(signed_in.access_token), String(signed_in.refresh_token)]
  const for_api = { grant_type: 'client_credentials', resource: `${ISSUER}/api` }
  const own = await post('/oauth2/token', for_api, basic('service'))
  const exchanged = await post(
    '/oauth2/token',
    {
      grant_type: TOKEN_EXCHANGE,
      subject_token: String((await signIn(ORDERS)).access_token),
      subject_token_type: TOKEN_TYPE.access_token,
      resource: ORDERS,
    },
    basic('orders'),
  )
  const dpop = makeProof(makeDpopKey(), {
    htm: 'POST',
    htu: `${ISSUER}/oauth2/token`,
    iat: Math.floor(Date.now() / 1000),
  })
  const bound = await post('/oauth2/token', for_api, { ...basic('service'), dpop })
  const refresh = { grant_type: 'refresh_token', refresh_token, client_id: 'shop' }
  const ask = (token: unknown, form: Record<string, string> = {}) =>
    post('/oauth2/introspect', { token: String(token), ...form }, basic('gateway'))
  const get = (url: string) => send({ url, headers: bearer(access_token) })
  const answers = {
    introspect: [
      await ask(access_token),
      await ask(refresh_token),
      await ask(own.access_token),
      await ask(exchanged.access_token),
      await ask('x'),
      await ask(bound.access_token),
      await ask(certified),
      await ask((await signIn()).access_token, { spend: 'true' }),
    ],
    backchannelAuthentication: [
      await post('/oauth2/bc-authorize', { scope: 'openid', login_hint: 'full' }, basic('bank')),
    ],
    deviceAuthorization: [await post('/oauth2/device_authorization', {}, basic('printer'))],
    pushAuthorizationRequest: [await post('/oauth2/par', authorizationRequest({ client_id: 'shop' }))],
    token: [signed_in, own, bound, exchanged, await post('/oauth2/token', refresh)],
    userinfo: [await get('/userinfo')],
    userinfoByForm: [await post('/userinfo', { access_token })],
    register: await Promise.all(
      [METADATA, ...WITH_KEYS].map((payload) => send({ method: 'POST', url: '/oauth2/register', payload })),
    ),
    openidConfiguration: [await get('/.well-known/openid-configuration')],
    oauthServerMetadata: [await get('/.well-known/oauth-authorization-server')],
    jwks: [await get('/.well-known/jwks.json')],
    statusLists: [await get('/status')],
    health: [await get('/health')],
    liveness: [await get('/actuator/health/liveness')],
    readiness: [await get('/actuator/health/readiness')],
    aggregateHealth: [await get('/actuator/health')],
    info: [await get('/actuator/info')],
    demoResource: [await get('/api/resource')],
  }
  drain.abort()
  answers.readiness.push(await get('/actuator/health/readiness'))
  answers.aggregateHealth.push(await get('/actuator/health'))
  return answers
}

interface JsonSchema {
  type?: string
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
}

/** The paths in what has members that no schema of this server names. */
const OPEN = /^(act|authorization_details)\./

/** The paths of all fields in a schema. */
function fieldsOf({ properties = {}, items }: JsonSchema): string[] {
  const named = Object.entries(properties).flatMap(([name, schema]) => [
    name,
    ...fieldsOf(schema).map((path) => `${name}.${path}`),
  ])
  return items === undefined ? named : fieldsOf(items)
}

/** The paths of all fields in a value. */
function fieldsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    name,
    ...fieldsIn(member).map((path) => `${name}.${path}`),
  ])
}

t.test('every returned field is sent, optional ones included', async (t) => {
  t.ok(PROVEN.every(Boolean))
  const answers = await answersOf(await start(t))
  for (const [operation, schema] of Object.entries(ANSWERS) as [Operation, JsonSchema][]) {
    const sent = new Set(answers[operation].flatMap(fieldsIn))
    // Only of a Node without fixes.
    if (operation === 'readiness' && nodeNotice(process.versions.node) === undefined) sent.add('notice')
    // Only of a server for development: test/main/dev/.
    if (operation.endsWith('Configuration') || operation === 'oauthServerMetadata') sent.add('redmint_dev')
    t.strictSame(
      [...sent].filter((path) => !OPEN.test(path)).sort(),
      fieldsOf(schema).sort(),
      `${operation} is sent with every field of its schema`,
    )
  }
})

t.test('every field of an error is sent', async (t) => {
  const { send, post } = await start(t)
  const token = bearer('x')
  for (const body of [
    await post('/oauth2/token', {}),
    await post('/oauth2/token', { x: 'x'.repeat(70_000) }),
    await post('/oauth2/token', { grant_type: 'client_credentials' }, basic('service', 'wrong')),
    await post('/oauth2/introspect', {}),
    await post('/oauth2/revoke', {}),
    await send({ url: '/userinfo', headers: token }),
    await send({ url: '/api/resource', headers: token }),
    await send('/api/nothing'),
    await send('/nothing'),
    await send({ url: '/oauth2/authorize', headers: { accept: 'application/json' } }),
    await send({ url: '/oauth2/interaction', headers: { accept: 'application/json' } }),
    await send({ url: '/oauth2/logout?state=1&state=2', headers: { accept: 'application/json' } }),
  ]) {
    t.strictSame(fieldsIn(body), fieldsOf(ErrorBody))
  }
})

t.test('the OpenAPI description names the response schema of each operation', async (t) => {
  const { fastify } = await start(t)
  const { paths } = (await fastify.inject('/openapi.json')).json()
  const operations = Object.values(paths as Record<string, Record<string, Described>>).flatMap((path) =>
    Object.values(path),
  )
  const named = operations.flatMap(({ operationId, responses }) => {
    const $ref = (responses['200'] ?? responses['201'])?.content?.['application/json']?.schema.$ref
    return $ref === undefined ? [] : [[operationId, $ref.replace('#/components/schemas/', 'redmint:')]]
  })
  // These two send the same without the secrets.
  const more = {
    protectedResourceMetadata: DemoMetadata,
    readRegistration: ClientInformation,
    changeRegistration: ClientInformation,
  }
  const expected = Object.entries({ ...ANSWERS, ...more }).map(([operation, { $id }]) => [operation, $id])
  t.strictSame(Object.fromEntries(named), Object.fromEntries(expected))
})

interface Described {
  operationId: string
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>
}
