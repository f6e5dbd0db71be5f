// One request of each kind to a service with a fault, and its outcome during and after the fault.

import type { Test } from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { createInitialAccessToken } from '../../../src/clients/registration/initial-access-token.ts'
import { giveResetLink } from '../../../src/self-service/reset-password.ts'
import { dpopClient } from '../dpop-client.ts'
import { exchangeAs, ORDERS, signInFor, storeChain } from '../exchange.ts'
import { type Lifecycle, type Place, startReplica } from '../lifecycle.ts'
import { PAR, pushedUrl, requestUriOf } from '../pushing.ts'
import { createClient, createUser, watchesAll } from '../records.ts'
import { APP } from '../registration.ts'
import { visitorOf } from '../scene/requests.ts'
import { type Answer, authorizationRequest, basic, bearer, CLIENTS, codeRequest } from '../service.ts'
import { stopwatch } from '../stopwatch.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  keySetOf,
  trust,
} from '../trusted-issuer.ts'
import { until } from '../until.ts'

/** Milliseconds, generous: a request takes a second; the driver's settings have tests of their own. */
const ANSWERED_WITHIN = 2000

interface Request {
  name: string
  /** The response without a fault. */
  good: { status: number; json?: object }
  send(): Promise<Answer>
}

const CI = 'https://ci.example.com'
const CI_KEY = issuerKey()

const KEYED = 'keyed'
const KEYED_KEY = issuerKey()

/** A new assertion each time, because a lost answer spends it. */
const byKey = () => ({
  client_id: KEYED,
  client_assertion_type: CLIENT_ASSERTION_TYPE,
  client_assertion: assertionOf(KEYED_KEY, claimsOf(KEYED, KEYED)),
})

/** More registrations than a fault has requests. */
const INVITED = { uses: 20, ttl: 600 }

const grantless = { grant_type: 'client_credentials' }

let people = 0

/** The link of somebody to a new password, opened in a browser. */
async function linkOf(service: Lifecycle) {
  people += 1
  const username = `person-${people}`
  await createUser(service.storage, username, { sub: username, password_hash: 'x' })
  const { pathname, search } = new URL(
    (await giveResetLink(service.fastify.redmint, username))?.url ?? 'none:',
  )
  const browser = visitorOf(() => service.fastify)
  const { hidden } = await browser.page(pathname + search)
  const send = async (method: 'GET' | 'POST', body?: string): Promise<Answer> => {
    const { status, headers, text } = await browser.request(method, pathname, body)
    return { status, headers, text, json: {}, redirect: new URLSearchParams() } as Answer
  }
  return {
    show: () => send('GET'),
    take: () => send('POST', new URLSearchParams({ ...hidden, password: 'seven wet umbrellas' }).toString()),
  }
}

/** Prepared requests that have not been sent yet. */
export async function prepare(service: Lifecycle): Promise<Request[]> {
  const { post, get, authorize } = service
  const asWeb = (path: string, form: Record<string, string>) => post(path, form, basic('web'))
  const [live, doomed] = [await service.signIn('web'), await service.signIn('web')]
  const refreshed = await service.signIn('web')
  const code = await service.codeFor('web')
  const write = (name: string, send: () => Promise<Answer>, status = 200): Request => {
    return { name, good: { status }, send }
  }
  const read = (name: string, send: () => Promise<Answer>, json: object): Request => {
    return { name, good: { status: 200, json }, send }
  }
  const register = (method: 'GET' | 'POST' | 'PUT', url: string, token: string, payload?: object) =>
    service.request({ method, url, headers: bearer(token), ...(payload && { payload }) })
  const invitation = await createInitialAccessToken({ storage: service.storage, now: service.now() }, INVITED)
  const { json: own } = await register('POST', '/oauth2/register', invitation, APP)
  const registration = `/oauth2/register/${own.client_id}`
  const own_token = String(own.registration_access_token)
  const keyed = dpopClient(service)
  const asked = authorizationRequest({ client_id: KEYED })
  const push = () => requestUriOf(service, { ...asked, ...byKey() })
  const [waiting, for_code] = [await push(), await push()]
  const { redirect } = await get(pushedUrl(for_code, { client_id: KEYED }))
  const bound_code = String(redirect.get('code'))
  const { json: bound } = await keyed.token({ ...grantless, ...byKey() })
  const links = [await linkOf(service), await linkOf(service)] as const
  const for_api = await signInFor(service, ORDERS, 'openid api.read')
  const introspect = (token: string) => () => asWeb('/oauth2/introspect', { token })
  return [
    write('registration', () => register('POST', '/oauth2/register', invitation, APP), 201),
    write('registration, changed', () => {
      return register('PUT', registration, own_token, { ...APP, client_id: own.client_id })
    }),
    read('registration, read', () => register('GET', registration, own_token), { client_id: own.client_id }),
    write('token, client_credentials', () => asWeb('/oauth2/token', grantless)),
    write('token, authorization_code', () => {
      return asWeb('/oauth2/token', codeRequest(code, { client_id: 'web' }))
    }),
    write('token, refresh_token', () => {
      const { refresh_token } = refreshed
      return asWeb('/oauth2/token', { grant_type: 'refresh_token', refresh_token })
    }),
    // A new assertion each time: a lost answer spends it.
    write('token, assertion', () => {
      const assertion = assertionOf(CI_KEY, claimsOf(CI, 'job'))
      return post('/oauth2/token', { grant_type: JWT_BEARER, client_id: 'job', assertion })
    }),
    write('token, exchange', () => exchangeAs(service, 'orders', for_api.access_token)),
    write('pushed request', () => post(PAR, { ...asked, ...byKey() }), 201),
    write('token, client_credentials by key and proof', () => keyed.token({ ...grantless, ...byKey() })),
    write('token, authorization_code by key and proof', () => {
      return keyed.token({ ...codeRequest(bound_code), ...byKey() })
    }),
    read('api, by proof', () => keyed.get('/api/resource', bound.access_token), { subject: '' }),
    write('authorize, request_uri', () => get(pushedUrl(waiting, { client_id: KEYED })), 302),
    write('revoke, access token', () => asWeb('/oauth2/revoke', { token: doomed.access_token })),
    write('revoke, refresh token', () => asWeb('/oauth2/revoke', { token: doomed.refresh_token })),
    write('page, link to a new password', () => links[0].show()),
    write('page, a new password', () => links[1].take(), 303),
    write('authorize', () => authorize({ client_id: 'web' }), 302),
    read('introspect, access token', introspect(live.access_token), { active: true }),
    read('introspect, refresh token', introspect(live.refresh_token), { active: true }),
    read('userinfo', () => get('/userinfo', bearer(live.access_token)), { sub: 'alice' }),
    read('api', () => get('/api/resource', bearer(live.access_token)), { subject: 'alice' }),
  ]
}

