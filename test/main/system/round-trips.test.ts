// The number of Redis commands for each request, with cached records of clients and accounts. docs/promises-tests.md has the same table.

import t, { type Test } from 'tap'
import { APPLICATION as APPLICATION_KIND } from '../../../src/applications/application-record.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { TOKEN_EXCHANGE } from '../../../src/clients/record/grant-types.ts'
import { createInitialAccessToken } from '../../../src/clients/registration/initial-access-token.ts'
import { ACCESS_TOKEN_FORMATS, type AccessTokenFormat } from '../../../src/config/environment.ts'
import { PATHS } from '../../../src/core/paths.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { TOKEN_TYPE } from '../../../src/core/token-types.ts'
import type { GetDocument } from '../../../src/outbound/public-get.ts'
import type { CodeRecord } from '../../../src/tokens/code-record.ts'
import { s256Challenge } from '../../../src/tokens/pkce.ts'
import { indexUser } from '../../../src/users/sign-in-names.ts'
import { formatUser } from '../../../src/users/user-record.ts'
import { countCommands, countWith } from '../../support/command-counter.ts'
import { detailsOf, storePayments } from '../../support/details.ts'
import { allowDevice, deviceOf, storeDevices } from '../../support/device.ts'
import { type DpopClient, dpopClient } from '../../support/dpop-client.ts'
import { exchangeAs, MAIL, ORDERS, storeChain } from '../../support/exchange.ts'
import { askAs, CHAT, CHAT_API, OF_REFRESH } from '../../support/identity.ts'
import { type ClientName, type Lifecycle, startReplica, tokensOf } from '../../support/lifecycle.ts'
import {
  changeClient,
  createClient,
  createUser,
  reportsOf,
  saveCode,
  watchesAll,
} from '../../support/records.ts'
import { startRedis } from '../../support/redis-server.ts'
import { redisStorage } from '../../support/redis-storage.ts'
import { APP, type Information } from '../../support/registration.ts'
import {
  authorizationRequest,
  basic,
  bearer,
  CLIENTS,
  codeRequest,
  REDIRECT_URI,
  VERIFIER,
} from '../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  trust,
} from '../../support/trusted-issuer.ts'
import { until } from '../../support/until.ts'

/** A request that is ready to be sent. */
type Request = () => Promise<{ status: number }>

interface Row {
  endpoint: string
  /** The number of commands for an opaque token and for a JWT. */
  opaque: number
  jwt: number
  status?: number
  /** Prepares everything that the request needs. */
  prepare(service: Lifecycle): Promise<Request>
}

/** A code of alice for a client, from a session of hers: her account is looked at. */
const codeOf = async ({ storage }: Lifecycle, client_id: ClientName, more: Partial<CodeRecord> = {}) => {
  const code = newToken(newFamilyId())
  const user = { subject: 'alice', username: 'alice', sid: 'a session', auth_time: 1_700_000_000 }
  const request = { redirect_uri: REDIRECT_URI, code_challenge: s256Challenge(VERIFIER), scope: 'openid' }
  await saveCode(storage, code, { client_id, ...request, ...user, ...more }, 60)
  return code
}
const signIn = async (service: Lifecycle, client: ClientName) =>
  tokensOf(await service.redeem(client, await codeOf(service, client)))
const refresh = (client: ClientName, spend: number) => async (service: Lifecycle) => {
  const { refresh_token } = await signIn(service, client)
  for (let i = 0; i < spend; i++) await service.refresh(client, refresh_token)
  return () => service.refresh(client, refresh_token)
}
const withToken =
  (send: (service: Lifecycle, token: string) => Promise<{ status: number }>) =>
  async (service: Lifecycle) => {
    const { access_token } = await signIn(service, 'web')
    return () => send(service, access_token)
  }
const at =
  (path: string) =>
  ({ get }: Lifecycle, token: string) =>
    get(path, bearer(token))
