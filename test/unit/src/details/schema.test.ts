import t from 'tap'
import { misfit, readSchema } from '../../../../src/details/schema.ts'
import { PAYMENT_SCHEMA } from '../../../support/details.ts'

const OBJECT = { type: 'object', properties: { a: { type: 'string' } } }

t.test('a schema is a closed subset of JSON Schema', async (t) => {
  t.match(readSchema(JSON.stringify(PAYMENT_SCHEMA)), { schema: { type: 'object' } })
  const refused: readonly [unknown, RegExp][] = [
    [[], /must be a JSON object/],
    [{ properties: {} }, /must have a type/],
    [{ type: ['object'] }, /must have a type/],
    [{ type: 'string' }, /must describe an object/],
    [{ type: 'object' }, /must have properties/],
    [{ ...OBJECT, $ref: '#' }, /keyword "\$ref"/],
    [{ ...OBJECT, additionalProperties: true }, /additionalProperties/],
    [{ ...OBJECT, required: ['b'] }, /required/],
    [{ type: 'object', properties: { type: { type: 'string' } } }, /member type/],
    [{ type: 'object', properties: { a: { type: 'string', pattern: '(a+)+' } } }, /keyword "pattern".*at a/],
    [{ type: 'object', properties: { 'a"b': { type: 'string' } } }, /has the member "a\\"b"/],
    [{ type: 'object', properties: { 'a.b': { type: 'string' } } }, /has the member "a\.b"/],
    [{ type: 'object', properties: { größe: { type: 'string' } } }, /has the member/],
    [{ type: 'object', properties: { a: { type: 'array' } } }, /must be a JSON object \(at a\[\]\)/],
    [{ type: 'object', properties: { a: { type: 'string', enum: [] } } }, /enum/],
    [{ type: 'object', properties: { a: { type: 'string', const: 1 } } }, /const/],
    [{ type: 'object', properties: { a: { type: 'string', maxLength: -1 } } }, /maxLength/],
    [{ type: 'object', properties: { a: { type: 'number', maximum: '9' } } }, /maximum/],
    [{ type: 'object', properties: { a: { type: 'string', narrow: 'less' } } }, /keyword "narrow"/],
    [{ type: 'object', properties: { a: { type: 'number', narrow: 'more' } } }, /narrow/],
    [{ type: 'object', properties: { __proto__x: 1 } }, /must be a JSON object/],
  ]
  for (const [given, problem] of refused)
    t.match(readSchema(JSON.stringify(given)), { problem }, JSON.stringify(given))
  t.match(readSchema('{"type":"object","type":"object","properties":{}}'), { problem: /twice/ })
  t.match(readSchema(`{"type":"object","properties":{"${'x'.repeat(8200)}":{"type":"string"}}}`), {
    problem: /more than 8192 bytes/,
  })
  let deep: unknown = { type: 'string' }
  for (let i = 0; i < 8; i++) deep = { type: 'object', properties: { a: deep } }
  t.match(readSchema(JSON.stringify(deep)), { problem: /nested/ })
})

t.test('T19: what does not fit the schema is refused', async (t) => {
  const read = readSchema(
    JSON.stringify({
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 2, maxLength: 3 },
        kind: { type: 'string', const: 'a' },
        count: { type: 'integer', minimum: 1, maximum: 5 },
        yes: { type: 'boolean' },
        list: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
        inner: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
      },
      required: ['kind'],
    }),
  )
  if (!('schema' in read)) throw new Error(read.problem)
  const problem = (json: string) => misfit(read.schema, JSON.parse(json), 'it')
  t.equal(
    problem('{"kind":"a","text":"äöü","count":5,"yes":false,"list":["b"],"inner":{"x":0.5}}'),
    undefined,
  )
  for (const [json, why] of [
    ['[]', /must be an object/],
    ['{}', /kind is missing/],
    ['{"kind":"b"}', /another value/],
    ['{"kind":"a","other":1}', /does not know/],
    ['{"kind":"a","__proto__":{"x":1}}', /does not know/],
    ['{"kind":"a","constructor":1}', /does not know/],
    ['{"kind":"a","text":"a"}', /characters/],
    ['{"kind":"a","text":"abcd"}', /characters/],
    ['{"kind":"a","text":1}', /must be a text/],
    ['{"kind":"a","text":null}', /must be a text/],
    ['{"kind":"a","count":0}', /at least 1/],
    ['{"kind":"a","count":6}', /at most 5/],
    ['{"kind":"a","count":1.5}', /whole number/],
    ['{"kind":"a","count":"1"}', /must be a number/],
    ['{"kind":"a","yes":"true"}', /true or false/],
    ['{"kind":"a","list":[]}', /1 elements or more/],
    ['{"kind":"a","list":["a","b","c"]}', /at most 2/],
    ['{"kind":"a","list":[1]}', /list\[0\] must be a text/],
    ['{"kind":"a","inner":{}}', /inner.x is missing/],
    ['{"kind":"a","inner":{"x":1,"y":1}}', /does not know/],
  ] as const)
    t.match(problem(json), why, json)
})
