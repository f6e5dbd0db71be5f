import { ACCESS_TOKEN_FORMATS, MAX_SIGNED_TOKEN_TTL } from '../config/environment.ts'
import { SIGNING_ALGS } from '../core/algs.ts'
import { boolean, oneOf, seconds, text, uris, words } from '../core/field-kinds.ts'
import type { FieldTable } from '../core/field-table.ts'
import { MANAGED_BY } from '../core/managed-by.ts'
import { isScopeToken } from '../core/scope.ts'
import { visibleNameProblem } from '../core/visible-text.ts'

/** All fields of a resource record. The type Resource, parsing, formatting, flags, declarations and lint use this table. */
export const RESOURCE_FIELDS = {
  /** The audience of tokens for it. */
  resource: text({
    label: 'Address',
    required: true,
    setBy: '<uri>',
    docs: 'the URI as its API knows it, which is the audience of tokens for it; may be missing: then the URI in the key',
  }),
  resource_name: text({
    label: 'Name',
    check: visibleNameProblem,
    flag: {
      name: 'name',
      value: 'text',
      help: 'the name that users see',
      clear: 'show its host and path instead',
    },
    docs: 'the name that users see; default: its host and path',
  }),
  scopes: words({
    label: 'Scopes',
    default: [],
    always: true,
    check: (name) => (isScopeToken(name) ? undefined : 'is not a scope name (RFC 6749 §3.3)'),
    flag: {
      name: 'scope',
      value: 'names',
      help: 'scopes that tokens for it may have; repeatable, or separated by spaces (default: any)',
      clear: 'allow any scope',
    },
    shown: 'any',
    docs: 'the scopes that tokens for it may have, separated by single spaces; missing or empty: any',
  }),
  /** Absent: the format of the client. */
  access_token_format: oneOf(ACCESS_TOKEN_FORMATS, {
    label: 'Access tokens',
    choice_labels: { opaque: 'Opaque', jwt: 'JWT' },
    flag: { value: 'format', help: 'the format of tokens for it', clear: "reset to the clients' format" },
    shown: "the clients' format",
    docs: '`opaque` or `jwt`; default: the format of the client',
  }),
  /** Absent: the algorithm of the client. */
  access_token_signed_response_alg: oneOf(SIGNING_ALGS, {
    label: 'Signature of access tokens',
    flag: {
      value: 'alg',
      help: 'the algorithm that signs JWTs for it',
      clear: "reset to the clients' algorithm",
    },
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`, for JWTs; default: the algorithm of the client',
  }),
  /** Absent: the lifetime of the client. */
  access_token_ttl: seconds({
    label: 'Access tokens are valid for (seconds)',
    max: MAX_SIGNED_TOKEN_TTL,
    flag: {
      value: 'seconds',
      help: 'the lifetime of tokens for it (at most 86400)',
      clear: "reset to the clients' lifetime",
    },
    docs: 'lifetime of tokens for it in seconds, at most 86400; default: the lifetime of the client',
  }),
  /** Whether JWTs for it have a bit in a status list, where the server has those. */
  status_list: boolean({
    label: 'Its tokens are in a status list',
    default: false,
    flag: {
      value: 'boolean',
      help: '`true`: JWTs for it have a bit in a [status list](status-list.md)',
    },
    docs: '`true`: JWTs for it have a bit in a [status list](status-list.md), if `STATUS_LISTS` is `on`; default: `false`',
  }),
  /** The clients that act with the tokens that were sent to it (RFC 8693): those that are this API. */
  acting_clients: uris({
    label: 'Applications that act with its tokens',
    default: [],
    check: clientIdProblem,
    flag: {
      name: 'acting-client',
      value: 'client_id',
      help: 'a client that may [exchange](acting.md) tokens for it; repeatable',
      clear: 'let nobody exchange tokens for it',
    },
    shown: 'none',
    docs: 'the client_ids, separated by single spaces, that may [exchange](acting.md) tokens for it: the API itself, as a client; default: none',
  }),
  /** Whether tokens for it that are bound to a key can be exchanged by who does not have the key. */
  exchange_bound: boolean({
    label: 'Its bound tokens can be exchanged',
    default: false,
    flag: {
      value: 'boolean',
      help: '`true`: the clients that act with its tokens may exchange those that are bound to a key, too',
    },
    docs: '`true`: tokens for it that are bound to a key can be [exchanged](acting.md#bound-tokens) without it, for tokens that are bound to the key of the client that acts; default: `false`',
  }),
  /** Whether tokens for it are refused. */
  disabled: boolean({
    label: 'Disabled',
    default: false,
    setBy: 'disable',
    docs: '`true`: it gets no tokens, and introspection reports those that it has as inactive; default: `false`',
  }),
  managed_by: MANAGED_BY,
} satisfies FieldTable

// Their list is separated by spaces.
function clientIdProblem(id: string): string | undefined {
  return /^[\x21-\x7E]{1,255}$/.test(id) ? undefined : 'is not a client_id without spaces'
}
