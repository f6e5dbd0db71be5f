/** The languages of the pages, as language tags (RFC 5646). The first is the default. */
export const LANGUAGE_TAGS = ['en', 'de'] as const
export type LanguageTag = (typeof LANGUAGE_TAGS)[number]
