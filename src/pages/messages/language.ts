import type { en } from './en.ts'

/** The English messages. Every other language has the same names and placeholders. */
export type English = (typeof en)['messages']
export type MessageName = keyof English

/** A message that counts: its text for each category of Intl.PluralRules that has one of its own. */
export type Plural = { readonly other: string } & {
  readonly [Category in Intl.LDMLPluralRule]?: string
}

/**
 * The texts of the pages. `{name}` is a placeholder; each message has the placeholders of the English one, of which a
 * plural text may leave its number out.
 */
export type Messages = {
  readonly [Name in MessageName]: English[Name] extends string ? string : Plural
}

/** A language of pages and mails: its tag is in LANGUAGE_TAGS, or the name of an operator's file. */
export interface Language {
  /** The language tag (RFC 5646) that requests are matched with. */
  readonly tag: string
  /** The name of the language in itself. */
  readonly name: string
  readonly dir: 'ltr' | 'rtl'
  readonly messages: Messages
  /** The texts of mails, by names such as `invitation.subject`; what is absent is English. */
  readonly mails?: Readonly<Record<string, string>>
}
