import type { ClientId } from '../core/ids.ts'
import { isObject } from '../core/json.ts'
import { type JwtRefusal, refusedFor, textsOf, timesOf } from '../core/jwt-refusal.ts'
import {
  type Fault,
  isParameterText,
  type Parameters,
  parametersFrom,
  withFaults,
} from '../core/parameters.ts'
import { invalidRequestObject } from '../core/request-errors.ts'
import { statedTimeFault } from '../core/stated-time.ts'

type Claims = Readonly<Record<string, unknown>>

/** What the claims of a request object must be. */
export interface ExpectedObject {
  readonly client_id: ClientId
  /** The issuer of this server. */
  readonly issuer: string
  /** Seconds since 1970. */
  readonly now: number
}

/**
 * How long a request object may be valid, and how long ago that may have begun, in seconds (FAPI 2.0 Message Signing
 * §5.3.1).
 */
const MAX_LIFETIME = 3600
/** By how much the clock of a client may differ, in seconds. */
const SKEW = 30

/** Returns why the claims of a request object that are not parameters are invalid; undefined if they are valid. */
export function objectProblem(
  claims: Claims,
  { client_id, issuer, now }: ExpectedObject,
): JwtRefusal | undefined {
  const { iss, aud, sub } = claims
  // RFC 9101 §4 and §5.
  if (iss !== client_id) return wrong('its iss must be the client_id')
  if (claims.client_id !== client_id) return wrong('its client_id must be that of the request')
  // FAPI 2.0 Message Signing §5.3.1: a list may name more servers. Unlike an assertion, a request gives them no access.
  if (![aud].flat().includes(issuer))
    return {
      fault: 'claims',
      text: 'its aud must be the issuer of this server, or a list that has it',
      received: textsOf(claims, ['aud']),
      expected: { aud: issuer },
    }
  // RFC 9101 §10.8: a JWT with that sub is an assertion, which authenticates the client.
  if (sub === client_id) return wrong('its sub must not be the client_id')
  // RFC 9101 §4.
  if (Object.hasOwn(claims, 'request') || Object.hasOwn(claims, 'request_uri')) {
    return wrong('it must not have request or request_uri')
  }
  const text = timeProblem(claims, now)
  return text === undefined
    ? undefined
    : { fault: 'clock', text, received: timesOf(claims), expected: { now, clock_skew: SKEW } }
}

const wrong = (text: string) => refusedFor('claims', text)

function timeProblem({ exp, nbf, iat }: Claims, now: number): string | undefined {
  const [oldest, newest] = [now - MAX_LIFETIME - SKEW, now + SKEW]
  const end = statedTimeFault(exp, { from: now - SKEW, to: newest + MAX_LIFETIME })
  const start = statedTimeFault(nbf, { from: oldest, to: newest })
  const made = iat === undefined ? undefined : statedTimeFault(iat, { from: oldest, to: newest })
  if (end === 'malformed') return 'it needs exp, a number of seconds since 1970'
  if (start === 'malformed') return 'it needs nbf, a number of seconds since 1970'
  if (made === 'malformed') return 'its iat is not a number of seconds since 1970'
  if (end === 'early' || exp === now - SKEW) return 'it has expired'
  if (start === 'late' || made === 'late') return 'it is not valid yet: check the clock of the client'
  if (start === 'early') return 'its nbf is more than 60 minutes ago'
  if (made === 'early') return 'its iat is more than 60 minutes ago'
  return end === 'late' || Number(exp) - Number(nbf) > MAX_LIFETIME
    ? 'it is valid for more than 60 minutes: its exp is too far from its nbf'
    : undefined
}

/**
 * Returns those parameters of some names that are in a request object, in the form of query parameters; other claims are
 * ignored. Each parameter
 * has its JSON type (RFC 9101 §4, OpenID Connect Core §6.1); another type is a fault. Of repeated members the last one
 * counts (RFC 7519 §4).
 */
export function parametersOf(claims: Claims, names: readonly string[]): Parameters {
  const parameters = parametersFrom()
  const faults = new Map<string, Fault>()
  for (const name of names) {
    if (!Object.hasOwn(claims, name)) continue
    const { type, read } = READERS[name] ?? TEXT
    const value = read(claims[name])
    if (value === undefined || !isParameterText(name, value)) {
      faults.set(name, () => invalidRequestObject(refusedFor('claims', `its ${name} must be ${type}`)))
      // RFC 6749 §3.1: an empty value counts as absent.
    } else if (value !== '') parameters[name] = value
  }
  return withFaults(parameters, faults)
}

/** How a parameter is read: its JSON type, and its text; undefined if it has another type. */
interface Reader {
  readonly type: string
  read(value: unknown): string | undefined
}

const TEXT: Reader = {
  type: 'a string without control characters',
  read: (value) => (typeof value === 'string' ? value : undefined),
}

const OBJECT: Reader = {
  type: 'a JSON object',
  read: (value) => (isObject(value) ? JSON.stringify(value) : undefined),
}

const READERS: Readonly<Partial<Record<string, Reader>>> = {
  max_age: {
    type: 'a whole number of seconds',
    read: (value) => (Number.isSafeInteger(value) ? String(value) : undefined),
  },
  // CIBA §7.1.1: a number or a string.
  requested_expiry: {
    type: 'a number of seconds',
    read: (value) => (typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : undefined),
  },
  claims: OBJECT,
  // RFC 9396 §4.
  authorization_details: {
    type: 'a JSON array',
    read: (value) => (Array.isArray(value) ? JSON.stringify(value) : undefined),
  },
  // It is refused afterwards.
  registration: OBJECT,
  // RFC 8707 §2: it may be repeated.
  resource: {
    type: 'a URI or an array of URIs',
    read(value) {
      const uris: readonly unknown[] = Array.isArray(value) ? value : [value]
      return uris.every((uri) => typeof uri === 'string' && /^\S+$/.test(uri)) ? uris.join(' ') : undefined
    },
  },
}
