import { MAX_SIGNED_TOKEN_TTL } from '../../config/environment.ts'
import type { ClientId } from '../../core/ids.ts'
import { FieldReader, type Hash } from '../../core/record-hash.ts'
import { type Kind, recordOf, write } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'

/** A client that was removed in the last day, the longest lifetime of its own tokens. */
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

/** How long servers may go on with the record of a removed client, in milliseconds; twice the time that they need. */
export const SETTLES_IN = 2000

/**
 * Notes that a client is removed.
 * @param now milliseconds since 1970
 * @throws StorageUnavailable
 */
export function noteRemoval({ records }: RecordStore, client_id: ClientId, now: number): Promise<void> {
  const removed = { removed_at: new Date(now).toISOString() }
  return records.put(write(REMOVED_CLIENT, client_id, removed, MAX_SIGNED_TOKEN_TTL))
}

/**
 * Returns the fields of a new client that keep it from inheriting what a removed one of the same id had: none if no client
 * of the id was removed within a day.
 * @param now milliseconds since 1970
 * @returns `removed_just_now`: servers may still issue tokens of that one
 * @throws StorageUnavailable
 */
export async function marksOfSuccessor(
  { records }: RecordStore,
  client_id: ClientId,
  now: number,
): Promise<Hash | 'removed_just_now'> {
  const removed = recordOf(await records.read(REMOVED_CLIENT, client_id))
  if (removed === undefined) return {}
  if (now - Date.parse(removed.removed_at) < SETTLES_IN) return 'removed_just_now'
  // RFC 9068 §2.2: a JWT says when it was issued to the second.
  const tokens_end_before = String(Math.floor(now / 1000) * 1000)
  return { grants_end_before: String(now), tokens_end_before }
}
