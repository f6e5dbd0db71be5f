// Tokens that are bound to a certificate (RFC 8705 §3): who gets them, and who can use them.
import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import {
  CN,
  type Issued,
  issue,
  name,
  newKeys,
  proxied,
  WITH_CERTIFICATES,
} from '../../../support/certificates.ts'
import { forEachService, type PlacedService } from '../../../support/matrix.ts'
import { createClient } from '../../../support/records.ts'
import { basic, bearer, CLIENTS, codeRequest, type Service } from '../../../support/service.ts'

const BOUND = { tls_client_certificate_bound_access_tokens: true, can_introspect: true }
const OWN = issue({ subject: name([CN, 'own']) })
const OTHER = issue({ subject: name([CN, 'other']) })
const FORM = { grant_type: 'client_credentials' }

async function register({ storage }: Pick<Service, 'storage'>): Promise<void> {
  await createClient(storage, 'bound', formatClient({ ...CLIENTS.web, ...BOUND, client_id: 'bound' }))
  const { can_introspect: _, ...bound } = BOUND
  await createClient(storage, 'bound-app', formatClient({ ...CLIENTS.app, ...bound, client_id: 'bound-app' }))
}

/** The thumbprint in the claim or the record of an access token. */
async function thumbprintIn({ storage, format }: PlacedService, access_token: unknown) {
  if (format === 'opaque') return (await storage.families.findToken(String(access_token)))?.['x5t#S256']
  const { cnf } = decodeJwt<{ cnf?: Record<string, string> }>(String(access_token))
  return cnf?.['x5t#S256']
}

const thumbprint = (issued: Issued) => createHash('sha256').update(issued.der).digest('base64url')

forEachService(t, 'a token has the thumbprint of the certificate of its request', async (t, start) => {
  const service = await start(WITH_CERTIFICATES)
  await register(service)
  const { token, post } = service
  const { status, json } = await token(FORM, { ...basic('bound'), ...proxied(OWN, false) })
  t.equal(status, 200)
  t.equal(json.token_type, 'Bearer')
  t.equal(await thumbprintIn(service, json.access_token), thumbprint(OWN))
  const introspected = await post('/oauth2/introspect', { token: String(json.access_token) }, basic('bound'))
  t.match(introspected.json, { active: true, token_type: 'Bearer' })
  t.same(introspected.json.cnf, { 'x5t#S256': thumbprint(OWN) })

  const unbound = await token(FORM, { ...basic('service'), ...proxied(OWN) })
  t.equal(
    await thumbprintIn(service, unbound.json.access_token),
    undefined,
    'only if it is registered for that',
  )
})

forEachService(
  t,
  'a token request without a certificate is refused before the code is spent',
  async (t, start) => {
    const service = await start(WITH_CERTIFICATES)
    await register(service)
    const { token, code } = service
    const form = codeRequest(await code({ client_id: 'bound-app' }), { client_id: 'bound-app' })
    for (const headers of [{}, { ...proxied(OWN), 'client-cert': ':AAAA:' }]) {
      const { status, json } = await token(form, headers)
      t.equal(status, 400)
      t.equal(json.error, 'invalid_request')
      t.match(json.error_description, /client certificate/)
    }
    t.equal((await token(form, proxied(OWN))).status, 200)
  },
)

forEachService(t, 'a bound token needs its certificate', async (t, start) => {
  const service = await start(WITH_CERTIFICATES)
  await register(service)
  const { token, code, get } = service
  const form = codeRequest(await code({ client_id: 'bound-app' }), { client_id: 'bound-app' })
  const { json } = await token(form, proxied(OWN))
  const sent = bearer(String(json.access_token))
  for (const path of ['/userinfo', '/api/resource']) {
    t.equal((await get(path, { ...sent, ...proxied(OWN) })).status, 200, path)
    const refused: [why: string, headers: Record<string, string>][] = [
      ['no certificate', {}],
      ['another certificate', proxied(OTHER)],
      ['another certificate of the same key', proxied(issue({ subject: name([CN, 'own']), keys: OWN }))],
      ['a malformed certificate', { ...proxied(OWN), 'client-cert': ':AAAA:' }],
    ]
    for (const [why, headers] of refused) {
      const answer = await get(path, { ...sent, ...headers })
      t.equal(answer.status, 401, `${path}: ${why}`)
      t.equal(answer.json.error, 'invalid_token')
      t.match(answer.headers['www-authenticate'], /^Bearer .*error="invalid_token"/)
    }
  }
})

forEachService(t, 'the refresh token of a public client is bound, too', async (t, start) => {
  const service = await start(WITH_CERTIFICATES)
  await register(service)
  const { token, code } = service
  const form = codeRequest(await code({ client_id: 'bound-app' }), { client_id: 'bound-app' })
  const { json } = await token(form, proxied(OWN))
  const refresh = {
    grant_type: 'refresh_token',
    client_id: 'bound-app',
    refresh_token: String(json.refresh_token),
  }
  const refused = await token(refresh, proxied(OTHER))
  t.equal(refused.status, 400)
  t.equal(refused.json.error, 'invalid_grant')
  t.equal((await token(refresh)).status, 400, 'without')
  const refreshed = await token(refresh, proxied(OWN))
  t.equal(refreshed.status, 200)
  t.equal(await thumbprintIn(service, refreshed.json.access_token), thumbprint(OWN))
})

forEachService(t, 'a confidential client renews its certificate', async (t, start) => {
  const service = await start(WITH_CERTIFICATES)
  await register(service)
  const { token, code } = service
  const form = codeRequest(await code({ client_id: 'bound' }), { client_id: 'bound' })
  const { client_id: _, ...without_id } = form
  const { json } = await token(without_id, { ...basic('bound'), ...proxied(OWN) })
  const refresh = { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) }
  const renewed = issue({ subject: name([CN, 'own']), keys: newKeys() })
  const refreshed = await token(refresh, { ...basic('bound'), ...proxied(renewed) })
  t.equal(refreshed.status, 200)
  t.equal(await thumbprintIn(service, refreshed.json.access_token), thumbprint(renewed))
})

forEachService(
  t,
  'where client certificates are off, nobody gets or uses a bound token',
  async (t, start) => {
    const service = await start()
    await register(service)
    const { token, get, code, format } = service
    t.equal((await token(FORM, { ...basic('bound'), ...proxied(OWN) })).status, 400)
    if (format === 'jwt') return
    const { json } = await token(codeRequest(await code()))
    const access_token = String(json.access_token)
    t.equal((await get('/api/resource', bearer(access_token))).status, 200)
    await service.editToken(access_token, { 'x5t#S256': thumbprint(OWN) })
    t.equal((await get('/api/resource', { ...bearer(access_token), ...proxied(OWN) })).status, 401)
  },
)
