import { isObject, parseObject } from '../core/json.ts'
import { isScopeToken } from '../core/scope.ts'
import { visibleNameProblem } from '../core/visible-text.ts'
import { isCanonicalTag } from './language-tags.ts'
import type { OptionForm } from './option-form.ts'

/** The texts that explain scopes to users, by scope name and language tag. */
export type ScopeTexts = ReadonlyMap<string, ReadonlyMap<string, string>>

/** The texts of the scopes on the consent page. */
export const SCOPE_TEXTS: OptionForm<ScopeTexts> = {
  variable: 'JSON such as {"api.read": {"en": "Read your reports", "de": "Ihre Berichte lesen"}}',
  option:
    'a Map from scope to a Map from language to text, such as new Map([["api.read", new Map([["en", "Read your reports"]])]])',
  absent: new Map(),
  parse: (json) => {
    const given = parseObject(json)
    return given && new Map(Object.entries(given).map(([name, texts]) => [name, textsOf(texts)]))
  },
  accepts: (value) =>
    value instanceof Map &&
    [...value].every(([name, texts]) => typeof name === 'string' && texts instanceof Map),
  faults: (texts) => [...texts].flatMap(([name, byTag]) => faultsOf(name, byTag)),
}

/** Returns the text of each scope in a language, or in the first language that the scope has. */
export function scopeTextsIn(texts: ScopeTexts, tag: string): ReadonlyMap<string, string> {
  return new Map([...texts].map(([name, byTag]) => [name, byTag.get(tag) ?? [...byTag.values()][0] ?? name]))
}

function textsOf(texts: unknown): ReadonlyMap<string, string> {
  return new Map(isObject(texts) ? (Object.entries(texts) as [string, string][]) : [])
}

function faultsOf(name: string, texts: ReadonlyMap<string, string>): string[] {
  const faults = isScopeToken(name) ? [] : [`has ${JSON.stringify(name)}, which is not a scope name`]
  const isValid = texts.size > 0 && [...texts].every(([tag, text]) => isCanonicalTag(tag) && isText(text))
  if (isValid) return faults
  return [
    ...faults,
    `has ${JSON.stringify(name)}, which needs a text for at least one language, by tags such as en and pt-BR`,
  ]
}

const isText = (text: unknown) => typeof text === 'string' && visibleNameProblem(text) === undefined
