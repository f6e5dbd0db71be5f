// A certificate is public: whoever could name one in a header would be the client. Only the proxy may.
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { CN, issue, name, PROXY_SECRET, proxied, WITH_CERTIFICATES } from '../../../support/certificates.ts'
import { createClient } from '../../../support/records.ts'
import type { TestOptions } from '../../../support/service.ts'
import { basic, CLIENTS, startService } from '../../../support/service.ts'

const PROXY = '10.1.2.3'
const STRANGER = '198.51.100.7'
const ISSUED = issue({ subject: name([CN, 'billing']) })
const FORM = 'grant_type=client_credentials&client_id=billing'

async function start(t: Test, options: TestOptions = {}) {
  const settings = { ...WITH_CERTIFICATES, client_certificate_proxies: ['10.0.0.0/8'], ...options }
  const service = await startService(t, settings)
  const { client_secret_hash: _, ...client } = formatClient({ ...CLIENTS.service, client_id: 'billing' })
  await createClient(service.storage, 'billing', {
    ...client,
    token_endpoint_auth_method: 'tls_client_auth',
    tls_client_auth_subject_dn: 'CN=billing',
  })
  const from = async (remoteAddress: string, headers: Record<string, string | string[]>, payload = FORM) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await service.fastify.inject({
      method: 'POST',
      url: '/oauth2/token',
      remoteAddress,
      headers: { ...type, ...headers },
      payload,
    })
    return { status: answer.statusCode, error: answer.json().error }
  }
  return { ...service, from }
}

const REFUSED = { status: 400, error: 'invalid_request' }
const UNPROVEN = { status: 401, error: 'invalid_client' }

t.test('only the peer itself, at the address of a proxy, may send a certificate', async (t) => {
  const { from, log } = await start(t)
  t.match(await from(PROXY, proxied(ISSUED)), { status: 200 })
  t.match(await from(`::ffff:${PROXY}`, proxied(ISSUED)), { status: 200 })
  t.same(await from(STRANGER, proxied(ISSUED)), REFUSED)
  for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded']) {
    t.same(await from(STRANGER, { ...proxied(ISSUED), [header]: PROXY }), REFUSED, header)
  }
  t.match(log.join(''), /198\.51\.100\.7 is not in TRUSTED_PROXIES/)
})

t.test('a proxy that passes on the header of its client does not make it a certificate', async (t) => {
  const { from, log } = await start(t)
  const { 'client-cert-secret': _, ...of_client } = proxied(ISSUED)
  t.same(await from(PROXY, of_client), REFUSED, 'without the secret')
  t.same(await from(PROXY, { 'client-cert-verified': '?1' }), REFUSED, 'only the other header')
  for (const guess of [
    '',
    'x',
    PROXY_SECRET.slice(1),
    `${PROXY_SECRET} `,
    `${PROXY_SECRET}, ${PROXY_SECRET}`,
  ]) {
    t.same(await from(PROXY, { ...of_client, 'client-cert-secret': guess }), REFUSED, `the secret "${guess}"`)
  }
  t.same(
    await from(PROXY, { ...of_client, 'client-cert-secret': [PROXY_SECRET, 'x'] }),
    REFUSED,
    'two secrets',
  )
  t.match(log.join(''), /Client-Cert-Secret is missing/)
  t.match(log.join(''), /Client-Cert-Secret is wrong/)
  t.notMatch(log.join(''), PROXY_SECRET)
})

t.test('a proxy that adds its header to that of its client sends none', async (t) => {
  const { from } = await start(t)
  const { 'client-cert': own = '' } = proxied(ISSUED)
  const spoofed = `:${issue({ subject: name([CN, 'x']) }).der.toString('base64')}:`
  for (const header of [
    [own, own],
    [own, spoofed],
    [spoofed, own],
    ['', own],
    [own, ''],
  ]) {
    t.same(await from(PROXY, { ...proxied(ISSUED), 'client-cert': header }), UNPROVEN)
  }
  for (const header of [
    ['?1', '?1'],
    ['?0', '?1'],
    ['?1', '?0'],
    ['', '?1'],
  ]) {
    t.same(await from(PROXY, { ...proxied(ISSUED), 'client-cert-verified': header }), UNPROVEN)
  }
})

t.test('the header is refused at every path, also where no client authenticates', async (t) => {
  const { fastify, from } = await start(t)
  for (const url of [
    '/oauth2/authorize',
    '/userinfo',
    '/health',
    '/.well-known/jwks.json',
    '/api/resource',
  ]) {
    const { statusCode } = await fastify.inject({ url, remoteAddress: STRANGER, headers: proxied(ISSUED) })
    t.equal(statusCode, 400, url)
  }
  const form = 'grant_type=client_credentials'
  t.same(await from(STRANGER, { ...basic('service'), ...proxied(ISSUED) }, form), REFUSED, 'with a secret')
  t.match(await from(STRANGER, basic('service'), form), { status: 200 }, 'without the header')
})
