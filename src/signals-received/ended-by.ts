import { isObject } from '../core/json.ts'
import { refusedFor } from '../core/jwt-refusal.ts'
import { SET_EVENT } from '../core/security-events.ts'
import { signalRefused } from '../core/signal-errors.ts'
import { type NamedSubject, readSubject } from './subject.ts'
import type { VerifiedSet } from './verify-set.ts'

/** Something of somebody that is over, as a security event token says it. */
export interface SaidEnd {
  /** The last part of the type of the event. */
  readonly signal: string
  /** Who it is; absent: only the session is named. */
  readonly user?: NamedSubject
  /** The one session that it is about; absent: all. */
  readonly sid?: string
  /** What began before this is over, in milliseconds since 1970. */
  readonly before: number
}

/** The types of events after which nothing counts that began before. */
const ENDS: readonly string[] = [
  SET_EVENT.session_revoked,
  SET_EVENT.account_disabled,
  SET_EVENT.account_purged,
  // RISC 1.0 §2.11 deprecates it, and Google sends it.
  'https://schemas.openid.net/secevent/risc/event-type/sessions-revoked',
  // https://developers.google.com/identity/protocols/risc: sessions of Sign in with Google are to end.
  'https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked',
]

/**
 * Returns what a security event token says is over. All other events, also of the stream itself, say nothing of the kind.
 * @param now in milliseconds since 1970
 * @throws SignalRefused if it does not say when
 */
export function endsIn({ claims, events, iat }: VerifiedSet, now: number): readonly SaidEnd[] {
  return [...events].flatMap(([type, event]) => {
    if (!ENDS.includes(type)) return []
    const named = whoIn(claims.sub_id ?? event.subject)
    if (named === undefined) return []
    const before = Math.min(endOfSecond(timeOf(event.event_timestamp ?? claims.toe, iat)), now + 1)
    return [{ signal: type.slice(type.lastIndexOf('/') + 1), ...named, before }]
  })
}

/** When it happened, in seconds since 1970 (CAEP 1.0 §2, RFC 8417 §2.2): never after it was said. */
function timeOf(stated: unknown, iat: number): number {
  if (stated === undefined) return iat
  if (typeof stated !== 'number' || !(stated >= 0))
    throw signalRefused('invalid_request', refusedFor('clock', 'its time of the event is not a number'))
  // Drafts of CAEP had milliseconds.
  return Math.min(stated, iat)
}

// What began in the same second ends, too: the token does not say more exactly when.
const endOfSecond = (seconds: number) => (Math.floor(seconds) + 1) * 1000

/** What of a complex subject is understood (SSF 1.0 §3.2). Any other part means less than the person. */
const PARTS: readonly string[] = ['format', 'subject_type', 'user', 'session', 'tenant']

/** Keycloak 26.7 says that all sessions of a person are over as it says it of one. */
const ALL_SESSIONS = 'ALL'

/** Returns whom a subject means; undefined: nobody whom this server knows by it. */
function whoIn(subject: unknown): Pick<SaidEnd, 'user' | 'sid'> | undefined {
  if (!isObject(subject)) return undefined
  const simple = readSubject(modern(subject))
  if (simple !== undefined) return simple.format === 'opaque' ? { sid: simple.id } : { user: simple }
  const is_complex = Object.keys(subject).every((part) => PARTS.includes(part))
  if (!is_complex) return undefined
  const [user, session] = [readSubject(modern(subject.user)), readSubject(modern(subject.session))]
  // A part that cannot be read means less than is left without it.
  if (
    (subject.user !== undefined && user === undefined) ||
    (subject.session !== undefined && session?.format !== 'opaque')
  )
    return undefined
  if (user === undefined && session === undefined) return undefined
  const sid = session?.format === 'opaque' ? session.id : undefined
  const is_all = user !== undefined && sid === ALL_SESSIONS
  return { ...(user && { user }), ...(sid !== undefined && !is_all && { sid }) }
}

/** As RFC 9493 says it what drafts said in another way: `{"subject_type":"iss-sub"}`. */
function modern(subject: unknown): unknown {
  if (!isObject(subject) || subject.format !== undefined || typeof subject.subject_type !== 'string')
    return subject
  return { ...subject, format: subject.subject_type.replaceAll('-', '_') }
}
