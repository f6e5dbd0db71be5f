import type { TSchema } from '@sinclair/typebox'
import { isObject } from '../../core/json.ts'
import { nearestName } from '../../core/nearest.ts'
import { AdminError, type InvalidField, type ProblemCode } from './problem.ts'

/** How input is checked. */
interface Check {
  /** Whether null stands for a member that is removed (RFC 7396). */
  readonly is_patch?: boolean
  /** The code of a refusal; absent: `unknown_field` or `invalid_field`. */
  readonly code?: ProblemCode
}

// Not Value.Errors of TypeBox: it ignores the `enum` of a text, accepts unknown members unless each schema forbids them, and
// has no merge patches; what would be left of this file is as long.
/**
 * Checks a JSON value by a schema, which may have the keywords of INPUT_KEYWORDS.
 * @throws AdminError that names every field which is wrong
 */
export function checkInput(schema: TSchema, value: unknown, { is_patch = false, code }: Check = {}): void {
  const unknown: InvalidField[] = []
  const invalid: InvalidField[] = []
  visit(schema, value, '', { is_patch, unknown, invalid })
  const fields = [...unknown, ...invalid]
  if (fields.length === 0) return
  const detail = fields.map(({ field, detail }) => `${field || 'The body'} ${detail}`).join('; ')
  throw new AdminError(code ?? (unknown.length > 0 ? 'unknown_field' : 'invalid_field'), detail, fields)
}

interface Findings {
  readonly is_patch: boolean
  readonly unknown: InvalidField[]
  readonly invalid: InvalidField[]
}

function visit(schema: TSchema, value: unknown, field: string, findings: Findings): void {
  const problem = problemOfValue(schema, value)
  if (problem !== undefined) findings.invalid.push({ field, detail: problem })
  else if (isObject(value)) visitMembers(schema, value, field, findings)
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(schema.items, item, `${field}[${index}]`, findings)
  }
}

function visitMembers(
  { properties = {}, required = [], additionalProperties, patternProperties }: TSchema,
  value: Readonly<Record<string, unknown>>,
  field: string,
  findings: Findings,
): void {
  const within = (name: string) => (field === '' ? name : `${field}.${name}`)
  for (const [name, member] of Object.entries(value)) {
    const schema: TSchema | undefined = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (schema === undefined) {
      if (additionalProperties === true || patternProperties !== undefined) continue
      const nearest = nearestName(name, Object.keys(properties))
      const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`
      findings.unknown.push({ field: within(name), detail: `is unknown${hint}` })
    } else if (member !== null || !findings.is_patch) visit(schema, member, within(name), findings)
  }
  for (const name of required as readonly string[]) {
    if (!Object.hasOwn(value, name)) findings.invalid.push({ field: within(name), detail: 'is missing' })
  }
}

/** The keywords of JSON Schema that checkInput reads; a test holds that the operations use no others. */
export const INPUT_KEYWORDS = [
  ...[
    'type',
    'enum',
    'const',
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'items',
    'description',
    'writeOnly',
  ],
  ...['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'minItems', 'maxItems'],
]

function problemOfValue(schema: TSchema, value: unknown): string | undefined {
  const { type, enum: choices, const: only } = schema
  if (only !== undefined && value !== only) return `must be ${JSON.stringify(only)}`
  if (!isOfType(type, value)) return `must be ${NAMES[String(type)] ?? type}`
  if (choices !== undefined && !choices.includes(value)) return `must be ${choices.join(' or ')}`
  if (typeof value === 'string') return problemOfText(schema, value)
  if (typeof value === 'number') return problemOfRange(schema, value, 'minimum', 'maximum', '')
  if (Array.isArray(value)) return problemOfRange(schema, value.length, 'minItems', 'maxItems', ' entries')
  return undefined
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  integer: 'a whole number',
  array: 'a list',
  object: 'an object',
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === undefined) return true
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  const given = typeof value
  return given === type
}

function problemOfText(schema: TSchema, value: string): string | undefined {
  if (!value.isWellFormed()) return 'is not valid Unicode'
  const { pattern } = schema
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return `must match ${pattern}`
  return problemOfRange(schema, value.length, 'minLength', 'maxLength', ' characters')
}

function problemOfRange(
  schema: TSchema,
  value: number,
  least: string,
  most: string,
  unit: string,
): string | undefined {
  if (value < (schema[least] ?? Number.NEGATIVE_INFINITY)) return `must be at least ${schema[least]}${unit}`
  return value > (schema[most] ?? Number.POSITIVE_INFINITY)
    ? `must be at most ${schema[most]}${unit}`
    : undefined
}
