/** The attributes of a bearer challenge by their names (RFC 6750 §3). */
export type ChallengeAttributes = Readonly<Record<string, string>>

/** What the challenges of redmint itself begin with. */
export const REALM = { realm: 'redmint' } as const

/** The WWW-Authenticate header for client authentication by HTTP Basic (RFC 7617 §2). */
export const BASIC_CHALLENGE = `Basic realm="${REALM.realm}", charset="UTF-8"`

/** Returns the WWW-Authenticate header for a bearer token, with attributes such as `error` (RFC 6750 §3). */
export function bearerChallenge(attributes: ChallengeAttributes): string {
  // RFC 6750 §3 allows no double quotes in error_description.
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}="${value.replaceAll('"', "'")}"`)
  return `Bearer ${pairs.join(', ')}`
}
