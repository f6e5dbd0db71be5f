// Nobody reads the name of a field, a code, a number of milliseconds or JSON first on a page of the console: titles, headings,
// the first words of rows and labels are words.
import t from 'tap'
import { CLIENT_FIELDS } from '../../../../src/clients/record/client-fields.ts'
import { CONSOLE_ACTIONS, CONSOLE_PAGES } from '../../../../src/console/rooms.ts'
import { EVENTS } from '../../../../src/core/events.ts'
import { REASONS } from '../../../../src/core/reasons.ts'
import { USER_FIELDS } from '../../../../src/users/user-fields.ts'
import { placeOf, withRecords } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'

const isCode = (name: string) => name.includes('_')
const CODES = new Set(
  [CLIENT_FIELDS, USER_FIELDS, EVENTS, REASONS].flatMap((table) => Object.keys(table)).filter(isCode),
)
/** Thirteen digits are milliseconds since 1970. */
const MILLISECONDS = /\b\d{13}\b/
const JSON_TEXT = /^\s*[[{]\s*(?:"|\{|\[)/

/** What is read first: titles, headings, the first words of rows, and labels, without what stands small beside them. */
function firstWords(html: string): string[] {
  const main = /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? ''
  const shown = [/<title>([^<]*)/.exec(html)?.[1] ?? '']
  for (const [, text = ''] of main.matchAll(
    /<(?:h1|h2|h3|dt|th scope="row"|th scope="col"|label|legend|summary|button)\b[^>]*>([\s\S]*?)<\/(?:h1|h2|h3|dt|th|label|legend|summary|button)>/g,
  ))
    shown.push(text)
  return shown.map((text) =>
    text
      .replaceAll(/<(small|code)\b[\s\S]*?<\/\1>/g, '')
      .replaceAll(/<[^>]*>/g, '')
      .trim(),
  )
}

t.test('no page of the console begins with a code', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await withRecords(storage)
  const ada = await operator()
  const paths = [...CONSOLE_PAGES, ...CONSOLE_ACTIONS].map(({ path }) => path)
  for (const path of paths) {
    const { status, text } = await ada.page(placeOf(path))
    if (status !== 200) continue
    const wrong = firstWords(text).filter(
      (words) =>
        CODES.has(words) || MILLISECONDS.test(words) || JSON_TEXT.test(words.replaceAll('&quot;', '"')),
    )
    t.strictSame(wrong, [], path)
  }
})
