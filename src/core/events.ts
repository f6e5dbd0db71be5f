import type { About, AuditEntries } from './audit-entries.ts'
import type { Log } from './log.ts'

/** The value of a field. Undefined fields are not logged. */
type Value = string | number | readonly string[] | undefined

/** An event; `?` marks fields that may be missing. */
interface Definition<Field extends string> {
  readonly level: 'info' | 'warn'
  /** Its sentence in the log. */
  readonly message: string
  /** When it happens, for the documentation. */
  readonly when: string
  readonly fields: readonly Field[]
}

const info = <const Field extends string = never>(
  message: string,
  when: string,
  fields: readonly Field[] = [],
): Definition<Field> => ({ level: 'info', message, when, fields })
const warn = <const Field extends string = never>(
  message: string,
  when: string,
  fields: readonly Field[] = [],
): Definition<Field> => ({ level: 'warn', message, when, fields })

/**
 * All security events. A field never has a secret, or a text that somebody typed and that names nothing which exists:
 * people type passwords into the field for the username.
 */
export const EVENTS = {
  sign_in_succeeded: info(
    'A user signed in.',
    'a user signed in by the [sign-in method](sign-in-methods.md) `method`; `amr` says how',
    ['username', 'sub', 'method', 'amr', 'client_id?'],
  ),
  sign_in_failed: info(
    'A sign-in failed.',
    'the answer was wrong. `reason` is `wrong_password`, `password_expired`, `unknown_user`, `disabled_user`, `no_password`, `wrong_answer`, `answered_before` (by another site), `not_fresh` (the request wants a recent sign-in), `own_page_failed` and `gave_up` (at the page of an application), or of a provider or directory `upstream_failed`, `upstream_denied` or `upstream_account`; the account is named if there is one',
    ['reason', 'method', 'username?', 'sub?', 'client_id?'],
  ),
  sign_in_limited: warn(
    'Too many sign-ins failed: further ones are refused until the time is over.',
    'the first attempt that a [limit](operations.md#passwords-and-sign-in) refuses. `limit` is `address`, `user_at_address`, `user`, `known_browser` or `second_step`; `retry_after` in seconds. Further ones are counted and not logged',
    ['limit', 'retry_after', 'client_id?'],
  ),
  signed_out: info(
    'A user signed out.',
    'a session ended: `by` is `client` if its id_token named the session, `user` if the user chose it on the page',
    ['username', 'sub', 'by', 'client_id?', 'sid?'],
  ),
  session_ended: info(
    'A session ends, because its account is disabled, gone or of another user, or all sessions were ended.',
    "a browser came back whose account is disabled, gone or another user's, or whose user had all sessions ended",
    ['username', 'sub', 'sid?'],
  ),
  consent_given: info(
    'A user agreed to what a client asked for.',
    'a user agreed on the page; `scope` is what the page asked for',
    ['username', 'sub', 'client_id', 'scope'],
  ),
  consent_refused: info('A user refused what a client asked for.', 'a user refused on the page', [
    'username',
    'sub',
    'client_id',
    'scope',
  ]),
  device_allowed: info('A user allowed a device.', 'a user allowed a [device](device.md) on the page', [
    'username',
    'sub',
    'client_id',
  ]),
  device_denied: info('A user refused a device.', 'a user denied a device', ['username', 'sub', 'client_id']),
  person_asked: info(
    'A client asks a user.',
    'a client [asks](asks.md) a user who is not there; `expires_in`: for how many seconds the question waits',
    ['client_id', 'username', 'sub', 'expires_in'],
  ),
  ask_dropped: info(
    'A client asked somebody who is not asked.',
    'a client [asked](asks.md) somebody, and nobody sees it; the client does not learn of it. `reason` is `unknown`, `disabled`, `muted`, `no_access` (by group), `no_grant` (the user never let the client have anything), `limited` (too many questions) or `repeated` (the same one waits)',
    ['reason', 'client_id', 'username?', 'sub?'],
  ),
  ask_allowed: info('A user answered a client with yes.', 'a user allowed what a client [asked](asks.md)', [
    'username',
    'sub',
    'client_id',
  ]),
  ask_denied: info('A user answered a client with no.', 'a user refused what a client [asked](asks.md)', [
    'username',
    'sub',
    'client_id',
  ]),
  client_muted: info(
    'A user lets a client ask nothing any more.',
    'a user does not want to be [asked](asks.md) by a client again',
    ['username', 'sub', 'client_id'],
  ),
  client_unmuted: info('A user lets a client ask again.', 'a user lets a client [ask](asks.md) again', [
    'username',
    'sub',
    'client_id',
  ]),
  device_limited: warn(
    'Too many device codes were requested from one address: further requests are refused until the time is over.',
    'the first request for device codes that `DEVICE_REQUESTS` refuses to an address; `retry_after` in seconds. Further ones are counted and not logged as events',
    ['client_id', 'retry_after'],
  ),
  pushing_limited: warn(
    'Too many requests were pushed from one address: further ones are refused until the time is over.',
    'the first [pushed request](pushed-requests.md) that `PAR_REQUESTS` refuses to an address; `retry_after` in seconds. Further ones are counted and not logged as events',
    ['client_id', 'retry_after'],
  ),
  user_code_limited: warn(
    'Too many wrong user codes were entered: further ones are refused until the time is over.',
    'the first user code that a [limit](device.md#who-attacks) refuses to a signed-in user. `limit` is `user`: this user guesses, or a device is broken; or `address`: the users of one address guess together. `retry_after` in seconds',
    ['limit', 'username', 'sub', 'retry_after'],
  ),
  client_auth_failed: info(
    'A client authentication failed.',
    'a client did not prove who it is; `cause` says why. `client_id` only if it is registered',
    ['client_id?'],
  ),
  client_auth_limited: info(
    'A client authentication was refused: too many failed before.',
    'too many failed before, so the credentials were [not checked](operations.md#guesses-at-secrets)',
    ['client_id?'],
  ),
  short_secret_used: warn(
    'A client authenticated with a secret of fewer than 16 characters, which can be guessed: give it another one.',
    'a client authenticated with a secret of fewer than 16 characters, which can be [guessed](operations.md#guesses-at-secrets): once an hour and client, from each server. It is an event of no request',
    ['client_id'],
  ),
  assertion_replayed: warn(
    'An assertion was presented again: it is refused.',
    'an assertion was presented again: it was copied, or the client is faulty. It is refused',
    ['client_id', 'issuer?'],
  ),
  proof_replayed: warn(
    'A DPoP proof was presented again: it is refused.',
    'a DPoP proof was presented again: it was copied, or the client is faulty. It is refused',
    ['client_id?'],
  ),
  code_replayed: warn(
    'A spent code was presented again: its tokens are revoked.',
    'a spent code was presented again: it has leaked, or the client is faulty. Its tokens are revoked',
    ['client_id'],
  ),
  token_exchanged: info(
    'A client exchanged a token of a user for another one.',
    'a client got a token by [exchange](acting.md): `of_client` is the one that the user signed in at, `actors` how many clients act with the new token',
    ['client_id', 'of_client', 'resource', 'actors', 'username?', 'issuer?'],
  ),
  token_spent: info(
    'An API did what a token was for, which counts once.',
    'an API [spent](details.md#once) a token of `of_client`: it does what its user allowed once; `types` are those of the details',
    ['client_id', 'of_client', 'types', 'username?'],
  ),
  assertion_issued: info(
    'A client got an identity assertion about a user for another server.',
    'a client got an [identity assertion](other-servers.md): `application` is the server that it is for, `resource` the API there',
    ['client_id', 'application', 'resource', 'scope', 'username?'],
  ),
  exchange_refused: info(
    'A token was not exchanged.',
    'a client may not [exchange](acting.md#what-is-checked) a token, or not this one; `reason` is that of the [error](errors.md)',
    ['client_id', 'reason'],
  ),
  refresh_token_reused: warn(
    'A spent refresh token was presented again: its family is revoked.',
    'the same for a refresh token, after the retry window. All tokens of the sign-in are revoked',
    ['client_id'],
  ),
  access_refused: info(
    'A user may not use a client: they are in none of its groups.',
    'a user who is signed in may not [use the client](access-by-group.md): `at` is `page` if a page said so, `prompt_none` if the client was told without a page, `shortcut` for the user of demo mode, or `assertion` if another issuer named the user',
    ['at', 'client_id', 'username?', 'sub?'],
  ),
  grant_ended: info(
    'A grant ends, because its user is disabled, gone or another one, or may not use the client any more, or it was ended.',
    'a token request for a user who is disabled, gone or another one (`reason` is `account`), or may not [use the client](access-by-group.md) (`access`), for a sign-in that is weaker than [the client demands](second-step.md) (`acr`), or for a grant that an operator ended with all others (`ended`). All tokens of the sign-in are revoked',
    ['reason', 'client_id', 'username?'],
  ),
  bearer_refused: info(
    'A bearer token was refused.',
    'a bearer token was unknown, expired, revoked or not an access token of this server; `cause` says which. A request without a token is not an event',
  ),
  token_revoked: info(
    'A token was revoked.',
    '`by` `client`: by the revocation endpoint; `operator`: by `redmint token revoke`',
    ['by', 'client_id?'],
  ),
  keys_rotated: info(
    'The signing keys were rotated.',
    'signing keys changed: `by` `schedule` or `operator`; `kids` are those that sign now',
    ['by', 'kids'],
  ),
  client_added: info('A client was registered.', 'by the command: `client add`, `client import` or `apply`', [
    'client_id',
  ]),
  client_changed: info(
    'A client was changed.',
    'by the command, the admin API, or what a provider, a directory or your own page says at a sign-in; `fields` names what differs, apart from a new secret and the state. Values are not logged',
    ['client_id', 'fields'],
  ),
  resource_changed: info(
    'A resource was added or changed.',
    'by `redmint resource add`, `update`, `disable` and `enable`, or `apply`',
    ['resource'],
  ),
  resource_removed: info('A resource was removed.', 'by the command', ['resource']),
  detail_type_changed: info(
    'A type of details was added or changed.',
    'by `redmint detail-type add`, `set`, `disable` and `enable`, or `apply`',
    ['detail_type'],
  ),
  detail_type_removed: info('A type of details was removed.', 'by the command', ['detail_type']),
  issuer_trusted: info(
    'A trusted issuer was added or changed.',
    'by `redmint issuer add` and `update`, or `apply`',
    ['issuer'],
  ),
  issuer_removed: info('A trusted issuer was removed.', 'by the command', ['issuer']),
  application_changed: info(
    'Another server that takes identity assertions was added or changed.',
    'by `redmint application add` and `update`, or `apply`',
    ['application'],
  ),
  application_removed: info('Another server that takes identity assertions was removed.', 'by the command', [
    'application',
  ]),
  provider_changed: info(
    'A provider of accounts was added or changed.',
    'by `redmint provider add`, `update`, `secret`, `disable` and `enable`, or `apply`',
    ['provider'],
  ),
  provider_answered: info(
    'A provider said who somebody is.',
    'somebody who has an account came back from a [provider](providers.md); `acr`, `amr` and `auth_time` are what it said about the sign-in there',
    ['username', 'provider', 'acr?', 'amr?', 'auth_time?'],
  ),
  provider_linked: info(
    'An account was linked with one at a provider.',
    'a person linked the account with one at a [provider](providers.md), or it was made or found by a first sign-in',
    ['username', 'provider'],
  ),
  provider_unlinked: info(
    'The link of an account with one at a provider was removed.',
    'a person removed the link with an account at a [provider](providers.md)',
    ['username', 'provider'],
  ),
  provider_removed: info('A provider of accounts was removed.', 'by the command', ['provider']),
  client_invited: info(
    'An invitation to register a client was made.',
    '`redmint client invite` made an [invitation](registration.md#invitations)',
    ['uses', 'expires_at'],
  ),
  invitation_removed: info(
    'An invitation to register a client was removed.',
    'an [invitation](registration.md#invitations) was removed by the admin API',
    ['invitation'],
  ),
  preview_made: info(
    'A preview of a client was made, or lives on.',
    'a [preview](previews.md) was made, or made again, so that it lapses later or sooner',
    ['client_id', 'preview_of', 'lapses_at'],
  ),
  client_registered: info(
    'A client registered itself.',
    'a client [registered itself](registration.md): `by` is `anybody` or `invitation`',
    ['client_id', 'by'],
  ),
  registration_changed: info('A client changed its registration.', 'a client changed its own registration', [
    'client_id',
  ]),
  registration_deleted: info('A client deleted its registration.', 'a client deleted its own registration', [
    'client_id',
  ]),
  registration_limited: warn(
    'Too many clients registered: further ones are refused until the time is over.',
    'too many clients registered within the hour: `limit` is `address` or `all`; `retry_after` in seconds. One in a minute for an address; further ones are counted and not logged as events',
    ['limit', 'retry_after'],
  ),
  lockout_lifted: info(
    'A lockout was lifted: its failures are forgotten.',
    'by `redmint limits lift`, `user unlock`, `user set-password` or `apply` with a new password, or the admin API. `kind` is `user`, `address` or `client`, `counter` as `redmint limits` shows it; whom it was about, as far as there is such a user or client',
    ['kind', 'counter', 'username?', 'client_id?', 'address?'],
  ),
  client_disabled: info('A client was disabled.', 'by the command, also before a client is removed', [
    'client_id',
  ]),
  client_enabled: info('A client was enabled.', 'by the command', ['client_id']),
  client_removed: info('A client was removed.', 'by the command', ['client_id']),
  client_secret_changed: info(
    'A client got another secret.',
    'by the command: `rotate-secret`, `update` or `import` with a secret, or `apply`. The secret is not logged',
    ['client_id'],
  ),
  user_added: info(
    'A user was added.',
    'by `user add`, `user import` or `apply`, the admin API, an invitation, or a first sign-in by a provider, a directory or your own page',
    ['username'],
  ),
  user_changed: info(
    'A user was changed.',
    'by the command; `fields` names what differs, apart from the password and the state. Values are not logged',
    ['username', 'fields'],
  ),
  user_viewed: info(
    'An operator looked at a user.',
    'the [admin API](admin-api.md), the console or the command showed one person: the record, sessions, grants, consents, factors, a token, entries of the audit trail, or a what-if. For one who looks and one who is looked at, each server reports one in fifteen minutes. A list of people is none',
    ['username'],
  ),
  user_ended: info(
    'Everything of a user was ended.',
    'all sessions, codes and tokens of a user were ended by the [admin API](admin-api.md)',
    ['username'],
  ),
  user_revoked: info(
    'A client ended everything of a user.',
    'a client ended all sessions, codes and tokens of a user by [global token revocation](signals-received.md#global-token-revocation)',
    ['username', 'client_id'],
  ),
  signal_taken: info(
    'A provider or a trusted issuer said that something of its people is over.',
    'a [signal](signals-received.md) of a provider or of a trusted issuer was taken; `signal` is the last part of its event type. What it ended is in `sessions_ended` and `grants_ended`',
    ['signal', 'provider?', 'issuer?', 'username?'],
  ),
  sessions_ended: info(
    'Sessions of a user were ended.',
    'an operator, the user on the account page, or a provider where the user signed out, ended a session (`sid`) or several; `count` says how many',
    ['username', 'sid?', 'count'],
  ),
  all_sessions_ended: info(
    'All sessions of all users were ended.',
    'an operator ended all sessions of all users',
  ),
  grants_ended: info(
    'Grants were ended.',
    'an operator ended a grant (`grant`), or all grants of a user or a client, or a user took the access of a client back, without `count`; `count` says how many',
    ['username?', 'client_id?', 'grant?', 'count?'],
  ),
  acting_ended: info(
    'A client was stopped from acting for a user.',
    'an operator ended what a client does for a user by [exchanged](acting.md) tokens: in one sign-in (`grant`), or in all of the user',
    ['username?', 'client_id', 'grant?'],
  ),
  user_acted_as: info(
    'An operator got a token to act as a user.',
    'an operator got a [token to act as a user](act-as.md) for ten minutes at most, by `redmint user act-as`, the console or the [admin API](admin-api.md): at the API `resource`, for the `reason` that the operator gave. `grant` names what ends it',
    ['username', 'client_id', 'resource', 'scope', 'grant', 'expires_at', 'reason'],
  ),
  rights_changed: info(
    'A user got other rights at the admin API.',
    'by `redmint admin grant` or `revoke`, or the [admin API](admin-api.md): `from` and `to` are scopes',
    ['username', 'from', 'to'],
  ),
  user_disabled: info('A user was disabled.', 'by the command, also before a user is removed', ['username']),
  user_enabled: info('A user was enabled.', 'by the command', ['username']),
  user_removed: info('A user was removed.', 'by the command', ['username']),
  counters_full: warn(
    'More names fail than can be counted: those that failed least are forgotten first.',
    'a [group of counters](shared-places.md#counters-of-failures) has no room for another name: `group`. At most once a minute for each; `redmint_counters_full_total` counts all',
    ['group'],
  ),
  mail_sent: info(
    'A mail was handed over to the SMTP server.',
    'a [mail](mail.md) was handed over; `mail` is its id, `kind` what it is about. It is an event of no request',
    ['mail', 'kind'],
  ),
  mail_dropped: info(
    'A mail is not sent any more.',
    'a [mail](mail.md) is not sent any more: `reason` is `refused` by the SMTP server, whose `answer` says why; `late`: its link has ended; `full`: too many wait; `uncertain`: the answer was lost twice; or `unreadable`: its key is gone. Of one that was asked for by a form there is no mail yet: `reason` is then also `sender`, one network asks for too many, and the event comes once a minute for each `network`, with a `count`',
    ['reason', 'mail?', 'kind', 'answer?', 'network?', 'count?'],
  ),
  mails_limited: warn(
    'Too many mails were asked for: none is sent.',
    'a [mail](mail.md#limits) was asked for beyond a limit: `limit` is `address`, `user` or `all`',
    ['limit', 'kind', 'username?'],
  ),
  password_changed: info('A user got another password.', 'by `redmint user set-password` or `apply`', [
    'username',
  ]),
  passkey_added: info(
    'A user made a passkey.',
    'a user made a [passkey](passkeys.md); `provider` says what keeps it, if it is known',
    ['username', 'provider?'],
  ),
  passkey_removed: info('A passkey of a user was removed.', 'a user removed a [passkey](passkeys.md)', [
    'username',
    'provider?',
  ]),
  passkey_counter_reversed: warn(
    'The counter of a passkey went back: it may have been copied. The sign-in is refused.',
    'a [passkey](passkeys.md) was used with a counter that is not above the last one: somebody may have copied it. The sign-in is refused; one in an hour for a passkey',
    ['username', 'provider?'],
  ),
  passkey_flag_changed: warn(
    'A passkey says otherwise than before whether it may be on several devices. The sign-in is refused.',
    'a [passkey](passkeys.md) says otherwise than when it was made whether it may be on several devices, as after a change of what keeps it: its person removes it and makes another. The sign-in is refused; one in an hour for a passkey',
    ['username', 'provider?'],
  ),
  address_change_asked: info(
    'A user entered another e-mail address, which counts once it is confirmed.',
    'a user entered another e-mail address on the [account page](account-page.md), and got a link to confirm it',
    ['username'],
  ),
  address_changed: info(
    'A user confirmed an e-mail address.',
    'a user confirmed an e-mail address by the link of a [mail](mail.md): it is that of the account from then on',
    ['username'],
  ),
  change_disowned: info(
    'Somebody followed "This was not me" in a notice: everything of the account ended.',
    'somebody used ["This was not me"](mail.md#this-was-not-me) of the notice about the event `change`. `removed` is what was taken away: `password`, `passkeys`, `totp`, `app` (its codes count no more), `codes` (for recovery) or `address` (the one before counts again)',
    ['username', 'change', 'removed'],
  ),
  reset_link_given: info(
    'A link to choose a new password was made.',
    'by `redmint user reset-link` or the [admin API](admin-api.md). The link is not logged',
    ['username', 'expires_at'],
  ),
  password_reset: info(
    'A user chose another password by a link: all sessions of the user ended.',
    'a user [chose a new password](invitations.md#a-lost-password) by a link',
    ['username'],
  ),
  user_invited: info(
    'An invitation for people was made.',
    'by `redmint user invite` or the [admin API](admin-api.md): an [invitation](invitations.md). `groups` are those that its people get',
    ['invitation', 'uses', 'groups', 'expires_at'],
  ),
  names_guessed: warn(
    'A link to make an account was ended: it was used to ask which names are taken.',
    'a link of an [invitation](invitations.md#an-invitation), or of open sign-up, ended because twenty names were taken that were chosen by it',
    ['invitation?'],
  ),
  user_invitation_removed: info(
    'An invitation for people was removed.',
    'by `redmint user remove-invitation` or the [admin API](admin-api.md)',
    ['invitation'],
  ),
  user_joined: info(
    'A user made an account by an invitation.',
    'somebody used an [invitation](invitations.md): `invitation` is its id. If a person made it by the admin API or the console: `inviter` is the name, else the username, as the page of the invitation said it, `inviter_sub` the sub',
    ['username', 'invitation', 'inviter?', 'inviter_sub?'],
  ),
  user_signed_up: info(
    'A user made an account by open sign-up.',
    'somebody made an account by the link of a mail, where [`SIGN_UP`](invitations.md#open-sign-up) is open',
    ['username'],
  ),
  second_step_added: info(
    'A user set up an authenticator app.',
    'a user set up an authenticator app as the [second step](second-step.md), or another one in its place',
    ['username'],
  ),
  second_step_removed: info(
    'The authenticator app of a user was removed.',
    'the second step of a user was removed, with the recovery codes',
    ['username'],
  ),
  second_step_limited: warn(
    'So many codes for the second step of a user were wrong that none of the app counts any more: somebody may know the password.',
    'the hundredth wrong code for the [second step](second-step.md#guesses) of a user: somebody who knows the password guesses. Recovery codes still count; `redmint user reset-factors` ends it',
    ['username'],
  ),
  recovery_codes_made: info(
    'A user got new recovery codes.',
    'a user got ten recovery codes; those before ended',
    ['username'],
  ),
  recovery_code_used: info(
    'A user signed in with a recovery code.',
    'a recovery code stood in for the second step; `left` says how many there are still',
    ['username', 'left'],
  ),
  factors_reset: info(
    'Factors of a user were removed by an operator.',
    'by `redmint user reset-factors`, or the [admin API](admin-api.md): `removed` is `totp`, `passkeys` or both; the sessions of the user ended',
    ['username', 'removed'],
  ),
  consent_withdrawn: info('A consent was withdrawn.', 'by `redmint user withdraw-consent`', [
    'username',
    'sub',
    'client_id',
  ]),
  signal_stream_changed: info(
    'A receiver of security events changed its stream.',
    'a client made, changed or deleted its [stream of security events](signals.md), or its status: `change` is `created`, `changed`, `deleted`, `enabled`, `paused` or `disabled`',
    ['client_id', 'change'],
  ),
  signal_stream_paused: info(
    'The stream of a receiver of security events was paused: it takes nothing.',
    'a [stream of security events](signals.md#a-receiver-that-takes-nothing) was paused: `reason` is `full`, so many wait that later ones are not kept, or `failing`, its endpoint took nothing for hours. It is an event of no request',
    ['client_id', 'reason'],
  ),
  audit_trimmed: info(
    'The oldest entries of the audit trail were deleted.',
    'the server deleted the entries of the [audit trail](audit.md) before the one with the id `before`, because of `AUDIT_MAX` or `AUDIT_DAYS`. `part` is `changes` or `repeated`. It is an event of no request',
    ['before', 'part'],
  ),
} as const

