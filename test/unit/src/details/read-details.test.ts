import t from 'tap'
import { parseDetails, readDetails } from '../../../../src/details/read-details.ts'

t.test('T19: what is no list of objects with a type is refused', async (t) => {
  t.strictSame(readDetails('[{"type":"a"}]'), { details: [{ type: 'a' }] })
  const many = JSON.stringify(Array.from({ length: 11 }, (_, n) => ({ type: 'a', n })))
  for (const [text, problem] of [
    ['', /cannot be parsed/],
    ['{"type":"a"}', /not a JSON array/],
    ['[]', /no object/],
    ['[1]', /not an object with a type/],
    ['[null]', /not an object with a type/],
    ['[{"a":1}]', /not an object with a type/],
    ['[{"type":1}]', /not an object with a type/],
    ['[{"type":"a","type":"b"}]', /^has a member twice$/],
    ['[{"type":"a","b":{"c":1,"c":2}}]', /twice/],
    ['[{"type":"a","\\u0074ype":"b"}]', /twice/],
    ['[{"type":"a","n":1e400}]', /too large/],
    ['[{"type":"a","n":[-1e400]}]', /too large/],
    [`[{"type":"a","n":${'['.repeat(40)}${']'.repeat(40)}}]`, /nested/],
    [`[{"type":"a","n":"${'x'.repeat(8200)}"}]`, /8192 bytes/],
    [many, /more than 10/],
    [`[{"type":"a","n":[${Array(500).fill('9e20')}]}]`, /8192 bytes/],
  ] as const)
    t.match(readDetails(text), { problem }, text.slice(0, 40))
})

t.test('a text that is none has no details', async (t) => {
  t.strictSame(parseDetails(undefined), [])
  t.strictSame(parseDetails('nonsense'), [])
  t.strictSame(parseDetails('[{"type":"a"}]'), [{ type: 'a' }])
})
