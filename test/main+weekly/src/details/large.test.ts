// The largest details (RFC 9396) that a request may have: they wait with the pushed request, and not in an address.
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { MAX_REQUEST_BYTES } from '../../../../src/interaction/pending-request.ts'
import { PUSHED } from '../../../../src/interaction/pushed-request.ts'
import { MAX_JWT } from '../../../../src/tokens/jws.ts'
import { ASKS } from '../../../support/accounts.ts'
import { LARGEST, storeNotes } from '../../../support/details.ts'
import { deviceOf, openDevice, storeDevices } from '../../../support/device.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { PAR, pushedUrl, REQUEST_URI, requestUriOf } from '../../../support/pushing.ts'
import { changeClient } from '../../../support/records.ts'
import { requestObject } from '../../../support/request-objects.ts'
import { requestUrl, signInAndAgree, signInOn, visitorOf } from '../../../support/scene/requests.ts'
import { type Given, scene } from '../../../support/scene.ts'
import { authorizationRequest, codeRequest } from '../../../support/service.ts'
import { issuerKey, keySetOf } from '../../../support/trusted-issuer.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const OVER = 'This sign-in is no longer open'
const authorization_details = JSON.stringify(LARGEST)
/** The rest of the request is as long as it may be, too. */
const state = 's'.repeat(
  MAX_REQUEST_BYTES - Buffer.byteLength(JSON.stringify(authorizationRequest({ ...ASKS, state: '' }))),
)
const LONGEST = { authorization_details, state }

t.equal(Buffer.byteLength(authorization_details), 8192)

async function start(t: Parameters<typeof scene>[0], given: Given = {}) {
  const service = await scene(t, given)
  await storeNotes(service.storage, ['shop'])
  return service
}
const idOf = (request_uri: string) => request_uri.slice(REQUEST_URI.length)

forEachStorage(
  t,
  'they get to the person and into the token, and into no address',
  async (t, makeStorage) => {
    const service = await start(t, { storage: (await makeStorage()).storage })
    const addresses: string[] = []
    const replica = {
      async inject(options: InjectOptions) {
        const answer = await service.fastify.inject(options)
        addresses.push(String(options.url), String(answer.headers.location))
        return answer
      },
    } as typeof service.fastify
    const alice = visitorOf(() => replica)
    const login = await alice.page(pushedUrl(await requestUriOf(service, LONGEST)))
    const question = asPage(await signInOn(alice, login))
    for (const { note } of LARGEST) t.match(question.text, note.slice(0, 100))
    const { told } = asDeparture(await alice.submit(question, { decision: 'allow' }))
    t.equal(told.get('state'), state)
    addresses.pop()
    for (const address of addresses) t.ok(address.length < 8000, `${address.length}: ${address.slice(0, 40)}`)
    const code = codeRequest(String(told.get('code')), { client_id: 'shop' })
    const { json } = await service.token({ ...code, authorization_details })
    t.strictSame(json.authorization_details, LARGEST, 'a token request may name them, too')
  },
)

t.test('a client may sign and push them, with the longest hint', async (t) => {
  const service = await start(t)
  const key = issuerKey()
  await changeClient(service.storage, 'shop', { set: { jwks: keySetOf(key) } })
  // Nobody made this hint, which is found out after its length was looked at.
  const object = (id_token_hint?: string) =>
    requestObject(key, { ...ASKS, ...LONGEST, authorization_details: LARGEST, id_token_hint })
  const push = (request: string) => service.post(PAR, { client_id: 'shop', request })
  t.match((await push(object('x'.repeat(MAX_JWT)))).json.error_description, /id_token_hint/)
  const { json } = await push(object())
  const alice = service.visitor()
  const question = asPage(await signInOn(alice, await alice.page(pushedUrl(String(json.request_uri)))))
  for (const { note } of LARGEST) t.match(question.text, note.slice(0, 100))
})

t.test('a request that was not pushed is refused, and says how it gets through', async (t) => {
  const visitor = (await start(t)).visitor()
  const { told } = asDeparture(await visitor.open(requestUrl({ authorization_details })))
  t.equal(told.get('error'), 'invalid_request')
  t.match(told.get('error_description'), /push it to http.*\/oauth2\/par \(RFC 9126\)/)
  const plain = asDeparture(await visitor.open(requestUrl({ state: `${state}s` })))
  t.notMatch(plain.told.get('error_description'), /push/, 'without details it would not help')
})

t.test('what is no part of the details may be as long as in any request', async (t) => {
  const { post } = await start(t)
  const asked = { ...ASKS, ...LONGEST }
  for (const more of [
    { state: `${state}s` },
    { subject: 'alice' },
    { subject: 'a'.repeat(4000), state: 's'.repeat(400) },
  ])
    t.match(await post(PAR, authorizationRequest({ ...asked, ...more })), {
      status: 400,
      json: {
        error: 'invalid_request',
        error_description: /4096 bytes in all, without authorization_details/,
      },
    })
})

