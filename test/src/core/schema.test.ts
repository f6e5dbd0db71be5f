// Suite: unit
import { Type as TypeBox } from '@sinclair/typebox'
import t from 'tap'
import { Type as Own } from '../../../src/core/schema.ts'

t.test('the schemas are those of TypeBox, in the same order', async (t) => {
  const schemas = (Type: typeof Own) => ({
    text: Type.String({ description: 'a', minLength: 1 }),
    bare: [Type.String(), Type.Boolean(), Type.Integer(), Type.Array(Type.String()), Type.Object({})],
    flag: Type.Boolean({ default: false }),
    number: Type.Integer({ minimum: 0 }),
    list: Type.Array(Type.String(), { description: 'b' }),
    words: Type.Union([Type.Literal('a'), Type.Literal('b', { description: 'c' })], { description: 'd' }),
    given: Type.Unsafe({ type: 'string', enum: ['a'], default: undefined }),
    optional: Type.Object({ a: Type.Optional(Type.String()), b: Type.Optional(Type.Boolean()) }),
    mixed: Type.Object(
      { a: Type.String(), b: Type.Optional(Type.Integer()), c: Type.Object({ d: Type.String() }) },
      { $id: 'x', description: 'e', additionalProperties: Type.String() },
    ),
    nested: Type.Optional(Type.Object({ a: Type.Optional(Type.String()) })),
  })
  t.equal(JSON.stringify(schemas(Own)), JSON.stringify(schemas(TypeBox)))
})
