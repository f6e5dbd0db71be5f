// Authentication by a client certificate (RFC 8705 §2), each rule with a certificate that meets it and one that does not.
import t, { type Test } from 'tap'
import { formatClient } from '../../../../../src/clients/record/client-record.ts'
import { fetchFailure, type GetDocument } from '../../../../../src/outbound/public-get.ts'
import {
  CN,
  der,
  type Issued,
  issue,
  name,
  newKeys,
  O,
  PROXY_SECRET,
  proxied,
  SAN,
  WITH_CERTIFICATES,
} from '../../../../support/certificates.ts'
import { PAR } from '../../../../support/pushing.ts'
import { createClient } from '../../../../support/records.ts'
import type { TestOptions } from '../../../../support/service.ts'
import {
  authorizationRequest,
  basic,
  CLIENTS,
  REDIRECT_URI,
  SECRET,
  type Service,
  startService,
} from '../../../../support/service.ts'

const FORM = { grant_type: 'client_credentials', client_id: 'billing' }
const { client_secret_hash: _, ...WITHOUT_SECRET } = CLIENTS.service
const BILLING = { ...WITHOUT_SECRET, client_id: 'billing', can_introspect: true }
const SUBJECT = name([O, 'Example'], [CN, 'billing'])

/** A service with the client `billing`, which authenticates by a certificate. */
async function start(
  t: Test,
  fields: Record<string, string>,
  options: TestOptions = {},
  certificates: TestOptions = WITH_CERTIFICATES,
): Promise<Service> {
  const service = await startService(t, { ...certificates, ...options })
  const { is_public, ...record } = formatClient({ ...BILLING, is_public: true })
  await createClient(service.storage, 'billing', { ...record, is_public: 'false', ...fields })
  return service
}

const CA_METHOD = { token_endpoint_auth_method: 'tls_client_auth' }
const BY_SUBJECT = { ...CA_METHOD, tls_client_auth_subject_dn: 'CN=billing,O=Example' }

async function refused({ token }: Service, headers: Record<string, string>, why: string, form = FORM) {
  const { status, json } = await token(form, headers)
  t.equal(status, 401, why)
  t.equal(json.error, 'invalid_client')
}

t.test('tls_client_auth: the subject of a certificate that the proxy verified', async (t) => {
  const service = await start(t, BY_SUBJECT)
  const issued = issue({ subject: SUBJECT })
  t.equal((await service.token(FORM, proxied(issued))).status, 200)
  await refused(service, {}, 'no certificate')
  await refused(service, proxied(issued, false), 'the proxy did not verify it')
  await refused(service, proxied(issue({ subject: name([CN, 'billing']) })), 'another subject')
  await refused(service, { ...proxied(issued), 'client-cert': 'x' }, 'a malformed header')
  const double = `${proxied(issued)['client-cert']}, ${proxied(issued)['client-cert']}`
  await refused(service, { ...proxied(issued), 'client-cert': double }, 'two certificates')
  const past = issue({ subject: SUBJECT, not_after: new Date(Date.now() - 1000) })
  await refused(service, proxied(past), 'expired')
  const future = issue({ subject: SUBJECT, not_before: new Date(Date.now() + 3_600_000) })
  await refused(service, proxied(future), 'not valid yet')
})