const own = (service: Lifecycle) => async () => {
  const form = { grant_type: 'client_credentials' }
  return service.token(form, basic('service'))
}
/** A request of the client `app` with a DPoP proof, and a token that is bound to its key. */
const proving =
  (prepare: (client: DpopClient, service: Lifecycle) => Request | Promise<Request>) =>
  async (service: Lifecycle) =>
    prepare(dpopClient(service, service), service)
const atByProof = (path: string) =>
  proving(async (client, service) => {
    const { json } = await client.token(codeRequest(await codeOf(service, 'app')))
    return () => client.get(path, json.access_token)
  })
const codeWithClaim = (service: Lifecycle) => codeOf(service, 'letter', { claims: 'id_token:email' })
const devicesOf = async (service: Lifecycle) => {
  await storeDevices(service.storage)
  return deviceOf(service)
}

// Two trusted issuers, each with a client.
const KEY = issuerKey()
const [CI, CLUSTER, FAR] = [
  'https://ci.example.com',
  'https://cluster.example.com',
  'https://far.example.com',
]
const trustBoth = async ({ storage }: Lifecycle) => {
  await trust(storage, KEY, { issuer: CI })
  await trust(storage, KEY, { issuer: CLUSTER, reusable: true })
  for (const [client_id, assertion_issuer] of [
    ['job', CI],
    ['pod', CLUSTER],
  ] as const) {
    const { client_secret_hash: _, ...client } = CLIENTS.service
    const grant_types = ['client_credentials', 'authorization_code', JWT_BEARER] as const
    const redirect_uris = [REDIRECT_URI]
    await createClient(
      storage,
      client_id,
      formatClient({ ...client, client_id, grant_types, redirect_uris, assertion_issuer }),
    )
  }
}
// An application whose tokens the API `orders` exchanges, and a person whom a trusted issuer knows.
const storeActing = async ({ storage }: Lifecycle) => {
  await storeChain(storage)
  const shop = { ...CLIENTS.web, client_id: 'shop', allowed_scopes: ['api.read'] }
  await createClient(storage, 'shop', formatClient(shop))
  await trust(storage, KEY, { issuer: FAR, exchange: true })
  const ann = { sub: 'sub-of-ann', linked_subjects: [`${FAR}#00u1`], claims: {} }
  await createUser(storage, 'ann', formatUser(ann))
  await indexUser(storage, 'ann')
}
/** A token of alice for the API `orders`. */
const tokenForOrders = async (service: Lifecycle) => {
  const code = newToken(newFamilyId())
  const user = { subject: 'alice', username: 'alice', sid: 'a session', auth_time: 1_700_000_000 }
  const request = { redirect_uri: REDIRECT_URI, code_challenge: s256Challenge(VERIFIER), scope: 'api.read' }
  await saveCode(service.storage, code, { client_id: 'shop', resource: ORDERS, ...request, ...user }, 60)
  const { json } = await service.token({ ...codeRequest(code), client_id: 'shop' }, basic('shop'))
  return String(json.access_token)
}
/** What follows the exchange of a token of alice by `orders`. */
const afterExchange =
  (send: (service: Lifecycle, derived: string) => Promise<{ status: number }>) =>
  async (service: Lifecycle) => {
    const { json } = await exchangeAs(service, 'orders', await tokenForOrders(service))
    return () => send(service, String(json.access_token))
  }
/** A client with keys at an address. */
const storeSigner = async ({ storage }: Lifecycle) => {
  const { client_secret_hash: _, ...client } = { ...CLIENTS.service, client_id: 'signer' }
  const keys = {
    token_endpoint_auth_method: 'private_key_jwt',
    jwks_uri: 'https://signer.example.com/keys',
  } as const
  await createClient(storage, 'signer', formatClient({ ...client, ...keys }))
}
/** Another server, for which the client `web` gets identity assertions. */
const storeOtherServer = async ({ storage }: Lifecycle) => {
  const hash = { clients: 'web', resources: CHAT_API, scopes: 'chat.read' }
  await storage.records.put({ kind: APPLICATION_KIND, id: CHAT, hash })
  const grant_types = [...CLIENTS.web.grant_types, TOKEN_EXCHANGE].join(' ')
  await changeClient(storage, 'web', { set: { grant_types } })
}
const fetch_keys: GetDocument = async () => ({ ok: true, document: { keys: [KEY.jwk] }, headers: {} })
const ownTokenOfSigner = () => ({
  grant_type: 'client_credentials',
  client_assertion_type: CLIENT_ASSERTION_TYPE,
  client_assertion: assertionOf(KEY, claimsOf('signer', 'signer')),
})
const unknown = () => newToken(newFamilyId())

