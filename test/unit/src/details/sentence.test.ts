import t from 'tap'
import { readSchema } from '../../../../src/details/schema.ts'
import { readSentences, sentenceIn, shownDetail } from '../../../../src/details/sentence.ts'
import { PAYMENT, PAYMENT_SCHEMA } from '../../../support/details.ts'

const read = readSchema(JSON.stringify(PAYMENT_SCHEMA))
const schema = 'schema' in read ? read.schema : undefined

t.test('a sentence names members that are always there', async (t) => {
  t.match(readSentences('{"en":"Pay {amount}","pt-BR":"Pagar {amount}"}', schema), { sentences: Map })
  for (const [text, problem] of [
    ['[]', /must be a JSON object/],
    ['{}', /one language at least/],
    ['{"english":1}', /must be a text/],
    ['{"EN":"Pay"}', /no language tag/],
    ['{"en":""}', /visible/],
    ['{"en":"Pay \\u202e {amount}"}', /direction/],
    ['{"en":"Pay {amount"}', /brace/],
    ['{"en":"Pay amount}"}', /brace/],
    ['{"en":"Pay {purpose}"}', /\{purpose\}, which is no required member/],
    ['{"en":"Pay {nothing}"}', /\{nothing\}/],
    ['{"en":"Pay {}"}', /\{\}/],
    [`{"en":"${'x'.repeat(301)}"}`, /at most 300/],
  ] as const)
    t.match(readSentences(text, schema), { problem }, text.slice(0, 40))
})

t.test('it is in the language of the page, else in English, else the first one', async (t) => {
  const sentences = new Map([
    ['fr', 'un'],
    ['en', 'one'],
    ['de', 'eins'],
  ])
  t.equal(sentenceIn(sentences, 'de'), 'eins')
  t.equal(sentenceIn(sentences, 'de-CH'), 'eins')
  t.equal(sentenceIn(sentences, 'ja'), 'one')
  t.equal(sentenceIn(new Map([['fr', 'un']]), 'ja'), 'un')
})

t.test('T19: a person reads every value, without what hides or turns text', async (t) => {
  const creditor = `\u202Eevil\u0000\u200B ${'x'.repeat(400)}`
  const shown = shownDetail(
    { ...PAYMENT, creditor, purpose: '<b>', actions: ['initiate', 'status'], more: [{ a: 1 }, { b: null }] },
    'Pay {amount} {currency} to {creditor}',
  )
  const text = shown.sentence.map((part) => (typeof part === 'string' ? part : part.text)).join('')
  t.match(text, /^Pay 12\.5 EUR to evil x{190,}…$/)
  t.ok([...text].length < 230)
  t.strictSame(shown.others, [
    { path: 'purpose', text: '<b>' },
    { path: 'actions', text: 'initiate, status' },
    { path: 'more.1.a', text: '1' },
    { path: 'more.2.b', text: 'null' },
  ])
})
