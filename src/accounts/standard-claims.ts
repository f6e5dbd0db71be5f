/** What JSON type a claim has; `address` is an object of ADDRESS_MEMBERS, kept in a record as JSON text. */
export type ClaimType = 'string' | 'boolean' | 'number' | 'address'

/** The standard claims (OpenID Connect Core §5.1) that an account can have, by name; `sub` is no claim to choose. */
export const STANDARD_CLAIMS = {
  name: 'string',
  given_name: 'string',
  family_name: 'string',
  middle_name: 'string',
  nickname: 'string',
  preferred_username: 'string',
  profile: 'string',
  picture: 'string',
  website: 'string',
  email: 'string',
  email_verified: 'boolean',
  gender: 'string',
  birthdate: 'string',
  zoneinfo: 'string',
  locale: 'string',
  phone_number: 'string',
  phone_number_verified: 'boolean',
  address: 'address',
  updated_at: 'number',
} as const satisfies Readonly<Record<string, ClaimType>>
export type StandardClaim = keyof typeof STANDARD_CLAIMS

/** The members of the address claim (OpenID Connect Core §5.1.1), every one a string. */
export const ADDRESS_MEMBERS: readonly string[] = [
  'formatted',
  'street_address',
  'locality',
  'region',
  'postal_code',
  'country',
]

/** Whether a name is that of a standard claim. */
export function isStandardClaim(name: string): name is StandardClaim {
  return Object.hasOwn(STANDARD_CLAIMS, name)
}
