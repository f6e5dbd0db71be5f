import { isObject, parseObject } from '../core/json.ts'
import { isScopeToken } from '../core/scope.ts'
import { LANGUAGE_TAGS } from './language-tags.ts'

/** The texts that explain scopes to users, by scope name and language tag. */
export type ScopeTexts = ReadonlyMap<string, ReadonlyMap<string, string>>

const FORM = 'must be JSON such as {"api.read": {"en": "Read your reports", "de": "Ihre Berichte lesen"}}'

/** Parses SCOPE_TEXTS. Adds a line to `problems` for each mistake. */
export function readScopeTexts(json: string | undefined, problems: string[]): ScopeTexts {
  if (json === undefined) return new Map()
  const given = parseObject(json)
  if (given === undefined) {
    problems.push(`SCOPE_TEXTS ${FORM}`)
    return new Map()
  }
  return new Map(
    Object.entries(given).map(([name, texts]) => {
      if (!isScopeToken(name)) problems.push(`SCOPE_TEXTS: ${JSON.stringify(name)} is not a scope name`)
      return [name, readTexts(name, texts, problems)]
    }),
  )
}

/** Returns the text of each scope in a language, or in the first language that the scope has. */
export function scopeTextsIn(texts: ScopeTexts, tag: string): ReadonlyMap<string, string> {
  return new Map([...texts].map(([name, byTag]) => [name, byTag.get(tag) ?? [...byTag.values()][0] ?? name]))
}

function readTexts(name: string, texts: unknown, problems: string[]): ReadonlyMap<string, string> {
  const entries = isObject(texts) ? Object.entries(texts) : []
  const isValid = entries.length > 0 && entries.every(([tag, text]) => isTag(tag) && isText(text))
  if (!isValid) {
    const tags = LANGUAGE_TAGS.join(', ')
    problems.push(
      `SCOPE_TEXTS: ${JSON.stringify(name)} needs a text for at least one of the languages ${tags}`,
    )
  }
  return new Map(entries as [string, string][])
}

const isTag = (tag: string) => LANGUAGE_TAGS.some((known) => known === tag)
const isText = (text: unknown) => typeof text === 'string' && text.trim() !== ''
