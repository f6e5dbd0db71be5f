// A device names the APIs that its tokens are for, as an authorization request does (RFC 8707).
import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { answerDevice, openDevice, startWithDevices } from '../../../support/device.ts'
import { changeClient } from '../../../support/records.ts'
import { until } from '../../../support/until.ts'

const ORDERS = 'https://orders.example/v1'
const BILLING = 'https://billing.example'

async function start(t: Test) {
  const service = await startWithDevices(t, { device_interval: 1, access_token_format: 'jwt' })
  const { storage, fastify } = service
  await storage.records.put({
    kind: RESOURCE,
    id: ORDERS,
    hash: { scopes: 'api.read', resource_name: 'Orders' },
  })
  await storage.records.put({ kind: RESOURCE, id: BILLING, hash: { scopes: 'api.write' } })
  await changeClient(storage, 'tv', { set: { allowed_scopes: 'openid profile api.read api.write' } })
  /** The codes of a device that asks for both APIs, each in a parameter of its own. */
  const codesForBoth = async () => {
    const response = await fastify.inject({
      method: 'POST',
      url: '/oauth2/device_authorization',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `client_id=tv&resource=${encodeURIComponent(ORDERS)}&resource=${encodeURIComponent(`${BILLING}/`)}`,
    })
    return response.json() as Record<'device_code' | 'verification_uri_complete', string>
  }
  return { ...service, codesForBoth }
}

t.test('a device gets a token for the API that it named, and its user sees which one', async (t) => {
  const { codes, poll, visitor } = await start(t)
  const { device_code, verification_uri_complete } = await codes({ scope: '', resource: ORDERS })
  const person = visitor()
  const question = await openDevice(person, verification_uri_complete)
  t.match(question.text, 'Orders')
  t.match(question.text, 'api.read')
  t.notMatch(question.text, 'api.write', 'the API does not have that scope')
  await person.submit(question, { decision: 'allow' })
  const { status, json } = await poll(device_code)
  t.equal(status, 200)
  t.equal(json.scope, 'openid profile api.read')
  const facts = decodeJwt(String(json.access_token))
  t.match(facts, { aud: ORDERS, scope: 'openid profile api.read' })
})

t.test('a device that named several APIs gets a token for one of them', async (t) => {
  const { codesForBoth, poll, visitor } = await start(t)
  const { device_code, verification_uri_complete } = await codesForBoth()
  await answerDevice(visitor(), verification_uri_complete)
  const refused = { status: 400, json: { error: 'invalid_target' } }
  t.match(await poll(device_code), refused, 'for none of them')
  t.match(await poll(device_code, { resource: 'https://else.example' }), refused)
  const { status, json } = await poll(device_code, { resource: BILLING })
  t.equal(status, 200, 'a refused request spends nothing')
  t.match(decodeJwt(String(json.access_token)), {
    aud: BILLING,
    scope: 'openid profile api.write',
  })
})

t.test('a device request for a wrong API is refused', async (t) => {
  const { ask } = await start(t)
  for (const resource of ['https://else.example', 'orders', `${ORDERS}#part`]) {
    t.match(await ask({ resource }), { status: 400, json: { error: 'invalid_target' } }, resource)
  }
  const foreign = await ask({ resource: ORDERS, scope: 'openid api.write' })
  const wrong = {
    error: 'invalid_scope',
    error_description: /does not have the requested scope: api\.write\./,
  }
  t.match(foreign, { status: 400, json: wrong }, 'a scope that the API does not have')
})

t.test('a device whose API was disabled before the answer is refused', async (t) => {
  const { codes, ask, poll, visitor, storage } = await start(t)
  const { device_code, verification_uri_complete } = await codes({ scope: '', resource: ORDERS })
  await storage.records.change(RESOURCE, ORDERS, { set: { disabled: 'true' } })
  await until('the service knows', async () => (await ask({ resource: ORDERS })).status === 400)
  const page = await openDevice(visitor(), verification_uri_complete)
  t.match(page.title, 'The device is not connected')
  await storage.records.change(RESOURCE, ORDERS, { set: {}, unset: ['disabled'] })
  t.match(await poll(device_code), { status: 400, json: { error: 'access_denied' } }, 'whatever comes later')
})

t.test('an answer counts for what its page showed, and for nothing that is added later', async (t) => {
  const { codes, visitor, storage } = await start(t)
  const { verification_uri_complete } = await codes({ scope: 'openid api.read' })
  await changeClient(storage, 'tv', { set: { allowed_scopes: 'openid' } })
  const alice = visitor()
  const page = await openDevice(alice, verification_uri_complete)
  t.notMatch(page.text, 'api.read')
  const form = new URLSearchParams({ ...page.hidden, decision: 'allow' }).toString()
  const { headers } = await alice.request('POST', '/oauth2/interaction', form)
  await changeClient(storage, 'tv', { set: { allowed_scopes: 'openid api.read' } })
  const again = await alice.page(String(headers.location))
  t.equal(again.title, page.title, 'the user is asked about the rest')
  t.match(again.text, 'api.read')
})
