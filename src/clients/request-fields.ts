import { boolean } from '../core/field-kinds.ts'
import type { FieldTable } from '../core/field-table.ts'

/** The fields of a client record about how it sends its authorization requests. */
export const REQUEST_FIELDS = {
  /** Whether it must push its authorization requests (RFC 9126 §6). */
  require_pushed_authorization_requests: boolean({
    default: false,
    flag: { value: 'boolean', help: 'true: it must push its authorization requests (RFC 9126)' },
    docs: '`true`: the client must [push](pushed-requests.md) its authorization requests; default: `false`',
  }),
} satisfies FieldTable
