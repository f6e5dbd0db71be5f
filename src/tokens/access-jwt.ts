import type { Settings } from '../config/settings.ts'
import { type Actor, readActor } from '../core/actor.ts'
import { type KeyConfirmation, readConfirmation } from '../core/confirmation.ts'
import type { CustomClaims } from '../core/custom-claims.ts'
import type { ClientId } from '../core/ids.ts'
import { statusListUri } from '../core/paths.ts'
import { type Detail, parseDetails } from '../details/read-details.ts'
import type { StatusBit } from '../storage/noted-jwts.ts'
import type { GrantFacts } from './code-record.ts'
import { type JwtClaims, signJwt, verifyJwt } from './jwt.ts'
import type { Signing } from './plan.ts'
import type { ValidAccessToken, Validation, ValidationContext } from './validation.ts'

/**
 * Verifies a JWT access token by its signature and claims (RFC 9068 §4), without storage. The caller checks the
 * audience.
 * @throws StorageUnavailable if the key ring is out of date
 */
export function verifyAccessJwt(
  { settings, keys, now }: Pick<ValidationContext, 'settings' | 'keys' | 'now'>,
  token: string,
): Validation<ValidAccessToken> {
  const verified = verifyJwt(keys, token, 'at+jwt', {
    issuer: settings.issuer,
    required: ['sub', 'aud', 'client_id', 'exp', 'iat', 'jti'],
    now: now(),
  })
  if (!verified.ok) {
    const { reason, signed } = verified
    const shown = signed && readAccessClaims(signed, settings.issuer)
    return { valid: false, reason, ...(shown && { shown }) }
  }
  const claims = readAccessClaims(verified.claims, settings.issuer)
  return claims === undefined
    ? { valid: false, reason: 'claims of a wrong type' }
    : { valid: true, token: claims }
}

/** Reads the claims of an access token (RFC 9068 §2.2). Returns undefined if one has a wrong type. */
export function readAccessClaims(claims: JwtClaims, issuer: string): ValidAccessToken | undefined {
  const { jti, sub, aud, client_id, scope = '', exp, iat, auth_time, acr, cnf, act, may_act } = claims
  const { authorization_details: details } = claims
  if (typeof jti !== 'string' || typeof sub !== 'string' || typeof exp !== 'number') return undefined
  if (typeof client_id !== 'string' || typeof scope !== 'string') return undefined
  const confirmation = readConfirmation(cnf)
  if (confirmation === 'unknown') return undefined
  const actor = act === undefined ? undefined : readActor(act)
  // Without its actor it would pass for a token of the user alone.
  if (act !== undefined && actor === undefined) return undefined
  // Without them it could pass for a token that may do more.
  if (details !== undefined && parseDetails(JSON.stringify(details)).length === 0) return undefined
  const audience = [aud].flat()
  if (audience.length === 0 || !audience.every((one) => typeof one === 'string')) return undefined
  const expires_at = new Date(exp * 1000)
  if (Number.isNaN(expires_at.getTime())) return undefined
  // RFC 9068 §2.2: if no user is involved, sub names the client.
  return {
    jti,
    client_id,
    subject: sub === client_id ? '' : sub,
    scope,
    expires_at,
    ...(typeof iat === 'number' ? { issued_at: iat } : {}),
    ...(audience.length === 1 && audience[0] === issuer ? {} : { audience }),
    ...(Number.isFinite(auth_time) ? { auth_time: Number(auth_time) } : {}),
    ...(typeof acr === 'string' ? { acr } : {}),
    ...(confirmation && { confirmation }),
    ...(actor && { act: actor }),
    ...(may_act !== undefined && { may_act }),
    ...(details !== undefined && { authorization_details: JSON.stringify(details) }),
  }
}

/** What signing a token needs: its issuer and the current time. */
export interface SigningContext {
  settings: Pick<Settings, 'issuer'>
  /** Milliseconds since 1970. */
  now: () => number
}

/** The content of a JWT access token that does not come from the settings. */
export interface AccessTokenFacts {
  readonly jti: string
  readonly client_id: ClientId
  /** The user; empty if the client acts for itself. */
  readonly subject: string
  readonly scope: string
  /** Whom the token is for, separated by spaces; absent or empty: this server. */
  readonly audience?: string
  /** When and how the user signed in (RFC 9068 §2.2.1, RFC 9470 §6.1); absent if the client acts for itself. */
  readonly sign_in?: Pick<GrantFacts, 'auth_time' | 'acr'> | undefined
  /** What the token is bound to; absent: nothing. */
  readonly confirmation?: KeyConfirmation | undefined
  /** Who acts for the user (RFC 8693 §4.1); absent: nobody but its client. */
  readonly act?: Actor | undefined
  /** What it is for in detail (RFC 9396 §9.1); absent: nothing. */
  readonly authorization_details?: readonly Detail[] | undefined
  /** Whether the first API that spends it is the last one that takes it. */
  readonly once?: boolean
  /** Where its status is (draft-ietf-oauth-status-list §6.2); absent: in no list. */
  readonly status?: StatusBit | undefined
  /** The custom claims of the user or client. */
  readonly claims?: CustomClaims | undefined
}

/** Returns a signed JWT access token (RFC 9068 §2). */
export function signAccessToken(
  { settings, now }: SigningContext,
  { key, ttl }: Signing,
  token: AccessTokenFacts,
): string {
  const iat = Math.floor(now() / 1000)
  const claims = {
    iss: settings.issuer,
    sub: token.subject === '' ? token.client_id : token.subject,
    aud: oneOrMore((token.audience || settings.issuer).split(' ')),
    client_id: token.client_id,
    scope: token.scope,
    // JSON.stringify omits undefined members.
    auth_time: token.sign_in?.auth_time || undefined,
    acr: token.sign_in?.acr,
    cnf: token.confirmation,
    act: token.act,
    authorization_details: token.authorization_details,
    jti: token.jti,
    iat,
    exp: iat + ttl,
    ...(token.once && { once: true }),
    ...(token.status && { status: statusClaim(settings, token.status) }),
  }
  // A custom claim never takes the place of one that says what the token is.
  return signJwt(key, 'at+jwt', { ...token.claims, ...claims })
}

const statusClaim = (settings: SigningContext['settings'], { list, index: idx }: StatusBit) => ({
  status_list: { idx, uri: statusListUri(settings, list) },
})

/** Returns the member `aud` for an audience: a string, or a list of several (RFC 7519 §4.1.3). */
export function oneOrMore(audience: readonly string[]): string | string[] {
  const [first = '', ...others] = audience
  return others.length === 0 ? first : [...audience]
}
