import { readFileSync } from 'node:fs'
import { hasOnlyPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import { count } from '../core/count.ts'
import { foldName } from '../core/visible-text.ts'
import { MAX_PASSWORD_BYTES, preparePassword } from './password-text.ts'

/** Whether anybody has a password, how long it is at least, and what it must not be a copy of besides the account. */
export type PasswordRules = Pick<Settings, 'sign_in' | 'password_min_length' | 'service_name' | 'issuer'>

/** Whose password it is to become. */
export interface PasswordOwner {
  readonly username: string
  readonly email?: string | undefined
}

/** A part that is shorter is no secret, however often it is repeated. */
const MIN_PART = 8

/**
 * What is wrong with a new password: `off` is any where nobody signs in with one, `long` is also one with control
 * characters.
 */
export type PasswordFault = 'off' | 'short' | 'long' | 'repeated' | 'name' | 'common'

/**
 * Returns why a new password is refused (NIST SP 800-63B-4 §3.1.1.2); undefined: it is accepted. Any mixture of
 * characters is.
 */
export function passwordFault(
  password: string,
  rules: PasswordRules,
  owner: PasswordOwner,
): PasswordFault | undefined {
  // Here, because each way to set a password asks for its faults.
  if (hasOnlyPasskeys(rules)) return 'off'
  const prepared = preparePassword(password)
  if ([...(prepared ?? password)].length < rules.password_min_length) return 'short'
  if (prepared === undefined) return 'long'
  const form = compared(prepared)
  const part = repeatedPart(form)
  if (form === '' || (part !== form && part.length < MIN_PART)) return 'repeated'
  if (namesOf(rules, owner).some((name) => [form, part].includes(compared(name)))) return 'name'
  return [form, part].some((text) => commonPasswords().has(text)) ? 'common' : undefined
}

/** Returns the fault of a new password as text for operators, which completes "password …" and does not quote it. */
export function passwordProblem(
  password: string,
  rules: PasswordRules,
  owner: PasswordOwner,
): string | undefined {
  const { password_min_length: min } = rules
  switch (passwordFault(password, rules, owner)) {
    case undefined:
      return undefined
    case 'off':
      return 'is of no use: with SIGN_IN=passkeys people sign in with a passkey, see redmint user reset-link'
    case 'short': {
      const { length } = [...(preparePassword(password) ?? password)]
      return `has ${count(length, 'character')}, and needs at least ${min}: use several words`
    }
    case 'long':
      return `must have at most ${MAX_PASSWORD_BYTES} bytes and no control characters`
    case 'repeated':
      return 'only repeats a few characters: use several words'
    case 'name':
      return 'is a name or an address of the user or of this service, which others know: use several words'
    case 'common':
      return 'is among the most common ones, which are guessed first: use several words of your own'
  }
}

function namesOf({ service_name, issuer }: PasswordRules, { username, email }: PasswordOwner): string[] {
  const { host, hostname } = new URL(issuer)
  const [mailbox = ''] = email?.split('@') ?? []
  return [username, service_name, issuer, host, hostname, ...(email ? [email, mailbox] : [])]
}

/** Returns a text as it is compared: in any case and width, and with or without spaces. */
function compared(text: string): string {
  return foldName(text).replaceAll(' ', '')
}

/**
 * Returns the part that fills a text when it is repeated, the last time perhaps cut short: the text itself if it occurs
 * once.
 */
function repeatedPart(text: string): string {
  for (let length = 1; length <= text.length / 2; length += 1) {
    if (text.startsWith(text.slice(length))) return text.slice(0, length)
  }
  return text
}

let common: ReadonlySet<string> | undefined

// Of 40 kB, which only a new password needs. Its lines are in the form in which texts are compared.
function commonPasswords(): ReadonlySet<string> {
  common ??= new Set(
    readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n'),
  )
  return common
}
