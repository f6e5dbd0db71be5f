import { decodeJwt, decodeProtectedHeader, type JWTPayload, type ProtectedHeaderParameters } from 'jose'
import type { Settings } from '../../src/config/settings.ts'
import { SIGNING_ALGS } from '../../src/core/signing-algs.ts'
import { parseToken } from '../../src/core/token-string.ts'
import type { SigningKeyRecord } from '../../src/keys/key-record.ts'
import { isCanonicalJws } from '../../src/tokens/jwt.ts'
import { instant } from '../output.ts'
import type { Opened } from '../run.ts'
import type { Explanation, TokenFacts } from './explanation.ts'
import { readPublishedKeys } from './validation.ts'

/** Whether a string has the three parts of a JWT. */
export function looksLikeJwt(token: string): boolean {
  return token.split('.').length === 3
}

// The claims of a JWT as it stands, signature unchecked, or undefined where it cannot be decoded.
function readJwt(token: string): { header: ProtectedHeaderParameters; claims: JWTPayload } | undefined {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) }
  } catch {
    return undefined
  }
}

/** Everything about a JWT that keeps it from being an access token of this server, but for its signature. */
export async function explainJwt({ storage, config, now }: Opened, token: string): Promise<Explanation> {
  const jwt = isCanonicalJws(token) ? readJwt(token) : undefined
  if (jwt === undefined) {
    const reason = 'it has three parts as a JWT has, and is not spelled as one (RFC 7515 §7.1)'
    return { reasons: [reason], facts: { form: 'unknown' } }
  }
  const keys = await readPublishedKeys(storage.signing_keys, now)
  return {
    reasons: [
      ...explainType(jwt.header, jwt.claims),
      ...explainKey(jwt.header, keys),
      ...explainClaims(jwt.claims, config.settings, now),
    ],
    facts: readFacts(jwt.claims),
  }
}

function explainType({ typ }: ProtectedHeaderParameters, claims: JWTPayload): string[] {
  if (typeof typ === 'string' && /^(application\/)?at\+jwt$/i.test(typ)) return []
  if (claims.nonce !== undefined || claims.at_hash !== undefined || claims.auth_time !== undefined) {
    return ['it is an id_token, which tells a client who signed in and opens nothing']
  }
  return [`it is a JWT of the type ${quote(typ)}, and an access token has "at+jwt" (RFC 9068 §2.1)`]
}

function explainKey({ alg, kid }: ProtectedHeaderParameters, keys: readonly SigningKeyRecord[]): string[] {
  if (!SIGNING_ALGS.some((known) => known === alg)) {
    return [`its algorithm is ${quote(alg)}, which is none that redmint signs with`]
  }
  if (kid === undefined) return ['it does not name the key that signed it']
  const key = keys.find((candidate) => candidate.kid === kid)
  if (key === undefined) {
    return [
      `it names the key ${quote(kid)}, which is not published here: it comes from elsewhere, or the key is gone`,
    ]
  }
  return key.alg === alg ? [] : [`its algorithm is ${quote(alg)}, and its key is for ${key.alg}`]
}

function explainClaims(claims: JWTPayload, { issuer }: Settings, now: number): string[] {
  const audiences = [claims.aud ?? []].flat()
  const expires_at = readExpiry(claims)
  return [
    ...(claims.iss === issuer
      ? []
      : [`its issuer is ${quote(claims.iss)}, and this server's is "${issuer}"`]),
    ...(audiences.includes(issuer)
      ? []
      : [`its audience is ${audiences.map(quote).join(', ') || 'missing'}, and this server is "${issuer}"`]),
    ...(expires_at === undefined ? ['it does not say when it expires'] : []),
    ...(expires_at !== undefined && expires_at.getTime() <= now
      ? [`it has expired at ${instant(expires_at, now)}`]
      : []),
  ]
}

function readFacts(claims: JWTPayload): TokenFacts {
  const { sub, client_id, scope, jti } = claims
  const expires_at = readExpiry(claims)
  const grant = typeof jti === 'string' ? parseToken(jti)?.family : undefined
  return {
    form: 'jwt',
    ...(typeof client_id === 'string' ? { client_id } : {}),
    // RFC 9068 §2.2: where no user is involved, sub names the client.
    ...(typeof sub === 'string' ? { subject: sub === client_id ? '' : sub } : {}),
    ...(typeof scope === 'string' ? { scope } : {}),
    ...(expires_at === undefined ? {} : { expires_at }),
    ...(grant === undefined ? {} : { grant }),
  }
}

// When a JWT expires, as far as it says so.
function readExpiry({ exp }: JWTPayload): Date | undefined {
  const expires_at = new Date(typeof exp === 'number' ? exp * 1000 : Number.NaN)
  return Number.isNaN(expires_at.getTime()) ? undefined : expires_at
}

function quote(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value)
}
