// What operators see of details that people allowed: at grants, at consents, at tokens, and at those that act.
import t, { type Test } from 'tap'
import { actingScene } from '../../../support/acting.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { detailsOf, PAYMENT, storePayments } from '../../../support/details.ts'
import { BILLING, ORDERS } from '../../../support/exchange.ts'
import type { Given } from '../../../support/scene.ts'
import { asPage } from '../../../support/visitor.ts'

const LINE = 'payment {"amount":12.5,"currency":"EUR","creditor":"Merchant A"}'

/** Alice allowed a payment, for which `orders` acts. */
async function start(t: Test, options: Given = {}) {
  const given = await actingScene(t, { with: ['console'], ...options })
  const { storage, visitor, afterPassword, redeem, exchange } = given
  await storePayments(storage, { remember: 'true' }, ['own', 'orders'])
  const browser = visitor()
  const asked = { scope: 'openid api.read', resource: ORDERS, authorization_details: detailsOf() }
  const question = asPage(await afterPassword(browser, asked))
  const { json } = await redeem(await browser.submit(question, { decision: 'allow' }))
  const token = String(json.access_token)
  const acting = String((await exchange('orders', token, BILLING)).json.access_token)
  const { redmint } = createCli({ storage, now: given.redmint.now })
  return { ...given, command: redmint, grant: token.slice(0, 16), token, derived: acting }
}

for (const access_token_format of ['opaque', 'jwt'] as const)
  t.test(`the command and the admin API have the objects, ${access_token_format}`, async (t) => {
    const { command, grant, token, derived, grantsOf, call, tokenOf } = await start(t, {
      access_token_format,
    })
    const id =
      access_token_format === 'jwt'
        ? (((await grantsOf('alice')) as { grant: string }[])[0]?.grant ?? '')
        : grant
    t.match(await grantsOf('alice'), [{ authorization_details: [PAYMENT] }])
    const shown = (await command(['grant', 'show', id])).stdout.split('\n')
    t.equal(shown[1], `   ${LINE}`)
    t.match(shown[2], /^└─ orders acts at /)
    t.equal(shown[3], `   ${`   ${LINE}`}`)
    t.match(parsed(await command(['grant', 'show', id, '--json'])), {
      authorization_details: [PAYMENT],
      acting: [{ authorization_details: [PAYMENT] }],
    })
    t.match((await command(['grant', 'list', '--user', 'alice'])).stdout, /openid api\.read detail:payment /)
    for (const one of [token, derived]) {
      t.match((await command(['token', 'inspect', one])).stdout.replace(/ +/g, ' '), `details ${LINE}`)
      t.match(parsed(await command(['token', 'inspect', one, '--json'])), {
        authorization_details: [PAYMENT],
      })
    }
    const asReader = { token: await tokenOf('redmint:read') }
    const { items } = (await call('GET', '/users/alice/consents', asReader)).json
    const [consent] = items as { scope: string; authorization_details: unknown }[]
    t.strictSame(consent?.authorization_details, [PAYMENT])
    t.equal(consent?.scope, 'openid api.read resource:https://orders.example', 'and not their digests')
  })

t.test('the console shows them below scopes', async (t) => {
  const { operator, grant } = await start(t)
  const ada = await operator()
  const words = async (path: string) =>
    (await ada.page(`/console${path}`)).text.replaceAll('&quot;', '"').replace(/<[^>]*>/g, '')
  for (const path of [
    '/people/alice/applications',
    '/people/alice/consents',
    '/applications/own/grants',
    `/sign-ins/${grant}`,
  ])
    t.match(await words(path), LINE, path)
  t.equal((await words(`/sign-ins/${grant}`)).split(LINE).length, 3, 'of the sign-in, and of who acts by it')
})
