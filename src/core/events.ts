import type { Log } from './log.ts'

/** The value of a field. Undefined fields are not logged. */
type Value = string | number | readonly string[] | undefined

/** An event: how severe it is, its sentence in the log, and its fields; `?` marks those that may be missing. */
interface Definition<Field extends string> {
  readonly level: 'info' | 'warn'
  readonly message: string
  readonly fields: readonly Field[]
}

const info = <const Field extends string>(message: string, ...fields: Field[]): Definition<Field> => ({
  level: 'info',
  message,
  fields,
})
const warn = <const Field extends string>(message: string, ...fields: Field[]): Definition<Field> => ({
  ...info(message, ...fields),
  level: 'warn',
})

/**
 * All security events; docs/events.md explains each. A field never has a secret, or a text that somebody typed and that
 * names nothing which exists: people type passwords into the field for the username.
 */
export const EVENTS = {
  sign_in_succeeded: info('A user signed in.', 'username', 'sub', 'amr', 'client_id?'),
  sign_in_failed: info('A sign-in failed.', 'reason', 'amr', 'username?', 'sub?', 'client_id?'),
  sign_in_limited: warn(
    'Too many sign-ins failed: further ones are refused until the time is over.',
    'limit',
    'retry_after',
    'client_id?',
  ),
  signed_out: info('A user signed out.', 'username', 'sub', 'by', 'client_id?'),
  session_ended: info(
    'A session ends, because its account is disabled, gone or of another user.',
    'username',
    'sub',
  ),
  consent_given: info('A user agreed to what a client asked for.', 'username', 'sub', 'client_id', 'scope'),
  consent_refused: info('A user refused what a client asked for.', 'username', 'sub', 'client_id', 'scope'),
  device_allowed: info('A user allowed a device.', 'username', 'sub', 'client_id'),
  device_denied: info('A user refused a device.', 'username', 'sub', 'client_id'),
  device_limited: warn(
    'Too many device codes were requested from one address: further requests are refused until the time is over.',
    'client_id',
    'retry_after',
  ),
  pushing_limited: warn(
    'Too many requests were pushed from one address: further ones are refused until the time is over.',
    'client_id',
    'retry_after',
  ),
  user_code_limited: warn(
    'Too many wrong user codes were entered: further ones are refused until the time is over.',
    'limit',
    'username',
    'sub',
    'retry_after',
  ),
  client_auth_failed: info('A client authentication failed.', 'client_id?'),
  client_auth_limited: info('A client authentication was refused: too many failed before.', 'client_id?'),
  short_secret_used: warn(
    'A client authenticated with a secret of fewer than 16 characters, which can be guessed: give it another one.',
    'client_id',
  ),
  assertion_replayed: warn('An assertion was presented again: it is refused.', 'client_id', 'issuer?'),
  proof_replayed: warn('A DPoP proof was presented again: it is refused.', 'client_id?'),
  code_replayed: warn('A spent code was presented again: its tokens are revoked.', 'client_id'),
  refresh_token_reused: warn(
    'A spent refresh token was presented again: its family is revoked.',
    'client_id',
  ),
  grant_ended: info(
    'A grant ends, because its user is disabled, gone or another one.',
    'client_id',
    'username?',
  ),
  bearer_refused: info('A bearer token was refused.'),
  token_revoked: info('A token was revoked.', 'by', 'client_id?'),
  keys_rotated: info('The signing keys were rotated.', 'by', 'kids'),
  client_added: info('A client was registered.', 'client_id'),
  client_changed: info('A client was changed.', 'client_id', 'fields'),
  issuer_trusted: info('A trusted issuer was added or changed.', 'issuer'),
  issuer_removed: info('A trusted issuer was removed.', 'issuer'),
  client_invited: info('An invitation to register a client was made.', 'uses', 'expires_at'),
  client_registered: info('A client registered itself.', 'client_id', 'by'),
  registration_changed: info('A client changed its registration.', 'client_id'),
  registration_deleted: info('A client deleted its registration.', 'client_id'),
  registration_limited: warn(
    'Too many clients registered: further ones are refused until the time is over.',
    'limit',
    'retry_after',
  ),
  client_disabled: info('A client was disabled.', 'client_id'),
  client_enabled: info('A client was enabled.', 'client_id'),
  client_removed: info('A client was removed.', 'client_id'),
  client_secret_changed: info('A client got another secret.', 'client_id'),
  user_added: info('A user was added.', 'username'),
  user_changed: info('A user was changed.', 'username', 'fields'),
  user_disabled: info('A user was disabled.', 'username'),
  user_enabled: info('A user was enabled.', 'username'),
  user_removed: info('A user was removed.', 'username'),
  password_changed: info('A user got another password.', 'username'),
  consent_withdrawn: info('A consent was withdrawn.', 'username', 'sub', 'client_id'),
} as const

export type EventName = keyof typeof EVENTS

type FieldOf<Name extends EventName> = (typeof EVENTS)[Name]['fields'][number]

/** The fields of an event, and its name as `event`. */
type EventOf<Name extends EventName> = { readonly event: Name } & {
  readonly [Field in FieldOf<Name> as Field extends `${string}?` ? never : Field]: NonNullable<Value>
} & {
  readonly [Field in FieldOf<Name> as Field extends `${infer Plain}?` ? Plain : never]?: Value
}

/** Something that happened and that an operator may have to look into. */
export type SecurityEvent = { [Name in EventName]: EventOf<Name> }[EventName]

/** Reports an event: logs it and counts it. */
export type ReportEvent = (event: SecurityEvent) => void

/**
 * How many warnings of refusals a process logs in a minute, for one event, client and network, and in all: anybody can
 * repeat what is refused. The counter of events has all of them.
 */
export const WARNINGS = { per_name: 1, in_all: 100 }

/** Writes an event as one line of the log; `more`: what is known of the request. */
export function logEvent(log: Log, event: SecurityEvent, more: object = {}): void {
  const { level, message } = EVENTS[event.event]
  log[level]({ ...event, ...more }, message)
}
