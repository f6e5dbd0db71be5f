import assert from 'node:assert/strict'
import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { checkInput } from '../../../../src/admin/operation/check-input.ts'
import { AdminError } from '../../../../src/admin/operation/problem.ts'
import { parseStrictJson } from '../../../../src/core/strict-json.ts'
import type { Target } from '../target.ts'

const MAX_DEPTH = 5

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce((sum: number, inner) => sum + membersIn(inner), own)
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

/** The bodies of the admin API: what is read is JSON, without a member that is there twice, and not too deep. */
export const strictJson: Target = {
  name: 'strict-json',
  words: [
    '{"a":1,"a":2}',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\"',
    '\\u0061',
    '"__proto__":',
    'null',
    '1e9',
  ],
  inputs: fc.oneof(
    fc.json({ maxDepth: 7 }),
    fc.tuple(fc.json(), fc.json()).map(([a, b]) => `{"a":${a},"\\u0061":${b}}`),
    fc.string(),
  ),
  check(input) {
    const read = parseStrictJson(input, MAX_DEPTH)
    const value = parsed(input)
    // A member that is there twice has two colons, and one value.
    const colons = input.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1
    const is_strict = value !== undefined && colons === membersIn(value) && depthOf(value) <= MAX_DEPTH
    assert.equal('value' in read, is_strict)
    if ('value' in read) assert.deepEqual(read.value, value)
  },
}

const CLOSED = { additionalProperties: false }
const SCHEMA = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 5, pattern: '^[a-z]*$' }),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    level: Type.Optional(Type.String({ enum: ['low', 'high'] })),
    is_on: Type.Optional(Type.Boolean()),
    parts: Type.Optional(
      Type.Array(Type.Object({ id: Type.String() }, CLOSED), { minItems: 1, maxItems: 2 }),
    ),
    claims: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  CLOSED,
)
/** TypeBox does not read `enum` of a text. */
const isLevel = (value: unknown) =>
  !Object.hasOwn(Object(value), 'level') || ['low', 'high'].includes((value as { level: string }).level)

function refusal(schema: TSchema, value: unknown, is_patch = false): AdminError | undefined {
  try {
    checkInput(schema, value, { is_patch })
    return undefined
  } catch (error) {
    assert.ok(error instanceof AdminError)
    return error
  }
}

/** Input that a schema describes: it is accepted if and only if TypeBox accepts it, and a refusal names the fields. */
export const adminInput: Target = {
  name: 'admin-input',
  words: [
    '"name":"a"',
    '"count":1',
    '"level":"low"',
    '"parts":[{"id":"a"}]',
    '"claims":{}',
    'null',
    '-0',
    '1.0',
  ],
  inputs: fc.oneof(
    fc
      .record(
        {
          name: fc.oneof(fc.string({ maxLength: 6 }), fc.constant('abc')),
          count: fc.oneof(fc.integer({ min: -1, max: 11 }), fc.double()),
          level: fc.constantFrom('low', 'high', 'other'),
          is_on: fc.oneof(fc.boolean(), fc.constant(null)),
          parts: fc.array(fc.record({ id: fc.string() }, { requiredKeys: [] }), { maxLength: 3 }),
          claims: fc.object(),
          nam: fc.string(),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
    fc.json(),
  ),
  check(input) {
    const value = parsed(input)
    if (value === undefined || !JSON.stringify(value).isWellFormed()) return
    // JSON.stringify escapes the halves of a character.
    if (/\\ud[89a-f]/i.test(JSON.stringify(value))) return
    const refused = refusal(SCHEMA, value)
    assert.equal(refused === undefined, Value.Check(SCHEMA, value) && isLevel(value))
    if (refused !== undefined) assert.ok(refused.fields && refused.fields.length > 0)
    // What may be written may be patched, also when a member of it is removed.
    if (refused === undefined)
      assert.equal(refusal(SCHEMA, { ...(value as object), count: null }, true), undefined)
  },
}
