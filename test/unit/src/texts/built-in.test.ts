// The languages that come with redmint are read as those of an operator are, and lack no text.
import { readdirSync } from 'node:fs'
import t from 'tap'
import { LANGUAGE_TAGS } from '../../../../src/config/language-tags.ts'
import { REASONS, type Reason } from '../../../../src/core/reasons.ts'
import { LANGUAGES as EXPLAINED, textOf } from '../../../../src/explain/texts.ts'
import { readLanguage } from '../../../../src/languages/read-language.ts'
import { textProblem } from '../../../../src/languages/text-problem.ts'
import { MAIL_TEXTS } from '../../../../src/mail/messages/en.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { builtIn } from '../../../../src/texts/built-in.ts'

const [, ...TRANSLATED] = LANGUAGE_TAGS

t.test('each tag has a file, and each file a tag', async (t) => {
  const files = readdirSync(new URL('../../../../src/texts/', import.meta.url))
  const expected = [...TRANSLATED.map((tag) => `${tag}.json`), 'built-in.ts']
  t.same(files.sort(), expected.sort())
})

t.test("English is what the reader of operators' files takes", async (t) => {
  const { tag, ...file } = { ...en, mails: Object.fromEntries(MAIL_TEXTS) }
  const problems: string[] = []
  t.same(readLanguage(tag, file, undefined, problems), { tag, ...file })
  t.same(problems, [])
})

for (const tag of TRANSLATED) {
  t.test(`${tag}: the reader of operators' files finds no fault, and no text is missing`, async (t) => {
    const { tag: own, explanations, ...file } = builtIn(tag)
    const problems: string[] = []
    t.same(readLanguage(tag, file, undefined, problems), { tag, ...file })
    t.same(problems, [])
    t.equal(own, tag)
    t.same(Object.keys(file.messages), Object.keys(en.messages), 'the messages of pages, in order')
    t.same(Object.keys(file.mails ?? {}), [...MAIL_TEXTS.keys()], 'the texts of mails, in order')
    const names = Object.keys(REASONS).flatMap((reason) => [`${reason}.what`, `${reason}.advice`])
    const is_explained = EXPLAINED.some((language) => language === tag)
    t.same(Object.keys(explanations ?? {}), is_explained ? names : [], 'the explanations, or none')
    for (const [name, text] of Object.entries(explanations ?? {}))
      t.equal(textProblem(text, []), undefined, name)
  })
}

t.test('a file is read once', async (t) => {
  t.equal(builtIn('de'), builtIn('de'))
})

t.test('an explanation is in the language that is asked for', async (t) => {
  const reason: Reason = 'server_fault'
  t.same(
    EXPLAINED.map((language) => textOf(reason, language).what),
    ['Something went wrong in the server.', 'Im Server ist etwas schiefgegangen.'],
  )
})
