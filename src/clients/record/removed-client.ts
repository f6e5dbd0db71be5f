import { MAX_SIGNED_TOKEN_TTL } from '../../config/environment.ts'
import type { ClientId } from '../../core/ids.ts'
import { FieldReader } from '../../core/record-hash.ts'
import { type Kind, recordOf, write } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'

/** A client that was removed in the last day, the longest lifetime of its JWTs. */
interface RemovedClient {
  /** ISO 8601. */
  readonly removed_at: string
  /** Whether all that is stored of it is revoked. Until then no new client can have its id, which would inherit the rest. */
  readonly is_ended: boolean
}

const REMOVED_CLIENT: Kind<RemovedClient> = {
  name: 'removed-client',
  by_operators: true,
  format: ({ removed_at, is_ended }) => ({ removed_at, is_ended: String(is_ended) }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const removed_at = fields.required('removed_at')
    const is_ended = fields.boolean('is_ended', false)
    const { problems } = fields
    return problems.length === 0 ? { ok: true, record: { removed_at, is_ended } } : { ok: false, problems }
  },
}

/**
 * Notes that a client is removed.
 * @param now milliseconds since 1970
 * @throws StorageUnavailable
 */
export function noteRemoval(
  { records }: RecordStore,
  client_id: ClientId,
  now: number,
  is_ended: boolean,
): Promise<void> {
  const removed = { removed_at: new Date(now).toISOString(), is_ended }
  return records.put(write(REMOVED_CLIENT, client_id, removed, MAX_SIGNED_TOKEN_TTL))
}

/** Returns the client that had an id in the last day, if it was removed. @throws StorageUnavailable */
export async function removedClient(
  { records }: RecordStore,
  client_id: ClientId,
): Promise<RemovedClient | undefined> {
  return recordOf(await records.read(REMOVED_CLIENT, client_id))
}

/** Notes that nothing that is stored of a removed client is left. @throws StorageUnavailable */
export async function noteEnded({ records }: RecordStore, client_id: ClientId): Promise<void> {
  await records.change(REMOVED_CLIENT, client_id, { set: { is_ended: 'true' } })
}
