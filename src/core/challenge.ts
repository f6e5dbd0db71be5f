/** The attributes of a bearer challenge by their names (RFC 6750 §3). */
export type ChallengeAttributes = Readonly<Record<string, string>>

/** What the challenges of redmint itself begin with. */
export const REALM = { realm: 'redmint' } as const

/** The WWW-Authenticate header for client authentication by HTTP Basic (RFC 7617 §2). */
export const BASIC_CHALLENGE = `Basic realm="${REALM.realm}", charset="UTF-8"`

/** Returns the WWW-Authenticate header for a bearer token, with attributes such as `error` (RFC 6750 §3). */
export function bearerChallenge(attributes: ChallengeAttributes): string {
  return challenge('Bearer', attributes)
}

/**
 * Returns the WWW-Authenticate header for an access token: for one with a DPoP proof if the attributes have `algs`, the
 * algorithms of proofs (RFC 9449 §7.1), otherwise for a bearer token.
 */
export function tokenChallenge(attributes: ChallengeAttributes): string {
  return challenge(isDpopChallenge(attributes) ? 'DPoP' : 'Bearer', attributes)
}

/** Whether the challenge with these attributes is for an access token with a DPoP proof. */
export function isDpopChallenge(attributes: ChallengeAttributes): boolean {
  return Object.hasOwn(attributes, 'algs')
}

function challenge(scheme: string, attributes: ChallengeAttributes): string {
  // RFC 6750 §3 allows no double quotes in error_description.
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}="${value.replaceAll('"', "'")}"`)
  return `${scheme} ${pairs.join(', ')}`
}
