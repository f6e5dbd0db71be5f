import type { LanguageTag } from '../../config/language-tags.ts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import type { Language } from './language.ts'
import { ptBR } from './pt-BR.ts'
import { zhHans } from './zh-Hans.ts'

/** The languages beside English: a command loads none of them. */
export const OTHERS: Readonly<Record<Exclude<LanguageTag, 'en'>, Language>> = {
  de,
  fr,
  es,
  it,
  'pt-BR': ptBR,
  ja,
  'zh-Hans': zhHans,
  ar,
}
