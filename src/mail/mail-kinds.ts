/** What mail is about. */
export const MAIL_KINDS = [
  'reset_password',
  'verify_address',
  'changed_address',
  'invitation',
  'password_changed',
  'factor_added',
  'factor_removed',
  'recovery_code_used',
  'new_browser',
  'test',
] as const
export type MailKind = (typeof MAIL_KINDS)[number]

/** What a mail is made from. */
export interface MailContent {
  readonly kind: MailKind
  /** The language of the person: a tag such as `de`. */
  readonly language: string
  /** The address of the issuer that the mail leads to. */
  readonly link?: string
  /** What the notice is about, such as the browser, as people say it. */
  readonly about?: string
}
