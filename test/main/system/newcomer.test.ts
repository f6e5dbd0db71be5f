// The first hour, by the links of the pages alone: `npm start`, `/`, the console, an application of one's own, its sign-in, its mail.
import t from 'tap'
import { requestUrl, signInOn, visitorOf } from '../../support/scene/requests.ts'
import { basic, codeRequest, DEMO_HERE, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { asDeparture, asPage, type Page } from '../../support/visitor.ts'

const ORIGIN = 'http://localhost:4000'

/** The path that a link of the page leads to. */
function link({ text }: Page, path: RegExp): string {
  const found = [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => new URL(href, DEMO_HERE.issuer))
  const [one] = found.filter(({ origin, pathname }) => origin === DEMO_HERE.issuer && path.test(pathname))
  if (one === undefined) throw new Error(`no link to ${path}`)
  return one.pathname + one.search
}

t.test('a newcomer registers an application in the console, and signs in at it', async (t) => {
  const service = await startService(t, { ...DEMO_HERE, admin_api: 'on', console: 'on' })
  const browser = visitorOf(() => service.fastify, DEMO_HERE.issuer)
  const home = await browser.page('/')
  for (const path of [/^\/demo$/, /^\/demo\/mail$/, /^\/demo\/device$/, /^\/account$/])
    t.equal((await browser.page(link(home, path))).status, 200, String(path))

  const desk = asPage(
    await signInOn(browser, await browser.page(link(home, /^\/console$/)), 'alice', 'wonderland'),
  )
  const cards = await browser.page(link(desk, /^\/console\/applications\/new$/))
  const form = await browser.page(link(cards, /^\/console\/applications\/new$/))
  const made = asPage(
    await browser.submit(form, { client_id: 'shop', client_name: 'Shop', kind: 'express', origin: ORIGIN }),
  )
  t.match(made.text, 'app.mjs')
  const words = made.text.replaceAll('&quot;', '"')
  const [, secret = ''] = /CLIENT_SECRET="([\w-]{32,})"/.exec(words) ?? []
  t.match(words, new RegExp(`ISSUER_BASE_URL="${DEMO_HERE.issuer}"`))
  const tried = await browser.open(link(made, /^\/console\/applications\/shop\/try$/))
  t.ok('location' in tried || tried.status === 200, 'its sign-in is tried')

  const request = requestUrl({
    client_id: 'shop',
    redirect_uri: `${ORIGIN}/callback`,
    scope: 'openid profile',
  })
  const left = asDeparture(await browser.submit(await browser.page(request), { decision: 'allow' }))
  t.equal(left.location.origin, ORIGIN)
  const { client_id: _, ...code } = codeRequest(left.told.get('code') ?? '')
  const form_of_code = { ...code, redirect_uri: `${ORIGIN}/callback` }
  const { status, json } = await service.token(form_of_code, basic('shop', secret))
  t.match([status, json], [200, { access_token: String, id_token: String }], 'the secret of the page counts')

  await service.post('/forgot-password', { username: 'alice' })
  await until('its mail is shown', async () =>
    /reset-password\?link=/.test((await browser.page(link(home, /^\/demo\/mail$/))).text),
  )
})