forEachStorage(t, 'of two browsers with them one gets a code', async (t, makeStorage) => {
  const service = await start(t, { storage: (await makeStorage()).storage })
  const request_uri = await requestUriOf(service, LONGEST)
  const [alice, bob] = [service.visitor(), service.visitor()]
  const [one, other] = [
    asPage(await signInOn(alice, await alice.page(pushedUrl(request_uri)))),
    asPage(await signInOn(bob, await bob.page(pushedUrl(request_uri)), 'bob')),
  ]
  const answers = await Promise.all([
    alice.submit(one, { decision: 'allow' }),
    bob.submit(other, { decision: 'allow' }),
  ])
  t.equal(answers.filter((answer) => 'location' in answer && answer.told.has('code')).length, 1)
  t.equal((await bob.page(other.url)).title, OVER)
  t.equal((await alice.page(one.url)).title, OVER, 'the page of the winner, too')
})

t.test('a person may take the whole time of a sign-in', async (t) => {
  const service = await start(t)
  const { par_ttl, sign_in_ttl } = service.fastify.redmint.settings
  const alice = service.visitor()
  const request_uri = await requestUriOf(service, LONGEST)
  service.pass(par_ttl - 20)
  const login = await alice.page(pushedUrl(request_uri))
  service.pass(sign_in_ttl - 20)
  const question = asPage(await signInOn(alice, login))
  t.match(asDeparture(await alice.submit(question, { decision: 'allow' })).told.get('code'), /./)
  t.equal((await alice.page(login.url)).title, OVER)
})

t.test('T20: a person agrees to the details that were shown, wherever they are stored', async (t) => {
  const service = await start(t)
  const { storage } = service
  const request_uri = await requestUriOf(service, LONGEST)
  const alice = service.visitor()
  const question = asPage(await signInOn(alice, await alice.page(pushedUrl(request_uri))))
  const other = JSON.stringify([{ type: 'note', note: 'something else' }])
  await storage.records.change(PUSHED, idOf(request_uri), { set: { authorization_details: other } })
  const again = asPage(await alice.submit(question, { decision: 'allow' }))
  t.match(again.text, 'something else', 'asked anew')
  // A record without them is none of this request: nobody gets the scope alone.
  await storage.records.change(PUSHED, idOf(request_uri), { set: {}, unset: ['authorization_details'] })
  t.equal(asPage(await alice.submit(again, { decision: 'allow' })).title, OVER)
})

t.test('T20: a request that starts again after a sign-in in another tab still asks for them', async (t) => {
  const service = await start(t)
  const alice = service.visitor()
  const login = await alice.page(pushedUrl(await requestUriOf(service, LONGEST)))
  await signInAndAgree(alice)
  const question = await alice.page(login.url)
  for (const { note } of LARGEST) t.match(question.text, note.slice(0, 100))
  const { told } = asDeparture(await alice.submit(question, { decision: 'allow' }))
  const { json } = await service.token(codeRequest(String(told.get('code')), { client_id: 'shop' }))
  t.strictSame(json.authorization_details, LARGEST)
})

forEachStorage(t, 'a device may ask for them', async (t, makeStorage) => {
  const service = await start(t, { storage: (await makeStorage()).storage, device_interval: 1 })
  await storeDevices(service.storage)
  await storeNotes(service.storage, ['tv'])
  const { codes, poll } = deviceOf(service)
  const { device_code, verification_uri_complete } = await codes({ authorization_details })
  const person = service.visitor()
  const question = await openDevice(person, verification_uri_complete)
  for (const { note } of LARGEST) t.match(question.text, note.slice(0, 100))
  await person.submit(question, { decision: 'allow' })
  const { json } = await poll(device_code, { authorization_details })
  t.strictSame(json.authorization_details, LARGEST)
})

t.test('T20: a device that sends them twice is refused, and gets no scope instead', async (t) => {
  const service = await start(t)
  await storeDevices(service.storage)
  await storeNotes(service.storage, ['tv'])
  const form = `client_id=tv&authorization_details=${encodeURIComponent(authorization_details)}`
  const payload = `${form}&authorization_details=x`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { statusCode, body } = await service.fastify.inject({
    ...{ method: 'POST', url: '/oauth2/device_authorization' },
    ...{ headers, payload },
  })
  t.equal(statusCode, 400)
  t.match(body, 'authorization_details is given more than once')
})

t.test('T18: who has no secret leaves no more with them than without', async (t) => {
  const service = await start(t, { par_requests: 9, device_requests: 16 })
  await storeDevices(service.storage)
  await storeNotes(service.storage, ['tv'])
  const push = async (more = {}) =>
    (await service.post(PAR, authorizationRequest({ ...ASKS, ...more }))).status
  const { ask } = deviceOf(service)
  const pushed = [await push(LONGEST), await push(LONGEST), await push(LONGEST), await push()]
  t.strictSame(pushed, [201, 201, 429, 429], 'as many requests of 4,096 bytes')
  const asked = await Promise.all([1, 2, 3].map(async () => (await ask({ authorization_details })).status))
  t.strictSame(asked, [200, 200, 429], 'as many devices with 1,024 bytes')
  t.equal(service.log.filter((line) => line.includes('"event":"pushing_limited"')).length, 1)
  t.equal(service.log.filter((line) => line.includes('"event":"device_limited"')).length, 1)
})
