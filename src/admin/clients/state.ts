import { forgetUses } from '../../clients/authentication/secret-uses.ts'
import { isClientIdUrl } from '../../clients/documents/client-id-url.ts'
import { freePlace, freePlaces } from '../../clients/previews/places.ts'
import { CLIENT } from '../../clients/record/client-kind.ts'
import { formatClient } from '../../clients/record/client-record.ts'
import { noteRemoval, SETTLES_IN } from '../../clients/record/removed-client.ts'
import { commit } from '../../core/commit.ts'
import type { Hash } from '../../core/record-hash.ts'
import { queueEnding } from '../../logout/endings-queue.ts'
import { grantsOf } from '../../tokens/listed-grants.ts'
import { applyChange } from '../operation/apply-change.ts'
import type { AdminContext } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'
import { assertVersion } from '../operation/version.ts'
import { noSuchClient } from './record-type.ts'

type ClientContext = Pick<AdminContext, 'storage' | 'caller' | 'report'>

/**
 * Disables or enables a client. A client that a document describes has no record: disabling it writes one, which counts
 * instead of the document, and enabling it removes that one.
 * @param version which the record must still have; absent: any
 * @returns the record as it was written; undefined: there is none
 * @throws AdminError `not_found`, `stale`; StorageUnavailable
 */
export async function setDisabled(
  context: ClientContext,
  client_id: string,
  disabled: boolean,
  version?: string,
): Promise<Hash | undefined> {
  const { records } = context.storage
  const before = (await records.read(CLIENT, client_id))?.hash
  if (before === undefined && version !== undefined) throw noSuchClient(client_id)
  assertVersion(before ?? {}, version)
  const event = { event: disabled ? 'client_disabled' : 'client_enabled', client_id } as const
  const events = disabled === (before?.disabled === 'true') ? [] : [event]
  if (!disabled && isRefusedDocument(client_id, before)) {
    await commit(context, events, {}, (told) => records.remove(CLIENT, client_id, told))
    return undefined
  }
  const fields = disabled ? { set: { disabled: 'true' }, unset: [] } : { set: {}, unset: ['disabled'] }
  const expected = version === undefined ? {} : ({ expected: before ?? {}, whole: true } as const)
  const changed = await commit(context, events, {}, (told) =>
    records.change(CLIENT, client_id, { ...fields, ...expected, told }),
  )
  if (changed !== 'missing') return applyChange(before ?? {}, fields)
  if (version !== undefined) throw changedMeanwhile(client_id)
  if (!disabled || !isClientIdUrl(client_id)) throw noSuchClient(client_id)
  // The record that refuses a client whatever its document says.
  const hash = formatClient({ ...REFUSED, client_id, client_name: client_id })
  await commit(context, events, {}, (told) => records.create({ kind: CLIENT, id: client_id, hash, told }))
  return hash
}

/** Whether a record only refuses a client that a document describes. */
const isRefusedDocument = (client_id: string, record: Hash | undefined) =>
  isClientIdUrl(client_id) && record?.redirect_uris === ''

const changedMeanwhile = (client_id: string) =>
  new AdminError('stale', `The client "${client_id}" was changed at the same time.`)

/** The record of a client that is refused whatever its document says. */
const REFUSED = {
  redirect_uris: [],
  allowed_scopes: [],
  grant_types: ['authorization_code'],
  is_public: true,
  disabled: true,
} as const

/** How a client must be to be removed. */
interface Expected {
  /** A client whose fields have other values counts as missing. */
  readonly expected?: Hash
  /** Whether it may have no other fields. */
  readonly whole?: true
}

/**
 * Removes a client. All that it has is refused at once; servers revoke its grants one by one, however many there are. Its
 * own tokens are in no list: they end by their time, and a new client of the same id inherits neither, nor its previews, of
 * which there are few. If this fails, the client is disabled, and it can be repeated.
 * @returns about how many grants it had
 * @throws AdminError `not_found`, or `stale` if it is not as expected; StorageUnavailable
 */
export async function removeClient(
  context: Omit<ClientContext, 'caller'> & Pick<AdminContext, 'now' | 'endings'>,
  client_id: string,
  expected: Expected = {},
): Promise<{ readonly grants: number }> {
  const { storage, now, endings } = context
  const before = (await storage.records.read(CLIENT, client_id))?.hash
  if (before === undefined) throw noSuchClient(client_id)
  const disabling = { event: 'client_disabled', client_id } as const
  const events = before.disabled === 'true' ? [] : [disabling]
  const disabled = { set: { disabled: 'true' }, ...expected }
  const changed = await commit(context, events, {}, (told) =>
    storage.records.change(CLIENT, client_id, { ...disabled, told }),
  )
  if (changed === 'missing') throw expected.whole ? changedMeanwhile(client_id) : noSuchClient(client_id)
  const grants = await storage.lists.count(grantsOf({ client_id }))
  const removed_at = now()
  await noteRemoval(storage, client_id, removed_at)
  await queueEnding(storage, { what: 'removed_client', client_id, before: removed_at + SETTLES_IN })
  endings?.emit('queued')
  const previews = await freePlaces(storage, client_id)
  await Promise.all(previews.map((preview) => removeRecord(context, preview)))
  await removeRecord(context, client_id)
  if (before.preview_of !== undefined) await freePlace(storage, before.preview_of, client_id)
  // After the record: servers write uses of clients that exist.
  await forgetUses(storage, client_id, before)
  return { grants }
}

async function removeRecord(
  context: Pick<ClientContext, 'storage' | 'report'>,
  client_id: string,
): Promise<void> {
  const { records } = context.storage
  const removal = { event: 'client_removed', client_id } as const
  await commit(context, [removal], {}, (told) => records.remove(CLIENT, client_id, told))
}
