import { acceptedLanguages } from '../core/preferences.ts'
import { en } from './messages/en.ts'
import type { Language } from './messages/language.ts'
import { LANGUAGES } from './messages/languages.ts'

// Limits the work that a list can cause.
const MAX_RANGES = 50
const RANGE = /^[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,7}$/

/**
 * Chooses the language of the pages: the first known one in `ui_locales`, else the one that the browser prefers, else
 * English. A malformed list counts as absent.
 * @param ui_locales language tags in order of preference, separated by spaces (OpenID Connect Core §3.1.2.1)
 * @param accept_language the header (RFC 9110 §12.5.4)
 */
export function chooseLanguage(ui_locales?: string, accept_language?: string): Language {
  const wanted = [...(ui_locales?.split(' ', MAX_RANGES) ?? []), ...acceptedLanguages(accept_language)]
  for (const range of wanted) {
    const language = lookUp(range.toLowerCase())
    if (language !== undefined) return language
  }
  return en
}

const CHOICE = 'language'

/** The language with this tag, if it is one of the pages. */
export function languageOf(tag: string | undefined): Language | undefined {
  return LANGUAGES.find((known) => known.tag === tag)
}

/** The language that the query of a page's address names (queryIn). */
export function languageIn(query: string): Language | undefined {
  return query.includes(CHOICE) ? languageOf(new URLSearchParams(query).get(CHOICE) ?? undefined) : undefined
}

/** The query, with its question mark, of the same page in a language: a link to it needs no script. */
export function queryIn(tag: string, query = ''): string {
  const others = query.split('&').filter((pair) => pair !== '' && pair.split('=', 1)[0] !== CHOICE)
  return `?${[...others, `${CHOICE}=${tag}`].join('&')}`
}

/** RFC 4647 §3.4: the range is shortened from its end until it matches a language. `*` matches none. */
function lookUp(range: string): Language | undefined {
  if (!RANGE.test(range)) return undefined
  const subtags = range.split('-')
  while (subtags.length > 0) {
    const tag = subtags.join('-')
    const language = LANGUAGES.find((known) => known.tag.toLowerCase() === tag)
    if (language !== undefined) return language
    subtags.pop()
  }
  return undefined
}
