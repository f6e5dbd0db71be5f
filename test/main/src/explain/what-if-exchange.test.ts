// Whether a client could act for somebody: the dry run says what the token endpoint does.
import t from 'tap'
import { actingScene } from '../../../support/acting.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { BILLING, MAIL, ORDERS } from '../../../support/exchange.ts'
import { changeClient } from '../../../support/records.ts'

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
