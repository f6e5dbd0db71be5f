import { hash } from 'node:crypto'
import type { SigningAlg } from '../core/algs.ts'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import type { ProofRefusal } from '../core/dpop-errors.ts'
import type { FamilyId } from '../core/ids.ts'
import { textsOf, timesOf } from '../core/jwt-refusal.ts'
import { DAY, isTimeWithinOrAbsent, statedTimeFault } from '../core/stated-time.ts'
import { isUrl } from '../core/uri.ts'
import { readJwt } from '../keys/jwt-reader.ts'
import type { SingleUse } from '../storage/single-use.ts'
import type { AcceptedNonce, NonceRules } from './nonce-period.ts'
import { keepProofKey, readProofKey } from './proof-key.ts'

/** What a DPoP proof must be for (RFC 9449 §4.3). */
export interface ExpectedProof {
  /** The method of the request. */
  readonly method: string
  /** The target URI of the request. Its query and fragment do not matter. */
  readonly url: string
  /** The access token that the request presents; absent: none. */
  readonly access_token?: string
  /** Proofs that may have been used before this time are refused, in seconds since 1970; absent: none. */
  readonly not_before?: number
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
  /** Until when it could be accepted, in seconds since 1970. */
  readonly ends_at: number
}

/**
 * A proof that is valid here, and the nonce for the next one if that of this one is old; or the reason for the client why
 * it is refused. Without a valid nonce, `nonce` is one to try again with.
 */
export type CheckedProof =
  | { readonly ok: true; readonly proof: Proof; readonly next_nonce?: string }
  | { readonly ok: false; readonly refusal: ProofRefusal; readonly nonce?: string }

/** How old a proof may be, in seconds. */
export const MAX_PROOF_AGE = 60

/** How far in the future the time of a proof may be, in seconds: the clocks of clients differ. */
export const MAX_PROOF_LEAD = 10

/**
 * By how many seconds the clock of a client may be off where its proof has a nonce (RFC 9449 §11.1): the nonce then says
 * by the clock of the server how old the proof is. The client may also have kept the time at which it got the nonce.
 */
export const MAX_CLOCK_ERROR = 300

type JudgedNonce =
  | { readonly ok: true; readonly accepted?: AcceptedNonce; readonly next_nonce?: string }
  | Extract<CheckedProof, { readonly ok: false }>

/** The longest proof, in characters: one by an RSA key of 4096 bits for a URL of 4000 characters. */
const MAX_PROOF = 8192

/** The longest jti, in characters. */
const MAX_JTI = 256

const TYPES = ['dpop+jwt']
const FAMILY_LENGTH = 16

const refused = (fault: ProofRefusal['fault'], text: string): CheckedProof => ({
  ok: false,
  refusal: { fault, text },
})

/**
 * Verifies a DPoP proof (RFC 9449 §4.3), but not whether it was used before. The signature comes last, because it costs
 * most.
 * @param nonces absent: the nonce of a proof does not matter
 * @throws what the nonces throw
 */
export function verifyProof(proof: string, expected: ExpectedProof, nonces?: NonceRules): CheckedProof {
  const jwt = readJwt(proof, MAX_PROOF)
  const unverified = typeof jwt === 'string' ? jwt : jwt.ofType(TYPES)
  if (typeof unverified === 'string') return refused('malformed', unverified)
  const { alg, claims } = unverified
  const read = readClaims(claims, expected)
  if (typeof read === 'string') {
    const { method, url } = expected
    const facts = { received: textsOf(claims, ['htm', 'htu']), expected: { htm: method, htu: url } }
    return { ok: false, refusal: { fault: 'claims', text: read, ...facts } }
  }
  const { jti, htu, nonce } = read
  // Before the times: a client whose clock is wrong has to learn that it needs a nonce.
  const judged = judgeNonce(nonce, nonces)
  if (!judged.ok) return judged
  const { accepted, next_nonce } = judged
  const ends_at = readEnd(claims, expected, accepted)
  if (typeof ends_at === 'string') {
    const now = Math.floor(expected.now / 1000)
    const refusal = { fault: 'clock', text: ends_at, received: timesOf(claims), expected: { now } } as const
    return { ok: false, refusal }
  }
  const found = readProofKey(alg, unverified.jwk)
  if (!found.ok) return refused('malformed', found.reason)
  if (!unverified.isSignedBy(found.key)) return refused('malformed', 'its signature is invalid')
  keepProofKey(found.key)
  const valid = { jkt: found.key.kid, alg, jti, htu, ends_at }
  return { ok: true, proof: valid, ...(next_nonce === undefined ? {} : { next_nonce }) }
}

