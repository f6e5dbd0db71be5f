import { LANGUAGE_TAGS, type LanguageTag } from '../../config/language-tags.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import type { Language } from './language.ts'

const BY_TAG: Readonly<Record<LanguageTag, Language>> = { en, de }

/** Every language of the pages; the first is for requests that prefer none of them. */
export const LANGUAGES: readonly Language[] = LANGUAGE_TAGS.map((tag) => BY_TAG[tag])
