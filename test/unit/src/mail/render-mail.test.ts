import t from 'tap'
import { completeSettings } from '../../../../src/config/settings.ts'
import { MAIL_KINDS } from '../../../../src/mail/mail-kinds.ts'
import { plainWords, renderMail } from '../../../../src/mail/render-mail.ts'
import { LANGUAGES, languages } from '../../../support/languages.ts'

const settings = completeSettings({ issuer: 'https://auth.example.com', service_name: 'Example & <Co>' })
const parts = { settings, languages }
const link = 'https://auth.example.com/account/x#secret'

t.test('each mail is text and small HTML in every language, with no address but the issuer', async (t) => {
  for (const kind of MAIL_KINDS) {
    for (const { tag: language, dir } of LANGUAGES) {
      const mail = renderMail(parts, { kind, language, link, about: 'Firefox on Linux' })
      t.notMatch(Object.values(mail).join('\n'), /\{\w+\}|undefined/, 'every placeholder is filled')
      const addresses = `${mail.text}${mail.html}`.match(/\w+:\/\/[^\s"<]+/g) ?? []
      t.ok(addresses.length > 0)
      for (const address of addresses)
        t.ok(address.startsWith(settings.issuer), `${kind} ${language} ${address}`)
      // RFC 5322 §2.1.1: longer lines are cut in lists of mails.
      t.ok([...mail.subject].length <= 78, `${kind} ${language} ${mail.subject}`)
      t.notMatch(mail.html, /<img|<script|<link|src=|@import|url\(|javascript:/, 'nothing is loaded')
      t.match(mail.html, 'bgcolor="#0f766e"')
      t.ok(
        mail.html.includes(`dir="${dir}"`) &&
          !mail.html.includes(`text-align:${dir === 'rtl' ? 'left' : 'right'}`),
      )
      t.ok(Buffer.byteLength(mail.html) < 16_384, `${Buffer.byteLength(mail.html)} bytes`)
      t.equal(mail.html.split(`>${link}<`).length, kind === 'test' ? 1 : 2, 'the address is shown once')
      t.ok(mail.html.includes('Example &amp; &lt;Co&gt;') && mail.html.includes(`lang="${language}"`))
      t.equal(mail.text.includes(link), kind !== 'test')
    }
    const texts = LANGUAGES.map(({ tag }) => renderMail(parts, { kind, language: tag, link }).text)
    t.equal(new Set(texts).size, LANGUAGES.length, kind)
  }
  const unknown = renderMail(parts, { kind: 'test', language: 'constructor' })
  t.same(unknown, renderMail(parts, { kind: 'test', language: 'en' }), 'else English')
})

t.test('E2 what a person chose is words alone: no link, no line, no end', async (t) => {
  const table = [
    ['https://evil.example/win now', 'https evil example win now'],
    ['a\r\nBcc: x@y\u0000', 'a Bcc x y '.trim()],
    ['\u202Eevil\uFF0Ecom', 'evil com'],
    ["O'Hara-Smith é", "O'Hara-Smith é"],
    ['x'.repeat(500), 'x'.repeat(60)],
  ] as const
  for (const [given, words] of table) t.equal(plainWords(given), words)
  const { text } = renderMail(parts, {
    kind: 'factor_added',
    language: 'en',
    link,
    about: '{service} www.evil.example',
  })
  t.ok(text.includes('service www evil example.'), text)
})

t.test(
  'an invitation says who invites, where it leads and until when, in the language of the person',
  async (t) => {
    const content = {
      kind: 'invitation',
      link,
      until: Date.UTC(2026, 11, 5, 12, 48),
      client: 'Shop',
    } as const
    const by = { ...content, inviter: 'Ada Lind' }
    const { subject, text, html } = renderMail(parts, { ...by, language: 'en' })
    t.equal(subject, 'Ada Lind invites you to Example & <Co>')
    for (const body of [text, html]) {
      t.match(body, /Saturday/)
      t.match(body, /December 5, 2026/)
      t.match(body, 'Then you go on to Shop.')
    }
    t.match(renderMail(parts, { ...by, language: 'de' }).text, /Gilt bis: Samstag, 5. Dezember 2026/)
    t.match(
      renderMail(parts, { ...content, language: 'en' }).subject,
      'You are invited',
      'nobody with a name invites',
    )
  },
)

t.test('E2 no name makes a link, a header or HTML of itself in a mail to somebody else', async (t) => {
  const evil = 'https://evil.example/ <b>win</b>\r\nBcc: x@evil.example \u202e'
  const names = { inviter: evil, client: evil, browser: evil, address: evil, account: evil, about: evil }
  for (const kind of ['invitation', 'verify_address', 'factor_added'] as const) {
    const { subject, text, html } = renderMail(parts, { kind, language: 'en', link, ...names })
    t.notMatch(subject, /[\r\n]|evil\.example|:\/\//)
    t.notMatch(html, /<b>|href="https:\/\/evil/)
    t.notMatch(text, /^Bcc/m)
  }
  const { text } = renderMail(parts, {
    kind: 'invitation',
    language: 'en',
    link,
    inviter: evil,
    client: evil,
  })
  t.notMatch(text, /evil\.example|@/, 'what a stranger reads are words alone')
})

t.test('a mail says until when its link works once, as a moment', (t) => {
  const kinds = ['reset_password', 'reset_passkey', 'account_made', 'verify_address', 'sign_up', 'invitation']
  for (const { tag: language } of LANGUAGES)
    for (const kind of MAIL_KINDS.filter((one) => kinds.includes(one))) {
      const { text } = renderMail(parts, { kind, language, link })
      for (const unit of ['hour', 'day']) {
        const said = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(1)
        t.notMatch(text, said.replace(/[\d\s\u200f]/gu, ''), `${kind} ${language}`)
      }
    }
  t.end()
})

t.test('a notice says when, where and in which browser, as a list', async (t) => {
  const facts = { at: Date.UTC(2026, 10, 28, 15, 31), browser: 'Chrome on Linux', address: '203.0.113.24' }
  const { text, html } = renderMail(parts, {
    kind: 'password_changed',
    language: 'en',
    link,
    account: 'eve',
    ...facts,
  })
  t.match(
    text,
    /Username: eve\nWhen: Saturday, November 28, 2026 at 3:31 PM UTC\nBrowser: Chrome on Linux\nNetwork address: 203.0.113.24\n/,
  )
  t.match(html, /<bdi>203\.0\.113\.24<\/bdi>/)
  const german = renderMail(parts, { kind: 'password_changed', language: 'de', link, ...facts })
  t.match(german.text, 'Browser: Chrome auf Linux\n', 'as the account page says it')
})
