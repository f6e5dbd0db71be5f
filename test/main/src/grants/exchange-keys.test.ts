// The exchange of tokens that are bound to a key or a certificate (RFC 9449, RFC 8705).
import { createHash } from 'node:crypto'
import { TOKEN_EXCHANGE } from '../../../../src/clients/record/grant-types.ts'
import { TOKEN_TYPE } from '../../../../src/core/token-types.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { CN, issue, name, proxied, WITH_CERTIFICATES } from '../../../support/certificates.ts'
import { dpopClient } from '../../../support/dpop-client.ts'
import { BILLING, exchangeAs, MAIL, ORDERS, signInFor, startChain } from '../../../support/exchange.ts'
import { forEachService, type Lifecycle, type Start } from '../../../support/lifecycle.ts'
import { changeClient } from '../../../support/records.ts'
import { basic } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const OTHER_KEY = { status: 400, json: { error: 'invalid_request', access_token: undefined } }

/** A sender of token requests with a proof of a key of its own. */
const withKey = (service: Lifecycle) => {
  const { key, token } = dpopClient(service, service)
  return { ...service, token, jkt: key.jkt }
}

/** A sender of token requests with a certificate. */
const withCertificate = (service: Lifecycle, subject: string) => {
  const certificate = issue({ subject: name([CN, subject]) })
  const token: Lifecycle['token'] = (form, headers) =>
    service.token(form, { ...headers, ...proxied(certificate) })
  return { ...service, token, x5t: createHash('sha256').update(certificate.der).digest('base64url') }
}

async function startBound(start: Start) {
  const service = await startChain(start, WITH_CERTIFICATES)
  const { storage } = service
  const allow = async (id: string, exchange_bound: boolean) => {
    const set = { exchange_bound: String(exchange_bound) }
    await storage.records.change(RESOURCE, id, { set, unset: [] })
    await until('it is used', async () => {
      const found = await service.fastify.redmint.resources.find(id)
      return found?.exchange_bound === exchange_bound
    })
  }
  const cnfOf = async (token: unknown) => (await service.introspect('gateway', String(token))).json.cnf
  return { service, allow, cnfOf }
}

forEachService(
  'T13: a token of a person that is bound to a key, at who acts for an API',
  async (t, start) => {
    const { service, allow, cnfOf } = await startBound(start)
    const [app, own] = [withKey(service), withKey(service)]
    const { access_token } = await signInFor(app, ORDERS)
    t.strictSame(await cnfOf(access_token), { jkt: app.jkt })
    t.match(await exchangeAs(service, 'orders', access_token), OTHER_KEY, 'no key')
    t.match(
      await exchangeAs(own, 'orders', access_token),
      OTHER_KEY,
      'a key of its own, and nobody allowed that',
    )
    await allow(BILLING, true)
    t.match(
      await exchangeAs(own, 'orders', access_token),
      OTHER_KEY,
      'the API that it asks for does not decide',
    )
    await allow(ORDERS, true)
    t.match(await exchangeAs(service, 'orders', access_token), OTHER_KEY, 'no key')
    const { status, json } = await exchangeAs(own, 'orders', access_token)
    t.match({ status, json }, { status: 200, json: { token_type: 'DPoP' } })
    t.strictSame(
      await cnfOf(json.access_token),
      { jkt: own.jkt },
      'its own key, and not that of the application',
    )
    await changeClient(service.storage, 'orders', {
      set: { tls_client_certificate_bound_access_tokens: 'true' },
    })
    const certified = withCertificate(service, 'orders')
    const bound = await exchangeAs(certified, 'orders', access_token)
    t.equal(bound.status, 200)
    t.strictSame(await cnfOf(bound.json.access_token), { 'x5t#S256': certified.x5t })

    const next = { resource: MAIL }
    t.match(
      await exchangeAs(own, 'billing', String(json.access_token), next),
      {
        status: 200,
      },
      'billing has exchange_bound',
    )
    await allow(BILLING, false)
    t.match(await exchangeAs(withKey(service), 'billing', String(json.access_token), next), OTHER_KEY)
  },
)

forEachService('T13: a client narrows its own bound token with the key of it alone', async (t, start) => {
  const { service, allow, cnfOf } = await startBound(start)
  await allow(ORDERS, true)
  const grant_types = `authorization_code refresh_token ${TOKEN_EXCHANGE}`
  await changeClient(service.storage, 'web', { set: { grant_types, exchange_mode: 'narrow' } })
  const app = withKey(service)
  const { access_token } = await signInFor(app, ORDERS)
  const narrow = { resource: ORDERS, scope: 'api.read' }
  t.match(await exchangeAs(service, 'web', access_token, narrow), OTHER_KEY, 'no key')
  t.match(await exchangeAs(withKey(service), 'web', access_token, narrow), OTHER_KEY, 'another key')
  const { status, json } = await exchangeAs(app, 'web', access_token, narrow)
  t.match({ status, json }, { status: 200, json: { token_type: 'DPoP', scope: 'api.read' } })
  t.strictSame(await cnfOf(json.access_token), { jkt: app.jkt })

  await changeClient(service.storage, 'web', { set: { tls_client_certificate_bound_access_tokens: 'true' } })
  const certified = withCertificate(service, 'web')
  const other = await signInFor(certified, ORDERS)
  t.strictSame(await cnfOf(other.access_token), { 'x5t#S256': certified.x5t })
  const stranger = withCertificate(service, 'stranger')
  t.match(await exchangeAs(stranger, 'web', other.access_token, narrow), OTHER_KEY, 'another certificate')
  t.match(await exchangeAs(service, 'web', other.access_token, narrow), { status: 400 }, 'no certificate')
  t.match(await exchangeAs(certified, 'web', access_token, narrow), OTHER_KEY, 'a certificate for a key')
  const { json: narrowed } = await exchangeAs(certified, 'web', other.access_token, narrow)
  t.strictSame(await cnfOf(narrowed.access_token), { 'x5t#S256': certified.x5t })
})

forEachService('T13: an actor token that is bound to a key needs it, too', async (t, start) => {
  const { service, allow } = await startBound(start)
  await allow(ORDERS, true)
  const own = withKey(service)
  const { access_token } = await signInFor(service, ORDERS)
  const bound = await own.token({ grant_type: 'client_credentials' }, basic('orders'))
  const actor = { actor_token: String(bound.json.access_token), actor_token_type: TOKEN_TYPE.access_token }
  t.match(await exchangeAs(service, 'orders', access_token, actor), OTHER_KEY, 'no key')
  t.match(await exchangeAs(withKey(service), 'orders', access_token, actor), OTHER_KEY, 'another key')
  t.equal((await exchangeAs(own, 'orders', access_token, actor)).status, 200)
})
