import { parseStrictJson } from '../core/strict-json.ts'
import {
  canonicalText,
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberOf,
} from './json-value.ts'

/**
 * A schema: a closed subset of JSON Schema (2020-12), without references and patterns, so that its cost is bounded by the
 * length of what it judges. Objects have no members but those that it names.
 */
export type Schema = ObjectSchema | ListSchema | TextSchema | NumberSchema | BooleanSchema

export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: ReadonlyMap<string, Schema>
  readonly required: readonly string[]
}

interface ListSchema {
  readonly type: 'array'
  readonly items: Schema
  readonly minItems?: number
  readonly maxItems?: number
}

interface Values {
  readonly enum?: readonly JsonValue[]
  readonly const?: JsonValue
}

interface TextSchema extends Values {
  readonly type: 'string'
  /** In characters. */
  readonly minLength?: number
  readonly maxLength?: number
}

interface NumberSchema extends Values {
  readonly type: 'number' | 'integer'
  readonly minimum?: number
  readonly maximum?: number
  /** `less`: a token may have a lower number than was granted. It is no keyword of JSON Schema. */
  readonly narrow?: 'less'
}

interface BooleanSchema extends Values {
  readonly type: 'boolean'
}

const MAX_SCHEMA_BYTES = 8192
// Each level of what it describes is two levels of a schema.
const MAX_SCHEMA_DEPTH = 12
const MAX_VALUES = 100
/** A name that can be told in a description (RFC 6749 §5.2), and between the dots of a sentence. */
const NAME = /^[\w$@:-]{1,64}$/

/** Says why a text is no schema, as text that completes "<field> …". */
class SchemaProblem extends Error {}

/** The keywords of each type, besides `type`. */
const KEYWORDS: Readonly<Record<Schema['type'], readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['enum', 'const', 'minLength', 'maxLength'],
  number: ['enum', 'const', 'minimum', 'maximum', 'narrow'],
  integer: ['enum', 'const', 'minimum', 'maximum', 'narrow'],
  boolean: ['enum', 'const'],
}

/** Reads the schema of the details of a type. */
export function readSchema(text: string): { readonly schema: ObjectSchema } | { readonly problem: string } {
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES)
    return { problem: `has more than ${MAX_SCHEMA_BYTES} bytes` }
  const read = parseStrictJson(text, MAX_SCHEMA_DEPTH)
  if ('problem' in read) return read
  try {
    const schema = schemaOf(read.value as JsonValue, '')
    if (schema.type !== 'object') return { problem: 'must describe an object' }
    if (schema.properties.has('type'))
      return { problem: 'must not describe the member type: redmint knows it' }
    return { schema }
  } catch (error) {
    if (error instanceof SchemaProblem) return { problem: error.message }
    throw error
  }
}

function schemaOf(given: JsonValue | undefined, path: string): Schema {
  const fail = (problem: string) => new SchemaProblem(`${problem}${path === '' ? '' : ` (at ${path})`}`)
  if (!isJsonObject(given)) throw fail('must be a JSON object')
  const type = memberOf(given, 'type')
  if (typeof type !== 'string' || !Object.hasOwn(KEYWORDS, type))
    throw fail(`must have a type, one of ${Object.keys(KEYWORDS).join(', ')}`)
  const keywords = KEYWORDS[type as Schema['type']]
  const unknown = Object.keys(given).find((name) => name !== 'type' && !keywords.includes(name))
  if (unknown !== undefined)
    throw fail(`has the keyword ${JSON.stringify(unknown)}, which is none for ${type}`)
  switch (type as Schema['type']) {
    case 'object':
      return objectOf(given, path, fail)
    case 'array':
      return {
        type: 'array',
        items: schemaOf(memberOf(given, 'items'), `${path}[]`),
        ...limitsOf(given, ['minItems', 'maxItems'], isLength, fail),
      }
    case 'string':
      return {
        type: 'string',
        ...valuesOf(given, (value) => typeof value === 'string', fail),
        ...limitsOf(given, ['minLength', 'maxLength'], isLength, fail),
      }
    case 'boolean':
      return { type: 'boolean', ...valuesOf(given, (value) => typeof value === 'boolean', fail) }
    default:
      return numberOf(given, type as NumberSchema['type'], fail)
  }
}

type Fail = (problem: string) => SchemaProblem

function objectOf(given: JsonObject, path: string, fail: Fail): ObjectSchema {
  const properties = memberOf(given, 'properties')
  const required = memberOf(given, 'required') ?? []
  if (!isJsonObject(properties)) throw fail('must have properties')
  if (memberOf(given, 'additionalProperties') ?? false) throw fail('must not allow additionalProperties')
  const names = Object.keys(properties)
  const odd = names.find((name) => !NAME.test(name))
  if (odd !== undefined)
    throw fail(`has the member ${JSON.stringify(odd)}: names have 1 to 64 letters, digits, _, $, @, : and -`)
  if (!isJsonList(required) || !required.every((name) => typeof name === 'string' && names.includes(name)))
    throw fail('has a required that is no list of its properties')
  const entries = names.map((name): [string, Schema] => [
    name,
    schemaOf(properties[name], path === '' ? name : `${path}.${name}`),
  ])
  return { type: 'object', properties: new Map(entries), required: required as readonly string[] }
}

