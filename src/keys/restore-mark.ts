import { FieldReader, type Hash } from '../core/record-hash.ts'
import { type Kind, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { StoredKeyError } from './wrap.ts'

/**
 * Set after Redis was restored to an earlier state, in which tokens that were revoked since are valid again. Everything
 * that was issued before the mark is refused.
 */
interface RestoreMark {
  /** In seconds since 1970. */
  readonly not_before: number
}

/** There is one mark: its id is MARK_ID. */
const RESTORE_MARK: Kind<RestoreMark> = {
  name: 'restore',
  by_operators: true,
  format: ({ not_before }) => ({ not_before: String(not_before) }),
  parse(hash: Hash) {
    const fields = new FieldReader(hash)
    fields.required('not_before')
    const not_before = fields.integer('not_before', { min: 0, max: Number.MAX_SAFE_INTEGER, unit: 'seconds' })
    const { problems } = fields
    return problems.length > 0 || not_before === undefined
      ? { ok: false, problems }
      : { ok: true, record: { not_before } }
  },
}
const MARK_ID = 'mark'

/**
 * Returns the time of the restore mark in seconds since 1970; 0 if there is none.
 * @throws StorageUnavailable; StoredKeyError if it is malformed
 */
export async function readRestoreMark({ records }: RecordStore): Promise<number> {
  const found = await records.read(RESTORE_MARK, MARK_ID)
  if (found === undefined) return 0
  if (found.ok) return found.record.not_before
  throw new StoredKeyError(
    'The restore mark is malformed, so what it refuses is unknown: run "redmint restore mark" again.',
  )
}

/** Sets the restore mark; `not_before` in seconds since 1970. @throws StorageUnavailable */
export function writeRestoreMark({ records }: RecordStore, not_before: number): Promise<void> {
  return records.put(write(RESTORE_MARK, MARK_ID, { not_before }))
}
