// The person for whom an operator acts sees it, is told of it, and ends it.
import t, { type Test } from 'tap'
import type { AdminCaller } from '../../../../src/admin/operation/operation.ts'
import { actAs } from '../../../../src/admin/users/act-as.ts'
import { ACT_AS } from '../../../../src/core/admin-scopes.ts'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { grantListings } from '../../../../src/tokens/grant-listings.ts'
import { scene } from '../../../support/scene.ts'
import { CLIENTS } from '../../../support/service.ts'
import { asPage, type Visitor } from '../../../support/visitor.ts'

const ORDERS = 'https://orders.example'
const SHOP = { ...CLIENTS.service, client_id: 'desk', allowed_scopes: ['orders.read'] } as const
const ADA: AdminCaller = { kind: 'user', id: 'ada', sub: 'sub-of-ada', scopes: new Set([ACT_AS]) }
const HOST: AdminCaller = { kind: 'command', id: '', login: 'root', scopes: new Set() }
const BODY = { client_id: 'desk', resource: ORDERS, reason: 'ticket 4711' }

async function start(t: Test, caller = ADA, options: Parameters<typeof scene>[1] = {}) {
  const service = await scene(t, { clients: [SHOP], people: { ada: { admin: ACT_AS } }, ...options })
  const { redmint, storage } = service
  const hash = { resource_name: 'Orders', scopes: 'orders.read' }
  await storage.records.put({ kind: RESOURCE, id: ORDERS, hash })
  const act = async (username = 'alice') => {
    const done = await actAs.run({ ...redmint, caller }, { params: { username }, query: {}, body: BODY })
    if (!('body' in done)) throw new Error('it is no dry run')
    return done.body
  }
  const isLive = async (grant: string) => (await storage.families.findFamily(grant))?.status === 'active'
  const end = (browser: Visitor, csrf: string, grant: string) =>
    browser.request('POST', '/account/end-support', new URLSearchParams({ csrf, grant }).toString())
  return { ...service, act, isLive, end }
}

t.test('the account page says where somebody acts, and one button ends it', async (t) => {
  const { act, arrive, visitor, isLive } = await start(t)
  const alice = visitor()
  t.notMatch((await arrive(alice, '/account')).text, /Somebody acts for you/)
  const { grant } = await act()
  const page = await alice.page('/account')
  t.match(page.text, /Somebody acts for you/)
  t.match(page.text, /An administrator, at <bdi>Orders<\/bdi>/)
  t.match(page.text, /in 10 minutes/)
  t.notMatch(page.text, /4711/, 'the reason is for operators')
  t.match(page.text, /No application has access/, 'no application has it')
  const button = /name="grant" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
  t.equal(button, grant)
  const done = await alice.post('/account/end-support', { csrf: page.hidden.csrf, grant: button })
  t.match(asPage(done).text, /can no longer act for you/)
  t.notOk(await isLive(grant))
  t.notMatch((await alice.page('/account')).text, /Somebody acts for you/)
})

t.test(
  'the operator is named by the own sub, however the client of operators knows the operator',
  async (t) => {
    const { act } = await start(t, { ...ADA, sub: 'a-pairwise-one' })
    t.strictSame((await act()).act, { sub: 'sub-of-ada' })
  },
)

t.test('T17: who gets rights while the token is made is acted for by nobody', async (t) => {
  const { act, storage, setFields } = await start(t)
  const { families } = storage
  const write = families.grantOnce.bind(families)
  const made: string[] = []
  families.grantOnce = async (given, told) => {
    const outcome = await write(given, told)
    made.push(given.token.split('.')[0] ?? '')
    await setFields('alice', { admin: 'redmint:read' })
    return outcome
  }
  await t.rejects(act(), { code: 'conflict' })
  t.equal(made.length, 1)
  t.match(await families.findFamily(made[0] ?? ''), { status: 'revoked' })
})

t.test('nobody ends that of others, or another grant by this button', async (t) => {
  const { act, confirmed, isLive, end, storage } = await start(t)
  const { grant: of_bob } = await act('bob')
  const { browser, csrf } = await confirmed()
  await end(browser, csrf, of_bob)
  t.ok(await isLive(of_bob))
  const other = newFamilyId()
  await storage.families.grantOnce({
    ...{ token: newToken(other), is_jwt: false, single_uses: [], client_id: 'own', scope: '' },
    access_token_ttl: 60,
    user: { subject: 'sub-of-alice', fields: { username: 'alice' } },
  })
  await end(browser, csrf, other)
  t.ok(await isLive(other))
})

t.test('it is seen before all the sign-ins of a person', async (t) => {
  const { act, arrive, visitor, storage, redmint } = await start(t)
  for (let i = 0; i < 120; i++) {
    const family = newFamilyId()
    const started_at = redmint.now()
    const listed = { family, started_at, client_id: 'own', username: 'alice' }
    await storage.families.grantOnce({
      ...{ token: newToken(family), is_jwt: false, single_uses: [], client_id: 'own', scope: '' },
      access_token_ttl: 3600,
      user: {
        subject: 'sub-of-alice',
        fields: { username: 'alice', started_at: String(started_at) },
        lists: grantListings(listed, 3600),
      },
    })
  }
  await act()
  t.match((await arrive(visitor(), '/account')).text, /Somebody acts for you/)
})

t.test('what the command on the host does is told, though no server hears it', async (t) => {
  const { act, arrive, visitor, storage } = await start(t, HOST, { account_page: 'on' })
  const { act: actor, notice } = await act()
  t.strictSame(actor, { sub: 'command:root' })
  t.match(notice, { sent: false, answer: /no SMTP server/ })
  const [activity] = await storage.bounded.read({ activity_of: 'alice' })
  t.match(JSON.parse(activity?.text ?? '{}'), { event: 'user_acted_as', by_operator: true })
  t.match((await arrive(visitor(), '/account')).text, /could act for you/)
})

t.test('the command sends its notice itself', async (t) => {
  const { act, mails } = await start(t, HOST, { with: ['mail'], smtp_tls: 'off' })
  t.match((await act()).notice, { sent: true })
  t.match(await mails(1), [{ to: 'alice@example.org', text: /Orders in your name/ }])
})

t.test('a server tells by mail', async (t) => {
  const { act, mails } = await start(t, ADA, { with: ['mail'], account_page: 'on' })
  t.notOk('notice' in (await act()))
  t.match(await mails(1), [{ to: 'alice@example.org', text: /Orders in your name[\s\S]*\/account/ }])
})