const APPLICATION = 'intranet.example.org'
/** What makes the client `app` that of an application behind a proxy, too. */
const applicationFields = () => ({
  forward_auth_hosts: APPLICATION,
  redirect_uris: `${REDIRECT_URI} https://${APPLICATION}/.redmint/callback`,
  logout_ends_tokens: 'true',
})
/** What a browser keeps at an application: the client `app` stands for it. */
const sealedCookie = ({ fastify }: Lifecycle, token: string) => {
  const kept = fastify.redmint.sealer.seal('forward', JSON.stringify({ host: APPLICATION, token }))
  return `__Host-redmint-forward=${kept}`
}
const checking =
  ({ get }: Lifecycle, cookie: string) =>
  () =>
    get(PATHS.forward_auth, {
      cookie,
      accept: 'text/html',
      'x-forwarded-host': APPLICATION,
      'x-forwarded-method': 'GET',
    })

const pushing = ({ post }: Lifecycle, form: Record<string, string> = {}, headers = {}) =>
  post(PATHS.par, authorizationRequest(form), headers)

const registering = async (
  { fastify }: Lifecycle,
  headers: Record<string, string> = {},
  payload: object = APP,
) => {
  const response = await fastify.inject({ method: 'POST', url: PATHS.register, payload, headers })
  return { status: response.statusCode, json: response.json<Information>() }
}
const managing = (method: 'GET' | 'PUT' | 'DELETE') => async (service: Lifecycle) => {
  const { registration_client_uri, registration_access_token, client_id } = (await registering(service)).json
  const url = new URL(registration_client_uri).pathname
  const payload = { ...APP, client_id }
  const request = {
    method,
    url,
    headers: bearer(registration_access_token),
    ...(method === 'PUT' && { payload }),
  }
  return async () => ({ status: (await service.fastify.inject(request)).statusCode })
}