/** Starts a service with its clients in the cache. */
export async function working(t: Test, place: Place): Promise<Lifecycle> {
  const storage = place.open(t)
  const options = {
    storage,
    access_token_format: 'opaque',
    trusted_issuers: true,
    client_registration: 'invitation',
  } as const
  const service = await startReplica(t, place, options)
  await until('the records of clients and issuers are watched', () => watchesAll(storage))
  await trust(storage, CI_KEY, { issuer: CI })
  const { client_secret_hash: _, ...client } = CLIENTS.service
  const job = { ...client, client_id: 'job', grant_types: [JWT_BEARER], assertion_issuer: CI } as const
  await createClient(storage, 'job', formatClient(job))
  const { client_secret_hash: __, ...web } = CLIENTS.web
  const keyed = {
    ...{ ...web, client_id: KEYED, dpop_bound_access_tokens: true, jwks: keySetOf(KEYED_KEY) },
    token_endpoint_auth_method: 'private_key_jwt',
  } as const
  await createClient(storage, KEYED, formatClient(keyed))
  await storeChain(storage)
  const { issuers, clients } = service.fastify.redmint
  await until('they are cached', async () => {
    const found = [await issuers.find(CI), await clients.find('job'), await clients.find(KEYED)]
    return !found.includes(undefined) && ['job', KEYED].every((name) => clients.cached(name) !== undefined)
  })
  return service
}

/** Asserts that each request gets 503 (the authorization endpoint as a page), and no other conclusion. */
export async function refusedAll(t: Test, requests: readonly Request[], message: string): Promise<void> {
  await Promise.all(
    requests.map(async ({ name, send }) => {
      const elapsed = stopwatch()
      const { status, headers, text, json } = await send()
      const took = elapsed()
      const what = `${message}: ${name}`
      t.equal(status, 503, `${what}: ${text}`)
      t.match(headers['retry-after'], /^[1-9]\d*$/, `${what}: Retry-After`)
      t.equal(headers['cache-control'], 'no-store')
      t.equal(headers.location, undefined)
      if (/^(authorize|page)/.test(name)) t.match(text, /^<!doctype html>/i, `${what}: a page`)
      else t.equal(json.error, 'temporarily_unavailable', what)
      t.ok(took < ANSWERED_WITHIN, `${what}: answered after ${took} ms`)
    }),
  )
}

/** Asserts that each request gets its normal response. */
export async function answeredAll(t: Test, requests: readonly Request[], message: string): Promise<void> {
  for (const { name, send, good } of requests) t.match(await send(), good, `${message}: ${name}`)
}

/** Waits until the service is ready. */
export async function ready({ get }: Lifecycle): Promise<void> {
  await until('it is ready', async () => (await get('/actuator/health/readiness')).status === 200)
}

/** Asserts that the process is alive and the service not ready. */
export async function downAndAlive(t: Test, { get }: Lifecycle, message: string): Promise<void> {
  t.match(await get('/health'), { status: 200, json: { status: 'UP' } }, `${message}: it lives`)
  t.match(await get('/actuator/health/readiness'), { status: 503 }, `${message}: and is not ready`)
}
