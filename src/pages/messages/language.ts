import type { en } from './en.ts'

/** The English messages. Every other language has the same names and placeholders. */
export type English = (typeof en)['messages']
export type MessageName = keyof English

/** A language of the pages: a file in this folder, and its tag in LANGUAGE_TAGS. */
export interface Language {
  /** The language tag (RFC 5646) that requests are matched with. */
  readonly tag: string
  /** The name of the language in itself. */
  readonly name: string
  readonly dir: 'ltr' | 'rtl'
  /** Plain text. `{name}` is a placeholder; each message has the placeholders of the English one. */
  readonly messages: Readonly<Record<MessageName, string>>
}