const ROWS: Row[] = [
  { endpoint: 'refresh', opaque: 1, jwt: 1, prepare: refresh('app', 0) },
  { endpoint: 'refresh, retried', opaque: 1, jwt: 1, prepare: refresh('app', 1) },
  { endpoint: 'refresh without rotation', opaque: 1, jwt: 1, prepare: refresh('fixed', 0) },
  {
    endpoint: 'refresh, refused',
    opaque: 1,
    jwt: 1,
    status: 400,
    prepare: async (service) => () => service.refresh('app', unknown()),
  },
  {
    endpoint: 'code exchange',
    opaque: 1,
    jwt: 1,
    async prepare(service) {
      const code = await codeOf(service, 'app')
      return () => service.redeem('app', code)
    },
  },
  {
    endpoint: 'code exchange, a claim asked for in the id_token',
    opaque: 1,
    jwt: 1,
    async prepare(service) {
      const code = await codeWithClaim(service)
      return () => service.redeem('letter', code)
    },
  },
  {
    endpoint: 'refresh, a claim asked for in the id_token',
    opaque: 1,
    jwt: 1,
    async prepare(service) {
      const { refresh_token } = tokensOf(await service.redeem('letter', await codeWithClaim(service)))
      return () => service.refresh('letter', refresh_token)
    },
  },
  {
    endpoint: 'code exchange, replayed',
    opaque: 1,
    jwt: 1,
    status: 400,
    async prepare(service) {
      const code = await codeOf(service, 'app')
      tokensOf(await service.redeem('app', code))
      return () => service.redeem('app', code)
    },
  },
  {
    endpoint: 'device authorization',
    opaque: 3,
    jwt: 3,
    prepare: async (service) => {
      const { ask } = await devicesOf(service)
      return () => ask()
    },
  },
  {
    endpoint: 'device poll, no answer yet',
    opaque: 1,
    jwt: 1,
    status: 400,
    async prepare(service) {
      const { codes, poll } = await devicesOf(service)
      const { device_code } = await codes()
      return () => poll(device_code)
    },
  },
  {
    endpoint: 'device poll, allowed',
    opaque: 1,
    jwt: 1,
    async prepare(service) {
      const { codes, poll } = await devicesOf(service)
      const { device_code } = await codes()
      await allowDevice(service.storage, device_code)
      return () => poll(device_code)
    },
  },
  {
    endpoint: 'device poll, unknown code',
    opaque: 1,
    jwt: 1,
    status: 400,
    async prepare(service) {
      const { poll } = await devicesOf(service)
      return () => poll(unknown())
    },
  },
  {
    endpoint: 'verification page',
    opaque: 0,
    jwt: 0,
    prepare:
      async ({ get }) =>
      () =>
        get('/device'),
  },
  {
    endpoint: 'client credentials, wrong secret',
    opaque: 2,
    jwt: 2,
    status: 401,
    prepare: async (service) => () =>
      service.token({ grant_type: 'client_credentials' }, basic('service', 'wrong')),
  },
  { endpoint: 'client credentials', opaque: 1, jwt: 0, prepare: async (service) => own(service) },
  {
    endpoint: 'assertion grant',
    opaque: 1,
    jwt: 1,
    prepare: async (service) => {
      const assertion = assertionOf(KEY, claimsOf(CI, 'job'))
      return () => service.token({ grant_type: JWT_BEARER, assertion })
    },
  },
  {
    endpoint: 'assertion grant, the assertion may be used again',
    opaque: 1,
    jwt: 0,
    prepare: async (service) => {
      const assertion = assertionOf(KEY, claimsOf(CLUSTER, 'pod'))
      return () => service.token({ grant_type: JWT_BEARER, assertion })
    },
  },
  {
    endpoint: 'token exchange',
    opaque: 2,
    jwt: 2,
    prepare: async (service) => {
      const subject = await tokenForOrders(service)
      return () => exchangeAs(service, 'orders', subject)
    },
  },
  {
    endpoint: 'token exchange of a derived token',
    opaque: 2,
    jwt: 2,
    prepare: afterExchange((service, derived) => exchangeAs(service, 'billing', derived, { resource: MAIL })),
  },
  {
    endpoint: 'token exchange, refused',
    opaque: 1,
    jwt: 1,
    status: 400,
    prepare: async (service) => {
      const subject = await tokenForOrders(service)
      return () => exchangeAs(service, 'billing', subject, { resource: MAIL })
    },
  },
  {
    endpoint: 'token exchange of a trusted issuer',
    opaque: 2,
    jwt: 2,
    prepare: async (service) => {
      const subject = assertionOf(KEY, claimsOf(FAR, '00u1', { scope: 'api.read' }))
      return () => exchangeAs(service, 'orders', subject, { subject_token_type: TOKEN_TYPE.jwt })
    },
  },
  {
    endpoint: 'introspection of a derived token',
    opaque: 1,
    jwt: 1,
    prepare: afterExchange(({ introspect }, derived) => introspect('gateway', derived)),
  },
  {
    endpoint: 'client credentials, authenticated by an assertion',
    opaque: 1,
    jwt: 1,
    prepare: async (service) => {
      const proof = {
        client_assertion_type: CLIENT_ASSERTION_TYPE,
        client_assertion: assertionOf(KEY, claimsOf(CI, 'job')),
      }
      return () => service.token({ grant_type: 'client_credentials', ...proof })
    },
  },
  {
    endpoint: 'client credentials, private_key_jwt',
    opaque: 1,
    jwt: 1,
    prepare: async (service) => {
      // Its keys are known then.
      await service.token(ownTokenOfSigner())
      const form = ownTokenOfSigner()
      return () => service.token(form)
    },
  },
  {
    endpoint: 'client credentials, private_key_jwt with a DPoP proof',
    opaque: 1,
    jwt: 1,
    prepare: proving(async (client, service) => {
      await service.token(ownTokenOfSigner())
      return () => client.token(ownTokenOfSigner())
    }),
  },
  {
    endpoint: 'client credentials with a DPoP proof',
    opaque: 1,
    jwt: 1,
    prepare: proving((client) => () => client.token({ grant_type: 'client_credentials' }, basic('service'))),
  },
  {
    endpoint: 'code exchange with a DPoP proof',
    opaque: 1,
    jwt: 1,
    prepare: proving(async (client, service) => {
      const code = await codeOf(service, 'app')
      return () => client.token(codeRequest(code))
    }),
  },
  {
    endpoint: 'refresh with a DPoP proof',
    opaque: 1,
    jwt: 1,
    prepare: proving(async (client, service) => {
      const { json } = await client.token(codeRequest(await codeOf(service, 'app')))
      const refresh_token = String(json.refresh_token)
      return () => client.token({ grant_type: 'refresh_token', client_id: 'app', refresh_token })
    }),
  },
  {
    endpoint: 'introspection',
    opaque: 1,
    jwt: 1,
    prepare: withToken(({ introspect }, token) => introspect('web', token)),
  },
  {
    endpoint: 'introspection by a resource server',
    opaque: 1,
    jwt: 1,
    prepare: withToken(({ introspect }, token) => introspect('gateway', token)),
  },
  {
    endpoint: 'introspection of a refresh token',
    opaque: 1,
    jwt: 1,
    async prepare(service) {
      const { refresh_token } = await signIn(service, 'web')
      return () => service.introspect('web', refresh_token)
    },
  },
  {
    endpoint: 'introspection that spends',
    opaque: 2,
    jwt: 2,
    async prepare(service) {
      const code = await codeOf(service, 'web', { authorization_details: detailsOf() })
      const { access_token } = tokensOf(await service.redeem('web', code))
      const form = { token: access_token, spend: 'true' }
      return () => service.post('/oauth2/introspect', form, basic('gateway'))
    },
  },
  {
    endpoint: 'introspection of no token',
    opaque: 0,
    jwt: 0,
    prepare: async (service) => () => service.introspect('web', 'no token'),
  },
  {
    endpoint: 'identity assertion, by a refresh token',
    opaque: 2,
    jwt: 2,
    async prepare(service) {
      const { refresh_token } = await signIn(service, 'web')
      return () => askAs(service, 'web', refresh_token, OF_REFRESH)
    },
  },
  { endpoint: 'revoke', opaque: 1, jwt: 1, prepare: withToken(({ revoke }, token) => revoke('web', token)) },
  {
    endpoint: 'revoke, foreign',
    opaque: 1,
    jwt: 0,
    prepare: withToken(({ revoke }, token) => revoke('app', token)),
  },
  {
    endpoint: 'revoke a refresh token',
    opaque: 1,
    jwt: 1,
    async prepare(service) {
      const { refresh_token } = await signIn(service, 'web')
      return () => service.revoke('web', refresh_token)
    },
  },
  { endpoint: 'bearer', opaque: 1, jwt: 0, prepare: withToken(at('/api/resource')) },
  { endpoint: 'access with a DPoP proof', opaque: 1, jwt: 1, prepare: atByProof('/api/resource') },
  {
    endpoint: 'access with a DPoP proof of another key',
    opaque: 1,
    jwt: 0,
    status: 401,
    prepare: proving(async (client, service) => {
      const { json } = await client.token(codeRequest(await codeOf(service, 'app')))
      const other = dpopClient(service, service)
      return () => other.get('/api/resource', json.access_token)
    }),
  },
  { endpoint: 'userinfo with a DPoP proof', opaque: 1, jwt: 1, prepare: atByProof('/userinfo') },
  {
    endpoint: 'bearer, refused',
    opaque: 1,
    jwt: 1,
    status: 401,
    prepare: async (service) => () => at('/api/resource')(service, unknown()),
  },
  {
    endpoint: 'bearer, no token',
    opaque: 0,
    jwt: 0,
    status: 401,
    prepare: async (service) => () => at('/api/resource')(service, 'no token'),
  },
  { endpoint: 'userinfo', opaque: 1, jwt: 1, prepare: withToken(at('/userinfo')) },
  {
    endpoint: 'forward authentication',
    opaque: 1,
    jwt: 1,
    async prepare(service) {
      const { json } = await service.token(codeRequest(await codeOf(service, 'app')))
      return checking(service, sealedCookie(service, String(json.access_token)))
    },
  },
  {
    endpoint: 'forward authentication, nobody signed in',
    opaque: 0,
    jwt: 0,
    status: 302,
    prepare: async (service) => checking(service, ''),
  },
  {
    endpoint: 'userinfo, refused',
    opaque: 1,
    jwt: 1,
    status: 401,
    prepare: async (service) => () => at('/userinfo')(service, unknown()),
  },
  {
    endpoint: 'registration',
    opaque: 2,
    jwt: 2,
    status: 201,
    prepare: async (service) => () => registering(service),
  },
  {
    endpoint: 'registration by invitation',
    opaque: 2,
    jwt: 2,
    status: 201,
    async prepare(service) {
      const context = { storage: service.storage, now: Date.now() }
      const invitation = await createInitialAccessToken(context, { uses: 1, ttl: 60 })
      return () => registering(service, bearer(invitation))
    },
  },
  {
    endpoint: 'registration with keys',
    opaque: 3,
    jwt: 3,
    status: 201,
    prepare: async (service) => () => registering(service, {}, { ...APP, jwks: { keys: [KEY.jwk] } }),
  },
  { endpoint: 'registration, read', opaque: 1, jwt: 1, prepare: managing('GET') },
  { endpoint: 'registration, changed', opaque: 2, jwt: 2, prepare: managing('PUT') },
  { endpoint: 'registration, deleted', opaque: 4, jwt: 4, status: 204, prepare: managing('DELETE') },
  {
    endpoint: 'pushed authorization request',
    opaque: 1,
    jwt: 1,
    status: 201,
    prepare: async (service) => () => pushing(service, { client_id: 'web' }, basic('web')),
  },
  {
    endpoint: 'pushed authorization request, authenticated by an assertion',
    opaque: 1,
    jwt: 1,
    status: 201,
    prepare: async (service) => {
      const client_assertion = assertionOf(KEY, claimsOf(CI, 'job'))
      const proof = { client_assertion_type: CLIENT_ASSERTION_TYPE, client_assertion }
      return () => pushing(service, { client_id: 'job', scope: 'api.read', ...proof })
    },
  },
  {
    endpoint: 'pushed authorization request of a public client',
    opaque: 2,
    jwt: 2,
    status: 201,
    prepare: async (service) => () => pushing(service),
  },
  {
    endpoint: 'authorize, pushed',
    opaque: 2,
    jwt: 2,
    status: 302,
    async prepare(service) {
      const request_uri = String((await pushing(service)).json.request_uri)
      const query = new URLSearchParams({ client_id: 'app', request_uri })
      return () => service.get(`${PATHS.authorize}?${query}`)
    },
  },
  {
    endpoint: 'authorize, pushed and spent',
    opaque: 1,
    jwt: 1,
    status: 400,
    async prepare(service) {
      const request_uri = `urn:ietf:params:oauth:request_uri:${unknown()}`
      const query = new URLSearchParams({ client_id: 'app', request_uri })
      return () => service.get(`${PATHS.authorize}?${query}`)
    },
  },
  {
    endpoint: 'authorize',
    opaque: 1,
    jwt: 1,
    status: 302,
    prepare: async (service) => () => service.authorize(),
  },
  {
    endpoint: 'discovery',
    opaque: 0,
    jwt: 0,
    prepare: async (service) => () => service.get('/.well-known/openid-configuration'),
  },
  {
    endpoint: 'key set',
    opaque: 0,
    jwt: 0,
    prepare: async (service) => () => service.get('/.well-known/jwks.json'),
  },
  {
    endpoint: 'liveness',
    opaque: 0,
    jwt: 0,
    prepare:
      async ({ get }) =>
      () =>
        get('/health'),
  },
]

