import type { EventName } from '../core/events.ts'
import {
  amountOf,
  listOf,
  MAIL_WORDS,
  REMOVED_WORDS,
  WHY_ENDED,
  WHY_FAILED,
  WHY_NOT_ASKED,
  wayOf,
  wordsOf,
} from './sentence-words.ts'

/** What the texts of an event decide by. */
export interface ToldEntry {
  /** A field of the event that is neither who acts nor what it is about. */
  detail(name: string): unknown
  /** Whether it is about something of this kind. */
  isAbout(kind: string): boolean
  /** Whether a person does it to the own account. */
  readonly is_own: boolean
  /** What was changed, in words; undefined: nothing is named. */
  readonly changed: string | undefined
}

/**
 * A sentence: `{actor}` stands for who acts, `{user}`, `{client}`, `{resource}`, `{issuer}` and `{inviter}` for
 * what it is about, and `{=name}` for a detail that is a name.
 */
type Sentence = string | ((told: ToldEntry) => string)

/** One of two sentences: of a person who does it to the own account, and of somebody else. */
const own =
  (of_own: string, of_other: string): Sentence =>
  ({ is_own }) =>
    is_own ? of_own : of_other

const at = ({ isAbout }: ToldEntry, words: string) => (isAbout('client') ? ` ${words} {client}` : '')
const whom = ({ isAbout }: ToldEntry, somebody = 'Somebody') => (isAbout('user') ? '{user}' : somebody)

