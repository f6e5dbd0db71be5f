import { SIGNING_ALGS } from '../../core/algs.ts'
import { boolean, oneOf } from '../../core/field-kinds.ts'
import type { FieldTable } from '../../core/field-table.ts'

/** The fields of a client record about how it sends its authorization requests. */
export const REQUEST_FIELDS = {
  /** Whether it must push its authorization requests (RFC 9126 §6). */
  require_pushed_authorization_requests: boolean({
    label: 'Must push its requests',
    flag: {
      group: 'sign_in',
      value: 'boolean',
      help: '`true`: it must [push](pushed-requests.md) its authorization requests (RFC 9126)',
    },
    docs: '`true`: the client must [push](pushed-requests.md) its authorization requests; default: `false`',
  }),
  /** The only algorithm of its request objects (RFC 9101 §10.1); absent: any that its keys are for. */
  request_object_signing_alg: oneOf(SIGNING_ALGS, {
    label: 'Signature of its requests',
    flag: {
      group: 'sign_in',
      value: 'alg',
      help: 'the only algorithm of its signed requests; default: any that its keys are for',
      clear: 'accept any algorithm of its keys',
    },
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`: the only algorithm of its [request objects](pushed-requests.md#signed-requests); default: any that its keys are for',
  }),
  /** Whether it must sign its authorization requests (RFC 9101 §10.5). */
  require_signed_request_object: boolean({
    label: 'Must sign its requests',
    flag: {
      group: 'sign_in',
      value: 'boolean',
      help: '`true`: it must [sign](pushed-requests.md#signed-requests) its authorization requests (RFC 9101)',
    },
    docs: '`true`: the client must sign its authorization requests with one of its keys; default: `false`',
  }),
} satisfies FieldTable
