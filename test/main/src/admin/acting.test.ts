// Who acts for people by exchanged tokens: what operators see, and end.
import t from 'tap'
import { workOffEndings } from '../../../../src/logout/endings.ts'
import { actingScene } from '../../../support/acting.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { BILLING, MAIL } from '../../../support/exchange.ts'
import { changeClient } from '../../../support/records.ts'
import { basic } from '../../../support/service.ts'

type Given = Parameters<typeof actingScene>[1]

async function start(test: Parameters<typeof actingScene>[0], options?: Given) {
  const given = await actingScene(test, options)
  const { redmint } = createCli({ storage: given.storage, now: given.redmint.now })
  const token = await given.signIn()
  const first = String((await given.exchange('orders', token)).json.access_token)
  const second = String((await given.exchange('billing', first, MAIL)).json.access_token)
  return { ...given, command: redmint, grant: token.slice(0, 16), token, first, second }
}

t.test('a sign-in is shown as a tree of those who act by it', async (t) => {
  const { command, grant, token, first, second } = await start(t)
  const shown = await command(['grant', 'show', grant])
  t.match(shown, { code: 0 })
  const [head, one, two] = shown.stdout.split('\n')
  t.match(head, new RegExp(`^${grant}  alice at own, since .*: openid api.read api.write$`))
  t.match(one, new RegExp(`^└─ orders acts at ${BILLING}: api.read api.write, until `))
  t.match(two, new RegExp(`^   └─ billing acts at ${MAIL}: api.read, until `))
  const json = await command(['grant', 'show', grant, '--json'])
  t.match(parsed(json), {
    grant,
    acting: [
      { client_id: 'orders', from: undefined, actors: [{ sub: 'orders', client_id: 'orders' }] },
      { client_id: 'billing', from: 0, actors: [{ client_id: 'billing' }, { client_id: 'orders' }] },
    ],
  })
  for (const secret of [token, first, second])
    t.notMatch(json.stdout + shown.stdout, secret.split('.')[1] ?? '', 'no secret is in it')
})

t.test('the same for a user and a client, of those sign-ins in which somebody acts', async (t) => {
  const { command, grant, signIn } = await start(t)
  await signIn()
  for (const owner of [
    ['--user', 'alice'],
    ['--client', 'own'],
  ]) {
    const { stdout } = await command(['grant', 'acting', ...owner])
    t.match(stdout, grant)
    t.match(stdout, /^2 tokens in 1 grant\.$/m)
  }
  t.match(await command(['grant', 'acting', '--user', 'bob']), { stdout: /Nobody acts/ })
  t.match(await command(['grant', 'acting', '--client', 'nobody']), { code: 1 })
})

t.test('an operator ends what a client does, in one sign-in or in all of a person', async (t) => {
  const { command, grant, token, first, second, active, exchange, signIn, redmint } = await start(t)
  const other = await signIn()
  const end = (...of: string[]) => command(['grant', 'end-acting', ...of])
  t.match(await end('billing', '--grant', grant), { stdout: /Ended: 1 token\./ })
  t.strictSame(await active(token, first, second), [true, true, false])
  t.match(await exchange('billing', first, MAIL), { status: 400 }, 'and it gets no other')
  t.match(await end('billing', '--grant', grant), { stdout: /Ended: 0 tokens\./ })
  t.equal((await exchange('orders', other)).status, 200, 'others act on')

  t.match(await end('orders', '--user', 'alice'), { stdout: /Ended: 2 tokens\./ })
  await workOffEndings(redmint)
  t.strictSame(await active(token, first, other), [true, false, true])
  for (const one of [token, other]) t.match(await exchange('orders', one), { status: 400 })
  t.match(await exchange('orders', await signIn()), { status: 200 }, 'a later sign-in is another one')

  t.match(await end('nobody', '--grant', grant), { code: 1, stderr: /There is no client/ })
  t.match(await end('orders', '--grant', 'AAAAAAAAAAAAAAAA'), { code: 1, stderr: /grant/ })
  t.match(await end('orders'), { code: 2, stderr: /either --grant or --user/ })
})

