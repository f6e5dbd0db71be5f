const URN = 'urn:ietf:params:oauth:token-type:'

/** The names of kinds of tokens (RFC 8693 §3). */
export const TOKEN_TYPE = {
  /** An access token of this server, of either format. */
  access_token: `${URN}access_token`,
  /** A JWT: an access token of this server, or an assertion of a trusted issuer. */
  jwt: `${URN}jwt`,
  id_token: `${URN}id_token`,
  refresh_token: `${URN}refresh_token`,
  /** An identity assertion for another server (draft-ietf-oauth-identity-assertion-authz-grant). */
  id_jag: `${URN}id-jag`,
} as const

/** What a server says that takes identity assertions (draft-ietf-oauth-identity-assertion-authz-grant-04 §7.2). */
export const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag'

/** How long an identity assertion lives at most, in seconds: it is exchanged at once, at the other server. */
export const IDENTITY_ASSERTION_TTL = 300

/** Returns a token type for explanations: one that is none may be a token in the wrong parameter. */
export function knownType(type: string): string {
  const known: readonly string[] = Object.values(TOKEN_TYPE)
  return known.includes(type) ? type : 'another text'
}
