/** The `typ` of a security event token (RFC 8417 §2.3; SSF 1.0 requires it). */
export const SET_TYP = 'secevent+jwt'

/** The media type of a security event token (RFC 8417 §7.2). */
export const SET_MEDIA_TYPE = 'application/secevent+jwt'

const SCHEMAS = 'https://schemas.openid.net/secevent/'

/** The types of events by what their specification calls them: CAEP 1.0 §3, RISC 1.0 §2, and SSF 1.0 for `ssf/`. */
export const SET_EVENT = {
  session_revoked: `${SCHEMAS}caep/event-type/session-revoked`,
  token_claims_change: `${SCHEMAS}caep/event-type/token-claims-change`,
  credential_change: `${SCHEMAS}caep/event-type/credential-change`,
  assurance_level_change: `${SCHEMAS}caep/event-type/assurance-level-change`,
  account_disabled: `${SCHEMAS}risc/event-type/account-disabled`,
  account_enabled: `${SCHEMAS}risc/event-type/account-enabled`,
  account_purged: `${SCHEMAS}risc/event-type/account-purged`,
  identifier_changed: `${SCHEMAS}risc/event-type/identifier-changed`,
  verification: `${SCHEMAS}ssf/event-type/verification`,
  stream_updated: `${SCHEMAS}ssf/event-type/stream-updated`,
} as const
export type SetEventUri = (typeof SET_EVENT)[keyof typeof SET_EVENT]

/** A subject by the issuer that names it (RFC 9493 §3.2.2). */
export interface IssSub {
  readonly format: 'iss_sub'
  readonly iss: string
  readonly sub: string
}

/** Returns how a security event token names a subject (RFC 9493 §3.2.2). */
export const issSub = (iss: string, sub: string): IssSub => ({ format: 'iss_sub', iss, sub })

/** What a receiver answers that refuses a token (RFC 8935 §2.4, RFC 8936 §2.6). */
export const SET_ERRORS = [
  'invalid_request',
  'invalid_key',
  'invalid_issuer',
  'invalid_audience',
  'authentication_failed',
  'access_denied',
] as const
export type SetError = (typeof SET_ERRORS)[number]

/** The scopes of receivers (CAEP Interoperability Profile 1.0, OAuth Scopes). */
export const SIGNALS_SCOPE = { manage: 'ssf.manage', read: 'ssf.read' } as const
