import type { en } from './en.ts'

/** The messages of the English pages: every other language has the same names and placeholders. */
export type English = (typeof en)['messages']
export type MessageName = keyof English

/** A language of the pages: a file in this folder, and its tag in LANGUAGE_TAGS. */
export interface Language {
  /** Its language tag (RFC 5646), which requests are matched with. */
  readonly tag: string
  readonly dir: 'ltr' | 'rtl'
  /** Plain text; `{name}` stands for a value, and each has those of the English text. */
  readonly messages: Readonly<Record<MessageName, string>>
}