/** Returns what a proof is for, or the reason why it is refused. */
function readClaims(
  claims: Readonly<Record<string, unknown>>,
  { method, url, access_token }: ExpectedProof,
): { jti: string; htu: string; nonce: string | undefined } | string {
  const { jti, htm, htu, ath, nonce } = claims
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI) {
    return `its jti is not a string of 1 to ${MAX_JTI} characters`
  }
  if (htm !== method) return 'its htm is not the method of the request'
  const target = typeof htu === 'string' ? normalTarget(htu) : undefined
  if (target === undefined || target !== normalTarget(url)) return 'its htu is not the URL of the request'
  if (access_token !== undefined && ath !== hash('sha256', access_token, 'base64url')) {
    return 'its ath is not the hash of the access token'
  }
  if (nonce !== undefined && typeof nonce !== 'string') return 'its nonce is not a string'
  return { jti, htu: target, nonce }
}

/** Returns what is known of the nonce of a proof, or why the proof is refused. */
function judgeNonce(nonce: string | undefined, nonces: NonceRules | undefined): JudgedNonce {
  if (nonces === undefined) return { ok: true }
  if (nonce === undefined) {
    if (!nonces.required) return { ok: true }
    return { ok: false, refusal: { fault: 'claims', text: 'it has no nonce' }, nonce: nonces.current() }
  }
  // Checked even where none is needed: replicas may differ while the setting changes.
  const accepted = nonces.judge(nonce)
  if (accepted === undefined) {
    const text = 'its nonce has expired, or is not of this server'
    return { ok: false, refusal: { fault: 'claims', text }, nonce: nonces.current() }
  }
  return { ok: true, accepted, ...(accepted.is_old && { next_nonce: nonces.current() }) }
}

/** Returns until when a proof could be accepted, in seconds since 1970; or the reason why it is refused now. */
function readEnd(
  { iat, exp, nbf }: Readonly<Record<string, unknown>>,
  { now: milliseconds, not_before = 0 }: Pick<ExpectedProof, 'not_before' | 'now'>,
  nonce: AcceptedNonce | undefined,
): number | string {
  const now = milliseconds / 1000
  const by_nonce = nonce && Math.ceil(nonce.age) + MAX_CLOCK_ERROR
  const [age, lead] = [by_nonce ?? MAX_PROOF_AGE, by_nonce ?? MAX_PROOF_LEAD]
  const made = statedTimeFault(iat, { from: now - age, to: now + lead })
  if (made === 'malformed') return 'its iat is not a number'
  if (made === 'early') return `its iat is more than ${age} seconds ago`
  if (made === 'late') return `its iat is more than ${lead} seconds in the future`
  // A restore can lose the ids of proofs that were used. No nonce from before it can be opened any more.
  if (nonce === undefined && not_before > 0 && Number(iat) - lead < not_before)
    return 'it may be from before the restore mark'
  // RFC 7519 §4.1.4 and §4.1.5.
  const is_over = exp === now - (by_nonce ?? 0)
  if (is_over || !isTimeWithinOrAbsent(exp, { from: now - (by_nonce ?? 0), to: now + lead + DAY }))
    return 'its exp has passed, is more than a day ahead, or is not a number'
  if (!isTimeWithinOrAbsent(nbf, { from: 0, to: now + lead }))
    return 'its nbf is in the future or not a number'
  return nonce?.ends_at ?? Number(iat) + MAX_PROOF_AGE
}

/**
 * Returns what makes a proof usable once (RFC 9449 §11.1).
 * @param now milliseconds since 1970
 * @param family the family of the code or token that is used with it, so that both have one slot; absent: its own
 */
export function singleUseOfProof(
  { jkt, jti, htu, ends_at }: Omit<Proof, 'alg'>,
  now: number,
  family?: FamilyId,
): SingleUse {
  const digest = hash('sha256', JSON.stringify([jkt, jti, htu]), 'base64url')
  return {
    kind: 'proof',
    id: `${family ?? digest.slice(0, FAMILY_LENGTH)}.${digest}`,
    ttl: Math.ceil(ends_at - now / 1000) + CLOCK_SKEW,
  }
}

// RFC 3986 §2, without userinfo, query and fragment. A URL parser drops or repairs other characters.
const HTTP_URI = /^https?:\/\/[A-Za-z0-9\-._~:[\]%]+(\/[A-Za-z0-9\-._~:/[\]@!$&'()*+,;=%]*)?$/i
const ENCODED = /%([0-9a-f]{2})/gi
const UNRESERVED = /[A-Za-z0-9\-._~]/

/**
 * Returns the normalised form of a target URI without query and fragment (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3), or
 * undefined if it is no http or https URI.
 */
export function normalTarget(uri: string): string | undefined {
  // Browsers send some characters in a query that no URI has, such as braces.
  const [target = ''] = uri.split(/[?#]/, 1)
  if (!HTTP_URI.test(target) || !isUrl(target)) return undefined
  // Parsing changes the case of scheme and host, the dot segments, the default port and the empty path.
  const { origin, pathname } = new URL(target)
  return `${origin}${pathname.replace(ENCODED, normalOctet)}`
}

// RFC 3986 §6.2.2.1 and §6.2.2.2.
function normalOctet(encoded: string, digits: string): string {
  const character = String.fromCharCode(Number.parseInt(digits, 16))
  return UNRESERVED.test(character) ? character : encoded.toUpperCase()
}
