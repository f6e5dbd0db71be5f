import { insertClient } from '../../src/admin/clients/create.ts'
import { clientChange } from '../../src/admin/clients/events.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import { isPreviewId } from '../../src/clients/record/preview-fields.ts'
import { marksOfSuccessor } from '../../src/clients/record/removed-client.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import type { MovedKind } from './kind.ts'
import { plainKind, ttlOf } from './plain-kind.ts'

/** When a client that registered itself lapses, in milliseconds since 1970. */
const endsAt = ({ lapses_at }: Hash) => (lapses_at ? Date.parse(lapses_at) : undefined)

const plain = plainKind({
  name: 'client',
  kind: CLIENT,
  endsAt: (_context, _id, fields) => endsAt(fields),
  async clashes({ storage, now }, client_id) {
    return (await marksOfSuccessor(storage, client_id, now())) === 'removed_just_now'
      ? ['was removed here within the last two seconds: try again then']
      : []
  },
  // For changes: insertClient has its own.
  eventsOf: (_context, client_id, fields, stored = {}) => clientChange(client_id, stored, fields),
})

/** Clients, but for previews: these live for days, and have a place among those of their original. */
export const MOVED_CLIENT: MovedKind = {
  ...plain,
  async *all(context, left_out) {
    for await (const one of plain.all(context, left_out)) if (!isPreviewId(one.id)) yield one
  },
  problems: (id, content) =>
    isPreviewId(id) ? ['is a preview: make it again here'] : plain.problems(id, content),
  async create(context, client_id, { fields }) {
    const { ttl } = ttlOf(endsAt(fields), context.now())
    return (await insertClient(context, client_id, fields, ttl)) === 'ok'
  },
}