t.test('tls_client_auth: an entry of the subject alternative name', async (t) => {
  const entry = (tag: number, value: string | Buffer) => der(tag, Buffer.from(value))
  const rows: [field: string, value: string, right: Buffer, ...wrong: Buffer[]][] = [
    [
      'tls_client_auth_san_dns',
      'billing.example.com',
      entry(SAN.dns, 'Billing.Example.com'),
      entry(SAN.dns, '*.example.com'),
      entry(SAN.dns, 'billing.example.com.'),
      entry(SAN.dns, 'a, DNS:billing.example.com'),
      entry(SAN.dns, 'billing.example.com\0.evil.example'),
      entry(SAN.uri, 'billing.example.com'),
    ],
    [
      'tls_client_auth_san_uri',
      'spiffe://example.com/billing',
      entry(SAN.uri, 'spiffe://example.com/billing'),
      entry(SAN.uri, 'spiffe://example.com/billing/2'),
      entry(SAN.uri, 'spiffe://EXAMPLE.com/billing'),
      entry(SAN.dns, 'spiffe://example.com/billing'),
    ],
    [
      'tls_client_auth_san_email',
      'billing@example.com',
      entry(SAN.email, 'billing@example.com'),
      entry(SAN.email, 'Billing@example.com'),
      entry(SAN.uri, 'billing@example.com'),
    ],
    [
      'tls_client_auth_san_ip',
      '192.0.2.7',
      entry(SAN.ip, Buffer.of(192, 0, 2, 7)),
      entry(SAN.ip, Buffer.of(192, 0, 2, 8)),
      entry(SAN.ip, '192.0.2.7'),
      // RFC 5280 §4.2.1.10: an address and a mask, in name constraints only.
      entry(SAN.ip, Buffer.of(192, 0, 2, 7, 255, 255, 255, 255)),
      entry(SAN.dns, '192.0.2.7'),
    ],
    [
      'tls_client_auth_san_ip',
      '2001:db8::7',
      entry(SAN.ip, Buffer.from('20010db8000000000000000000000007', 'hex')),
      entry(SAN.ip, Buffer.from('20010db8000000000000000000000008', 'hex')),
    ],
  ]
  for (const [field, value, right, ...wrong] of rows) {
    const service = await start(t, { ...CA_METHOD, [field]: value })
    const other = der(SAN.dns, Buffer.from('other.example.com'))
    const with_names = (...names: Buffer[]) => proxied(issue({ subject: name(), names }))
    t.equal((await service.token(FORM, with_names(other, right))).status, 200, value)
    for (const names of wrong) await refused(service, with_names(names), `${field} ${names}`)
    await refused(service, proxied(issue({ subject: name([CN, value]) })), 'only in the subject')
  }
})

t.test('self_signed_tls_client_auth: a key of the client', async (t) => {
  const keys = newKeys()
  const jwk = keys.publicKey.export({ format: 'jwk' })
  const method = { token_endpoint_auth_method: 'self_signed_tls_client_auth' }
  const own = issue({ subject: SUBJECT, keys })
  const renewed = issue({ subject: name([CN, 'x']), keys })
  const other = issue({ subject: SUBJECT })
  const set = (...jwks: object[]) => JSON.stringify({ keys: jwks })
  const second = newKeys().publicKey.export({ format: 'jwk' })

  const by_key = await start(t, { ...method, jwks: set(second, jwk) })
  for (const certificate of [own, renewed]) {
    t.equal((await by_key.token(FORM, proxied(certificate, false))).status, 200)
  }
  await refused(by_key, proxied(other), 'another key, although the proxy verified the chain')
  await refused(by_key, {}, 'no certificate')

  const x5c = (issued: Issued) => [issued.der.toString('base64')]
  const by_certificate = await start(t, { ...method, jwks: set({ ...jwk, x5c: x5c(own) }) })
  t.equal((await by_certificate.token(FORM, proxied(own))).status, 200)
  await refused(by_certificate, proxied(renewed), 'another certificate of the same key')
  for (const malformed of [[], [7], 'x', [''], null]) {
    const service = await start(t, { ...method, jwks: set({ ...jwk, x5c: malformed }) })
    await refused(service, proxied(own), `x5c ${JSON.stringify(malformed)}`)
  }
})

t.test('self_signed_tls_client_auth: keys at an address', async (t) => {
  const own = issue({ subject: SUBJECT })
  const jwks_uri = 'https://billing.example.com/jwks.json'
  const fields = { token_endpoint_auth_method: 'self_signed_tls_client_auth', jwks_uri }
  const document = { keys: [own.publicKey.export({ format: 'jwk' })] }
  let fetched = 0
  let is_away = false
  const get: GetDocument = async (uri) => {
    t.equal(uri, jwks_uri)
    fetched += 1
    if (is_away) return fetchFailure('unavailable', 'does not answer')
    return { ok: true, document, headers: {} }
  }
  const fetching = { fetch_client_keys: { registered: get, described: get } }
  const service = await start(t, fields, fetching)
  await refused(service, {}, 'no certificate')
  t.equal(fetched, 0, 'nobody has an address fetched without a certificate')
  t.equal((await service.token(FORM, proxied(own))).status, 200)

  is_away = true
  fetched = 0
  const { token, log, fastify } = await start(t, fields, fetching)
  const answers = [
    await token(FORM, proxied(own)),
    await token({ ...FORM, client_id: 'nobody' }, proxied(own)),
  ]
  for (const { status } of answers) t.equal(status, 401)
  t.equal(new Set(answers.map(({ text }) => text)).size, 1, 'it looks like an unknown client')
  t.match(log.join(''), /billing\.example\.com.* does not answer/, 'the operator learns it')
  await fastify.redmint.clients.find('billing')
  await token(FORM, proxied(own))
  t.equal(fetched, 2, 'once for each request, also if the record is in the cache')
})

