import type { Settings } from '../../config/settings.ts'
import { actorsOf, readActor } from '../../core/actor.ts'
import { SIGNING_ALGS } from '../../core/algs.ts'
import { readConfirmation } from '../../core/confirmation.ts'
import { instant } from '../../core/instant.ts'
import { parseToken } from '../../core/token-string.ts'
import { type DecodedJwt, decodeJwt } from '../../keys/jwt-reader.ts'
import type { SigningKeyRecord } from '../../keys/key-record.ts'
import type { TokenContext } from './context.ts'
import type { InspectedToken, TokenExplanation } from './explanation.ts'
import { explainOrigins } from './origins.ts'
import { readPublishedKeys } from './validation.ts'

type Header = DecodedJwt['header']
type Claims = DecodedJwt['claims']

/** Returns the `jti` of a JWT, whose signature is not checked; undefined if there is none. */
export function jtiOf(token: string): string | undefined {
  const jti = decodeJwt(token)?.claims.jti
  return typeof jti === 'string' ? jti : undefined
}

/** Returns all reasons why a JWT is not an access token of this server. Does not check the signature. */
export async function explainJwt(
  { storage, settings, now }: TokenContext,
  token: string,
): Promise<TokenExplanation> {
  const jwt = decodeJwt(token)
  if (jwt === undefined) {
    const reason = 'it has three parts but is not a well-formed JWT (RFC 7515 §7.1)'
    return { reasons: [reason], facts: { form: 'unknown' } }
  }
  const { jti } = jwt.claims
  const found = typeof jti === 'string' ? await storage.families.findTokenAndFamily(jti) : undefined
  const { reasons, facts } = await explainOrigins(storage.families, String(jti), found?.token ?? {})
  const keys = await readPublishedKeys(storage.signing_keys, now())
  return {
    reasons: [
      ...explainType(jwt.header, jwt.claims),
      ...explainKey(jwt.header, keys),
      ...explainClaims(jwt.claims, settings, now()),
      ...reasons,
    ],
    facts: { ...readFacts(jwt.claims), ...facts },
  }
}

function explainType({ typ }: Header, claims: Claims): string[] {
  if (typeof typ === 'string' && /^(application\/)?at\+jwt$/i.test(typ)) return []
  if (claims.nonce !== undefined || claims.at_hash !== undefined) {
    return ['it is an id_token, which gives no access to APIs']
  }
  return [`its type is ${quote(typ)}, but that of an access token is "at+jwt" (RFC 9068 §2.1)`]
}

function explainKey({ alg, kid }: Header, keys: readonly SigningKeyRecord[]): string[] {
  if (!SIGNING_ALGS.some((known) => known === alg)) {
    return [`its algorithm is ${quote(alg)}, which redmint does not use`]
  }
  if (kid === undefined) return ['it does not name its signing key']
  const key = keys.find((candidate) => candidate.kid === kid)
  if (key === undefined) {
    return [`its key ${quote(kid)} is not published here: another server issued it, or the key was removed`]
  }
  return key.alg === alg ? [] : [`its algorithm is ${quote(alg)}, but its key is for ${key.alg}`]
}

function explainClaims(claims: Claims, { issuer }: Settings, now: number): string[] {
  const expires_at = readExpiry(claims)
  return [
    ...(claims.iss === issuer ? [] : [`its issuer is ${quote(claims.iss)}, but this server is "${issuer}"`]),
    ...(expires_at === undefined ? ['it has no expiry time'] : []),
    ...(expires_at !== undefined && expires_at.getTime() <= now
      ? [`it expired at ${instant(expires_at, now)}`]
      : []),
  ]
}

function readFacts(claims: Claims): InspectedToken {
  const { sub, aud, client_id, scope, authorization_details: details, jti, cnf, act } = claims
  const actor = readActor(act)
  const confirmation = readConfirmation(cnf)
  const expires_at = readExpiry(claims)
  const grant = typeof jti === 'string' ? parseToken(jti)?.family : undefined
  return {
    form: 'jwt',
    ...(typeof client_id === 'string' ? { client_id } : {}),
    // RFC 9068 §2.2: if no user is involved, sub names the client.
    ...(typeof sub === 'string' ? { subject: sub === client_id ? '' : sub } : {}),
    ...(typeof scope === 'string' ? { scope } : {}),
    ...(details === undefined ? {} : { authorization_details: JSON.stringify(details) }),
    ...(aud === undefined ? {} : { audience: [aud].flat().map(String) }),
    ...(expires_at === undefined ? {} : { expires_at }),
    ...(typeof confirmation === 'object' ? { confirmation } : {}),
    ...(actor === undefined ? {} : { actors: actorsOf(actor) }),
    ...(grant === undefined ? {} : { grant }),
  }
}

// Returns the expiry time of a JWT, or undefined if it is missing or malformed.
function readExpiry({ exp }: Claims): Date | undefined {
  const expires_at = new Date(typeof exp === 'number' ? exp * 1000 : Number.NaN)
  return Number.isNaN(expires_at.getTime()) ? undefined : expires_at
}

function quote(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value)
}
