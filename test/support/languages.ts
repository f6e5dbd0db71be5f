// The languages that come with redmint.
import { loadLanguages } from '../../src/languages/load-languages.ts'

export const languages = await loadLanguages()
export const LANGUAGES = languages.all
