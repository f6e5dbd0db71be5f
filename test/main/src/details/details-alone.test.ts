// Details alone at an API (RFC 9396 §3, RFC 8707 §2): what is asked for can be redeemed, or is refused where it is asked for.
import t, { type Test } from 'tap'
import { whatIf } from '../../../../src/explain/what-if.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { answerFirst, BANK, startWithAsks } from '../../../support/asks.ts'
import { detailsOf, PAYMENT, storePayments } from '../../../support/details.ts'
import { answerDevice, DEVICE_GRANT } from '../../../support/device.ts'
import { PAR } from '../../../support/pushing.ts'
import { changeClient } from '../../../support/records.ts'
import { signInAndAgree } from '../../../support/scene/requests.ts'
import { authorizationRequest, basic, codeRequest } from '../../../support/service.ts'

const LEDGER = 'https://ledger.example'
const MAILS = 'https://mails.example'
const REFUSED = { status: 400, json: { error: 'invalid_target' } }

/** The client `bank` asks for details by every way; it may obtain a scope of the ledger, and none of the mails. */
async function start(test: Test) {
  const service = await startWithAsks(test)
  const { storage } = service
  const grant_types = [...BANK.grant_types, DEVICE_GRANT].join(' ')
  await changeClient(storage, 'bank', { set: { grant_types } })
  await storage.records.put({ kind: RESOURCE, id: LEDGER, hash: { scopes: 'api.read' } })
  await storage.records.put({ kind: RESOURCE, id: MAILS, hash: { scopes: 'mails.read' } })
  await storePayments(storage, {}, ['bank'])
  return service
}

const alone = (resource: string) => ({ scope: undefined, resource, authorization_details: detailsOf() })
const form = (resource: string) => ({ resource, authorization_details: detailsOf() })
const GOT = { status: 200, json: { scope: '', authorization_details: [PAYMENT] } }

t.test('a question', async (t) => {
  const { ask, id, poll, alice } = await start(t)
  t.match(await ask(alone(MAILS)), REFUSED)
  const asked = await id(alone(LEDGER))
  await answerFirst(alice)
  t.match(await poll(asked), GOT)
  for (const scope of [undefined, ' '])
    t.match(await ask({ scope, resource: LEDGER }), { status: 400, json: { error: 'invalid_request' } })
})

t.test('a device', async (t) => {
  const { post, token, alice } = await start(t)
  const ask = (resource: string) => post('/oauth2/device_authorization', form(resource), basic('bank'))
  t.match(await ask(MAILS), REFUSED)
  const { json } = await ask(LEDGER)
  await answerDevice(alice, String(json.verification_uri_complete))
  const grant = { grant_type: DEVICE_GRANT, device_code: String(json.device_code) }
  t.match(await token(grant, basic('bank')), GOT)
})

t.test('a browser, and a pushed request', async (t) => {
  const { post, get, token, alice } = await start(t)
  const request = (resource: string) => ({ client_id: 'bank', ...alone(resource) })
  const url = `/oauth2/authorize?${new URLSearchParams(authorizationRequest(request(MAILS)))}`
  t.equal((await get(url)).redirect.get('error'), 'invalid_target')
  t.match(await post(PAR, authorizationRequest(request(MAILS)), basic('bank')), REFUSED)
  const pushed = await post(PAR, authorizationRequest(request(LEDGER)), basic('bank'))
  t.equal(pushed.status, 201)
  const { location } = await signInAndAgree(alice, request(LEDGER))
  const code = location.searchParams.get('code') ?? ''
  t.match(await token(codeRequest(code, { client_id: 'bank' }), basic('bank')), GOT)
})

t.test('what would be', async (t) => {
  const { redmint } = await start(t)
  const would = (resource: string) =>
    whatIf(redmint, { username: 'alice', client_id: 'bank', ...form(resource), resource: [resource] })
  t.match(await would(LEDGER), { allowed: true, tokens: { access_token: { scope: '', audience: LEDGER } } })
  const refused = await would(MAILS)
  t.match(refused, { allowed: false })
  t.match(
    refused.rules.filter(({ passed }) => !passed),
    [{ rule: 'scope', reason: 'resource_without_scope' }],
  )
})
