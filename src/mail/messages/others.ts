import type { LanguageTag } from '../../config/language-tags.ts'
import { ABOUT_AR, ar } from './ar.ts'
import { ABOUT_DE, de } from './de.ts'
import { ABOUT_ES, es } from './es.ts'
import { ABOUT_FR, fr } from './fr.ts'
import { ABOUT_IT, it } from './it.ts'
import { ABOUT_JA, ja } from './ja.ts'
import { ABOUT_PT_BR, ptBR } from './pt-BR.ts'
import type { MailLanguage } from './texts.ts'
import { ABOUT_ZH_HANS, zhHans } from './zh-Hans.ts'

const BY_TAG: Readonly<Record<Exclude<LanguageTag, 'en'>, MailLanguage>> = {
  de: { texts: de, about: ABOUT_DE },
  fr: { texts: fr, about: ABOUT_FR },
  es: { texts: es, about: ABOUT_ES },
  it: { texts: it, about: ABOUT_IT },
  'pt-BR': { texts: ptBR, about: ABOUT_PT_BR },
  ja: { texts: ja, about: ABOUT_JA },
  'zh-Hans': { texts: zhHans, about: ABOUT_ZH_HANS },
  ar: { texts: ar, about: ABOUT_AR },
}

/** The mails of the languages beside English, by tag: loaded with the first of them. */
export const OTHERS: ReadonlyMap<string, MailLanguage> = new Map(Object.entries(BY_TAG))
