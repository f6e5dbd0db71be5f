import { boolean } from '../../core/field-kinds.ts'
import type { FieldTable } from '../../core/field-table.ts'

/** The fields of a client that are about DPoP. */
export const DPOP_FIELDS = {
  /** Whether each of its token requests has a DPoP proof (RFC 9449 §5.2). */
  dpop_bound_access_tokens: boolean({
    flag: {
      group: 'tokens',
      value: 'boolean',
      help: '`true`: it gets tokens only with a [DPoP](dpop.md) proof, which binds them to its key',
    },
    docs: '`true`: each of its token requests needs a [DPoP](dpop.md) proof, so that all its access tokens are bound to a key; default: `false`',
  }),
} satisfies FieldTable
