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
    for (const { tag: language } of LANGUAGES) {
      const mail = renderMail(parts, { kind, language, link, about: 'Firefox on Linux' })
      t.notMatch(Object.values(mail).join('\n'), /\{|undefined/, 'every placeholder is filled')
      const addresses = `${mail.text}${mail.html}`.match(/\w+:\/\/[^\s"<]+/g) ?? []
      t.ok(addresses.length > 0)
      for (const address of addresses)
        t.ok(address.startsWith(settings.issuer), `${kind} ${language} ${address}`)
      // RFC 5322 §2.1.1: longer lines are cut in lists of mails.
      t.ok([...mail.subject].length <= 78, `${kind} ${language} ${mail.subject}`)
      t.notMatch(mail.html, /<img|<script|<style|<link|src=|style=|@import/)
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
