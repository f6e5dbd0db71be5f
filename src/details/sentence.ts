import { isCanonicalTag } from '../config/language-tags.ts'
import { isObject, parseObject } from '../core/json.ts'
import { shownText, visibleNameProblem } from '../core/visible-text.ts'
import { isJsonList, isJsonObject, type JsonValue } from './json-value.ts'
import type { Detail } from './read-details.ts'
import type { ObjectSchema, Schema } from './schema.ts'

/** The sentences of a type, by language. Each names members in braces: `Pay {amount} to {creditor.name}`. */
export type Sentences = ReadonlyMap<string, string>

/** What a person reads of a value that somebody else chose. */
export interface ShownValue {
  /** Where it is in the object: `creditor.name`. */
  readonly path: string
  readonly text: string
}

/** What a person reads of an object: the sentence as texts and values in turn, and the values that it does not have. */
export interface ShownDetail {
  readonly sentence: readonly (string | ShownValue)[]
  readonly others: readonly ShownValue[]
}

const MAX_SENTENCE = 300
const MAX_VALUE = 200
const PLACEHOLDER = /\{([^{}]*)\}/

/** Reads the sentences of a type: a JSON object of texts by language tag. */
export function readSentences(text: string, schema: ObjectSchema | undefined) {
  const given = parseObject(text)
  if (given === undefined || !isObject(given))
    return { problem: 'must be a JSON object of texts by language' }
  const entries = Object.entries(given)
  if (entries.length === 0) return { problem: 'must have a text in one language at least' }
  for (const [tag, sentence] of entries) {
    const problem = sentenceProblem(tag, sentence, schema)
    if (problem !== undefined) return { problem }
  }
  return { sentences: new Map(entries) as Sentences }
}

function sentenceProblem(
  tag: string,
  sentence: unknown,
  schema: ObjectSchema | undefined,
): string | undefined {
  if (!isCanonicalTag(tag)) return `has ${JSON.stringify(tag)}, which is no language tag such as en or pt-BR`
  if (typeof sentence !== 'string' || [...sentence].length > MAX_SENTENCE)
    return `must be a text of at most ${MAX_SENTENCE} characters (in ${tag})`
  const problem = visibleNameProblem(sentence)
  if (problem !== undefined) return `${problem} (in ${tag})`
  const parts = sentence.split(PLACEHOLDER)
  if (parts.some((part, place) => place % 2 === 0 && /[{}]/.test(part)))
    return `has a brace without the other one (in ${tag})`
  const paths = parts.filter((_, place) => place % 2 === 1)
  const unknown = schema && paths.find((path) => !isAlwaysThere(schema, path.split('.')))
  return unknown === undefined
    ? undefined
    : `names {${unknown}}, which is no required member of the schema with a value (in ${tag})`
}

// What may be missing would leave a hole in the sentence.
function isAlwaysThere(schema: Schema | undefined, [name = '', ...rest]: readonly string[]): boolean {
  if (schema?.type !== 'object' || !schema.required.includes(name)) return false
  const member = schema.properties.get(name)
  if (rest.length > 0) return isAlwaysThere(member, rest)
  return (
    member !== undefined && member.type !== 'object' && !(member.type === 'array' && isNested(member.items))
  )
}

const isNested = ({ type }: Schema) => type === 'object' || type === 'array'

/** Returns the sentence in a language: that of the language itself, in English, or the first one. */
export function sentenceIn(sentences: Sentences, tag: string): string {
  const [first = ''] = sentences.values()
  return sentences.get(tag) ?? sentences.get(tag.split('-')[0] ?? '') ?? sentences.get('en') ?? first
}

/**
 * Returns what a person reads of an object. Nothing of it is left out: what the sentence does not have comes after it.
 */
export function shownDetail({ type: _, ...members }: Detail, sentence: string): ShownDetail {
  const values = new Map(valuesIn(members, '').map((value) => [value.path, value]))
  const parts = sentence.split(PLACEHOLDER).map((part, place) => {
    if (place % 2 === 0) return part
    return values.get(part) ?? { path: part, text: '' }
  })
  const named = new Set(parts.map((part) => (typeof part === 'string' ? '' : part.path)))
  return { sentence: parts, others: [...values.values()].filter(({ path }) => !named.has(path)) }
}

/** The values in an object or list; a list of plain values is one. */
function valuesIn(value: JsonValue, path: string): ShownValue[] {
  const inside = (name: string) => (path === '' ? name : `${path}.${name}`)
  if (isJsonObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, member]) => valuesIn(member, inside(name)))
  if (isJsonList(value) && value.some((element) => typeof element === 'object' && element !== null))
    return value.flatMap((element, place) => valuesIn(element, inside(String(place + 1))))
  return [
    {
      path: shownText(path, MAX_VALUE),
      text: shownText(isJsonList(value) ? value.map(String).join(', ') : textOf(value), MAX_VALUE),
    },
  ]
}

const textOf = (value: JsonValue) => (isJsonObject(value) ? '{}' : String(value))