/** What happened, who did it first, for each event. */
export const EVENT_SENTENCES: Readonly<Record<EventName, Sentence>> = {
  sign_in_succeeded: (told) =>
    `{actor} signed in${at(told, 'to')}${wayOf(told.detail('amr'), told.detail('method'))}`,
  sign_in_failed: (told) =>
    `${whom(told)} could not sign in${at(told, 'to')}: ${wordsOf(WHY_FAILED, told.detail('reason'), 'the answer was wrong')}`,
  sign_in_limited: (told) => `Sign-ins${at(told, 'to')} were refused after too many wrong answers`,
  signed_out: (told) => `{actor} signed out${at(told, 'of')}`,
  session_ended: 'A session of {user} ended, because the account changed',
  consent_given: '{actor} allowed {client} what it asked for',
  consent_refused: '{actor} refused what {client} asked for',
  device_allowed: '{actor} connected a device to {client}',
  device_denied: '{actor} refused a device of {client}',
  person_asked: '{client} asked {user}',
  ask_dropped: (told) =>
    `{client} asked ${told.isAbout('user') ? '{user}' : 'somebody'}, who does not see it: ${wordsOf(WHY_NOT_ASKED, told.detail('reason'), 'it is not asked')}`,
  ask_allowed: '{actor} said yes to what {client} asked',
  ask_denied: '{actor} said no to what {client} asked',
  client_muted: '{actor} does not want to be asked by {client} again',
  client_unmuted: '{actor} lets {client} ask again',
  device_limited: '{actor} asked for too many device codes, and was refused',
  pushing_limited: '{actor} sent too many sign-ins, and was refused',
  user_code_limited: '{user} typed too many wrong codes of devices, and was refused',
  client_auth_failed: '{actor} did not prove who it is',
  client_auth_limited: '{actor} was refused after too many wrong secrets',
  short_secret_used: '{client} used a secret that can be guessed: it is too short',
  assertion_replayed: '{actor} sent an assertion a second time, and was refused',
  proof_replayed: '{actor} sent a proof of its key a second time, and was refused',
  code_replayed: '{client} used a code a second time: the tokens of that sign-in ended',
  token_exchanged: (told) =>
    `{client} got a token to act for ${told.isAbout('user') ? '{user}' : 'somebody'}`,
  token_spent: (told) =>
    `{client} did once what ${told.isAbout('user') ? '{user}' : 'somebody'} allowed {=of_client}`,
  assertion_issued: (told) =>
    `{client} got the word of this server about ${told.isAbout('user') ? '{user}' : 'somebody'} for {=application}`,
  exchange_refused: '{client} may not act with a token that it showed',
  refresh_token_reused: '{client} used an old refresh token: the tokens of that sign-in ended',
  access_refused: (told) => `${whom(told)} may not use {client}: no group of the account allows it`,
  grant_ended: (told) =>
    `${told.isAbout('user') ? 'The access of {client} to {user}' : 'An access of {client}'} ended: ${wordsOf(WHY_ENDED, told.detail('reason'), 'it does not count any more')}`,
  bearer_refused: 'A request with a token that does not count was refused',
  token_revoked: (told) =>
    told.detail('by') === 'client' ? '{actor} ended its own token' : `{actor} ended a token${at(told, 'of')}`,
  keys_rotated: '{actor} made new signing keys',
  client_added: '{actor} added the application {client}',
  client_changed: ({ changed }) => `{actor} changed ${changed ?? 'the application'} of {client}`,
  resource_changed: '{actor} added or changed the API {resource}',
  resource_removed: '{actor} removed the API {resource}',
  detail_type_changed: '{actor} added or changed the type of details {detail_type}',
  detail_type_removed: '{actor} removed the type of details {detail_type}',
  issuer_trusted: '{actor} added or changed the trusted issuer {issuer}',
  issuer_removed: '{actor} removed the trusted issuer {issuer}',
  application_changed: '{actor} added or changed the other server {=application}',
  application_removed: '{actor} removed the other server {=application}',
  provider_changed: '{actor} added or changed the provider {=provider}',
  provider_answered: 'The provider {=provider} said that {user} signed in there',
  provider_linked: own(
    '{actor} linked the account with one at {=provider}',
    '{actor} linked {user} with an account at {=provider}',
  ),
  provider_unlinked: own(
    '{actor} took away the link with an account at {=provider}',
    '{actor} took away the link of {user} with an account at {=provider}',
  ),
  provider_removed: '{actor} removed the provider {=provider}',
  client_invited: (told) => `{actor} made an invitation for ${amountOf(told.detail('uses'), 'application')}`,
  invitation_removed: '{actor} withdrew an invitation for applications',
  preview_made: '{actor} made {client}, a preview of {=preview_of}',
  client_registered: '{client} registered itself',
  registration_changed: '{client} changed its registration',
  registration_deleted: '{client} deleted its registration',
  registration_limited: 'Too many applications registered, and further ones were refused',
  lockout_lifted: (told) =>
    `{actor} lifted a lockout${told.is_own ? ' of the own account' : told.isAbout('user') ? ' of {user}' : at(told, 'of')}`,
  client_disabled: '{actor} disabled the application {client}',
  client_enabled: '{actor} enabled the application {client}',
  client_removed: '{actor} removed the application {client}',
  client_secret_changed: '{actor} made a new secret for {client}',
  user_added: own('{actor} got an account', '{actor} added {user}'),
  user_changed: ({ is_own, changed }) =>
    is_own
      ? `{actor} changed ${changed ?? 'something'} of the own account`
      : `{actor} changed ${changed ?? 'something'} of {user}`,
  user_viewed: own('{actor} looked at the own account', '{actor} looked at {user}'),
  user_ended: own('{actor} ended all sign-ins of the own account', '{actor} ended all sign-ins of {user}'),
  user_revoked: '{client} ended all sign-ins of {user}',
  signal_taken: (told) =>
    `${told.isAbout('issuer') ? 'The trusted issuer {issuer}' : 'The provider {=provider}'} sent the signal {=signal}`,
  sessions_ended: (told) =>
    `{actor} ended ${amountOf(told.detail('count'), 'session')} of ${told.is_own ? 'the own account' : '{user}'}`,
  all_sessions_ended: '{actor} signed everybody out',
  grants_ended: (told) =>
    `{actor} ended ${told.detail('count') === undefined ? 'the access' : amountOf(told.detail('count'), 'sign-in')}${at(told, 'of')}${told.isAbout('user') ? (told.is_own ? ' to the own account' : ' for {user}') : ''}`,
  acting_ended: (told) =>
    `{actor} ended what {client} does for ${told.isAbout('user') ? '{user}' : 'somebody'}`,
  user_acted_as: '{actor} got a token to act as {user}, by way of {client}: {=reason}',
  rights_changed: own('{actor} changed what the own account manages', '{actor} changed what {user} manages'),
  user_disabled: own('{actor} disabled the own account', '{actor} disabled {user}'),
  user_enabled: '{actor} enabled {user}',
  user_removed: own('{actor} deleted the own account', '{actor} removed {user}'),
  counters_full: 'More names fail than can be counted: those that failed least are forgotten first',
  mail_sent: (told) => `{actor} sent ${wordsOf(MAIL_WORDS, told.detail('kind'), 'a mail')}`,
  mail_dropped: (told) =>
    `${upper(wordsOf(MAIL_WORDS, told.detail('kind'), 'a mail'))} was not sent: ${wordsOf(WHY_ENDED, `mail_${String(told.detail('reason'))}`, 'it cannot be sent')}`,
  mails_limited: (told) =>
    `Too many mails were asked for${told.isAbout('user') ? ' for {user}' : ''}: none is sent`,
  password_changed: own('{actor} changed the own password', '{actor} set a new password for {user}'),
  passkey_added: own('{actor} added a passkey', '{actor} added a passkey of {user}'),
  passkey_removed: own('{actor} removed a passkey', '{actor} removed a passkey of {user}'),
  passkey_counter_reversed: 'A passkey of {user} may have been copied: the sign-in was refused',
  passkey_flag_changed: 'A passkey of {user} is kept in another way than before: the sign-in was refused',
  address_change_asked: '{actor} entered another e-mail address, and has to confirm it',
  address_changed: own('{actor} confirmed an e-mail address', 'The e-mail address of {user} was confirmed'),
  change_disowned: (told) =>
    `Somebody said "This was not me" for {user}: ${listOf(told.detail('removed'), REMOVED_WORDS) ?? 'all of the account ended'}`,
  reset_link_given: '{actor} made a reset link for {user}',
  password_reset: own('{actor} chose a new password by a link', '{user} chose a new password by a link'),
  user_invited: (told) =>
    `{actor} invited ${amountOf(told.detail('uses'), 'person', 'people')}${Array.isArray(told.detail('groups')) && (told.detail('groups') as unknown[]).length > 0 ? ' to {=groups}' : ''}`,
  names_guessed: 'A link to make an account ended: it was used to ask which names are taken',
  user_invitation_removed: '{actor} withdrew an invitation',
  user_joined: ({ is_own, isAbout }) =>
    `${is_own ? '{actor}' : '{user}'} made an account by ${isAbout('inviter') ? 'the invitation of {inviter}' : 'an invitation'}`,
  user_signed_up: own('{actor} made an account', '{user} made an account'),
  second_step_added: own(
    '{actor} set up an authenticator app',
    '{actor} set up an authenticator app for {user}',
  ),
  second_step_removed: own(
    '{actor} removed the authenticator app',
    '{actor} removed the authenticator app of {user}',
  ),
  second_step_limited:
    'Codes of the app of {user} count no more: too many were wrong, and somebody may know the password',
  recovery_codes_made: own('{actor} made new recovery codes', '{actor} made new recovery codes for {user}'),
  recovery_code_used: (told) =>
    `{actor} signed in with a recovery code, ${amountOf(told.detail('left'), 'is', 'are', 'none')} left`,
  factors_reset: (told) =>
    `{actor} took away ${listOf(told.detail('removed'), REMOVED_WORDS) ?? 'the other ways to sign in'} of {user}`,
  consent_withdrawn: own(
    '{actor} took back what {client} was allowed',
    '{actor} took back what {user} allowed {client}',
  ),
  signal_stream_changed: '{client} changed its stream of security events: {=change}',
  signal_stream_paused: 'the stream of security events of {client} was paused: {=reason}',
  audit_trimmed: '{actor} deleted the oldest events, as the settings say',
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
