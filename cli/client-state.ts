import type { ClientStore } from '../src/storage/storage.ts'
import { noSuchClient } from './client-show.ts'
import type { Report } from './output.ts'

/**
 * The commands `client disable` and `client enable`.
 * @throws Refusal where there is no such client
 */
export async function setDisabled(store: ClientStore, client_id: string, disabled: boolean): Promise<Report> {
  const change = disabled ? { set: { disabled: 'true' }, unset: [] } : { set: {}, unset: ['disabled'] }
  if ((await store.changeClient(client_id, change)) === 'missing') throw noSuchClient(client_id)
  return {
    text: disabled
      ? 'The client is disabled. Access tokens that it has stay good until they expire or are revoked.'
      : 'The client is enabled.',
    json: { client_id, disabled },
  }
}

/**
 * The command `client remove`.
 * @throws Refusal where there is no such client
 */
export async function removeClient(store: ClientStore, client_id: string): Promise<Report> {
  if ((await store.removeClient(client_id)) === 'missing') throw noSuchClient(client_id)
  return {
    text: 'The client is removed. Access tokens that it has stay good until they expire or are revoked.',
    json: { client_id, removed: true },
  }
}
