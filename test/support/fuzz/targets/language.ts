import assert from 'node:assert/strict'
import fc from 'fast-check'
import { LANGUAGES, languages } from '../../languages.ts'
import { type Target, twoParts } from '../target.ts'

const TAGS = ['en', 'de', 'DE', 'de-AT', 'fr', 'fr-CH', '*', 'x', 'e', 'en_US', 'de-', '-de', 'deutsch1a']
const QUALITIES = [
  '',
  ';q=1',
  ';q=0',
  ';q=0.5',
  ';q=0.501',
  '; q=0.9',
  ';Q=0.2',
  ';q=2',
  ';q=',
  ';q=.5',
  ';q=0.1234',
  ';level=1',
]

/** A simple list: known forms only, few and short. */
const SIMPLE =
  /^(?:[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,2}(?:;q=(?:0(?:\.[0-9]{1,3})?|1))?)(?:,(?:[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,2}(?:;q=(?:0(?:\.[0-9]{1,3})?|1))?)){0,9}$/

/** The language that a simple header asks for first (RFC 9110 §12.5.4, RFC 4647 §3.4). */
function preferred(header: string): string {
  const ranges = header.split(',').map((item) => {
    const [range = '', quality = 'q=1'] = item.split(';')
    return { primary: range.split('-')[0], quality: Number(quality.slice(2)) }
  })
  const known = ranges.filter(
    ({ primary, quality }) => quality > 0 && LANGUAGES.some(({ tag }) => tag.split('-')[0] === primary),
  )
  const best = Math.max(...known.map(({ quality }) => quality))
  return known.find(({ quality }) => quality === best)?.primary ?? 'en'
}

/** Language negotiation: always a known language, and for simple lists the best. An input: ui_locales, Accept-Language. */
export const language: Target = {
  name: 'language',
  words: [...TAGS, ...QUALITIES, ',', ', ', ';', 'q=0.7', '-', ' '],
  inputs: fc.oneof(
    fc
      .array(fc.tuple(fc.constantFrom(...TAGS), fc.constantFrom(...QUALITIES)), { maxLength: 12 })
      .map((items) => `\n${items.map((item) => item.join('')).join(',')}`),
    fc.array(fc.constantFrom(...TAGS), { maxLength: 5 }).map((tags) => `${tags.join(' ')}\nde;q=0.1`),
    fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })).map((pair) => pair.join('\n')),
  ),
  check(input) {
    const [ui_locales, header] = twoParts(input)
    assert.ok(LANGUAGES.includes(languages.choose(ui_locales, header)))
    assert.ok(LANGUAGES.includes(languages.choose(undefined, header)))
    if (SIMPLE.test(header))
      assert.equal(languages.choose(undefined, header).tag.split('-')[0], preferred(header))
  },
}
