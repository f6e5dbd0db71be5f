import { Type } from '@sinclair/typebox'
import t from 'tap'
import { writerOf } from '../../../../src/core/answer-json.ts'

const write = writerOf(
  Type.Object({
    name: Type.String(),
    count: Type.Optional(Type.Integer()),
    address: Type.Optional(Type.Object({ city: Type.Optional(Type.String()) })),
    items: Type.Optional(Type.Array(Type.Object({ id: Type.String() }))),
    open: Type.Optional(Type.Object({}, { additionalProperties: true })),
  }),
)

t.test('only the fields of the schema are written, at every depth', async (t) => {
  const secret = 'x'
  const record = {
    secret,
    name: 'a "quoted" name',
    address: { secret, city: 'Zürich' },
    items: [{ id: '1', secret }, { id: '2' }],
  }
  t.same(JSON.parse(write(record)), {
    name: 'a "quoted" name',
    address: { city: 'Zürich' },
    items: [{ id: '1' }, { id: '2' }],
  })
  t.equal(write({ name: 'a', count: undefined }), '{"name":"a"}', 'an absent field is left out')
  t.equal(write({ name: 'a', open: { any: 1 } }), '{"name":"a","open":{"any":1}}', 'unless it allows others')
})

t.test('what does not match the schema is not written', async (t) => {
  t.throws(() => write({ count: 1 }), new TypeError('The answer has no name.'))
  t.throws(() => write({ name: { secret: 'x' } }), TypeError, 'an object instead of a text')
  t.throws(() => write({ name: ['x'] }), TypeError, 'a list instead of a text')
  t.throws(() => write({ name: 'a', items: [{ secret: 'x' }] }), new TypeError('The answer has no id.'))
})

t.test('a value of which the schema says nothing is written whole', async (t) => {
  const writeChange = writerOf(Type.Object({ from: Type.Optional(Type.Unknown()), to: Type.Unknown() }))
  t.equal(writeChange({ to: ['staff', { a: 1 }] }), '{"to":["staff",{"a":1}]}')
})
