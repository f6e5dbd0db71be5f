import type { MailKind } from '../mail-kinds.ts'

/** The texts of one mail. `{service}`, `{about}` and `{account}` are placeholders. */
export interface MailText {
  readonly subject: string
  readonly text: string
  /** The words of the link; absent: there is none. */
  readonly action?: string
  /** What comes after the link. */
  readonly after?: string
}

/** All mails in one language. */
export type MailTexts = Readonly<Record<MailKind, MailText>>

/** What notices are about, in one language. */
export type MailAbout = Readonly<Record<'passkey' | 'provider' | 'totp' | 'recovery' | 'all', string>>

/** The mails of one language, and what they are about. */
export interface MailLanguage {
  readonly texts: MailTexts
  readonly about: MailAbout
}
