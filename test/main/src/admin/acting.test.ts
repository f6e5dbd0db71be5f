// Who acts for people by exchanged tokens: what operators see, and end.
import t from 'tap'
import { workOffEndings } from '../../../../src/logout/endings.ts'
import { actingScene } from '../../../support/acting.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { BILLING, MAIL } from '../../../support/exchange.ts'
import { changeClient } from '../../../support/records.ts'

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
