import type { TSchema } from './schema.ts'

type Select = (value: unknown) => unknown

/**
 * Returns a function that writes a value as JSON with the fields of its schema only, so that no other field of a record
 * gets into an answer. The schema is read, not compiled: nothing of it costs time until the first answer.
 * The function throws a TypeError if a required field is missing, or an object is where the schema has none.
 */
export function writerOf(schema: TSchema): (value: unknown) => string {
  const select = selectorOf(schema)
  return (value) => JSON.stringify(select(value))
}

function selectorOf(schema: TSchema): Select {
  if (schema.type === 'array') {
    const select = selectorOf(schema.items)
    return (items) => (items as readonly unknown[]).map(select)
  }
  if (schema.type !== 'object') return plainValue
  return schema.additionalProperties === true ? (value) => value : fieldsOf(schema)
}

function fieldsOf({ properties, required = [] }: TSchema): Select {
  const fields = Object.entries<TSchema>(properties).map(([name, field]) => ({
    name,
    select: selectorOf(field),
    is_required: required.includes(name),
  }))
  return (value) => {
    const given = value as Readonly<Record<string, unknown>>
    const selected: Record<string, unknown> = {}
    for (const { name, select, is_required } of fields) {
      const member = given[name]
      if (member !== undefined) selected[name] = select(member)
      else if (is_required) throw new TypeError(`The answer has no ${name}.`)
    }
    return selected
  }
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'object' && value !== null)
    throw new TypeError('The answer has an object in a field of text.')
  return value
}
