import { FieldReader, type Hash } from '../core/record-hash.ts'
import type { Kind } from '../storage/records.ts'

/** A status list as it was written last. */
export interface ListRecord {
  /** The signed list. */
  readonly jwt: string
}

/** How long a list that was written is kept and served, in seconds. */
export const LIST_KEPT = 30

/** The signed status lists, by their ids. */
export const STATUS_LIST: Kind<ListRecord> = {
  name: 'status-list',
  format: ({ jwt }) => ({ jwt }),
  parse(hash: Hash) {
    const fields = new FieldReader(hash)
    const jwt = fields.required('jwt')
    const { problems } = fields
    return problems.length > 0 ? { ok: false, problems } : { ok: true, record: { jwt } }
  },
}
