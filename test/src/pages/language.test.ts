// Suite: unit
import t from 'tap'
import { chooseLanguage } from '../../../src/pages/language.ts'

const tagOf = (ui_locales?: string, accept_language?: string) =>
  chooseLanguage(ui_locales, accept_language).tag

t.test('Accept-Language', async (t) => {
  const table: [header: string, tag: string][] = [
    ['de', 'de'],
    ['en', 'en'],
    ['DE', 'de'],
    ['de-DE', 'de'],
    ['de-Latn-AT-1996', 'de'],
    ['de-x-private', 'de'],
    ['fr, de', 'de'],
    ['fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'en'],
    ['en;q=0.1, de;q=0.2', 'de'],
    ['en;q=0.9,de', 'de'],
    ['en;q=0.7,de;q=0.7', 'en'],
    ['en; q=0.5 , de ; q=0.6', 'de'],
    ['de;Q=0.8, en;q=0.7', 'de'],
    ['de;q=1.000', 'de'],
    ['en;q=0, de;q=0.001', 'de'],
    // Unknown languages.
    ['', 'en'],
    ['fr', 'en'],
    ['*', 'en'],
    ['de;q=0', 'en'],
    ['de;q=0.000', 'en'],
    ['deu', 'en'],
    ['d', 'en'],
    ['x-de', 'en'],
    // Invalid language ranges (RFC 4647 §2.1) or qualities (RFC 9110 §12.4.2).
    ['de;q=-1', 'en'],
    ['de;q=NaN', 'en'],
    ['de_DE', 'en'],
    ['de-', 'en'],
    ['-de', 'en'],
    ['de--AT', 'en'],
    ['de-ABCDEFGHI', 'en'],
    ['de\u00a0x', 'en'],
    ['<script>', 'en'],
    ['__proto__', 'en'],
    ['constructor, toString', 'en'],
    [',,;;,=', 'en'],
    [', , de', 'de'],
    // Only the whole entries of the first 256 characters are read.
    [`${'fr'.repeat(100)},de`, 'de'],
    [`${'fr'.repeat(127)},de`, 'en'],
  ]
  for (const [header, tag] of table) t.equal(tagOf(undefined, header), tag, header)
  t.equal(tagOf(), 'en')
})

t.test('ui_locales take precedence over the header', async (t) => {
  const table: [ui_locales: string, header: string, tag: string][] = [
    ['de', 'en', 'de'],
    ['en de', 'de', 'en'],
    ['fr-CA de-CH en', 'en', 'de'],
    ['fr', 'de', 'de'],
    ['', 'de', 'de'],
    ['  de  ', 'en', 'de'],
    ['de;q=0', 'en', 'en'],
    ['de,en', 'de', 'de'],
    ['*', 'de', 'de'],
    ['../../etc/passwd', 'de', 'de'],
  ]
  for (const [ui_locales, header, tag] of table) t.equal(tagOf(ui_locales, header), tag, ui_locales)
})

t.test('only the beginning of a very long list is read', async (t) => {
  t.equal(tagOf(`${'fr '.repeat(49)}de`), 'de')
  t.equal(tagOf(`${'fr '.repeat(50)}de`), 'en')
})
