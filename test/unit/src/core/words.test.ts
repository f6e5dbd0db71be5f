import t from 'tap'
import {
  MAX_TEXT_BYTES,
  MAX_WORD_BYTES,
  partsFound,
  readingsOf,
  textOfWords,
  wordsIn,
} from '../../../../src/core/words.ts'

t.test('words have no case, no diacritical marks, and one spelling', async (t) => {
  for (const [text, words] of [
    ['Anna-Maria O’Brien', ['anna', 'maria', 'o', 'brien']],
    ['ZOË Straße ΣΊΣΥΦΟΣ', ['zoe', 'strasse', 'σισυφοσ']],
    ['Łukasz Øster Ænima ıİI', ['lukasz', 'oster', 'aenima', 'iii']],
    ['ﬁle ２０２６', ['file', '2026']],
    ['山田太郎 ヤマダ', ['山', '田', '太', '郎', 'ヤ', 'マ', 'タ']],
    ['مُحَمَّد', ['محمد']],
    ['--- ._. 😀', []],
  ] as const)
    t.strictSame(wordsIn(text), words, text)
})

t.test('a text has each word once, and is bounded whatever strangers write', async (t) => {
  t.equal(textOfWords(['Anna Kow', 'anna.kow', 'anna.kow@mail.example.com']), ' anna kow mail example.com')
  t.equal(textOfWords(['annabel', 'anna']), ' annabel', 'who looks for anna finds annabel')
  t.equal(textOfWords(['']), '')
  const long = '😀字'.repeat(200) + 'ß'.repeat(500)
  t.ok(Buffer.byteLength(textOfWords([long, 'x'.repeat(9999)])) <= MAX_TEXT_BYTES)
  for (const word of wordsIn(`${'é'.repeat(300)} ${'한'.repeat(300)}`))
    t.ok(Buffer.byteLength(word) <= MAX_WORD_BYTES)
})

t.test('what is typed may be read in two ways', async (t) => {
  t.strictSame(readingsOf('Anna  KOW'), [['anna', 'kow']])
  t.strictSame(readingsOf('anna.kow'), [['anna', 'kow'], ['anna.kow']])
  t.strictSame(readingsOf('a@example.com'), [
    ['a', 'example.com'],
    ['a', 'example', 'com'],
  ])
  t.strictSame(readingsOf('@'), [])
  t.equal(readingsOf('a b c d e f g h i').flat().length, 6)
})

t.test('what was looked for is marked in the text', async (t) => {
  const marked = (text: string, typed: string) =>
    partsFound(text, typed)
      .map((part) => (part.is_found ? `[${part.text}]` : part.text))
      .join('')
  for (const [text, typed, expected] of [
    ['Anna Kowalski', 'kow ANN', '[Ann]a [Kow]alski'],
    ['Zoë Łukasz', 'zoe luk', '[Zoë] [Łuk]asz'],
    ['Straße', 'stras', '[Straß]e'],
    ['Hannah Osei', 'anna', 'H[anna]h Osei'],
    ['anna.kow@example.com', 'anna.kow@exa', '[anna].[kow]@[exa]mple.com'],
    ['<b>', 'b', '<[b]>'],
    ['Nobody', 'x', 'Nobody'],
    ['', 'x', ''],
  ] as const)
    t.equal(marked(text, typed), expected, text)
  for (const text of ['é'.repeat(600), '\u0301a', '😀 a\ud800', 'ıİß ﬁ'])
    t.equal(
      partsFound(text, 'a e fi iii')
        .map((part) => part.text)
        .join(''),
      text,
      'nothing is lost',
    )
})