// A disabled or malformed client is not cached, so its record is read each time.
const disabled = async (service: Lifecycle) => {
  const { storage, get } = service
  await changeClient(storage, 'fixed', { set: {}, unset: ['disabled'] })
  await until('it is accepted', async () => (await service.codeFor('fixed')) !== 'null')
  const { access_token } = await signIn(service, 'fixed')
  const request = () => get('/api/resource', bearer(access_token))
  await changeClient(storage, 'fixed', { set: { disabled: 'true' }, unset: [] })
  await until('it is disabled', async () => (await request()).status === 401)
  return request
}

const CHECKED: Row[] = [
  {
    endpoint: 'bearer, asking for its revocation',
    opaque: 1,
    jwt: 1,
    prepare: withToken(at('/api/resource')),
  },
  { endpoint: 'bearer, its client disabled', opaque: 2, jwt: 2, status: 401, prepare: disabled },
]

for (const format of ACCESS_TOKEN_FORMATS) {
  t.test(`commands to Redis, ${format}`, (t) => measure(t, ROWS, format, false))
  t.test(`with BEARER_CHECK_REVOCATION, ${format}`, (t) => measure(t, CHECKED, format, true))
}

async function measure(t: Test, rows: Row[], format: AccessTokenFormat, bearer_check_revocation: boolean) {
  const redis = await startRedis(t)
  const counter = await countCommands(t, redis.port, 'activity:')
  const storage = redisStorage(t, counter, 'test:')
  const place = { open: () => storage }
  // The logout queue is not processed meanwhile.
  const backchannel = { timing: { poll: 3600 } }
  const registration = { client_registration: 'open', client_registrations_per_address: 1000 } as const
  const options = {
    access_token_format: format,
    bearer_check_revocation,
    backchannel,
    device_requests: 1000,
    par_requests: 1000,
    trusted_issuers: true,
    forward_auth_clients: ['app'],
    client_certificate_proxies: ['127.0.0.1'],
    fetch_client_keys: { registered: fetch_keys, described: fetch_keys },
    ...registration,
  }
  const service = await startReplica(t, place, options)
  await trustBoth(service)
  await changeClient(storage, 'app', { set: applicationFields() })
  await storeSigner(service)
  await storeOtherServer(service)
  await storeActing(service)
  await storePayments(storage, { once: 'true' }, ['web'])
  await until('the cached records are watched', () => watchesAll(storage))
  const allReported = reportsOf(storage)
  const count = countWith(storage, counter)
  for (const { endpoint, prepare, status = 200, ...expected } of rows) {
    // Two warm-up rounds: Redis knows each script by its digest, and records are cached.
    await (await prepare(service))()
    await allReported()
    await (await prepare(service))()
    for (let round = 0; round < 3; round++) {
      let answer: { status: number }
      let commands: string[]
      // On a busy machine Redis may answer late, which is not the subject of this test.
      do {
        const counted = await count(() => prepare(service))
        answer = counted.answer
        commands = counted.commands
      } while (answer.status === 503)
      t.equal(answer.status, status, endpoint)
      t.equal(commands.length, expected[format], `${endpoint}: ${commands.join(', ') || 'none'}`)
      t.notOk(commands.includes('eval'), 'no script was sent as text again')
    }
  }
}
