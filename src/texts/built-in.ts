import { readFileSync } from 'node:fs'
import type { LanguageTag } from '../config/language-tags.ts'
import type { Language } from '../pages/messages/language.ts'

/** The tag of a language that has a file beside this one: each but English, whose texts are code. */
export type TranslatedTag = Exclude<LanguageTag, 'en'>

/** A language that comes with redmint. */
interface BuiltIn extends Language {
  /** What operators read about refusals, by names such as `server_fault.advice`; absent: they are English. */
  readonly explanations?: Readonly<Record<string, string>>
}

const read = new Map<TranslatedTag, BuiltIn>()

/** Returns a language that comes with redmint, from its file, which is read once. */
export function builtIn(tag: TranslatedTag): BuiltIn {
  const known = read.get(tag)
  if (known !== undefined) return known
  const language = { tag, ...JSON.parse(readFileSync(new URL(`./${tag}.json`, import.meta.url), 'utf8')) }
  read.set(tag, language)
  return language
}
