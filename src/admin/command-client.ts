import { insertClient } from '../clients/new-client.ts'
import { DEVICE_CODE } from '../clients/record/grant-types.ts'
import { ADMIN_SCOPES } from '../core/admin-scopes.ts'
import type { ReportEvent } from '../core/events.ts'
import type { RecordStore } from '../storage/storage.ts'

/** The client by which people sign in at the command: public, by the device grant. */
export const COMMAND_CLIENT = 'redmint-command'

/**
 * Registers the client of the command, unless there is one: an operator may have changed it. It has no right of its own.
 * @throws StorageUnavailable
 */
export function registerCommandClient(context: {
  readonly storage: RecordStore
  readonly report: ReportEvent
}): Promise<void> {
  return insertClient(context, {
    client_id: COMMAND_CLIENT,
    client_name: 'The redmint command',
    redirect_uris: [],
    allowed_scopes: ADMIN_SCOPES,
    grant_types: [DEVICE_CODE, 'refresh_token'],
    is_public: true,
  })
}
