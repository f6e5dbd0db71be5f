import { hash } from 'node:crypto'
import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { SigningAlg } from '../core/algs.ts'
import type { ClientId } from '../core/ids.ts'
import { parseToken } from '../core/token-string.ts'
import type { SigningContext } from './access-jwt.ts'
import type { GrantFacts } from './code-record.ts'
import type { VerifyingKeys } from './jws.ts'
import { type JwtClaims, signJwt, verifyJwt } from './jwt.ts'
import type { Signing } from './plan.ts'

/** What an id_token depends on in the record of its client. */
type IdTokenClient = Pick<Client, 'client_id' | 'backchannel_logout_uri' | 'post_logout_redirect_uris'>

/** The content of an id_token that does not come from the settings. */
export interface IdTokenFacts {
  client: IdTokenClient
  sign_in: GrantFacts
  nonce?: string
  access_token: string
  /** What names its sign-in to this server, if the client may exchange it: `idTokenJti`. */
  jti?: string
  /** The claims about the user that the client requested by name. */
  claims: Readonly<Record<string, unknown>>
}

/**
 * Whether a client can use a `sid`: it gets logout tokens, which name the session by it (Back-Channel Logout §2.1), or it
 * sends its users to a logout, where its hint names the session by it (RP-Initiated Logout §2).
 */
function usesSid({ backchannel_logout_uri, post_logout_redirect_uris }: IdTokenClient): boolean {
  return backchannel_logout_uri !== undefined || post_logout_redirect_uris.length > 0
}

/** Returns a signed id_token (OpenID Connect Core §2). */
export function signIdToken(
  { settings, now }: SigningContext,
  { key, ttl }: Signing,
  facts: IdTokenFacts,
): string {
  const iat = Math.floor(now() / 1000)
  const { subject, auth_time, amr, acr, sid } = facts.sign_in
  const claims = {
    iss: settings.issuer,
    sub: subject,
    aud: facts.client.client_id,
    exp: iat + ttl,
    iat,
    // 0: not known.
    auth_time: auth_time || undefined,
    // JSON.stringify omits undefined members.
    amr: amr?.split(' '),
    acr,
    sid: usesSid(facts.client) ? sid : undefined,
    nonce: facts.nonce,
    jti: facts.jti,
    at_hash: accessTokenHash(facts.access_token, key.alg),
  }
  // A claim about the user never takes the place of one of these; not by spreads (decision 76).
  return signJwt(key, 'JWT', Object.assign({}, facts.claims, claims))
}

/**
 * Returns the jti of the id_token that is issued with an access token: a token string of the same family, so that the end of
 * the sign-in is found by it. No token has this string.
 * @param access_jti the opaque access token, or the jti of the JWT
 */
export function idTokenJti(access_jti: string): string {
  const secret = hash('sha256', `id_token ${access_jti}`, 'base64url')
  return `${parseToken(access_jti)?.family ?? ''}.${secret}`
}

/**
 * Returns the `at_hash` of an access token (OpenID Connect Core §3.1.3.6): the left half of the digest by the hash of the
 * signature algorithm (Ed25519: SHA-512).
 */
export function accessTokenHash(access_token: string, alg: SigningAlg): string {
  const digest = hash(alg === 'EdDSA' ? 'sha512' : 'sha256', access_token, 'hex')
  return Buffer.from(digest.slice(0, digest.length / 2), 'hex').toString('base64url')
}

/** The user and session that an id_token is about. */
export interface IdTokenHint {
  client_id: ClientId
  /** The user as the client knows them. */
  sub: string
  sid?: string
}

/**
 * Verifies an id_token that a client sends as `id_token_hint`; it may have expired (OpenID Connect Core §3.1.2.1,
 * RP-Initiated Logout §2). Returns undefined if this server did not issue it or no longer publishes its key.
 * @throws StorageUnavailable if the key ring is out of date
 */
export function verifyIdToken(
  { settings, keys }: { settings: Pick<Settings, 'issuer'>; keys: VerifyingKeys },
  token: string,
): IdTokenHint | undefined {
  const verified = verifyJwt(keys, token, 'JWT', {
    issuer: settings.issuer,
    required: REQUIRED,
    // So that an expired token is accepted.
    now: 0,
  })
  return verified.ok ? hintIn(verified.claims) : undefined
}

/** An id_token that has not expired, and names its sign-in. */
export interface LiveIdToken extends IdTokenHint {
  /** As idTokenJti. */
  readonly jti: string
  /** In seconds since 1970. */
  readonly exp: number
}

/**
 * Verifies an id_token that a client exchanges; whether its sign-in lives is for storage to say. Returns the reason for the
 * log why it is refused: it is none of this server, has expired, or was issued to a client that could not exchange it.
 * @throws StorageUnavailable if the key ring is out of date
 */
export function verifyLiveIdToken(
  { settings, keys, now }: SigningContext & { keys: VerifyingKeys },
  token: string,
): LiveIdToken | string {
  const required = [...REQUIRED, 'jti']
  const verified = verifyJwt(keys, token, 'JWT', { issuer: settings.issuer, required, now: now() })
  if (!verified.ok) return verified.reason
  const hint = hintIn(verified.claims)
  const { jti, exp } = verified.claims
  if (hint === undefined || typeof jti !== 'string') return 'claims of a wrong type'
  return { ...hint, jti, exp: Number(exp) }
}

const REQUIRED = ['sub', 'aud', 'exp', 'iat']

function hintIn({ aud, sub, sid }: JwtClaims): IdTokenHint | undefined {
  if (typeof aud !== 'string' || typeof sub !== 'string') return undefined
  if (sid === undefined) return { client_id: aud, sub }
  return typeof sid === 'string' ? { client_id: aud, sub, sid } : undefined
}
