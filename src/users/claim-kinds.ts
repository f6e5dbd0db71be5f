import { readEmail } from '../core/email-address.ts'
import type { Check, FieldText } from '../core/field-kinds.ts'
import { isObject } from '../core/json.ts'
import { isUrl } from '../core/uri.ts'

/** The JSON type of a claim; `address` is an object of ADDRESS_MEMBERS, kept in a record as JSON text. */
export type ClaimType = 'string' | 'boolean' | 'number' | 'address'

/** A kind of claim (OpenID Connect Core §5.1). */
export interface ClaimKind<Type extends ClaimType = ClaimType> {
  readonly type: Type
  /** Converts a JSON value to the text in a record, or returns the problem with it. */
  fromJson(given: unknown): FieldText
}

/** The members of the address claim (OpenID Connect Core §5.1.1), every one a string. */
export const ADDRESS_MEMBERS: readonly string[] = [
  'formatted',
  'street_address',
  'locality',
  'region',
  'postal_code',
  'country',
]

const MAX_CHARACTERS = 2048
// The last second of the year 9999.
const LAST_SECOND = 253_402_300_799
// OpenID Connect Core §5.1: ISO 8601-1, or the year alone; the year 0000 means that the year is omitted.
const BIRTHDATE = /^(\d{4})(?:-(\d{2})-(\d{2}))?$/

/** Returns the kind of a claim that is a text without control characters; `check` returns any other problem. */
export function claimText(check: Check = () => undefined): ClaimKind<'string'> {
  return {
    type: 'string',
    fromJson(given) {
      if (typeof given !== 'string' || given.trim() === '') return { problem: 'must be a text' }
      if (given.length > MAX_CHARACTERS) return { problem: `must have at most ${MAX_CHARACTERS} characters` }
      if (/\p{Cc}/u.test(given) || !given.isWellFormed())
        return { problem: 'must be a text without control characters' }
      const problem = check(given)
      return problem === undefined ? { text: given } : { problem }
    },
  }
}

/** `true` or `false`. */
export const CLAIM_BOOLEAN: ClaimKind<'boolean'> = {
  type: 'boolean',
  fromJson: (given) =>
    typeof given === 'boolean' ? { text: String(given) } : { problem: 'must be true or false' },
}

/** A time in seconds since 1970. */
export const CLAIM_SECONDS: ClaimKind<'number'> = {
  type: 'number',
  fromJson: (given) =>
    Number.isSafeInteger(given) && Number(given) >= 0 && Number(given) <= LAST_SECOND
      ? { text: String(given) }
      : { problem: 'must be a number of seconds since 1970' },
}

/** An object of ADDRESS_MEMBERS. */
export const CLAIM_ADDRESS: ClaimKind<'address'> = {
  type: 'address',
  fromJson(given) {
    const problem = `must be an object of texts: ${ADDRESS_MEMBERS.join(', ')}`
    if (!isObject(given)) return { problem }
    const members = Object.entries(given).filter(([, value]) => value !== null)
    if (members.length === 0 || !members.every(isAddressMember)) return { problem }
    const text = JSON.stringify(Object.fromEntries(members))
    return text.length > MAX_CHARACTERS
      ? { problem: `must have at most ${MAX_CHARACTERS} characters` }
      : { text }
  },
}

function isAddressMember([name, value]: [string, unknown]): boolean {
  return (
    ADDRESS_MEMBERS.includes(name) && typeof value === 'string' && value.trim() !== '' && value.isWellFormed()
  )
}

/** Returns the problem of an e-mail address, or undefined. */
export function emailProblem(text: string): string | undefined {
  return readEmail(text) === undefined ? 'must be an address such as alice@example.com' : undefined
}

/** Returns the problem of the URL of a page or picture, or undefined. */
export function webAddressProblem(text: string): string | undefined {
  return /^https?:\/\/\S+$/.test(text) && isUrl(text) ? undefined : 'must be an http or https URL'
}

/** Returns the problem of a date of birth (OpenID Connect Core §5.1), or undefined. */
export function birthdateProblem(text: string): string | undefined {
  return isBirthdate(text) ? undefined : 'must be YYYY-MM-DD or YYYY'
}

function isBirthdate(text: string): boolean {
  const [, year, month, day] = BIRTHDATE.exec(text) ?? []
  if (year === undefined) return false
  if (month === undefined) return true
  // Without a year, 29 February is valid, so check with a leap year.
  const date = new Date(`${year === '0000' ? '2000' : year}-${month}-${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day)
}
