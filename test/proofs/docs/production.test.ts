// docs/production.md, step by step. Its application is what openid-client makes of the printed settings;
// test/foreign/production.foreign.ts makes the one of the page.
import * as client from 'openid-client'
import t from 'tap'
import { NEW_PASSWORD } from '../../support/accounts.ts'
import { visitorAt } from '../../support/flows/visitor-at.ts'
import { newRequest } from '../../support/openid-client.ts'
import { choosePassword, followProductionPage } from '../../support/production-page.ts'
import { pathOf } from '../../support/scene/requests.ts'
import { asDeparture, asPage } from '../../support/visitor.ts'

t.setTimeout(300_000)
/** The application says that it is at this address. */
const APP = 'https://shop.example.com'

t.test('from an empty machine to an invited person who signs in at an application', (t) =>
  followProductionPage(t, APP, async ({ issuer, printed, invitation }) => {
    const setting = (name: string) => new RegExp(`^ *${name}="([^"]*)"`, 'm').exec(printed)?.[1] ?? ''
    t.equal(setting('ISSUER_BASE_URL'), issuer)
    t.equal(setting('BASE_URL'), APP)
    const eve = visitorAt(issuer)
    const arrived = asPage(await choosePassword(eve, invitation, 'eve'))
    t.match(arrived.text, `href="${APP}"`, 'the way on to the application')
    const shop = await client.discovery(
      new URL(issuer),
      setting('CLIENT_ID'),
      setting('CLIENT_SECRET'),
      undefined,
      { execute: [client.allowInsecureRequests] },
    )
    const { checks, parameters } = await newRequest(`${APP}/callback`, 'openid profile email')
    const asked = client.buildAuthorizationUrl(shop, parameters)
    let answer = await eve.open(pathOf(asked))
    if (!('location' in answer) && answer.text.includes('name="password"'))
      answer = await eve.submit(answer, { username: 'eve', password: NEW_PASSWORD })
    if (!('location' in answer)) answer = await eve.submit(asPage(answer), { decision: 'allow' })
    const tokens = await client.authorizationCodeGrant(shop, asDeparture(answer).location, checks)
    t.equal(tokens.claims()?.email, 'eve@example.com', 'the invited person is signed in at the application')
  }),
)
