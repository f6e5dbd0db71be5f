const REALM = 'realm="redmint"'

/** The WWW-Authenticate header for client authentication by HTTP Basic (RFC 7617 §2). */
export const BASIC_CHALLENGE = `Basic ${REALM}, charset="UTF-8"`

/** Returns the WWW-Authenticate header for a bearer token, with attributes such as `error` (RFC 6750 §3). */
export function bearerChallenge(attributes: Readonly<Record<string, string>> = {}): string {
  // RFC 6750 §3 allows no double quotes in error_description.
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}="${value.replaceAll('"', "'")}"`)
  return `Bearer ${[REALM, ...pairs].join(', ')}`
}