function numberOf(given: JsonObject, type: NumberSchema['type'], fail: Fail): NumberSchema {
  const narrow = memberOf(given, 'narrow')
  if (narrow !== undefined && narrow !== 'less') throw fail('has a narrow that is not "less"')
  return {
    type,
    ...valuesOf(given, (value) => isNumber(value), fail),
    ...limitsOf(given, ['minimum', 'maximum'], isNumber, fail),
    ...(narrow === 'less' && { narrow }),
  }
}

const isNumber = (value: JsonValue): value is number => typeof value === 'number' && Number.isFinite(value)
const isLength = (value: JsonValue): value is number => Number.isSafeInteger(value) && Number(value) >= 0

function valuesOf(given: JsonObject, isOne: (value: JsonValue) => boolean, fail: Fail): Values {
  const [values, value] = [memberOf(given, 'enum'), memberOf(given, 'const')]
  const is_list =
    isJsonList(values) && values.length > 0 && values.length <= MAX_VALUES && values.every(isOne)
  if (values !== undefined && !is_list)
    throw fail(`has an enum that is no list of 1 to ${MAX_VALUES} such values`)
  if (value !== undefined && !isOne(value)) throw fail('has a const of another type')
  return { ...(is_list && { enum: values }), ...(value !== undefined && { const: value }) }
}

function limitsOf<Name extends string>(
  given: JsonObject,
  names: readonly Name[],
  isLimit: (value: JsonValue) => value is number,
  fail: Fail,
): { readonly [Limit in Name]?: number } {
  const limits: { [Limit in Name]?: number } = {}
  for (const name of names) {
    const value = memberOf(given, name)
    if (value === undefined) continue
    if (!isLimit(value)) throw fail(`has a ${name} that is no number for it`)
    limits[name] = value
  }
  return limits
}

/** Returns why a value does not fit a schema, as text that completes "<path> …"; undefined if it fits. */
export function misfit(schema: Schema, value: JsonValue, path: string): string | undefined {
  switch (schema.type) {
    case 'object':
      return objectMisfit(schema, value, path)
    case 'array':
      return listMisfit(schema, value, path)
    case 'string':
      return textMisfit(schema, value, path)
    case 'boolean':
      return typeof value === 'boolean' ? valueMisfit(schema, value, path) : `${path} must be true or false`
    default:
      return numberMisfit(schema, value, path)
  }
}

function objectMisfit(
  { properties, required }: ObjectSchema,
  value: JsonValue,
  path: string,
): string | undefined {
  if (!isJsonObject(value)) return `${path} must be an object`
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${path}.${missing} is missing`
  for (const [name, member] of Object.entries(value)) {
    const schema = properties.get(name)
    if (schema === undefined) return `${path} has a member that its type does not know`
    const problem = misfit(schema, member, `${path}.${name}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function listMisfit({ items, minItems = 0, maxItems }: ListSchema, value: JsonValue, path: string) {
  if (!isJsonList(value)) return `${path} must be a list`
  if (value.length < minItems) return `${path} must have ${minItems} elements or more`
  if (maxItems !== undefined && value.length > maxItems)
    return `${path} must have at most ${maxItems} elements`
  for (const [place, element] of value.entries()) {
    const problem = misfit(items, element, `${path}[${place}]`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function textMisfit(schema: TextSchema, value: JsonValue, path: string): string | undefined {
  if (typeof value !== 'string') return `${path} must be a text`
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  const length = [...value].length
  if (length < minLength) return `${path} must have at least ${minLength} characters`
  if (length > maxLength) return `${path} must have at most ${maxLength} characters`
  return valueMisfit(schema, value, path)
}

function numberMisfit(schema: NumberSchema, value: JsonValue, path: string): string | undefined {
  if (!isNumber(value)) return `${path} must be a number`
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
  if (schema.type === 'integer' && !Number.isSafeInteger(value)) return `${path} must be a whole number`
  if (value < minimum) return `${path} must be at least ${minimum}`
  if (value > maximum) return `${path} must be at most ${maximum}`
  return valueMisfit(schema, value, path)
}

function valueMisfit(values: Values, value: JsonValue, path: string): string | undefined {
  const text = canonicalText(value)
  if (values.const !== undefined && canonicalText(values.const) !== text)
    return `${path} has another value than its type demands`
  if (values.enum !== undefined && !values.enum.some((one) => canonicalText(one) === text))
    return `${path} has none of the values that its type knows`
  return undefined
}
