import { type Kind, recordOf, write } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/** How far the audit trail was read for receivers, for all servers. */
interface SignalCursor {
  /** The id of the last entry that was read; empty: none was. */
  readonly after: string
}

const CURSOR: Kind<SignalCursor> = {
  name: 'set-cursor',
  format: ({ after }) => ({ after }),
  parse: ({ after = '' }) =>
    /^(\d{1,16}-\d{1,16})?$/.test(after)
      ? { ok: true, record: { after } }
      : { ok: false, problems: [{ field: 'after', problem: 'is no id of an entry' }] },
}
const ID = 'cursor'
// Seconds. It is written again with each look.
const TTL = 90 * 86_400

/** Returns where to read on: without a record at the end, because nothing from before is told. @throws StorageUnavailable */
export async function readCursor(storage: Pick<Storage, 'records' | 'trail'>): Promise<string> {
  const cursor = recordOf(await storage.records.read(CURSOR, ID))
  if (cursor !== undefined) return cursor.after
  const [newest] = await storage.trail.read({ is_reverse: true, limit: 1 })
  const after = newest?.id ?? ''
  await writeCursor(storage, after)
  return after
}

/** Notes how far the trail was read. @throws StorageUnavailable */
export function writeCursor({ records }: Pick<Storage, 'records'>, after: string): Promise<void> {
  return records.put(write(CURSOR, ID, { after }, TTL))
}
