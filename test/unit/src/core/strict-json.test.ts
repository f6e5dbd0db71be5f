import t from 'tap'
import { parseStrictJson } from '../../../../src/core/strict-json.ts'

const DEPTH = 3

t.test('JSON has no member twice in one object, however it is written', async (t) => {
  for (const json of ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '[{"b":{"a":1,"a":1}}]', '{"a":"x,y","a":1}'])
    t.match(parseStrictJson(json, DEPTH), { problem: /twice/ }, json)
  for (const json of [
    '{"a":{"a":1}}',
    '[{"a":1},{"a":2}]',
    '{"a":"a","b":"a"}',
    '{"a":["b","b"],"b":"}{,"}',
    '"a"',
  ])
    t.strictSame(parseStrictJson(json, DEPTH), { value: JSON.parse(json) }, json)
})

t.test('JSON is not nested too deep, and is JSON', async (t) => {
  t.match(parseStrictJson('[[[[]]]]', DEPTH), { problem: 'is nested more than 3 deep' })
  t.match(parseStrictJson('[[[]]]', DEPTH), { value: [[[]]] })
  for (const json of ['', '{', "{'a':1}", '{"a":1,}', 'NaN'])
    t.match(parseStrictJson(json, DEPTH), { problem: 'cannot be parsed' }, json)
})
