// Whether a client could act for somebody: the dry run says what the token endpoint does.
import t from 'tap'
import { actingScene } from '../../../support/acting.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { detailsOf, PAYMENT, storePayments } from '../../../support/details.ts'
import { BILLING, MAIL, ORDERS } from '../../../support/exchange.ts'
import { changeClient } from '../../../support/records.ts'
import { asPage } from '../../../support/visitor.ts'

type Answer = {
  readonly allowed: boolean
  readonly rules: readonly { readonly passed: boolean; readonly reason?: string }[]
  readonly token?: object
}

t.test('the dry run of an exchange and the exchange agree', async (t) => {
  const { storage, redmint: service, signIn, exchange } = await actingScene(t)
  const { redmint } = createCli({ storage, now: service.now })
  const token = await signIn()
  const ask = async (client: string, resource: string, from = ORDERS, user = 'alice') => {
    const args = [
      '--user',
      user,
      '--client',
      client,
      '--exchange',
      'own',
      '--from',
      from,
      '--resource',
      resource,
    ]
    const answer = parsed<Answer>(await redmint(['explain', ...args, '--json']))
    return { ...answer, why: answer.rules.filter(({ passed }) => !passed).map(({ reason }) => reason) }
  }
  const agree = async (client: string, resource: string, why: string[]) => {
    const asked = await ask(client, resource)
    const { status } = await exchange(client, token, resource)
    t.strictSame([asked.why, asked.allowed], [why, status === 200], `${client} for ${resource}: ${status}`)
    return asked
  }
  t.match(await agree('orders', BILLING, []), {
    token: { scope: 'api.read api.write', audience: BILLING, expires_in: 300, actors: ['orders'] },
  })
  t.match(await agree('orders', MAIL, []), { token: { scope: 'api.read' } })
  await agree('billing', MAIL, ['exchange_tie'])
  await agree('orders', 'https://unknown.example', ['resource_unknown'])
  await changeClient(storage, 'orders', { set: { exchange_mode: 'narrow' } })
  await agree('orders', BILLING, ['exchange_tie'])
  await changeClient(storage, 'orders', { set: { allowed_groups: 'nobody', exchange_mode: 'delegate' } })
  await agree('orders', BILLING, ['exchange_user'])
  await changeClient(storage, 'orders', { set: { allowed_scopes: 'other' }, unset: ['allowed_groups'] })
  t.equal((await ask('orders', BILLING)).allowed, false)
  t.equal((await exchange('orders', token)).status, 400)
  await changeClient(storage, 'orders', { set: {}, unset: ['exchange_mode'] })
  t.match((await ask('orders', BILLING)).why, ['exchange_off'])
  t.match((await ask('orders', BILLING, ORDERS, 'nobody')).why, ['user_unknown'])
  t.match((await ask('stranger', BILLING)).why, ['client_unknown'])
})

t.test('details are asked of both: of the application that has them, and of the one that acts', async (t) => {
  const { storage, redmint: service } = await actingScene(t)
  const { redmint } = createCli({ storage, now: service.now })
  await storePayments(storage, {}, ['own', 'orders'])
  const ask = async (details: string) => {
    const of = ['--user', 'alice', '--client', 'orders', '--exchange', 'own', '--from', ORDERS]
    const args = [...of, '--resource', BILLING, '--details', details, '--json']
    const answer = parsed<Answer>(await redmint(['explain', ...args]))
    return { ...answer, why: answer.rules.filter(({ passed }) => !passed).map(({ reason }) => reason) }
  }
  t.match(await ask(detailsOf()), {
    allowed: true,
    token: { authorization_details: [PAYMENT], actors: ['orders'] },
  })
  t.match((await ask('payment')).why, ['details_malformed'])
  t.match((await ask(detailsOf({ ...PAYMENT, amount: -1 }))).why, ['details_schema'])
  for (const client of ['own', 'orders']) {
    await changeClient(storage, client, { set: {}, unset: ['authorization_details_types'] })
    t.match((await ask(detailsOf())).why, ['details_type_not_allowed'], client)
    await changeClient(storage, client, { set: { authorization_details_types: 'payment' } })
  }
})

t.test('the console asks the same', async (t) => {
  const { operator, storage } = await actingScene(t, { with: ['console'] })
  await storePayments(storage, {}, ['own', 'orders'])
  const ada = await operator()
  t.match((await ada.page('/console/explain/what-if')).text, 'href="/console/explain/what-if-exchange"')
  const asked = { username: 'alice', client_id: 'orders', of_client: 'own', of_resource: ORDERS }
  const ask = async (more: Record<string, string>) =>
    asPage(await ada.submit(await ada.page('/console/explain/what-if-exchange'), { ...asked, ...more }))
  const could = await ask({ resource: BILLING, authorization_details: detailsOf(), scope: 'api.read' })
  t.equal(could.title, 'The API orders could act for Alice Example')
  t.match(could.text, 'would get a token')
  t.match(could.text, '&quot;amount&quot;:12.5')
  t.match(could.text, /href="\/console\/explain\/what-if-exchange\?[^"]*of_client=own[^"]*"/)
  t.notMatch(could.text, /href="[^"]*Merchant/, 'what is of a person is in no address')
  const could_not = await ask({ resource: MAIL, of_resource: BILLING })
  t.equal(could_not.title, 'The API orders could not act for Alice Example')
  t.match(could_not.text, 'What stands against it')
  const again = await ada.page(`/console/explain/what-if-exchange?${new URLSearchParams(asked)}`)
  t.match(again.text, '<option value="orders" selected>')
  t.match(again.text, `<option value="${ORDERS}" selected>`)
})
