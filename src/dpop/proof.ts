import { hash } from 'node:crypto'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import type { FamilyId } from '../core/ids.ts'
import { SIGNING_ALGS, type SigningAlg } from '../core/signing-algs.ts'
import { hasExtension, isSignedBy, mediaType, readJwsPart, splitJws } from '../keys/compact-jws.ts'
import type { SingleUse } from '../storage/families.ts'
import { keepProofKey, readProofKey } from './proof-key.ts'
import { normalTarget } from './target-uri.ts'

/** What a DPoP proof must be for (RFC 9449 §4.3). */
export interface ExpectedProof {
  /** The method of the request. */
  readonly method: string
  /** The target URI of the request. Its query and fragment do not matter. */
  readonly url: string
  /** The access token that the request presents; absent: none. */
  readonly access_token?: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** A DPoP proof whose signature is valid. */
export interface Proof {
  /** The SHA-256 thumbprint of its key (RFC 7638 §3). */
  readonly jkt: string
  /** The algorithm that it is signed with. */
  readonly alg: SigningAlg
  readonly jti: string
  /** Its target, normalised. */
  readonly htu: string
  /** Seconds since 1970. */
  readonly iat: number
  readonly nonce?: string
}

/** A proof, or the reason for the client why it is refused. */
export type VerifiedProof = ({ readonly ok: true } & Proof) | { readonly ok: false; readonly reason: string }

// How old a proof may be, in seconds.
export const MAX_PROOF_AGE = 60

/** How far in the future the time of a proof may be, in seconds: the clocks of clients differ. */
export const MAX_PROOF_LEAD = 10

/** The longest proof, in characters: one by an RSA key of 4096 bits for a URL of 4000 characters. */
const MAX_PROOF = 8192

/** The longest jti, in characters. */
const MAX_JTI = 256

const PROOF_TYPE = 'application/dpop+jwt'
const FAMILY_LENGTH = 16

const refused = (reason: string): VerifiedProof => ({ ok: false, reason })

/**
 * Verifies a DPoP proof (RFC 9449 §4.3), but not whether it was used before, nor whether its nonce is of this server.
 * The signature comes last, because it costs most.
 */
export function verifyProof(proof: string, expected: ExpectedProof): VerifiedProof {
  if (proof.length > MAX_PROOF) return refused(`it is longer than ${MAX_PROOF} characters`)
  const parts = splitJws(proof)
  if (parts === undefined) return refused('it is not a JWT: three parts in base64url')
  const [header, claims] = [readJwsPart(parts[0]), readJwsPart(parts[1])]
  if (header === undefined || claims === undefined)
    return refused('its header or its claims are not a JSON object')
  const { typ } = header
  if (typeof typ !== 'string' || mediaType(typ) !== PROOF_TYPE) return refused('its typ is not dpop+jwt')
  if (hasExtension(header)) return refused('its header has crit or b64')
  const alg = SIGNING_ALGS.find((known) => known === header.alg)
  if (alg === undefined) return refused(`its alg is none of ${SIGNING_ALGS.join(', ')}`)
  const read = readClaims(claims, expected)
  if (typeof read === 'string') return refused(read)
  // RFC 8725 §3.10: no other key and no address of the header is used.
  const found = readProofKey(alg, Object.hasOwn(header, 'jwk') ? header.jwk : undefined)
  if (!found.ok) return refused(found.reason)
  if (!isSignedBy(found.key, proof, parts[2])) return refused('its signature is invalid')
  keepProofKey(found.key)
  return { ok: true, jkt: found.key.kid, alg, ...read }
}

/** Returns the claims of a proof, or the reason why it is refused. */
function readClaims(
  claims: Readonly<Record<string, unknown>>,
  { method, url, access_token, now }: ExpectedProof,
): Omit<Proof, 'jkt' | 'alg'> | string {
  const { jti, htm, htu, iat, exp, nbf, ath, nonce } = claims
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI) {
    return `its jti is not a string of 1 to ${MAX_JTI} characters`
  }
  if (htm !== method) return 'its htm is not the method of the request'
  const target = typeof htu === 'string' ? normalTarget(htu) : undefined
  if (target === undefined || target !== normalTarget(url)) return 'its htu is not the URL of the request'
  const seconds = now / 1000
  if (typeof iat !== 'number') return 'its iat is not a number'
  if (iat < seconds - MAX_PROOF_AGE) return `its iat is more than ${MAX_PROOF_AGE} seconds ago`
  if (iat > seconds + MAX_PROOF_LEAD) return `its iat is more than ${MAX_PROOF_LEAD} seconds in the future`
  // RFC 7519 §4.1.4 and §4.1.5.
  if (exp !== undefined && !(typeof exp === 'number' && exp > seconds))
    return 'its exp has passed or is not a number'
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= seconds + MAX_PROOF_LEAD)) {
    return 'its nbf is in the future or not a number'
  }
  if (access_token !== undefined && ath !== hash('sha256', access_token, 'base64url')) {
    return 'its ath is not the hash of the access token'
  }
  if (nonce === undefined) return { jti, htu: target, iat }
  return typeof nonce === 'string' ? { jti, htu: target, iat, nonce } : 'its nonce is not a string'
}

/**
 * Returns what makes a proof usable once (RFC 9449 §11.1).
 * @param now milliseconds since 1970
 * @param family the family of the code or token that is used with it, so that both have one slot; absent: its own
 */
export function singleUseOfProof(
  { jkt, jti, htu, iat }: Pick<Proof, 'jkt' | 'jti' | 'htu' | 'iat'>,
  now: number,
  family?: FamilyId,
): SingleUse {
  const digest = hash('sha256', JSON.stringify([jkt, jti, htu]), 'base64url')
  return {
    kind: 'proof',
    id: `${family ?? digest.slice(0, FAMILY_LENGTH)}.${digest}`,
    ttl: Math.ceil(iat + MAX_PROOF_AGE - now / 1000) + CLOCK_SKEW,
  }
}
