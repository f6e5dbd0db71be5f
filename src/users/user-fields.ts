import { ADMIN_SCOPES } from '../core/admin-scopes.ts'
import { boolean, milliseconds, oneOf, text, uris, words } from '../core/field-kinds.ts'
import type { FieldTable } from '../core/field-table.ts'
import { instantIn } from '../core/instant.ts'
import { MANAGED_BY } from '../core/managed-by.ts'
import { isIssuerUrl } from '../issuers/issuer-url.ts'
import { CLAIM_BOOLEAN } from './claim-kinds.ts'
import { providedGroupsProblem } from './groups-from.ts'
import { passwordHashProblem } from './password-hash.ts'

/** The first part of links to entries of a directory, where others have an issuer. */
export const DIRECTORY_LINKS = 'urn:redmint:directory'

/** The field of a user record with its generation: a whole number; missing: 0. */
export const GENERATION = 'generation'

// OpenID Connect Core §2: at most 255 ASCII characters.
const SUBJECT = /^[\x21-\x7E]{1,255}$/

/**
 * The fields of a user record except the standard claims. The type User, parsing, formatting, flags and imports use this
 * table.
 */
export const USER_FIELDS = {
  /** The subject identifier (OpenID Connect Core §2). It never changes. */
  sub: text({
    label: 'Subject id',
    required: true,
    check: subjectProblem,
    flag: {
      value: 'id',
      help: 'the subject identifier in tokens; permanent, for one person only. Default: 128 random bits',
    },
    docs: 'the subject identifier; it never changes',
  }),
  /** A disabled user cannot sign in, and has no sessions and tokens. */
  disabled: {
    ...boolean({
      label: 'Disabled',
      default: false,
      setBy: 'disable',
      docs: '`true`: the user cannot sign in, and what was issued for the user is refused; default: `false`',
    }),
    fromJson: CLAIM_BOOLEAN.fromJson,
  },
  /** Whether demo mode wrote it; its password is public. */
  demo: {
    ...boolean({
      label: 'Of demo mode',
      default: false,
      setBy: 'demo mode',
      docs: '`true`: written by demo mode, and refused outside it; default: `false`',
    }),
    fromJson: CLAIM_BOOLEAN.fromJson,
  },
  /** A hash that passwordHashProblem accepts; if it is absent or malformed, no password is accepted. It is never shown. */
  password_hash: {
    ...text({
      label: 'Digest of the password',
      setBy: '--password-stdin',
      docs: 'the hash of the password, a PHC string of argon2id (`$argon2id$v=19$…`), or until the next sign-in a [hash of another system](operations.md#hashes-of-other-systems); missing, or anything else: no password is accepted',
    }),
    fromJson(given: unknown) {
      const text = typeof given === 'string' ? given : ''
      const problem = passwordHashProblem(text)
      return problem === undefined ? { text } : { problem }
    },
  },
  /** The users at trusted issuers whose identity assertions name this account. */
  linked_subjects: uris({
    label: 'Names at trusted issuers',
    check: linkProblem,
    flag: {
      name: 'linked-subject',
      value: 'issuer#sub',
      help: 'a user at a [trusted issuer](trusted-issuers.md#identity-assertions) who is this user; repeatable',
      clear: 'remove all links',
    },
    docs: 'users at trusted issuers who are this user, for [identity assertions](trusted-issuers.md#identity-assertions): `<issuer>#<sub>`, the sub percent-encoded, separated by single spaces',
  }),
  /** Issuers of providers whose link the user removed: an address links none of them again. */
  unlinked_issuers: uris({
    label: 'Providers that were removed',
    check: (value) => (isIssuerUrl(value) ? undefined : 'must be an https URL'),
    setBy: 'the account page',
    docs: 'issuers of [providers](providers.md) whose link the user removed, separated by single spaces: an address links none of them again',
  }),
  /** Sessions that started before are refused, and so is what was granted in them. */
  sessions_end_before: milliseconds({
    label: 'Sessions ended before',
    setBy: 'session end',
    docs: 'sessions that started before this time, in milliseconds since 1970, are refused, and so are their codes and tokens; missing: none',
  }),
  /** What was granted before is refused. */
  grants_end_before: milliseconds({
    label: 'Sign-ins of applications ended before',
    setBy: 'grant end',
    docs: 'codes, and tokens of grants that began before this time, in milliseconds since 1970, are refused; missing: none',
  }),
  /** The session that stayed when the user ended all others: that mark, and when the session started. */
  session_kept: words({
    label: 'Session that stayed',
    check: (text) => (/^\d{1,15}$/.test(text) ? undefined : 'is not a number of milliseconds'),
    reads: (text) => text.split(' ').map(instantIn).join(' '),
    setBy: 'the account page',
    docs: 'the session that stayed when the user ended all others: `sessions_end_before` as it was set then, and when the session started; it counts while that mark is the same',
  }),
  /** What the user ended of applications: `<time>:<client_id>`. */
  access_ended: words({
    label: 'Applications that were removed',
    check: (text) => (/^\d{1,15}:./.test(text) ? undefined : 'is not a time and a client'),
    reads: (text) => text.replace(/(?<=^| )\d+/g, instantIn),
    setBy: 'the account page',
    docs: 'the applications whose access the user removed last, at most 20: `<time>:<client_id>`, the id percent-encoded, separated by single spaces; what was granted to them before that time, in milliseconds since 1970, is refused',
  }),
  /** The applications that the user lets ask nothing. */
  muted_clients: words({
    label: 'Applications that may not ask',
    check: (text) => (/^\S{1,1000}$/.test(text) ? undefined : 'is not a client'),
    setBy: 'the user',
    docs: 'the applications that may not [ask](asks.md) the user any more, at most 50: client ids, percent-encoded, separated by single spaces; missing: none',
  }),
  /** What the user may do by the admin API. */
  admin: words({
    label: 'Manages',
    check: (name) =>
      ADMIN_SCOPES.some((known) => known === name) ? undefined : 'is not a scope of the admin API',
    setBy: 'redmint admin grant',
    docs: 'what the user may do by the [admin API](admin-api.md): its scopes, such as `redmint:read`, separated by single spaces; missing: nothing',
  }),
  /** Whether the user must have a second step. */
  second_factor: oneOf(['required'], {
    label: 'Second step',
    choice_labels: { required: 'Always' },
    flag: {
      value: 'rule',
      help: '`required`: the user must have a [second step](second-step.md), and sets it up while signing in. Default: `SECOND_FACTOR`',
      clear: 'ask as `SECOND_FACTOR` says',
    },
    docs: '`required`: the user must have a [second step](second-step.md); missing: as `SECOND_FACTOR` says',
  }),
  /** Which provider said the groups, and until when they count. */
  groups_from: text({
    label: 'Where the groups come from',
    check: providedGroupsProblem,
    setBy: 'a sign-in by a provider',
    docs: 'which [provider](providers.md#groups-have-an-end) said the groups, and until when they count: that time in milliseconds since 1970, its name, the claim, a digest of the groups, and the link, separated by single spaces; other groups than these have no end; missing: they have none',
  }),
  managed_by: MANAGED_BY,
  /** Whether a change by `redmint apply` has not yet ended what was issued before it. */
  ending: {
    ...boolean({
      label: 'Sign-ins being ended',
      setBy: 'redmint apply',
      docs: '`true`: `redmint apply` disabled the user or changed the password, and what was issued before has still to be ended, which the next run does; missing otherwise',
    }),
    fromJson: CLAIM_BOOLEAN.fromJson,
  },
} satisfies FieldTable

/** Whether a field of a user record is a claim or a field that redmint ignores. */
export function isClaim(field: string): boolean {
  return !Object.hasOwn(USER_FIELDS, field) && field !== GENERATION
}

function linkProblem(value: string): string | undefined {
  const [issuer = '', sub = '', ...more] = value.split('#')
  return (isIssuerUrl(issuer) || issuer === DIRECTORY_LINKS) && sub !== '' && more.length === 0
    ? undefined
    : 'must be <issuer>#<sub>, such as https://idp.example.com#00u1a2b3'
}

function subjectProblem(value: string): string | undefined {
  return isSubject(value) ? undefined : 'must be a text of 1 to 255 printable ASCII characters'
}

/** Whether a string is a valid subject identifier (OpenID Connect Core §2). */
export function isSubject(value: string): boolean {
  return SUBJECT.test(value)
}
