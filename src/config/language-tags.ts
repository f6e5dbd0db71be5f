/** The languages of the pages and mails, as language tags (RFC 5646). The first is the default. */
export const LANGUAGE_TAGS = ['en', 'de', 'fr', 'es', 'it', 'pt-BR', 'ja', 'zh-Hans', 'ar'] as const
export type LanguageTag = (typeof LANGUAGE_TAGS)[number]

/** Whether a text is a language tag in its canonical form (RFC 5646 §4.5), such as `pt-BR`. */
export function isCanonicalTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag)[0] === tag
  } catch {
    return false
  }
}
