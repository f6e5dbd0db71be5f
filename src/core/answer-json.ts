import { Kind, type TSchema } from '@sinclair/typebox'
import { jsonText } from './json-text.ts'

type Write = (value: unknown) => string

/**
 * Returns a function that writes a value as JSON with the fields of its schema only, so that no other field of a record
 * gets into an answer. The schema is read, not compiled: it costs no time until the first answer.
 * The function throws a TypeError if a required field is missing, or an object is where the schema has none.
 */
export function writerOf(schema: TSchema): Write {
  if (schema.type === 'array') {
    const write = writerOf(schema.items)
    return (items) => `[${(items as readonly unknown[]).map((item) => write(item)).join(',')}]`
  }
  // Whoever made the schema says nothing of the value.
  if (schema[Kind] === 'Unknown') return JSON.stringify
  if (schema.type !== 'object') return writeSimple
  // A schema without names says nothing of the members.
  const has_names = schema.properties !== undefined && schema.additionalProperties !== true
  return has_names ? fieldWriter(schema) : JSON.stringify
}

function fieldWriter({ properties, required = [] }: TSchema): Write {
  const fields = Object.entries<TSchema>(properties).map(([name, field]) => ({
    name,
    label: `${JSON.stringify(name)}:`,
    write: writerOf(field),
    is_required: required.includes(name),
  }))
  return (value) => {
    const given = value as Readonly<Record<string, unknown>>
    let json = ''
    for (const { name, label, write, is_required } of fields) {
      const member = given[name]
      if (member !== undefined) json += (json === '' ? label : `,${label}`) + write(member)
      else if (is_required) throw new TypeError(`The answer has no ${name}.`)
    }
    return `{${json}}`
  }
}

function writeSimple(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'object' && value !== null)
    throw new TypeError('The answer has an object in a field of text.')
  return typeof value === 'string' ? jsonText(value) : JSON.stringify(value)
}
