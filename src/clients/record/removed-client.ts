import type { ClientId } from '../../core/ids.ts'
import { FieldReader } from '../../core/record-hash.ts'
import { type Kind, write } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'

/** A client that was removed, and whose tokens a server has still to revoke: no new client can have its id meanwhile. */
interface RemovedClient {
  /** ISO 8601. */
  readonly removed_at: string
}

const REMOVED_CLIENT: Kind<RemovedClient> = {
  name: 'removed-client',
  by_operators: true,
  format: ({ removed_at }) => ({ removed_at }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const removed_at = fields.required('removed_at')
    const { problems } = fields
    return problems.length === 0 ? { ok: true, record: { removed_at } } : { ok: false, problems }
  },
}

/** Seconds. Servers need some seconds; if none does the work, the id is free again. */
const MARK_TTL = 86_400

/** Notes that a client is being removed. `now`: milliseconds since 1970. @throws StorageUnavailable */
export function noteRemoval({ records }: RecordStore, client_id: ClientId, now: number): Promise<void> {
  const removed_at = new Date(now).toISOString()
  return records.put(write(REMOVED_CLIENT, client_id, { removed_at }, MARK_TTL))
}

/** Whether tokens of a removed client with this id may be left. @throws StorageUnavailable */
export async function isBeingRemoved({ records }: RecordStore, client_id: ClientId): Promise<boolean> {
  return (await records.read(REMOVED_CLIENT, client_id)) !== undefined
}

/** Notes that nothing of a removed client is left. @throws StorageUnavailable */
export async function forgetRemoval({ records }: RecordStore, client_id: ClientId): Promise<void> {
  await records.take(REMOVED_CLIENT, client_id)
}
