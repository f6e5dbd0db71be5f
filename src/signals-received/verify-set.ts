import type { SigningAlg } from '../core/algs.ts'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { isObject } from '../core/json.ts'
import { type JwtFault, refusedFor, textsOf, timesOf } from '../core/jwt-refusal.ts'
import { SET_TYP, type SetError } from '../core/security-events.ts'
import { signalRefused } from '../core/signal-errors.ts'
import { statedTimeFault } from '../core/stated-time.ts'
import { isText } from '../issuers/assertion-claims.ts'
import { type JwtTypeName, readJwt } from '../keys/jwt-reader.ts'
import type { VerificationKey } from '../keys/verification-key.ts'

/** Who may send security event tokens, and how they must be. */
export interface SignalSource {
  readonly issuer: string
  readonly audience: string
  /** Absent: all that are verified. */
  readonly algorithms?: readonly SigningAlg[]
  /** Whether one without the type of its own counts, too. */
  readonly is_untyped?: boolean
  /** Returns the key for a header; undefined: there is none. */
  findKey(kid: string | undefined, alg: SigningAlg): Promise<VerificationKey | undefined>
}

/** A verified security event token. */
export interface VerifiedSet {
  readonly jti: string
  readonly claims: Readonly<Record<string, unknown>>
  /** In seconds since 1970. */
  readonly iat: number
  readonly events: ReadonlyMap<string, Readonly<Record<string, unknown>>>
}

/** The longest security event token, in characters. */
export const MAX_LENGTH = 8192
const MAX_EVENTS = 8
/** How old a token may be, in seconds: senders keep them for a week. */
export const MAX_AGE = 7 * 86_400

/**
 * Verifies a security event token (RFC 8417 §2.2, SSF 1.0 §4). What costs most comes last: keys are fetched only for
 * tokens whose claims are valid. Does not check whether it was used before.
 * @param now in milliseconds since 1970
 * @throws SignalRefused; what `findKey` throws
 */
export async function verifySet(source: SignalSource, jwt: string, now: number): Promise<VerifiedSet> {
  const refuse = (fault: JwtFault, text: string, err: SetError = 'invalid_request') =>
    signalRefused(err, refusedFor(fault, text))
  const read = readJwt(jwt, MAX_LENGTH)
  if (typeof read === 'string') throw refuse('malformed', read)
  const unverified = read.ofType(typesOf(source))
  if (typeof unverified === 'string') throw refuse('malformed', unverified)
  const { alg, kid, claims } = read
  const { iss, aud, jti, iat } = claims
  if (!isText(iss) || !isSameIssuer(iss, source.issuer))
    throw refuse('claims', 'it is of another issuer', 'invalid_issuer')
  if (![aud].flat().includes(source.audience)) {
    const facts = { received: textsOf(claims, ['aud']), expected: { aud: source.audience } }
    throw signalRefused('invalid_audience', { fault: 'claims', text: 'it is for another audience', ...facts })
  }
  // RFC 8417 §2.2 and SSF 1.0 §4.1: an id_token, an access token and a logout token have one of them.
  const foreign = ['exp', 'sub', 'nonce'].find((name) => Object.hasOwn(claims, name))
  if (foreign !== undefined) throw refuse('claims', `it has the claim ${foreign}, as no such token has`)
  if (!isText(jti)) throw refuse('claims', 'it has no jti')
  const seconds = Math.floor(now / 1000)
  if (statedTimeFault(iat, { from: seconds - MAX_AGE, to: seconds + CLOCK_SKEW }) !== undefined) {
    const facts = { received: timesOf(claims), expected: { now: seconds, max_age: MAX_AGE } }
    throw signalRefused('invalid_request', {
      fault: 'clock',
      text: 'its iat is missing, too old or in the future',
      ...facts,
    })
  }
  const events = eventsIn(claims.events)
  if (events === undefined) throw refuse('claims', `it has no events, or more than ${MAX_EVENTS}`)
  if (source.algorithms?.includes(alg) === false)
    throw refuse('unproven', 'its issuer may not use its algorithm', 'invalid_key')
  const key = await source.findKey(kid, alg)
  if (key === undefined || !unverified.isSignedBy(key))
    throw refuse('unproven', 'its signature is invalid', 'invalid_key')
  return { jti, claims, iat: Number(iat), events }
}

// Google sends no type in its RISC tokens.
const typesOf = ({ is_untyped }: SignalSource): readonly JwtTypeName[] =>
  is_untyped ? [SET_TYP, 'JWT', undefined] : [SET_TYP]

/** Whether two issuers are the same, but for a slash at the end, which Google adds in its RISC tokens. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '')
}

function eventsIn(events: unknown): VerifiedSet['events'] | undefined {
  if (!isObject(events)) return undefined
  const found = Object.entries(events)
  const are_objects = found.every((entry): entry is [string, Record<string, unknown>] => isObject(entry[1]))
  return are_objects && found.length > 0 && found.length <= MAX_EVENTS ? new Map(found) : undefined
}
