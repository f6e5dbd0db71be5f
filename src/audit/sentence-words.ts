/** Words for codes. */
type Words = Readonly<Record<string, string>>

/** Returns the words of a code, or those for any other. */
export const wordsOf = (words: Words, code: unknown, other: string): string =>
  typeof code === 'string' && Object.hasOwn(words, code) ? (words[code] ?? other) : other

/** Why nobody sees what a client asks. */
export const WHY_NOT_ASKED: Words = {
  unknown: 'there is no such account',
  disabled: 'the account is disabled',
  muted: 'the person does not want to be asked by it',
  no_access: 'no group of the account allows it',
  no_grant: 'the person never let it have anything',
  limited: 'it asked too often',
  repeated: 'the same question waits already',
}

/** Why a sign-in failed, by `reason` of `sign_in_failed`. */
export const WHY_FAILED: Words = {
  wrong_password: 'the password was wrong',
  password_expired: 'the password has expired',
  unknown_user: 'nobody has this name',
  disabled_user: 'the account is disabled',
  no_password: 'the account has no password',
  wrong_answer: 'the answer was wrong',
  answered_before: 'the answer came back a second time',
  not_fresh: 'the sign-in was not recent enough',
  own_page_failed: 'the page of your application failed',
  gave_up: 'the person gave up at the page of your application',
  upstream_failed: 'the provider or directory failed',
  upstream_denied: 'the provider or directory refused',
  upstream_account: 'no account here belongs to the one at the provider',
}

/** Why an access ended, by `reason` of `grant_ended`, and why a mail was not sent, by `mail_` and that of `mail_dropped`. */
export const WHY_ENDED: Words = {
  account: 'the account is disabled, gone or another one',
  access: 'no group of the account allows it any more',
  acr: 'the sign-in is weaker than the application demands',
  ended: 'an operator ended it',
  mail_refused: 'the mail server refused it',
  mail_late: 'its link has ended',
  mail_full: 'too many wait',
  mail_uncertain: 'the answer of the mail server was lost twice',
  mail_unreadable: 'its key is gone',
  mail_sender: 'one network asks for too many',
}

/** What a mail is about, by its kind. */
export const MAIL_WORDS: Words = {
  reset_password: 'a link for a new password',
  reset_passkey: 'a link for a new passkey',
  verify_address: 'a link to confirm an address',
  changing_address: 'a notice of a change of the address',
  changed_address: 'a notice of a new address',
  invitation: 'an invitation',
  sign_up: 'a link to make an account',
  known_address: 'a notice that there is an account already',
  known_address_passkey: 'a notice that there is an account already',
  password_changed: 'a notice of a new password',
  factor_added: 'a notice of a new way to sign in',
  factor_removed: 'a notice of a removed way to sign in',
  recovery_code_used: 'a notice of a used recovery code',
  codes_guessed: 'a notice of guessed codes',
  acted_as: 'a notice that an operator acts as somebody',
  test: 'a test mail',
}

/** What was taken away from an account. */
export const REMOVED_WORDS: Words = {
  password: 'the password',
  passkeys: 'the passkeys',
  totp: 'the authenticator app',
  app: 'the codes of the app',
  codes: 'the recovery codes',
  address: 'the new address',
}

/** Returns how somebody signed in, with a space before it. @param amr as in id_tokens (RFC 8176 §2) */
export function wayOf(amr: unknown, method: unknown): string {
  if (typeof method === 'string' && method.startsWith('provider:')) return ' by a provider'
  const ways = Array.isArray(amr) ? amr.map(String) : String(amr ?? '').split(' ')
  if (ways.includes('hwk') || ways.includes('swk')) return ' with a passkey'
  const first = ways.includes('pwd') ? ' with a password' : ''
  return ways.includes('otp') ? `${first || ' with a first step'} and a code` : first
}

/** Returns a number with what it counts. */
export function amountOf(count: unknown, one: string, more = `${one}s`, none = `no ${more}`): string {
  const number = Number(count)
  if (!Number.isSafeInteger(number)) return more
  if (number === 0) return none === 'none' ? `none ${more}` : none
  return `${String(number)} ${number === 1 ? one : more}`
}

/** Returns names in words, as a list in a sentence; undefined: there are none. */
export function listOf(names: unknown, words: Words): string | undefined {
  const all = (Array.isArray(names) ? names : String(names ?? '').split(/[ ,]+/)).map(String)
  const known = all
    .filter((name) => name !== '')
    .map((name) => wordsOf(words, name, name.replaceAll('_', ' ')))
  const last = known.at(-1)
  if (last === undefined) return undefined
  return known.length === 1 ? last : `${known.slice(0, -1).join(', ')} and ${last}`
}

/** Fields of records that are called otherwise than their names say. */
const FIELD_WORDS: Words = {
  email: 'e-mail address',
  email_verified: 'confirmation of the e-mail address',
  given_name: 'first name',
  family_name: 'last name',
  client_name: 'name',
  redirect_uris: 'redirect URIs',
  allowed_scopes: 'scopes',
  allowed_groups: 'groups that may use it',
  allowed_resources: 'APIs',
  required_acr: 'strength of the sign-in',
  admin: 'rights',
  disabled: 'state',
  password_hash: 'password',
}

/** Returns what a field of a record is called, such as "E-mail address". */
export function fieldWords(field: string): string {
  const name = field.replace(/^claim:/, '')
  const words = wordsOf(FIELD_WORDS, name, name.replaceAll('_', ' '))
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const MOST_NAMED = 3

/** Returns what was changed of a record, in words: "the name and the groups"; undefined: nothing is named. */
export function changedWords(fields: readonly string[]): string | undefined {
  const names = [...new Set(fields.map((field) => field.replace(/^claim:/, '')))]
  const words = names.map((name) => `the ${wordsOf(FIELD_WORDS, name, name.replaceAll('_', ' '))}`)
  if (words.length === 0) return undefined
  const shown =
    words.length > MOST_NAMED
      ? [...words.slice(0, MOST_NAMED - 1), `${words.length - MOST_NAMED + 1} more settings`]
      : words
  return shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}
