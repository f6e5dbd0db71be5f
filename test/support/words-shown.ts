// What people read on a page, and what they must not have to: names of fields, codes, milliseconds and JSON.
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import { ERROR_CODES } from '../../src/core/error-codes.ts'
import { EVENTS } from '../../src/core/events.ts'
import { REASONS } from '../../src/core/reasons.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'

const isCode = (name: string) => name.includes('_')
const CODES: ReadonlySet<string> = new Set(
  [
    ...ERROR_CODES,
    ...[CLIENT_FIELDS, USER_FIELDS, EVENTS, REASONS].flatMap((table) => Object.keys(table)),
  ].filter(isCode),
)
/** Thirteen digits are milliseconds since 1970. */
const MILLISECONDS = /\b\d{13}\b/
const JSON_TEXT = /^\s*[[{]\s*(?:"|\{|\[)/

const plain = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .trim()

/** What is read first: titles, headings, the first words of rows, and labels, without what stands small beside them. */
export function firstWords(html: string): string[] {
  const main = /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? ''
  const shown = [/<title>([^<]*)/.exec(html)?.[1] ?? '']
  for (const [, text = ''] of main.matchAll(
    /<(?:h1|h2|h3|dt|th scope="row"|th scope="col"|label|legend|summary|button)\b[^>]*>([\s\S]*?)<\/(?:h1|h2|h3|dt|th|label|legend|summary|button)>/g,
  ))
    shown.push(text)
  return shown.map((text) => plain(text.replaceAll(/<(small|code)\b[\s\S]*?<\/\1>/g, '')))
}

/** Each piece of text that a page shows, in its order. */
export function shownTexts(html: string): string[] {
  return html
    .replaceAll(/<(script|style|svg)\b[\s\S]*?<\/\1>/g, '')
    .split(/<[^>]*>/)
    .map((text) => plain(text))
    .filter((text) => text !== '')
}

/** Whether a text is for programs, as a whole. */
export const isForPrograms = (text: string): boolean =>
  CODES.has(text) || MILLISECONDS.test(text) || JSON_TEXT.test(text)

/** The names and codes in a text. */
export const codesIn = (text: string): string[] =>
  (text.match(/\w+/g) ?? []).filter((word) => CODES.has(word))
