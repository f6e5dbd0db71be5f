import { CLIENT } from '../../src/clients/client-kind.ts'
import type { RecordStore, Storage } from '../../src/storage/storage.ts'
import { endAllUntilNone, JWTS_STAY, sayEnded } from '../end-all.ts'
import type { Report } from '../output.ts'
import { noSuchClient } from './show.ts'

/**
 * The commands `client disable` and `client enable`.
 * @throws Refusal if the client does not exist
 */
export async function setDisabled(store: RecordStore, client_id: string, disabled: boolean): Promise<Report> {
  const change = disabled ? { set: { disabled: 'true' }, unset: [] } : { set: {}, unset: ['disabled'] }
  if ((await store.records.change(CLIENT, client_id, change)) === 'missing') throw noSuchClient(client_id)
  return {
    text: disabled
      ? `The client is disabled, and what it holds is worth nothing while it is. ${JWTS_STAY}`
      : 'The client is enabled. What it holds and has not expired is good again.',
    json: { client_id, disabled },
  }
}

/**
 * The command `client remove`. It ends what the client holds, so that a new client of the same name inherits nothing.
 * The record is removed last: if something fails before, the client is disabled and the command can be repeated.
 * @throws Refusal if the client does not exist
 */
export async function removeClient(
  store: Pick<Storage, 'records' | 'families'>,
  client_id: string,
): Promise<Report> {
  const disabled = { set: { disabled: 'true' }, unset: [] }
  if ((await store.records.change(CLIENT, client_id, disabled)) === 'missing') throw noSuchClient(client_id)
  const ended = await endAllUntilNone(store, { client_id })
  await store.records.take(CLIENT, client_id)
  return {
    text: `The client is removed. ${sayEnded(ended)} ${JWTS_STAY}`,
    json: { client_id, removed: true, ended },
  }
}
