import { CLIENT } from '../clients/record/client-kind.ts'
import { formatClient } from '../clients/record/client-record.ts'
import { ADMIN_SCOPES } from '../core/admin-scopes.ts'
import type { RecordStore } from '../storage/storage.ts'

/** The client by which people sign in at the command: public, by the device grant. */
export const COMMAND_CLIENT = 'redmint-command'

/**
 * Registers the client of the command, unless there is one: an operator may have changed it. It has no right of its own.
 * @throws StorageUnavailable
 */
export async function registerCommandClient({ records }: RecordStore): Promise<void> {
  const hash = formatClient({
    client_id: COMMAND_CLIENT,
    client_name: 'The redmint command',
    redirect_uris: [],
    allowed_scopes: ADMIN_SCOPES,
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    is_public: true,
  })
  await records.create({ kind: CLIENT, id: COMMAND_CLIENT, hash })
}
