import { commit } from '../../core/commit.ts'
import type { SecurityEvent } from '../../core/events.ts'
import type { FieldTable } from '../../core/field-table.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { Change } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { applyChange, changedFields } from '../operation/apply-change.ts'
import { differenceOf, type FieldDifference } from '../operation/difference.ts'
import type { AdminContext } from '../operation/operation.ts'
import { AdminError, alreadyExists, invalidFields, notFound } from '../operation/problem.ts'
import { changeRead, type RecordType, shownFields } from '../operation/record-type.ts'

/** A stored record. */
export interface Stored {
  readonly id: string
  readonly hash: Hash
}

/** A kind of record of which operators set nothing but its fields: no secrets, and nothing that ends with it. */
export interface SimpleType<Table extends FieldTable = FieldTable, Id extends string = string>
  extends RecordType<Table, Id> {
  readonly kind: RecordType['kind'] & Parameters<RecordStore['records']['take']>[0]
  /** Returns the id of a new record that a request names. @throws AdminError `invalid_field` if none can have this name */
  idOf(name: string): string
  /** Returns the record that a request names, in any spelling. @throws StorageUnavailable */
  find(store: RecordStore, name: string): Promise<Stored | undefined>
  /** Returns what a new record has of the fields that are not given. @param given as storage writes them */
  base(name: string, given: Hash): Hash
  /** How its secret is kept; absent: it has none. */
  readonly secret?: SimpleSecret
  /** What a caller must have to write or to remove such a record. */
  readonly rights: readonly string[]
  /** The events of a record that was written, or removed. */
  written(id: string): SecurityEvent
  removed(id: string): SecurityEvent
}

/** The secret of a record, which is given and never shown. */
interface SimpleSecret {
  /**
   * Returns the fields that keep a given secret in a record; none if they do already.
   * @param dry_run nothing is written, the key that seals it neither
   * @throws AdminError `invalid_field`; StorageUnavailable
   */
  seal(
    context: Pick<AdminContext, 'storage' | 'settings'>,
    record: Stored,
    secret: string,
    dry_run?: boolean,
  ): Promise<Hash>
}

type Context = Pick<AdminContext, 'storage' | 'report'>

/** Finds a record that a request names. @throws AdminError `not_found`; StorageUnavailable */
export async function readSimple(store: RecordStore, type: SimpleType, name: string): Promise<Stored> {
  const stored = await type.find(store, name)
  if (stored === undefined) throw notFound(type.name, name)
  return stored
}

/** Returns a new record. @throws AdminError `invalid_field` */
export function planSimple(type: SimpleType, name: string, given: Hash): Stored {
  const id = type.idOf(name)
  const hash = { ...type.base(name, given), ...given, [type.id]: name }
  assertWellFormed(type, { id, hash })
  return { id, hash }
}

/** Writes a new record. @throws AdminError `exists`; StorageUnavailable */
export async function createSimple(context: Context, type: SimpleType, { id, hash }: Stored): Promise<void> {
  const { storage } = context
  // An operator may have written the record by hand in another spelling.
  if ((await type.find(storage, id)) !== undefined) throw alreadyExists(type.name, id)
  const changes = changesOf(type, {}, hash)
  const created = await commit(context, [type.written(id)], { changes }, (told) =>
    storage.records.create({ kind: type.kind, id, hash, told }),
  )
  if (created === 'exists') throw alreadyExists(type.name, id)
}

/** Returns a record after a change. @throws AdminError `invalid_field` */
export function changedSimple(type: SimpleType, stored: Stored, change: Change): Hash {
  const hash = applyChange(stored.hash, change)
  assertWellFormed(type, { id: stored.id, hash })
  return hash
}

/**
 * Changes a record that is still as it was read.
 * @returns the record as it is stored now
 * @throws AdminError as changedSimple, and `stale`; StorageUnavailable
 */
export async function changeSimple(
  context: Context,
  type: SimpleType,
  stored: Stored,
  change: Change,
): Promise<Hash> {
  const { id, hash } = stored
  const wanted = changedSimple(type, stored, change)
  const events = changedFields(hash, wanted).length === 0 ? [] : [type.written(id)]
  return commit(context, events, { changes: changesOf(type, hash, wanted) }, (told) =>
    changeRead(context.storage, type, id, hash, { ...change, told }),
  )
}

/**
 * Removes a record.
 * @param expected a record whose fields have other values is not removed; `whole`: nor one with other fields
 * @throws AdminError `stale`; StorageUnavailable
 */
export async function removeSimple(
  context: Context,
  type: SimpleType,
  id: string,
  { expected = {}, whole }: Pick<Change, 'expected' | 'whole'> = {},
): Promise<void> {
  // This change fails if somebody else changed the record in the meantime, so that it is not removed.
  const disabled = { set: { disabled: 'true' }, expected, ...(whole && { whole }) }
  const { records } = context.storage
  if ((await records.change(type.kind, id, disabled)) === 'missing') {
    throw new AdminError('stale', `The ${type.name} "${id}" was changed at the same time.`)
  }
  await commit(context, [type.removed(id)], {}, (told) => records.remove(type.kind, id, told))
}

/** Returns in which fields two records differ, as far as operators may see it. */
export function changesOf(type: SimpleType, former: Hash, present: Hash): FieldDifference[] {
  return differenceOf(type.table, shownFields(type), former, present)
}

function assertWellFormed(type: SimpleType, { id, hash }: Stored): void {
  const parsed = type.kind.parse(hash, id)
  if (!parsed.ok) throw invalidFields(parsed.problems)
}
