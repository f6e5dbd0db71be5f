const REALM = 'realm="redmint"'

/** The WWW-Authenticate header for client authentication by HTTP Basic (RFC 7617 §2). */
export const BASIC_CHALLENGE = `Basic ${REALM}, charset="UTF-8"`

/** The WWW-Authenticate header for a bearer token, with attributes such as `error` and `scope` (RFC 6750 §3). */
export function bearerChallenge(attributes: Readonly<Record<string, string>> = {}): string {
  // RFC 6750 §3 admits no double quote in error_description.
  const given = Object.entries(attributes).map(([name, value]) => `${name}="${value.replaceAll('"', "'")}"`)
  return `Bearer ${[REALM, ...given].join(', ')}`
}
