import t from 'tap'
import { Languages } from '../../../../src/pages/languages.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { LANGUAGES, languages } from '../../../support/languages.ts'

const tagOf = (ui_locales?: string, accept_language?: string) =>
  languages.choose(ui_locales, accept_language).tag

t.test('Accept-Language', async (t) => {
  const table: [header: string, tag: string][] = [
    ['de', 'de'],
    ['en', 'en'],
    ['DE', 'de'],
    ['de-DE', 'de'],
    ['de-Latn-AT-1996', 'de'],
    ['de-x-private', 'de'],
    ['nl, de', 'de'],
    ['nl-BE, nl;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'en'],
    ['en;q=0.1, de;q=0.2', 'de'],
    ['en;q=0.9,de', 'de'],
    ['en;q=0.7,de;q=0.7', 'en'],
    ['en; q=0.5 , de ; q=0.6', 'de'],
    ['de;Q=0.8, en;q=0.7', 'de'],
    ['de;q=1.000', 'de'],
    ['en;q=0, de;q=0.001', 'de'],
    // Another region or script of a language is better than English (RFC 4647 §3.4 by the first subtag).
    ['fr-CA', 'fr'],
    ['es-419', 'es'],
    ['pt', 'pt-BR'],
    ['PT-br', 'pt-BR'],
    ['pt-PT', 'pt-BR'],
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans'],
    ['zh-TW', 'zh-Hans'],
    ['zh-Hant-HK', 'zh-Hans'],
    ['zh-Hans-SG', 'zh-Hans'],
    ['ar-EG', 'ar'],
    ['zh-', 'en'],
    // Unknown languages.
    ['', 'en'],
    ['nl', 'en'],
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
    [`${'nl'.repeat(100)},de`, 'de'],
    [`${'nl'.repeat(127)},de`, 'en'],
  ]
  for (const [header, tag] of table) t.equal(tagOf(undefined, header), tag, header)
  t.equal(tagOf(), 'en')
})

t.test('ui_locales take precedence over the header', async (t) => {
  const table: [ui_locales: string, header: string, tag: string][] = [
    ['de', 'en', 'de'],
    ['en de', 'de', 'en'],
    ['nl-BE de-CH en', 'en', 'de'],
    ['nl', 'de', 'de'],
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
  t.equal(tagOf(`${'nl '.repeat(49)}de`), 'de')
  t.equal(tagOf(`${'nl '.repeat(50)}de`), 'en')
})

t.test('a language of an operator: the script that a region has goes before any other', async (t) => {
  const added = { ...en, tag: 'zh-Hant', name: '繁體中文' }
  const more = new Languages([en, ...LANGUAGES.slice(1), added])
  const of = (range: string) => more.choose(range).tag
  t.same(['zh-TW', 'zh-Hant-HK', 'zh-CN', 'zh'].map(of), ['zh-Hant', 'zh-Hant', 'zh-Hans', 'zh-Hans'])
})
