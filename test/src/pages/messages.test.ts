// Suite: unit
import { readdir } from 'node:fs/promises'
import t from 'tap'
import { html } from '../../../src/pages/html.ts'
import { en } from '../../../src/pages/messages/en.ts'
import type { Language } from '../../../src/pages/messages/language.ts'
import { LANGUAGES } from '../../../src/pages/messages/languages.ts'
import { say } from '../../../src/pages/say.ts'

const placeholders = (text: string) => text.match(/\{.*?\}/g)?.sort() ?? []

t.test('each language has a file, and each file a language', async (t) => {
  const files = await readdir(new URL('../../../src/pages/messages/', import.meta.url))
  t.same(
    LANGUAGES.map(({ tag }) => `${tag}.ts`).sort(),
    files.filter((name) => !name.startsWith('language')).sort(),
  )
  t.equal(LANGUAGES[0]?.tag, 'en')
})

for (const { tag, dir, messages } of LANGUAGES) {
  t.test(`${tag} has all messages`, async (t) => {
    t.same(Intl.getCanonicalLocales(tag), [tag], 'a language tag')
    t.match(dir, /^(ltr|rtl)$/)
    t.same(Object.keys(messages), Object.keys(en.messages), 'the same messages in the same order')
    for (const [name, text] of Object.entries(messages)) {
      const english = en.messages[name as keyof typeof en.messages]
      t.same(placeholders(text), placeholders(english), `the values of ${name}`)
      t.match(text, /^\S(.*\S)?$/, `${name} has a text without space around it`)
      t.notMatch(text, /[<>&"]/, `${name} is plain text`)
      if (tag !== 'en') t.not(text, english, `${name} is translated`)
    }
  })
}

t.test('a message with its values', async (t) => {
  const language: Language = {
    ...en,
    messages: { ...en.messages, consent_note: '<{host}> & {client} {other}' },
  }
  t.equal(
    say(language, 'consent_note', { client: '<b>{host}', host: html`<i>${'&'}</i>` }).text,
    '&lt;<i>&amp;</i>&gt; &amp; &lt;b&gt;{host} ',
  )
  t.equal(say(en, 'login_title').text, 'Sign in')
})
