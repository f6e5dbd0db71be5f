import { errors, type JWTPayload, jwtVerify } from 'jose'
import { SIGNING_ALGS } from '../config.ts'
import type { Context } from '../context.ts'
import { parseToken } from '../ids.ts'
import type { KeyRing, SigningKey } from '../keys/ring.ts'
import { parseTokenRecord } from '../records/token.ts'
import type { TokenStore } from '../storage/storage.ts'
import { isCanonicalJws, signJwt } from './jwt.ts'

/** What an access token says, whatever its format (spec 5.2.6). */
export interface AccessToken {
  readonly jti: string
  readonly client_id: string
  /** The user; empty where the client acts for itself. */
  readonly subject: string
  readonly scope: string
  readonly expires_at: Date
}

/** A validated token, or why it is not accepted; the reason is for the log. */
export type TokenValidation = { valid: true; token: AccessToken } | { valid: false; reason: string }

interface Validation extends Pick<Context, 'settings' | 'now'> {
  storage: Pick<TokenStore, 'findToken'>
  keys: Pick<KeyRing, 'verificationKey'>
}

/**
 * The validation contract of both formats (spec 3 and 5.2.6): an opaque token by its record, a JWT by its
 * signature and claims.
 * @throws StorageUnavailable where it cannot be told.
 */
export function validateAccessToken(context: Validation, token: string): Promise<TokenValidation> {
  return token.split('.').length === 3 ? validateJwt(context, token) : validateOpaque(context, token)
}

async function validateOpaque({ storage, now }: Validation, token: string): Promise<TokenValidation> {
  if (parseToken(token) === undefined) return { valid: false, reason: 'not a token string' }
  const hash = await storage.findToken(token)
  if (hash === undefined) return { valid: false, reason: 'unknown or expired' }
  const parsed = parseTokenRecord(token, hash)
  if (!parsed.ok) return { valid: false, reason: `malformed record: ${parsed.problems[0]?.field}` }
  const { record } = parsed
  if (record.revoked) return { valid: false, reason: 'revoked' }
  if (record.expires_at.getTime() < now()) return { valid: false, reason: 'expired' }
  if (record.type !== 'access_token') return { valid: false, reason: `of type ${record.type}` }
  return { valid: true, token: record }
}

async function validateJwt({ settings, keys, now }: Validation, token: string): Promise<TokenValidation> {
  if (!isCanonicalJws(token)) return { valid: false, reason: 'not in canonical base64url' }
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid, alg }) => {
        const key = typeof kid === 'string' ? keys.verificationKey(kid) : undefined
        if (key?.alg !== alg || key === undefined) throw new errors.JWKSNoMatchingKey()
        return key.publicKey
      },
      {
        // RFC 9068 §4.
        typ: 'at+jwt',
        issuer: settings.issuer,
        audience: settings.issuer,
        algorithms: [...SIGNING_ALGS],
        requiredClaims: ['sub', 'client_id', 'exp', 'iat', 'jti'],
        currentDate: new Date(now()),
      },
    )
    const claims = readClaims(payload)
    return claims === undefined
      ? { valid: false, reason: 'claims of a wrong type' }
      : { valid: true, token: claims }
  } catch (error) {
    if (error instanceof errors.JOSEError) return { valid: false, reason: describe(error) }
    throw error
  }
}

// In our own words: the messages of the library repeat what the token says.
function describe(error: errors.JOSEError): string {
  return error instanceof errors.JWTClaimValidationFailed ? `${error.code} ${error.claim}` : error.code
}

function readClaims({ jti, sub, client_id, scope = '', exp }: JWTPayload): AccessToken | undefined {
  if (typeof jti !== 'string' || typeof sub !== 'string' || typeof exp !== 'number') return undefined
  if (typeof client_id !== 'string' || typeof scope !== 'string') return undefined
  const expires_at = new Date(exp * 1000)
  if (Number.isNaN(expires_at.getTime())) return undefined
  // RFC 9068 §2.2: where no user is involved, sub names the client.
  return { jti, client_id, subject: sub === client_id ? '' : sub, scope, expires_at }
}

/** A signed JWT access token (RFC 9068 §2). */
export function signAccessToken(
  { settings, now }: Pick<Context, 'settings' | 'now'>,
  key: SigningKey,
  token: { jti: string; client_id: string; subject: string; scope: string },
): string {
  const iat = Math.floor(now() / 1000)
  return signJwt(key, 'at+jwt', {
    iss: settings.issuer,
    sub: token.subject === '' ? token.client_id : token.subject,
    aud: settings.issuer,
    client_id: token.client_id,
    scope: token.scope,
    jti: token.jti,
    iat,
    exp: iat + settings.access_token_ttl,
  })
}