export type EventName = keyof typeof EVENTS

/**
 * Events that change nothing: something is refused, or said of what happened elsewhere. All others change something, or are
 * about a change that others decided.
 */
export const CHANGING_NOTHING = [
  'sign_in_failed',
  'sign_in_limited',
  'consent_refused',
  'person_asked',
  'ask_dropped',
  'device_limited',
  'pushing_limited',
  'user_code_limited',
  'exchange_refused',
  'client_auth_failed',
  'client_auth_limited',
  'short_secret_used',
  'assertion_replayed',
  'proof_replayed',
  'access_refused',
  'bearer_refused',
  'registration_limited',
  'counters_full',
  'mails_limited',
  'mail_dropped',
  'provider_answered',
  'signal_taken',
  'passkey_counter_reversed',
  'passkey_flag_changed',
  'user_viewed',
] as const satisfies readonly EventName[]

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
export interface ReportEvent {
  (event: SecurityEvent): void
  /**
   * Returns what a write takes along, so that the audit trail has these events with the change that they are about. The
   * caller reports the same objects if the change was made. Absent: there is no audit trail.
   */
  readonly entriesOf?: (events: readonly SecurityEvent[], about: About) => AuditEntries
}

/**
 * How many warnings of refusals a process logs in a minute, for one event, client and network, and in all: anybody can
 * repeat what is refused. The counter of events has all of them. A client that operators registered has its first one,
 * whatever others do, and those who name none have a part.
 */
export const WARNINGS = { per_name: 1, per_owner: 20, in_all: 100, always: 1 }
/** Who names no client that operators registered. */
export const STRANGERS = '-'
export const WARNINGS_OF_STRANGERS = 60

/** Writes an event as one line of the log; `more`: what is known of the request. */
export function logEvent(log: Log, event: SecurityEvent, more: object = {}): void {
  const { level, message } = EVENTS[event.event]
  // Not by spreads: members that join a copy cost 0.8 µs each on Node 20 (decision 76).
  log[level](Object.assign({}, event, more), message)
}
