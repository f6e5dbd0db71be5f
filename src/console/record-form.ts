import type { TSchema } from '@sinclair/typebox'
import { invalidField } from '../admin/operation/problem.ts'
import { patchOf as mergePatchOf } from '../admin/operation/record-json.ts'
import type { OperationName, RecordName } from '../admin/operations.ts'
import { APPLICATION_FIELDS } from '../applications/application-fields.ts'
import { CLIENT_FIELDS } from '../clients/record/client-fields.ts'
import type { FieldTable } from '../core/field-table.ts'
import { isObject, parseJson, parseObject } from '../core/json.ts'
import { DETAIL_TYPE_FIELDS } from '../details/detail-type-fields.ts'
import { ISSUER_FIELDS } from '../issuers/issuer-fields.ts'
import { PROVIDER_FIELDS } from '../providers/provider-fields.ts'
import { RESOURCE_FIELDS } from '../resources/resource-fields.ts'
import { USER_FIELDS } from '../users/user-fields.ts'
import { operationOf } from './desk.ts'
import { withoutMarks } from './without-marks.ts'

/** A field of a record, as a form has it. */
export interface FormField {
  readonly name: string
  /** What people call it. */
  readonly label: string
  /** `list`: one entry in each line. `object`: JSON. `secret`: is typed unseen, and never shown again. */
  readonly kind: 'text' | 'list' | 'flag' | 'number' | 'object' | 'secret'
  /** The words that it can be; absent: any text. */
  readonly choices?: readonly string[]
  /** What people call these. */
  readonly choice_labels?: Readonly<Record<string, string>>
  readonly hint?: string
  /** Whether a list without entries says something else than none: it is written as NO_ENTRIES. */
  readonly may_be_empty?: true
}

/** What a form has for a list that is there, and has no entries. */
export const NO_ENTRIES = '[]'
const OF_EMPTY = /; empty: /

/** The texts of a form, by the names of fields. */
export type Texts = Readonly<Record<string, string | undefined>>

const KINDS: Readonly<Record<string, FormField['kind']>> = {
  array: 'list',
  boolean: 'flag',
  integer: 'number',
  object: 'object',
}

/** Returns the fields that an operation takes in its body: a new field of a record is here without further work. */
export function fieldsOf(operation: OperationName): FormField[] {
  const properties: Record<string, TSchema> = operationOf(operation).body?.properties ?? {}
  return Object.entries(properties)
    .filter(([, { readOnly }]) => readOnly !== true)
    .map(([name, { type, items, enum: own = items?.enum, title, description, writeOnly }]) => {
      const kind = writeOnly === true ? 'secret' : (KINDS[type] ?? 'text')
      const choice_labels = tableOf(operation)?.[name]?.choice_labels
      return {
        name,
        label: title ?? tableOf(operation)?.[name]?.label ?? name,
        kind,
        ...(own && { choices: own }),
        ...(choice_labels && { choice_labels }),
        ...(description && { hint: hintOf(kind, description) }),
        ...(kind === 'list' && OF_EMPTY.test(description ?? '') && { may_be_empty: true }),
      }
    })
}

const TABLES: Readonly<Record<RecordName, FieldTable>> = {
  client: CLIENT_FIELDS,
  user: USER_FIELDS,
  resource: RESOURCE_FIELDS,
  detail_type: DETAIL_TYPE_FIELDS,
  issuer: ISSUER_FIELDS,
  application: APPLICATION_FIELDS,
  provider: PROVIDER_FIELDS,
}

/** Returns what people call a field of a record; its name if it is none that redmint knows. */
export const labelOf = (record: RecordName, name: string): string => TABLES[record][name]?.label ?? name

/** Returns what people read of a value of a field: a time as such. */
export function readable(record: RecordName, name: string, value: unknown): unknown {
  const reads = TABLES[record][name]?.reads
  return reads !== undefined && ['string', 'number'].includes(typeof value) ? reads(String(value)) : value
}

/** Returns what people call a value of a field of a record; the value itself if it is a word. */
export const choiceWords = (record: RecordName, name: string, value: string): string =>
  TABLES[record][name]?.choice_labels?.[value] ?? value

