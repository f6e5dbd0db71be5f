// An invitation from its mail on: sent to a real SMTP server, read as a mail program reads it, and followed to somebody who is
// signed in, by the link of either part. Its HTML in a browser: what it loads, and whether it fits.
import t, { type Test } from 'tap'
import { NEW_PASSWORD } from '../../../support/accounts.ts'
import { TOOL } from '../../../support/admin.ts'
import { accessibilityFaults, startBrowser } from '../../../support/browser.ts'
import { readMessage } from '../../../support/mime.ts'
import { type Scene, scene } from '../../../support/scene.ts'
import { ISSUER } from '../../../support/service.ts'
import { asPage } from '../../../support/visitor.ts'

const START = 'https://shop.example.com/login?tenant=1'

/** Has an operator invite somebody by mail, and reads what arrives. */
async function invite(t: Test, { call, tokenFor, smtp }: Scene, email: string, language: string) {
  const token = await tokenFor('ada', 'redmint:users:write redmint:users:create')
  const body = { email, send: true, language, client: 'own' }
  const { status, json } = await call('POST', '/invitations', { token, body })
  t.equal(status, 201, JSON.stringify(json))
  const raw = smtp().mails.at(-1)?.raw ?? ''
  const { headers, parts } = readMessage(raw)
  const [text, html] = parts
  return { headers, parts, text: text?.text ?? '', html: html?.text ?? '' }
}

async function start(t: Test) {
  const found = await scene(t, {
    with: ['mail', 'console'],
    smtp_tls: 'off',
    service_name: 'Example',
    clients: [TOOL],
  })
  await found.setFields('ada', { name: 'Ada Lind' })
  await found.redmint.storage.records.change({ name: 'client' }, 'own', {
    set: { initiate_login_uri: START },
  })
  return found
}

const LINK = /https:\/\/auth\.example\.com\/welcome\?link=[^\s"<]+/g

t.test('the link of each part leads to somebody who is signed in', async (t) => {
  const service = await start(t)
  for (const [part, username] of [
    ['text', 'gustavo'],
    ['html', 'pereira'],
  ] as const) {
    const mail = await invite(t, service, `${username}@example.net`, 'en')
    t.same(
      mail.parts.map(({ type }) => type),
      ['text/plain', 'text/html'],
      'what every program shows comes first',
    )
    t.equal(mail.headers.get('subject'), 'Ada Lind invites you to Example')
    t.equal(mail.headers.get('to'), `${username}@example.net`)
    const links = new Set(mail[part].match(LINK))
    t.equal(links.size, 1, 'one link, wherever one presses')
    const [link = ''] = links
    const browser = service.visitor()
    const page = await browser.page(link.slice(ISSUER.length))
    t.match(page.text, /Ada Lind/, 'who invites')
    const done = asPage(
      await browser.submit(page, { username, name: 'Gustavo Pereira', password: NEW_PASSWORD }),
    )
    t.match(done.text, `href="${START.replace('&', '&amp;')}`, 'on to the application')
    t.match((await browser.page('/account')).text, 'Gustavo Pereira', 'and is signed in')
  }
})

t.test(
  'its HTML fits a phone, is legible in light and dark, and loads nothing, in any direction',
  async (t) => {
    const service = await start(t)
    const browser = await startBrowser(t)
    for (const language of ['en', 'ar', 'ja']) {
      const { html } = await invite(t, service, `${language}@example.net`, language)
      for (const [width, dark] of [
        [320, false],
        [320, true],
        [1280, false],
      ] as const) {
        const { page } = await browser.welcome({ width, height: 700, dark, scripts: true })
        const loaded: string[] = []
        page.on('request', (request) => loaded.push(request.url()))
        await page.setContent(html)
        const wide = await page.evaluate('document.documentElement.scrollWidth')
        t.ok(Number(wide) <= width, `${language} ${width}: ${wide}`)
        t.same(loaded, [])
        // A mail has no landmarks: its program has them.
        const faults = await accessibilityFaults(page, [
          'color-contrast',
          'link-in-text-block',
          'html-has-lang',
        ])
        t.same(faults, [], `${language} ${width} ${dark}`)
        if (process.env.MAIL_PICTURES)
          await page.screenshot({
            path: `${process.env.MAIL_PICTURES}/${language}-${width}-${dark}.png`,
            fullPage: true,
          })
      }
    }
  },
)
