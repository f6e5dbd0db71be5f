/** What mail is about. */
export const MAIL_KINDS = [
  'reset_password',
  'reset_passkey',
  'account_made',
  'verify_address',
  'changing_address',
  'changed_address',
  'invitation',
  'sign_up',
  'known_address',
  'known_address_passkey',
  'password_changed',
  'factor_added',
  'factor_removed',
  'recovery_code_used',
  'codes_guessed',
  'test',
] as const
export type MailKind = (typeof MAIL_KINDS)[number]

/** What a mail is made from. */
export interface MailContent {
  readonly kind: MailKind
  /** The languages of the person in order of preference, as language tags such as `de` with spaces between. */
  readonly language: string
  /** The address of the issuer that the mail leads to. */
  readonly link?: string
  /** What the notice is about: a name of `ABOUT` in the texts of mails, or words of its owner. */
  readonly about?: string
  /** The username of the account that it is about; absent: there is none yet, or it is not looked up. */
  readonly account?: string
}
