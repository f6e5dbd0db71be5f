// prompt=create in a browser, at two replicas on Redis: from the application by the link of a mail back to it.
import t from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { accessibilityFaults, NARROW } from '../../../support/browser.ts'
import { startSmtp, textOf } from '../../../support/smtp.ts'
import { until } from '../../../support/until.ts'

const smtp = await startSmtp(t)
const { shop, issuer, redis, welcome } = await setStage(t, {
  sign_up: 'open',
  smtp_url: `smtp://localhost:${smtp.port}`,
  mail_from: 'Example <login@example.com>',
  mail: { ca: smtp.ca },
})
const { messages } = en
const CHOICE = { username: 'carol', password: 'seven wet umbrellas at noon' }

t.test('a person makes an account for an application, and is back there signed in', async (t) => {
  const person = await welcome(NARROW)
  const { page } = person
  await page.goto(shop.url({ prompt: 'create', login_hint: 'carol@example.net' }))
  await person.sees(messages.welcome_title)
  t.match(await page.locator('main').textContent(), /The shop/)
  t.same(await accessibilityFaults(page), [], 'axe')
  await page.click('button.main')
  await person.sees(messages.forgot_done_title)
  t.same(await accessibilityFaults(page), [], 'axe')
  await until('the mail arrives', () => smtp.mails.length === 1)
  const [mail] = smtp.mails
  const [, path = ''] = /(\/welcome\?link=\S+)/.exec(mail === undefined ? '' : textOf(mail)) ?? []

  // The mail is opened in another tab of the same browser.
  const tab = await page.context().newPage()
  await tab.goto(issuer + path)
  t.match(await tab.locator('main').textContent(), /The shop/)
  t.same(await accessibilityFaults(tab), [], 'axe')
  for (const [name, value] of Object.entries(CHOICE)) await tab.fill(`input[name=${name}]`, value)
  await tab.click('button.main')
  await tab.click('button[name=decision][value=allow]')
  await tab.waitForURL(`${shop.redirect_uri}*`)
  const { claims } = await shop.redeem()
  t.equal(claims.sub, (await redis.cli('HGET', 'redmint:user:carol', 'sub')).trim())

  // The tab that waited leads nowhere: the request has its answer.
  await page.click(`text=${messages.own_sign_in}`)
  await page.waitForLoadState()
  t.notMatch(page.url(), shop.redirect_uri)
})
