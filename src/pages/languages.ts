import { acceptedLanguages } from '../core/preferences.ts'
import { en } from './messages/en.ts'
import type { Language } from './messages/language.ts'

// Limits the work that a list can cause.
const MAX_RANGES = 50
const RANGE = /^[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,7}$/
// A language and a region, from which the script follows: zh-TW is written as zh-Hant.
const REGIONAL = /^[a-z]{2,3}-(?:[a-z]{2}|\d{3})(?=-|$)/

/** The parameter of a page's address that names its language. */
export const LANGUAGE_CHOICE = 'language'

/** The languages of a service. */
export class Languages {
  readonly all: readonly Language[]
  readonly #first: Language
  /** By tag in lower case. */
  readonly #by_tag: ReadonlyMap<string, Language>
  /** By its first subtag: the first language that has it. */
  readonly #by_primary: ReadonlyMap<string, Language>

  /** @param all the first one is for requests that prefer none of them */
  constructor(all: readonly [Language, ...Language[]] = [en]) {
    this.all = all
    this.#first = all[0]
    this.#by_tag = new Map(this.all.map((language) => [language.tag.toLowerCase(), language]))
    this.#by_primary = new Map(
      this.all.toReversed().map((language) => [primaryOf(language.tag.toLowerCase()), language]),
    )
  }

  /** The language with this tag, if there is one. */
  of(tag: string | undefined): Language | undefined {
    return this.all.find((known) => known.tag === tag)
  }

  /** The language that the query of a page's address names (LANGUAGE_CHOICE). */
  in(query: string): Language | undefined {
    return query.includes(LANGUAGE_CHOICE)
      ? this.of(new URLSearchParams(query).get(LANGUAGE_CHOICE) ?? undefined)
      : undefined
  }

  /**
   * Chooses a language: the first known one in `ui_locales`, else the one that the browser prefers, else the first one. A
   * malformed list counts as absent.
   * @param ui_locales language tags in order of preference, separated by spaces (OpenID Connect Core §3.1.2.1)
   * @param accept_language the header (RFC 9110 §12.5.4)
   */
  choose(ui_locales?: string, accept_language?: string): Language {
    const wanted = [...(ui_locales?.split(' ', MAX_RANGES) ?? []), ...acceptedLanguages(accept_language)]
    for (const range of wanted) {
      const language = this.#lookUp(range.toLowerCase())
      if (language !== undefined) return language
    }
    return this.#first
  }

  /**
   * RFC 4647 §3.4: the range is shortened from its end until it matches a language. `*` matches none. What only its first
   * subtag is known of gets a language of the same script, else any of the same name: pt-PT gets pt-BR.
   */
  #lookUp(range: string): Language | undefined {
    if (!RANGE.test(range)) return undefined
    const subtags = range.split('-')
    for (let length = subtags.length; length > 0; length -= 1) {
      const language = this.#by_tag.get(subtags.slice(0, length).join('-'))
      if (language !== undefined) return language
    }
    const same = this.#by_primary.get(primaryOf(range))
    const regional = same && REGIONAL.exec(range)?.[0]
    if (!regional) return same
    const { language, script } = new Intl.Locale(regional).maximize()
    return this.#by_tag.get(`${language}-${script}`.toLowerCase()) ?? same
  }
}

const primaryOf = (tag: string): string => tag.split('-', 1)[0] ?? ''
