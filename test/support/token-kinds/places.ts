// Every place that takes a token, and whether one counted there.

import { TOKEN_TYPE } from '../../../src/core/token-types.ts'
import { DEVICE_GRANT } from '../device.ts'
import { exchangeAs, ORDERS } from '../exchange.ts'
import { askAs } from '../identity.ts'
import { logoutUrl } from '../logout/leavers.ts'
import { listClients } from '../records.ts'
import { APP } from '../registration.ts'
import { basic, bearer, codeRequest } from '../service.ts'
import { pushTo } from '../signals.ts'
import { CLIENT_ASSERTION_TYPE, JWT_BEARER } from '../trusted-issuer.ts'
import type { City } from './city.ts'

type Place = (city: City, token: string) => Promise<boolean>

/** The types that a request can name, some of which mean nothing here. */
const TYPES = {
  ...TOKEN_TYPE,
  saml2: 'urn:ietf:params:oauth:token-type:saml2',
  refresh: 'refresh_token',
} as const
type Type = keyof typeof TYPES

const ok = ({ status }: { status: number }) => status >= 200 && status < 300

const subjectAs =
  (type: Type): Place =>
  async (city, token) =>
    ok(await exchangeAs(city, 'orders', token, { subject_token_type: TYPES[type] }))

const actorAs =
  (type: Type): Place =>
  async (city, actor_token) => {
    const { access_token } = await city.tokensFor({ resource: ORDERS })
    return ok(await exchangeAs(city, 'orders', access_token, { actor_token, actor_token_type: TYPES[type] }))
  }

const identityAs =
  (type: Type): Place =>
  async (city, token) =>
    ok(await askAs(city, 'agent', token, { subject_token_type: TYPES[type] }))

const asBearer =
  (path: string): Place =>
  async ({ get }, token) =>
    ok(await get(path, bearer(token)))

/** Whether the authorization endpoint takes a request, and asks who is there. */
const authorizes = async ({ get }: City, name: 'request' | 'request_uri', value: string) => {
  const query = new URLSearchParams({ client_id: 'keyed', [name]: value })
  const { headers } = await get(`/oauth2/authorize?${query}`)
  return String(headers.location).startsWith('/oauth2/interaction')
}

export const PLACES = {
  ...named('subject', subjectAs),
  ...named('actor', actorAs),
  ...named('identity', identityAs),
  introspection: async ({ post }, token) =>
    (await post('/oauth2/introspect', { token }, basic('gateway'))).json.active === true,
  async revocation({ post, log }, token) {
    const before = log.length
    const { status } = await post('/oauth2/revoke', { token }, basic('agent'))
    return status === 200 && log.slice(before).some((line) => line.includes('"event":"token_revoked"'))
  },
  userinfo: asBearer('/userinfo'),
  api: asBearer('/api/resource'),
  admin: asBearer('/admin/v1/clients'),
  async registration({ get, storage }, token) {
    const clients: string[] = []
    for await (const { client_id } of listClients(storage))
      if (client_id.startsWith('self-')) clients.push(client_id)
    const answers = await Promise.all(clients.map((id) => get(`/oauth2/register/${id}`, bearer(token))))
    return answers.some(ok)
  },
  registering: async ({ request }, token) =>
    ok(await request({ method: 'POST', url: '/oauth2/register', headers: bearer(token), payload: APP })),
  refresh: async ({ token: ask }, refresh_token) =>
    ok(await ask({ grant_type: 'refresh_token', refresh_token }, basic('agent'))),
  code: async ({ token: ask }, code) =>
    ok(await ask(codeRequest(code, { client_id: 'agent' }), basic('agent'))),
  'device code': async ({ token: ask }, device_code) =>
    ok(await ask({ grant_type: DEVICE_GRANT, device_code }, basic('printer'))),
  auth_req_id: async ({ asker }, auth_req_id) => ok(await asker.poll(auth_req_id)),
  'assertion grant': async ({ token: ask }, assertion) =>
    ok(await ask({ grant_type: JWT_BEARER, assertion }, basic('reader'))),
  'client assertion': async ({ token: ask }, client_assertion) =>
    ok(
      await ask({
        grant_type: 'client_credentials',
        client_assertion_type: CLIENT_ASSERTION_TYPE,
        client_assertion,
      }),
    ),
  async 'logout hint'({ get, log }, id_token_hint) {
    const before = log.length
    await get(logoutUrl({ id_token_hint }))
    return !log.slice(before).some((line) => line.includes('A logout request is invalid'))
  },
  signals: async (city, token) => (await pushTo(city)('/signals', token)).status === 202,
  request: (city, request) => authorizes(city, 'request', request),
  request_uri: (city, request_uri) => authorizes(city, 'request_uri', request_uri),
} satisfies Record<string, Place>

export type PlaceName = keyof typeof PLACES

function named<N extends string>(name: N, place: (type: Type) => Place) {
  const types = Object.keys(TYPES) as Type[]
  const all = types.map((type) => [`${name} as ${type}`, place(type)] as const)
  return Object.fromEntries(all) as Record<`${N} as ${Type}`, Place>
}
