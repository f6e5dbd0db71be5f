import type { Type as TypeBox } from '@sinclair/typebox'

export type { Static, TObject, TOptional, TProperties, TSchema } from '@sinclair/typebox'

type Schema = Record<PropertyKey, unknown>

const OPTIONAL = Symbol('optional')

function objectOf(properties: Record<string, Schema>, options?: Schema): Schema {
  const required = Object.keys(properties).filter((name) => properties[name]?.[OPTIONAL] !== true)
  return { ...options, type: 'object', ...(required.length > 0 && { required }), properties }
}

const constructors: Record<string, (...given: never[]) => Schema> = {
  Array: (items: Schema, options?: Schema) => ({ ...options, type: 'array', items }),
  Boolean: (options?: Schema) => ({ ...options, type: 'boolean' }),
  Integer: (options?: Schema) => ({ ...options, type: 'integer' }),
  Literal: (value: string, options?: Schema) => ({ ...options, const: value, type: 'string' }),
  Object: objectOf,
  Optional: (schema: Schema) => ({ ...schema, [OPTIONAL]: true }),
  String: (options?: Schema) => ({ ...options, type: 'string' }),
  Union: (anyOf: Schema[], options?: Schema) => ({ ...options, anyOf }),
  Unsafe: (schema: Schema) => schema,
}

/**
 * The constructors of TypeBox that redmint uses, with its types and the same JSON Schemas. TypeBox itself is imported for
 * types only: its two hundred files take a sixth of the time of a start.
 */
export const Type = constructors as unknown as Pick<
  typeof TypeBox,
  'Array' | 'Boolean' | 'Integer' | 'Literal' | 'Object' | 'Optional' | 'String' | 'Union' | 'Unsafe'
>
