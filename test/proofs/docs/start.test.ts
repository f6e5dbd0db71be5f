// The ways at the head of docs/: from an empty folder to a working thing, in memory. That of agents needs packages of npm:
// test/foreign/mcp.foreign.ts follows it.
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { NEW_PASSWORD } from '../../support/accounts.ts'
import { visitorAt } from '../../support/flows/visitor-at.ts'
import { newRequest } from '../../support/openid-client.ts'
import { freePort } from '../../support/process.ts'
import { choosePassword } from '../../support/production-page.ts'
import { pathOf } from '../../support/scene/requests.ts'
import { prepareSteps } from '../../support/steps-of-page.ts'
import { asDeparture, asPage } from '../../support/visitor.ts'

t.setTimeout(300_000)

/** The steps of a page on ports of the test. */
async function start(t: Test, page: string) {
  const [port, own] = [await freePort(), await freePort()]
  const prepared = await prepareSteps(t, `docs/start/${page}.md`, [
    [/\b3000\b/g, String(port)],
    [/\b3001\b/g, String(own)],
    [/npx redmint serve/g, `PORT=${port} npx redmint serve`],
  ])
  return { ...prepared, issuer: `http://localhost:${port}`, origin: `http://localhost:${own}` }
}

t.test('protect an API: who has no token, one for it, and none any more', async (t) => {
  const { steps, step, origin } = await start(t, 'protect-an-api')
  t.equal(steps, 5)
  for (const number of [1, 2, 3, 4, 5]) await step(number)
  const { status } = await fetch(`${origin}/orders`, { headers: { authorization: 'Bearer none' } })
  t.equal(status, 401, 'the guard is still there')
})

t.test('sign in my people: an invited person signs in, until she is disabled', async (t) => {
  const { steps, step, issuer, origin } = await start(t, 'sign-in-people')
  t.equal(steps, 5)
  await step(1)
  const printed = await step(2)
  const setting = (name: string) => new RegExp(`^ *${name}="([^"]*)"`, 'm').exec(printed)?.[1] ?? ''
  t.match(setting('ISSUER_BASE_URL'), issuer)
  const invitation = /http:\S+\/welcome\?link=\S+/.exec(await step(3))?.[0] ?? 'none:'
  const eve = visitorAt(issuer)
  await choosePassword(eve, invitation, 'eve')

  const [id, secret] = [setting('CLIENT_ID'), setting('CLIENT_SECRET')]
  const insecure = { execute: [client.allowInsecureRequests] }
  const shop = await client.discovery(new URL(issuer), id, secret, undefined, insecure)
  const { checks, parameters } = await newRequest(`${origin}/callback`, 'openid profile email')
  const asked = pathOf(client.buildAuthorizationUrl(shop, parameters))
  const left = await eve.submit(await eve.page(asked), { decision: 'allow' })
  const tokens = await client.authorizationCodeGrant(shop, asDeparture(left).location, checks)
  t.equal(tokens.claims()?.email, 'eve@example.com')

  await step(4)
  await step(5)
  t.ok(asPage(await eve.open(asked)).text.includes('name="password"'), 'her session is over')
  const again = await eve.submit(asPage(await eve.open(asked)), { username: 'eve', password: NEW_PASSWORD })
  t.equal('location' in again, false, 'and she gets no other one')
})
