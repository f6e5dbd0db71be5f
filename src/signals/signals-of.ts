import type { AuditEntry } from '../audit/entry.ts'
import { EVENTS } from '../core/events.ts'
import type { ClientId, Sid, Sub } from '../core/ids.ts'
import { SET_EVENT, type SetEventUri } from '../core/security-events.ts'
import type { SetSubject } from './held-set.ts'

/** Something that receivers are told. */
export interface Signal {
  readonly event: SetEventUri
  readonly claims: Readonly<Record<string, unknown>>
  /** The session that it is about; absent: the person. */
  readonly sid?: Sid
  /** Whom it is about, if the person is named otherwise than by sub. */
  readonly about?: SetSubject
}

/** What comes of an entry of the audit trail for receivers. */
export interface ToReceivers {
  /** Absent: everybody. */
  readonly sub?: Sub
  readonly signals: readonly Signal[]
  /** The only one who is told; absent: each who knows the person. */
  readonly client_id?: ClientId
  /** Whether the client is told of the person no more. */
  readonly forgets?: true
  /** The fields of the account that changed. */
  readonly fields?: readonly string[]
  /** What may have changed how strongly the person can sign in: a factor that was added or removed. */
  readonly factors?: FactorChange
}

/** Factors that were added or removed. */
export interface FactorChange {
  readonly kinds: readonly ('totp' | 'passkeys')[]
  readonly is_added: boolean
}

type Change = 'create' | 'revoke' | 'update' | 'delete'

/** Returns what comes of an entry; undefined: nothing. */
export function toldOf(entry: AuditEntry): ToReceivers | undefined {
  const sub = target(entry, 'user')
  const common = commonClaims(entry)
  const ended = (sid?: Sid): Signal => ({
    event: SET_EVENT.session_revoked,
    claims: common,
    ...(sid !== undefined && { sid }),
  })
  const credential = (credential_type: string, change_type: Change): Signal => ({
    event: SET_EVENT.credential_change,
    claims: { credential_type, change_type, ...common },
  })
  const state = (event: SetEventUri): Signal => ({ event, claims: {} })
  if (entry.event === 'all_sessions_ended') return { signals: [ended()] }
  if (sub === undefined) return undefined
  switch (entry.event) {
    case 'signed_out':
    case 'session_ended':
    case 'sessions_ended':
      return { sub, signals: [ended(target(entry, 'session'))] }
    case 'user_ended':
    case 'user_revoked':
      return { sub, signals: [ended()] }
    case 'grants_ended':
      return endedGrants(entry, sub, ended())
    case 'user_disabled':
      return { sub, signals: [state(SET_EVENT.account_disabled), ended()] }
    case 'user_enabled':
      return { sub, signals: [state(SET_EVENT.account_enabled)] }
    case 'user_removed':
      return { sub, signals: [state(SET_EVENT.account_purged)], forgets: true }
    case 'password_changed':
      return { sub, signals: [credential('password', 'update')] }
    case 'password_reset':
      return { sub, signals: [credential('password', 'update'), ended()] }
    case 'passkey_added':
    case 'passkey_removed': {
      const is_added = entry.event === 'passkey_added'
      return {
        sub,
        signals: [credential(PASSKEY, is_added ? 'create' : 'delete')],
        factors: { kinds: ['passkeys'], is_added },
      }
    }
    case 'second_step_added':
    case 'second_step_removed': {
      const is_added = entry.event === 'second_step_added'
      return {
        sub,
        signals: [credential(APP, is_added ? 'create' : 'delete')],
        factors: { kinds: ['totp'], is_added },
      }
    }
    // The end of the sessions is an event of its own.
    case 'factors_reset':
      return takenAway(entry, sub, credential)
    case 'change_disowned':
      return takenAway(entry, sub, credential, ended())
    case 'user_changed':
      return { sub, signals: [], fields: (entry.changes ?? []).map(({ field }) => field) }
    case 'address_changed':
      return { sub, signals: [], fields: ['email', 'email_verified'] }
    default:
      return undefined
  }
}

// CAEP 1.0, Credential Change: of the names of its list, those that come nearest.
const PASSKEY = 'fido2-platform'
const APP = 'app'

/** An end of all grants of a person, or of those that one client has. */
function endedGrants(entry: AuditEntry, sub: Sub, ended: Signal): ToReceivers {
  const client_id = target(entry, 'client')
  if (client_id === undefined) return { sub, signals: [ended] }
  // One grant is one sign-in of several; without it, the client has no access any more.
  const forgets = target(entry, 'grant') === undefined
  return { sub, client_id, signals: [ended], ...(forgets && { forgets }) }
}

function takenAway(
  { details = {} }: AuditEntry,
  sub: Sub,
  credential: (type: string, change: Change) => Signal,
  ...ended: readonly Signal[]
): ToReceivers {
  const removed = Array.isArray(details.removed) ? details.removed.map(String) : []
  const has = (...names: readonly string[]) => names.some((name) => removed.includes(name))
  const kinds = [
    ...(has('totp', 'app') ? (['totp'] as const) : []),
    ...(has('passkeys') ? (['passkeys'] as const) : []),
  ]
  const signals = [
    ...(has('password') ? [credential('password', 'revoke')] : []),
    ...(has('totp', 'app') ? [credential(APP, 'delete')] : []),
    ...(has('passkeys') ? [credential(PASSKEY, 'delete')] : []),
    ...ended,
  ]
  return {
    sub,
    signals,
    ...(kinds.length > 0 && { factors: { kinds, is_added: false } }),
    ...(has('address') && { fields: ['email', 'email_verified'] }),
  }
}

/** Returns the claims that every event of CAEP has here (CAEP 1.0, Optional Event Claims). */
export function commonClaims({ event, at, actor }: AuditEntry): Readonly<Record<string, unknown>> {
  const { message } = EVENTS[event as keyof typeof EVENTS]
  return {
    event_timestamp: Math.floor(Date.parse(at) / 1000),
    initiating_entity: initiatorOf(actor),
    // CAEP Interoperability Profile 1.0: it must not be empty.
    reason_admin: { en: message },
  }
}

function initiatorOf({ kind, via }: AuditEntry['actor']): 'admin' | 'user' | 'system' {
  if (kind === 'operator' || via === 'api' || via === 'console' || via === 'command') return 'admin'
  return kind === 'system' ? 'system' : 'user'
}

function target({ targets }: AuditEntry, kind: string): string | undefined {
  return targets.find((one) => one.kind === kind)?.id
}