t.test('a client with a certificate has no other way to authenticate', async (t) => {
  const service = await start(t, BY_SUBJECT)
  const certificate = proxied(issue({ subject: SUBJECT }))
  await refused(service, {}, 'as a public client')
  await refused(service, certificate, 'an additional secret', {
    ...FORM,
    client_secret: SECRET,
  } as typeof FORM)
  const { client_id: _, ...unnamed } = FORM
  t.equal(
    (await service.token(unnamed, { ...certificate, ...basic('billing', '') })).status,
    200,
    'an empty secret is an absent one',
  )
  await refused(service, { ...certificate, ...basic('billing') }, 'Basic')
  const assertion = {
    ...FORM,
    client_assertion: 'x',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  }
  await refused(service, certificate, 'an additional assertion', assertion)
  await refused(service, certificate, 'the name of another client', { ...FORM, client_id: 'service' })
})

t.test('every endpoint where clients authenticate takes the certificate', async (t) => {
  const { post } = await start(t, {
    ...BY_SUBJECT,
    grant_types: 'urn:ietf:params:oauth:grant-type:device_code client_credentials authorization_code',
    redirect_uris: REDIRECT_URI,
  })
  const certificate = proxied(issue({ subject: SUBJECT }))
  const forms: Record<string, Record<string, string>> = {
    '/oauth2/token': FORM,
    '/oauth2/introspect': { client_id: 'billing', token: 'x' },
    '/oauth2/revoke': { client_id: 'billing', token: 'x' },
    '/oauth2/device_authorization': { client_id: 'billing' },
    [PAR]: authorizationRequest({ client_id: 'billing', scope: undefined }),
  }
  for (const [path, form] of Object.entries(forms)) {
    t.equal((await post(path, form, certificate)).status, path === PAR ? 201 : 200, path)
    t.equal((await post(path, form)).status, 401, `${path} without`)
  }
})

t.test('an unknown client and a wrong certificate get the same answer', async (t) => {
  const service = await start(t, BY_SUBJECT)
  const wrong = proxied(issue({ subject: name([CN, 'other']) }))
  const answers = [
    await service.token(FORM, wrong),
    await service.token({ ...FORM, client_id: 'nobody' }, wrong),
    await service.token(FORM),
    await service.token({ ...FORM, client_id: 'nobody' }),
  ]
  t.equal(new Set(answers.map(({ text }) => text)).size, 1)
  t.same(new Set(answers.map(({ status }) => status)), new Set([401]))
  const headers = answers.map(({ headers: { date: _, 'x-request-id': _id, ...others } }) =>
    JSON.stringify(others),
  )
  t.equal(new Set(headers).size, 1)
  t.match(service.log.join(''), /the client certificate has another name/)
  t.match(service.log.join(''), /no client certificate/)
  t.notMatch(service.log.join(''), PROXY_SECRET)
})

t.test('failures are limited as with a secret', async (t) => {
  const { token } = await start(t, BY_SUBJECT, { client_auth_failures: 2 })
  const wrong = proxied(issue({ subject: name([CN, 'other']) }))
  const statuses = []
  for (let count = 0; count < 4; count += 1) statuses.push((await token(FORM, wrong)).status)
  t.same(statuses, [401, 401, 429, 429])
  t.equal((await token(FORM, proxied(issue({ subject: SUBJECT })))).status, 200, 'nobody can lock it out')
})

t.test('without client certificates here, these clients are refused', async (t) => {
  const service = await start(t, BY_SUBJECT, {}, {})
  await refused(service, proxied(issue({ subject: SUBJECT })), 'off')
})
