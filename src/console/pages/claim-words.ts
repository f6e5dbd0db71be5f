import { isObject } from '../../core/json.ts'
import type { Html } from '../../pages/html.ts'
import type { StandardClaim } from '../../users/standard-claims.ts'
import type { Desk } from '../desk.ts'
import { text, when } from './parts.ts'

/** What claims about a person are called in words. */
const CLAIM_WORDS: Readonly<Record<StandardClaim, string>> = {
  name: 'Name',
  given_name: 'First name',
  family_name: 'Last name',
  middle_name: 'Middle name',
  nickname: 'Nickname',
  preferred_username: 'Name at applications',
  profile: 'Page about the person',
  picture: 'Picture',
  website: 'Website',
  email: 'E-mail address',
  email_verified: 'Address verified',
  gender: 'Gender',
  birthdate: 'Date of birth',
  zoneinfo: 'Time zone',
  locale: 'Language',
  phone_number: 'Telephone',
  phone_number_verified: 'Telephone verified',
  address: 'Postal address',
  updated_at: 'Changed',
}

const words: Readonly<Record<string, string>> = CLAIM_WORDS

/** Returns what a claim is called; others than standard ones have the names that scripts give them. */
export const claimLabel = (name: string): string =>
  Object.hasOwn(words, name) ? (words[name] ?? name) : name.slice(0, 100)

/** What an address consists of, in the order of a letter (OpenID Connect Core §5.1.1). */
const PARTS = ['street_address', 'postal_code', 'locality', 'region', 'country'] as const

/** Of the times that a Date can have. */
const LAST_SECOND = 8.64e12

/** Shows the value of a claim as people read it: a time as a time, an address as on a letter. */
export function claimText(name: string, value: unknown, desk: Desk): Html | string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  // A record that was written by hand may have any number.
  if (name === 'updated_at' && typeof value === 'number' && Math.abs(value) < LAST_SECOND)
    return when(new Date(value * 1000).toISOString(), desk)
  if (name === 'address' && isObject(value)) {
    const { formatted } = value
    if (typeof formatted === 'string') return text(formatted)
    const parts = PARTS.map((part) => value[part]).filter((part) => typeof part === 'string')
    if (parts.length > 0) return text(parts.join(', '))
  }
  return text(value)
}