/** Returns a sentence about a record with its fields and their choices as people call them; what is quoted stays. */
export function inWords(record: RecordName, sentence: string): string {
  const parts = sentence.split(/("[^"]*")/)
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(MACHINE_WORDS, labelled))).join('')

  function labelled(name: string): string {
    const fields = Object.values(TABLES[record])
    const choice = fields.find(({ choice_labels = {} }) => Object.hasOwn(choice_labels, name))
    const label = TABLES[record][name]?.label ?? choice?.choice_labels?.[name]
    return label === undefined ? name : `“${label}”`
  }
}

/** Names that no sentence has by chance. */
const MACHINE_WORDS = /\b[a-z]+(?:_[a-z]+)+\b/g

const tableOf = (operation: OperationName): FieldTable | undefined =>
  Object.entries(TABLES).find(([record]) => operation.endsWith(`_${record}`))?.[1]

/**
 * What the documentation says of a field as it is stored, for one of a form: a list has lines, and what is empty is
 * missing.
 */
function hintOf(kind: FormField['kind'], description: string): string {
  const text = withoutMarks(description)
    .replace(OF_EMPTY, `; ${NO_ENTRIES}: `)
    .replace(/missing(?: or empty)?: /, 'empty: ')
  return kind === 'list'
    ? text.replace(/separated by (?:single spaces|a space)(?:, with %20[^;]*)?/, 'one in each line')
    : text
}

/** Returns a record as a form has it. */
export function textsOf(fields: readonly FormField[], record: Readonly<Record<string, unknown>>): Texts {
  return Object.fromEntries(fields.map((field) => [field.name, textOf(field, record[field.name])]))
}

function textOf({ kind, may_be_empty }: FormField, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (may_be_empty && Array.isArray(value) && value.length === 0) return NO_ENTRIES
  if (kind === 'list') return Array.isArray(value) ? value.join('\n') : String(value)
  if (kind === 'object')
    return isObject(value) && Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2)
  return String(value)
}

/**
 * Returns the merge patch (RFC 7396) that a form asks for: only what differs from the record as the form showed it.
 * @throws AdminError `invalid_field`
 */
export function patchOf(fields: readonly FormField[], before: Texts, typed: Texts): Record<string, unknown> {
  const patch: Record<string, unknown> = {}
  for (const field of fields) {
    const { name, kind } = field
    // Browsers send line ends as CR LF.
    const text = lineEnds(typed[name] ?? '')
    if (text === (before[name] ?? '')) continue
    const value = text.trim() === '' ? null : valueIn(field, text)
    // Members that were taken out of an object would stay otherwise.
    patch[name] = kind === 'object' ? mergePatchOf(parseObject(before[name] ?? '') ?? {}, value) : value
  }
  return patch
}

/** Returns a text with line ends as they are stored: browsers send CR LF. */
export const lineEnds = (text: string) => text.replaceAll('\r\n', '\n')

function valueIn({ name, kind, may_be_empty }: FormField, text: string): unknown {
  if (may_be_empty && text.trim() === NO_ENTRIES) return []
  if (kind === 'list')
    return text
      .split('\n')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
  if (kind === 'flag') return text === 'true'
  if (kind === 'number') {
    if (!/^\d{1,15}$/.test(text.trim())) throw invalidField(name, `${name} must be a whole number`)
    return Number(text)
  }
  if (kind === 'object') {
    const value = parseJson(text)
    if (!isObject(value)) throw invalidField(name, `${name} must be a JSON object`)
    return value
  }
  return text
}

/** Returns what a form typed, on top of a record that changed meanwhile: what was not touched is as it is now. */
export function rebased(fields: readonly FormField[], before: Texts, typed: Texts, now: Texts): Texts {
  const isTouched = (name: string) => lineEnds(typed[name] ?? '') !== (before[name] ?? '')
  return Object.fromEntries(fields.map(({ name }) => [name, isTouched(name) ? typed[name] : now[name]]))
}

/** Reads texts that a hidden field carries. */
export function readTexts(json: string | undefined): Texts {
  const read = parseObject(json ?? '') ?? {}
  return Object.fromEntries(Object.entries(read).filter(([, value]) => typeof value === 'string')) as Texts
}
