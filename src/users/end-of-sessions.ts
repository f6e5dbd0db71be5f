import type { AuditEntries } from '../core/audit-entries.ts'
import { FieldReader, type Hash } from '../core/record-hash.ts'
import { type Kind, write } from '../storage/records.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'

/** Set when an operator ended all sessions of all users: those that started before are refused. */
interface SessionsMark {
  /** In milliseconds since 1970. */
  readonly end_before: number
}

/** There is one mark: its id is MARK_ID. LIFTED has the same kind: each kind that is watched makes every write dearer. */
const SESSIONS_MARK: Kind<SessionsMark> = {
  name: 'signal',
  by_operators: true,
  format: ({ end_before }) => ({ end_before: String(end_before) }),
  parse(hash: Hash) {
    const fields = new FieldReader(hash)
    fields.required('end_before')
    const limits = { min: 0, max: Number.MAX_SAFE_INTEGER, unit: 'milliseconds' }
    const end_before = fields.integer('end_before', limits)
    const { problems } = fields
    return problems.length > 0 || end_before === undefined
      ? { ok: false, problems }
      : { ok: true, record: { end_before } }
  },
}
const MARK_ID = 'sessions'

/**
 * Returns before which time, in milliseconds since 1970, all sessions are ended; 0: none. A mark that is malformed ends
 * every session: nothing says which ones it is about.
 * @throws StorageUnavailable
 */
export async function readEndOfSessions({ records }: RecordStore): Promise<number> {
  const found = await records.read(SESSIONS_MARK, MARK_ID)
  if (found === undefined) return 0
  return found.ok ? found.record.end_before : Number.POSITIVE_INFINITY
}

/**
 * Sets before which time, in milliseconds since 1970, all sessions are ended.
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable
 */
export async function writeEndOfSessions(
  { records }: RecordStore,
  end_before: number,
  told?: AuditEntries,
): Promise<'ok'> {
  await records.put({ ...write(SESSIONS_MARK, MARK_ID, { end_before }), told })
  return 'ok'
}

/** Before which time all sessions are ended. It is kept while storage reports that it changes. */
export class EndOfSessions {
  readonly #storage: Pick<Storage, 'records' | 'changes'>
  #known: number | undefined
  /** How often it may have changed. */
  #changes = 0

  /** @param changed is called when the time may have changed */
  constructor(storage: Pick<Storage, 'records' | 'changes'>, changed: () => void) {
    this.#storage = storage
    const forget = () => {
      this.#changes += 1
      this.#known = undefined
      changed()
    }
    storage.changes.watch(SESSIONS_MARK, { changed: forget, allChanged: forget })
  }

  /** Returns it as readEndOfSessions. @throws StorageUnavailable */
  async find(): Promise<number> {
    const isLive = () => this.#storage.changes.isLive(SESSIONS_MARK)
    if (this.#known !== undefined && isLive()) return this.#known
    const [was_live, changes] = [isLive(), this.#changes]
    const end = await readEndOfSessions(this.#storage)
    // A server whose changes are not reported may have answered, or the time may have changed since.
    if (was_live && isLive() && changes === this.#changes) this.#known = end
    return end
  }
}
