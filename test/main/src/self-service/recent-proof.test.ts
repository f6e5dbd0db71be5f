// A right to change what is of others is given only to a sign-in of the last ten minutes, by the strongest way of the account,
// by whatever client and flow.
import t, { type Test } from 'tap'
import { COMMAND_CLIENT, registerCommandClient } from '../../../../src/admin/command-client.ts'
import { TOKEN_EXCHANGE } from '../../../../src/clients/record/grant-types.ts'
import { ACT_AS } from '../../../../src/core/admin-scopes.ts'
import { changeFactors } from '../../../../src/factors/change-factors.ts'
import { ADMIN, TOOL } from '../../../support/admin.ts'
import { startWithDevices } from '../../../support/device.ts'
import { exchangeAs } from '../../../support/exchange.ts'
import { changeClient, changeUser } from '../../../support/records.ts'
import { pathOf, requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { CLIENTS, codeRequest, REDIRECT_URI } from '../../../support/service.ts'
import { asDeparture, asPage, type Visitor } from '../../../support/visitor.ts'

const LATER = 900
const WRITING = [
  'redmint:write',
  'redmint:users:write',
  'redmint:logins:write',
  'redmint:consents:write',
  ACT_AS,
]
const CONFIRM = 'Confirm it is you'
const PASSKEY = {
  name: 'Laptop',
  public_key: 'AA',
  counter: 0,
  created_at: 1_700_000_000_000,
  backup_eligible: false,
  backed_up: false,
  user_verified: true,
  transports: [],
  aaguid: '00000000-0000-0000-0000-000000000000',
}

async function start(
  t: Test,
  admin = `redmint:read redmint:write redmint:logins:write redmint:consents:write ${ACT_AS}`,
) {
  const service = await startWithDevices(t, {
    ...{ admin_api: 'on', passkeys: 'on', second_factor: 'optional' },
    clients: [{ ...TOOL, first_party: true }],
    people: { alice: { admin } },
  })
  await registerCommandClient({ storage: service.storage, report: () => {} })
  const asked = (scope: string, more: Record<string, string> = {}) =>
    requestUrl({ client_id: 'tool', redirect_uri: REDIRECT_URI, scope, resource: ADMIN, ...more })
  const silently = async (visitor: Visitor, scope: string) =>
    asDeparture(await visitor.open(asked(scope, { prompt: 'none' }))).told
  const redeem = (code: string | null) => service.token(codeRequest(code ?? '', { client_id: 'tool' }))
  /** A browser in which alice signed in to read. */
  const signedIn = async () => {
    const visitor = service.visitor()
    asDeparture(await signInOn(visitor, await visitor.page(asked('redmint:read'))))
    return visitor
  }
  return { ...service, pass: service.passWithKeys, asked, silently, redeem, signedIn }
}

t.test('a session alone gives no right to change others: the cookie is not enough', async (t) => {
  const { pass, silently, signedIn, asked, redeem } = await start(t)
  const visitor = await signedIn()
  await pass(LATER)
  t.ok((await silently(visitor, 'redmint:read')).get('code'), 'to read is not asked again')
  for (const scope of WRITING) t.equal((await silently(visitor, scope)).get('error'), 'login_required', scope)
  const page = await visitor.page(asked('openid redmint:write'))
  t.equal(page.title, CONFIRM)
  const { told } = asDeparture(await signInOn(visitor, page))
  const { json } = await redeem(told.get('code'))
  t.match(json, { scope: /redmint:write/, refresh_token_expires_in: 28_800 })
  t.ok((await silently(visitor, 'redmint:write')).get('code'), 'for ten minutes')
  await pass(600)
  t.equal((await silently(visitor, 'redmint:write')).get('error'), 'login_required')
})

t.test('no exchange gives a right at the admin API', async (t) => {
  const { silently, signedIn, redeem, storage, token } = await start(t)
  const told = await silently(await signedIn(), 'openid redmint:read')
  const { json } = await redeem(told.get('code'))
  t.match(json.scope, /redmint:read/, 'the first token has it')
  const { client_secret_hash } = CLIENTS.service
  const set = { is_public: 'false', client_secret_hash, exchange_mode: 'narrow' }
  await changeClient(storage, 'tool', { set: { ...set, grant_types: TOKEN_EXCHANGE } })
  for (const scope of ['redmint:read', undefined]) {
    const given = { resource: ADMIN, scope }
    const answer = await exchangeAs({ token }, 'tool', String(json.access_token), given)
    t.match(answer, { status: 400, json: { error: 'invalid_scope' } }, String(scope))
  }
})

t.test('a grant to read is refreshed as long as others', async (t) => {
  const { silently, signedIn, redeem } = await start(t)
  const told = await silently(await signedIn(), 'openid redmint:read')
  t.match((await redeem(told.get('code'))).json, { refresh_token_expires_in: 2_592_000 })
})

t.test('what the person may not do is no reason to ask', async (t) => {
  const { silently, signedIn, pass, redeem } = await start(t, 'redmint:read')
  const visitor = await signedIn()
  await pass(LATER)
  const { json } = await redeem((await silently(visitor, 'redmint:read redmint:write')).get('code'))
  t.equal(json.scope, 'redmint:read')
})

t.test('a weaker way than the strongest of the account is not enough', async (t) => {
  const { silently, signedIn, storage, asked } = await start(t)
  t.ok((await silently(await signedIn(), 'redmint:write')).get('code'), 'the password is all that there is')
  // By a hand that wrote the record: what counts is the account as it is.
  await changeFactors({ storage, report: () => {} }, 'alice', (factors) => ({
    ...factors,
    passkeys: new Map([['a-credential', PASSKEY]]),
  }))
  const visitor = await signedIn()
  t.equal((await silently(visitor, 'redmint:write')).get('error'), 'login_required', 'by the password alone')
  t.ok((await silently(visitor, 'redmint:read')).get('code'))
  const page = await visitor.page(asked('redmint:write'))
  t.equal(page.title, CONFIRM)
  t.equal(asPage(await signInOn(visitor, page)).title, CONFIRM, 'nor by the password once more')
})

t.test('a session of before has no right of today', async (t) => {
  const { silently, signedIn, storage } = await start(t, '')
  const visitor = await signedIn()
  await changeUser(storage, 'alice', { set: { admin: 'redmint:read redmint:write' } })
  t.equal((await silently(visitor, 'redmint:write')).get('error'), 'login_required', 'within the ten minutes')
  await signInOn(visitor, asPage(await visitor.open(requestUrl({ prompt: 'login' }))))
  t.ok((await silently(visitor, 'redmint:write')).get('code'))
})

t.test('a device: the sign-in, the words, and the code that must be typed', async (t) => {
  const { pass, signedIn, codes, poll, storage } = await start(t)
  const visitor = await signedIn()
  await pass(LATER)
  const device = await codes({
    client_id: COMMAND_CLIENT,
    scope: 'redmint:read redmint:write',
    resource: ADMIN,
  })
  const { user_code, device_code, verification_uri_complete } = device
  const again = await visitor.page(pathOf(verification_uri_complete))
  t.equal(again.title, CONFIRM, 'the cookie is not enough')
  const page = asPage(await signInOn(visitor, again))
  t.match(page.text, /You are giving the rights of an administrator/)
  t.notMatch(page.text, user_code, 'the page does not show it')
  for (const typed of [undefined, '', 'BCDF-GHJK']) {
    const refused = asPage(await visitor.submit(page, { decision: 'allow', user_code: typed }))
    t.match(refused.text, /No device is showing this code/)
    const waiting = await poll(device_code, { client_id: COMMAND_CLIENT })
    t.match(waiting.json, { error: /authorization_pending|slow_down/ })
  }
  const wrong = asPage(await visitor.submit(page, { decision: 'allow', user_code: 'BCDF-GHJK' }))
  const done = asPage(await visitor.submit(wrong, { decision: 'allow', user_code: user_code.toLowerCase() }))
  t.equal(done.title, 'The device is connected')
  await pass(30)
  const { json } = await poll(device_code, { client_id: COMMAND_CLIENT })
  t.match(json, { scope: 'redmint:read redmint:write', refresh_token_expires_in: 28_800 })
  await changeClient(storage, COMMAND_CLIENT, { set: { disabled: 'true' } })
})

t.test('a device that only reads is answered as every one', async (t) => {
  const { signedIn, codes } = await start(t)
  const visitor = await signedIn()
  const { user_code, verification_uri_complete: uri } = await codes({
    client_id: COMMAND_CLIENT,
    scope: 'redmint:read',
    resource: ADMIN,
  })
  const page = await visitor.page(new URL(uri).pathname + new URL(uri).search)
  t.match(page.text, user_code)
  t.notMatch(page.text, /rights of an administrator/)
})
