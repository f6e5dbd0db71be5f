import { isHttpsUrl } from '../config/page-links.ts'
import { SIGNING_ALGS } from '../core/algs.ts'
import { boolean, oneOf, seconds, text, uris, words } from '../core/field-kinds.ts'
import type { FieldTable } from '../core/field-table.ts'
import { parseObject } from '../core/json.ts'
import { MANAGED_BY } from '../core/managed-by.ts'
import { isScopeToken } from '../core/scope.ts'
import { readKeySet } from '../keys/key-set.ts'
import { conditionProblem } from './conditions.ts'

/** What assertions of an issuer are about: workloads, which are clients; or users, for a client (ID-JAG). */
const PROFILES = ['workload', 'id-jag'] as const

/** What the assertions of workloads are good for (RFC 7523 §2.1 and §2.2). */
const USES = ['grant', 'client_authentication'] as const

/** How the user of an identity assertion is found: by a linked subject, or by the verified e-mail address. */
const ACCOUNT_BY = ['subject', 'verified_email'] as const

/** Azure gives managed identities tokens of a day. */
const MAX_LIFETIME = 90_000

/**
 * All fields of the record of a trusted issuer. The type Issuer, parsing, formatting, the command-line flags, apply and
 * lint use this table.
 */
export const ISSUER_FIELDS = {
  issuer: text({
    label: 'Issuer',
    required: true,
    setBy: '<issuer>',
    docs: 'the `iss` of its assertions, the same as in the key; may be missing',
  }),
  profile: oneOf(PROFILES, {
    label: 'Whom it vouches for',
    choice_labels: { workload: 'Programs, which are applications here', 'id-jag': 'People' },
    default: 'workload',
    flag: {
      value: 'profile',
      help: '`id-jag`: its assertions are about users (ID-JAG), not about workloads',
    },
    docs: '`workload`: its assertions are about clients; or `id-jag`: they are identity assertion grants, about users; default: `workload`',
  }),
  jwks_uri: text({
    label: 'Address of its keys',
    check: (uri) =>
      isHttpsUrl(uri) && !uri.includes('#')
        ? undefined
        : 'must be an https URL without user name, password and fragment',
    flag: {
      value: 'uri',
      help: 'where its key set is; default: discovery, at `<issuer>/.well-known/openid-configuration`',
      clear: 'find the key set by discovery',
    },
    shown: 'by discovery',
    docs: 'the address of its key set; default: that in `<issuer>/.well-known/openid-configuration`',
  }),
  jwks: text({
    label: 'Its keys',
    check: (json) =>
      readKeySet(parseObject(json) ?? {}) === undefined
        ? 'is not a key set (RFC 7517 §5) with 1 to 100 public keys for RS256, ES256, PS256 or EdDSA'
        : undefined,
    flag: { value: 'json', help: 'its key set, instead of an address', clear: 'fetch the key set' },
    docs: 'its key set as JSON, instead of an address: for an issuer that redmint cannot reach',
  }),
  algorithms: words({
    label: 'Signatures that it may use',
    default: SIGNING_ALGS,
    choices: SIGNING_ALGS,
    check: (name) => (SIGNING_ALGS.some((alg) => alg === name) ? undefined : 'is not a known algorithm'),
    flag: {
      name: 'algorithm',
      value: 'alg',
      help: 'an algorithm that its assertions may have; repeatable (default: all four)',
      clear: 'allow all four',
    },
    docs: 'the algorithms that its assertions may have: `ES256`, `RS256`, `PS256` and `EdDSA`, separated by single spaces; default: all four',
  }),
  audience: text({
    label: 'Audience of its assertions',
    flag: {
      value: 'text',
      help: 'the one audience of its assertions (default: the issuer of this server)',
      clear: "reset to this server's issuer",
    },
    docs: 'the one value of `aud` in its assertions; default: `ISSUER`',
  }),
  max_lifetime: seconds({
    label: 'Longest lifetime of an assertion (seconds)',
    default: 300,
    max: MAX_LIFETIME,
    flag: { value: 'seconds', help: 'the longest lifetime of its assertions (default: 300)' },
    docs: 'the longest lifetime of its assertions in seconds, at most 90000: how far `exp` may be after `iat` and after now; default: 300',
  }),
  clock_skew: seconds({
    label: 'How far its clock may be off (seconds)',
    default: 30,
    min: 0,
    max: 300,
    flag: { value: 'seconds', help: 'how far its clock may be off (default: 30)' },
    docs: 'how many seconds its clock may be off, at most 300; default: 30',
  }),
  reusable: boolean({
    label: 'An assertion counts more than once',
    default: false,
    flag: { value: 'boolean', help: '`true`: an assertion is accepted until it expires, also without jti' },
    docs: '`true`: an assertion is accepted until it expires, as often as it is presented, and needs no `jti`; default: `false`, each `jti` once',
  }),
  conditions: uris({
    label: 'What each assertion must say',
    default: [],
    check: conditionProblem,
    flag: {
      name: 'condition',
      value: 'claim=pattern',
      help: 'a claim that every assertion must have, such as `repository_owner=acme`; repeatable',
      clear: 'remove all conditions',
    },
    docs: 'what the claims of every assertion must be, `<claim>=<pattern>`, separated by single spaces ([patterns](trusted-issuers.md#conditions))',
  }),
  uses: words({
    label: 'What its assertions are good for',
    choice_labels: { grant: 'Tokens', client_authentication: 'To prove who an application is' },
    default: USES,
    choices: USES,
    check: (name) => (USES.some((use) => use === name) ? undefined : 'is not a use of an assertion'),
    flag: {
      name: 'use',
      value: 'use',
      help: '`grant` or `client_authentication`; repeatable (default: both)',
      clear: 'allow both',
    },
    docs: 'what assertions about workloads are good for: `grant`, `client_authentication`, separated by a space; default: both',
  }),
  exchange: boolean({
    label: 'Its tokens about people may be exchanged',
    default: false,
    flag: {
      value: 'boolean',
      help: '`true`: clients that act for others may exchange its JWTs about linked people (RFC 8693)',
    },
    docs: '`true`: clients with `exchange_mode` `delegate` may [exchange](trusted-issuers.md#tokens-to-exchange) its JWTs about linked users for tokens of this server; default: `false`',
  }),
  login_hints: boolean({
    label: 'It names people whom applications ask',
    default: false,
    flag: {
      value: 'boolean',
      help: '`true`: clients may name a person whom they [ask](asks.md) by its JWTs (`login_hint_token`)',
    },
    docs: '`true`: clients may name a person whom they [ask](asks.md#whom-it-may-ask) by its JWTs of the type `login-hint+jwt`; default: `false`',
  }),
  scopes: words({
    label: 'What its people may be granted',
    default: [],
    check: (name) => (isScopeToken(name) ? undefined : 'is not a scope name (RFC 6749 §3.3)'),
    flag: {
      name: 'scope',
      value: 'names',
      help: 'scopes that its assertions about users may grant; repeatable, or separated by spaces',
      clear: 'allow all scopes of the client',
    },
    docs: 'the scopes that its assertions about users may grant, separated by single spaces; missing: all that the client may obtain',
  }),
  account_by: oneOf(ACCOUNT_BY, {
    label: 'How a person is found',
    choice_labels: {
      subject: 'By the name that is linked',
      verified_email: 'By the verified e-mail address',
    },
    default: 'subject',
    flag: {
      value: 'way',
      help: "`verified_email`: its assertions name users by e-mail address, not by a user's `--linked-subject`",
    },
    docs: 'how the user of an assertion is found: `subject`, by the field `linked_subjects` of users; or `verified_email`; default: `subject`',
  }),
  signals: boolean({
    label: 'Its signals end what it vouched for',
    default: false,
    flag: {
      value: 'boolean',
      help: '`true`: what it says is over ends tokens that its assertions gave, at `<ISSUER>/signals`',
    },
    docs: '`true`: its [signals](signals-received.md) end what its assertions gave; default: `false`',
  }),
  disabled: boolean({
    label: 'Disabled',
    default: false,
    flag: { value: 'boolean', help: '`true`: its assertions are refused' },
    docs: '`true`: its assertions are refused; default: `false`',
  }),
  managed_by: MANAGED_BY,
} satisfies FieldTable