t.test('what is refused because of one who acts is not shown', async (t) => {
  const { command, grant, storage } = await start(t)
  const shown = async () => (await command(['grant', 'show', grant])).stdout
  t.match(await shown(), 'billing acts')
  await changeClient(storage, 'billing', { set: { disabled: 'true' } })
  t.notMatch(await shown(), 'billing acts')
  t.match(await shown(), 'orders acts')
  await changeClient(storage, 'orders', { set: { grants_end_before: String(Date.now() + 60_000) } })
  t.match(await shown(), 'Nobody acts by it')
})

t.test('the console shows the tree on the page of the person, the application and the sign-in', async (t) => {
  const { operator, grant, first, second, active, pass } = await start(t, { with: ['console'] })
  const ada = await operator()
  const words = async (path: string) => {
    const { text } = await ada.page(`/console${path}`)
    const tree = /<div class="inside tree">.*?<\/div>/s.exec(text)?.[0] ?? ''
    return tree.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')
  }
  for (const path of [
    '/people/alice',
    '/people/alice/acting',
    '/applications/own/grants',
    '/applications/own/acting',
    `/sign-ins/${grant}`,
  ])
    t.match(await words(path), /Sign-in of alice to own .*orders acts at .*billing acts at /, path)
  const question = await ada.page(`/console/sign-ins/${grant}/acting/billing/end`)
  t.match(question.text, 'It gets no further token of this sign-in by exchange.')
  await ada.submit(question, {})
  t.strictSame(await active(first, second), [true, false])
  t.notMatch(await words(`/sign-ins/${grant}`), 'billing acts')

  const ben = await operator('ben')
  const { text } = await ben.page(`/console/sign-ins/${grant}`)
  t.match(text, 'orders')
  t.notMatch(text, '/acting/orders/end', 'who only reads is offered nothing')
  t.equal((await ben.page(`/console/sign-ins/${grant}/acting/orders/end`)).status, 403)
  pass(301)
  for (const path of ['/people/alice', '/applications/own/grants']) t.equal(await words(path), '', path)
})

for (const access_token_format of ['opaque', 'jwt'] as const)
  t.test(`an exchanged token is explained by what it came from, ${access_token_format}`, async (t) => {
    const { command, token, first, second, storage, post } = await start(t, { access_token_format })
    const inspect = async (one: string) => parsed(await command(['token', 'inspect', one, '--json']))
    t.match(await inspect(token), { accepted: true, actors: undefined, exchanged_for: undefined })
    t.match(await inspect(second), {
      accepted: true,
      actors: [{ sub: 'billing' }, { sub: 'orders', client_id: 'orders' }],
      exchanged_for: [{ client_id: 'orders', state: 'live' }, { state: 'live' }],
    })
    const { stdout } = await command(['token', 'inspect', second])
    t.match(stdout, /^acting +billing, called by orders$/m)
    t.match(stdout, /^exchanged for +one of orders, that for /m)
    await changeClient(storage, 'orders', { set: { disabled: 'true' } })
    t.match(await inspect(second), { accepted: false, reasons: [/client "orders" is disabled/] })
    await changeClient(storage, 'orders', { set: { disabled: 'false' } })
    await post('/oauth2/revoke', { token: first }, basic('orders'))
    const ended = await inspect(second)
    t.match(ended, {
      accepted: false,
      exchanged_for: [{ client_id: 'orders', state: 'revoked' }, { state: 'live' }],
    })
    t.match(String(ended.reasons), 'a token that it was exchanged for, of the client "orders", ended')
    for (const secret of [token, first])
      t.notMatch(JSON.stringify(ended), secret.split('.')[1] ?? '', 'no secret of another token')
  })
