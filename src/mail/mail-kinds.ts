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
  'acted_as',
  'asked',
  'test',
] as const
export type MailKind = (typeof MAIL_KINDS)[number]

/** What a mail says as a list. */
export interface MailFacts {
  /** Until when its link works, in milliseconds since 1970. */
  readonly until?: number
  /** When what it tells of was done, in milliseconds since 1970. */
  readonly at?: number
  /** The browser in which that was, as `browserName` says. */
  readonly browser?: string
  /** The network from which. */
  readonly address?: string
}

/** What a mail is made from. */
export interface MailContent extends MailFacts {
  readonly kind: MailKind
  /** The languages of the person in order of preference, as language tags such as `de` with spaces between. */
  readonly language: string
  /** The address of the issuer that the mail leads to. */
  readonly link?: string
  /** What the notice is about: a name of `ABOUT` in the texts of mails, or words of its owner. */
  readonly about?: string
  /** The username of the account that it is about; absent: there is none yet, or it is not looked up. */
  readonly account?: string
  /** The name of the person who invites. */
  readonly inviter?: string
  /** The name of the client that an invitation leads on to. */
  readonly client?: string
}
