import { SIGNING_ALGS } from '../core/algs.ts'
import { boolean, names, oneOf, text, uris, words } from '../core/field-kinds.ts'
import type { FieldTable } from '../core/field-table.ts'
import { MANAGED_BY } from '../core/managed-by.ts'
import { resourceId } from '../core/resource-uri.ts'
import { isScopeToken } from '../core/scope.ts'
import { visibleNameProblem } from '../core/visible-text.ts'
import { namedClientProblem } from './named-client.ts'

/**
 * All fields of the record of an authorization server elsewhere that takes identity assertions of this one. The type
 * Application, parsing, formatting, flags, declarations and lint use this table.
 */
export const APPLICATION_FIELDS = {
  application: text({
    label: 'Address',
    required: true,
    setBy: '<issuer>',
    docs: 'the issuer of the other server, character by character as it says it itself, the same as in the key; may be missing',
  }),
  application_name: text({
    label: 'Name',
    check: visibleNameProblem,
    flag: {
      name: 'name',
      value: 'text',
      help: 'what operators call it',
      clear: 'call it by its address',
    },
    docs: 'what operators call it; default: its address',
  }),
  clients: uris({
    label: 'Applications that may ask',
    default: [],
    check: namedClientProblem,
    flag: {
      name: 'client',
      value: 'client_id=client_id',
      help: 'a client that may ask for assertions, and after `=` its client_id at the other server, if that is another one; repeatable',
      clear: 'let no client ask',
    },
    shown: 'none',
    docs: 'the clients that may ask for assertions, separated by single spaces: a client_id here, or `<client_id here>=<client_id there>`; default: none',
  }),
  allowed_groups: names({
    label: 'Groups that may be named there',
    flag: {
      name: 'allow-group',
      value: 'name',
      help: 'a group whose members may be named to it; repeatable, and with an empty name alone nobody may. Default: everybody who may use the client',
      clear: 'let everybody be named who may use the client',
    },
    shown: 'everybody',
    empty: 'nobody',
    docs: 'the [groups](access-by-group.md) whose members may be named to it, separated by single spaces, with `%20` for a space and `%25` for a percent sign in a name; missing: everybody who may use the client; empty: nobody',
  }),
  resources: uris({
    label: 'APIs there',
    default: [],
    check: (uri) => (resourceId(uri) === undefined ? 'is not an absolute URI without a fragment' : undefined),
    flag: {
      name: 'resource',
      value: 'uri',
      help: 'an API of the other server that an assertion may be for; repeatable',
      clear: 'name no API',
    },
    shown: 'none',
    docs: 'the APIs of the other server that an assertion may be for, separated by single spaces; default: none, and then there are no assertions',
  }),
  scopes: words({
    label: 'Scopes there',
    default: [],
    check: (name) => (isScopeToken(name) ? undefined : 'is not a scope name (RFC 6749 §3.3)'),
    flag: {
      name: 'scope',
      value: 'names',
      help: 'scopes of the other server that an assertion may have; repeatable, or separated by spaces',
      clear: 'allow no scope',
    },
    shown: 'none',
    docs: 'the scopes of the other server that an assertion may have, separated by single spaces; default: none',
  }),
  /** Absent: the sub of the account. */
  subject_of: text({
    label: 'Names people as the application',
    flag: {
      value: 'client_id',
      help: 'the client as which the other server signs its people in here: assertions name a person as it does (default: by the sub of the account)',
      clear: 'name people by the sub of the account',
    },
    docs: 'the client_id as which the other server signs its people in here: assertions have the `sub` that it gets, which matters if that is pairwise; default: the `sub` of the account',
  }),
  says_email: boolean({
    label: 'Assertions have the e-mail address',
    default: false,
    flag: { value: 'boolean', help: '`true`: assertions have the e-mail address, if it is verified' },
    docs: '`true`: assertions have `email` and `email_verified`, if the address is verified; default: `false`',
  }),
  /** Absent: ID_TOKEN_ALG. */
  assertion_signing_alg: oneOf(SIGNING_ALGS, {
    label: 'Signature of assertions',
    flag: {
      value: 'alg',
      help: 'the algorithm that signs assertions for it (default: ID_TOKEN_ALG)',
      clear: 'reset to ID_TOKEN_ALG',
    },
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`; default: `ID_TOKEN_ALG`',
  }),
  disabled: boolean({
    label: 'Disabled',
    default: false,
    flag: { value: 'boolean', help: '`true`: there are no assertions for it' },
    docs: '`true`: there are no assertions for it; default: `false`',
  }),
  managed_by: MANAGED_BY,
} satisfies FieldTable
