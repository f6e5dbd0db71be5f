import t from 'tap'
import { LANGUAGE_TAGS } from '../../../../src/config/language-tags.ts'
import { html } from '../../../../src/pages/html.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import type { Language, MessageName, Plural } from '../../../../src/pages/messages/language.ts'
import { say } from '../../../../src/pages/say.ts'
import { LANGUAGES } from '../../../support/languages.ts'

const RIGHT_TO_LEFT = /\p{Script=Arabic}|\p{Script=Hebrew}/u
const WIDE = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\u3000-\u303F\uFF00-\uFF60]/u
const BUTTON =
  /_(?:submit|submitting|continue|allow|deny|create|later|again|saved|keep|stay|retry|rename|remove|home)$/
/** Words that are the same in two languages. */
const SAME = new Set([
  ...['fr device_code', 'fr error_meaning', 'es title_with_problem', 'es error_code', 'it login_password'],
  ...['it own_email', 'it own_password', 'it footer_privacy', 'pt-BR own_email'],
  ...['es ask_no', 'it ask_no'],
])

/** The texts of a message: one, or one for each category of plurals. */
const textsOf = (message: string | Plural): [category: string, text: string][] =>
  typeof message === 'string' ? [['', message]] : Object.entries(message)

t.test('the languages are those of the list, and English is code', async (t) => {
  t.same(
    LANGUAGES.map(({ tag }) => tag),
    LANGUAGE_TAGS,
  )
  t.equal(LANGUAGES[0], en)
})

for (const { tag, name: own_name, dir, messages } of LANGUAGES) {
  t.test(`${tag} is written in itself`, async (t) => {
    t.same(Intl.getCanonicalLocales(tag), [tag], 'a language tag')
    t.equal(dir, RIGHT_TO_LEFT.test(own_name) ? 'rtl' : 'ltr', 'the direction of its name')
    for (const [name, message] of Object.entries(messages)) {
      const english: string | Plural = en.messages[name as MessageName]
      for (const [, text] of textsOf(message)) {
        t.notMatch(text, /["`']| {2}|\.\.\./, `${name} has the characters of print`)
        if (tag !== 'en' && !SAME.has(`${tag} ${name}`)) t.not(text, english, `${name} is translated`)
        if (dir === 'rtl') t.match(text.replace(/\{.*?\}/g, ''), RIGHT_TO_LEFT, `${name} is in its script`)
      }
    }
  })

  t.test(`${tag} has a text for each category of its plurals`, async (t) => {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions()
    for (const [name, message] of Object.entries(messages)) {
      if (typeof message === 'string') continue
      const given = Object.keys(message)
      t.same(
        given.filter((category) => !pluralCategories.some((known) => known === category)),
        [],
        name,
      )
      // A million is `many` in French, Spanish, Italian and Portuguese: no count of these pages is one.
      const numbers = Array.from({ length: 1000 }, (_, number) => number)
      const needed = new Set(numbers.map((number) => new Intl.PluralRules(tag).select(number)))
      t.same(new Set(given), needed, name)
    }
  })

  t.test(`${tag} fits: buttons and titles are short`, async (t) => {
    const width = (text: string) => [...text].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0)
    for (const [name, message] of Object.entries(messages)) {
      for (const [, text] of textsOf(message)) {
        if (BUTTON.test(name)) t.ok(width(text) <= 45, `${name}: ${text}`)
        if (name.endsWith('_title')) t.ok(width(text) <= 65, `${name}: ${text}`)
        const english: string | Plural = en.messages[name as MessageName]
        const of_english = textsOf(english).at(-1)?.[1] ?? ''
        t.ok(width(text) <= of_english.length * 2 + 15, `${name} is at most about twice as long: ${text}`)
      }
    }
  })
}

t.test('a number chooses the text', async (t) => {
  const of = (tag: string, count: number) =>
    say(LANGUAGES.find((language) => language.tag === tag) ?? en, 'consent_others_more', { count }).text
  t.same([of('en', 1), of('fr', 1), of('fr', 2)], ['1 more', '1 autre', '2 autres'])
  t.same([of('ar', 2), of('ar', 3), of('ar', 11)], ['مكانان آخران', '3 أماكن أخرى', '11 مكانًا آخر'])
})

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
