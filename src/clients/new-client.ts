import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import type { RecordStore } from '../storage/storage.ts'
import { CLIENT } from './record/client-kind.ts'
import { type ClientDefinition, formatClient } from './record/client-record.ts'

/**
 * Writes the record of a client that the server itself has, with its entry of the audit trail, unless there is one.
 * @throws StorageUnavailable
 */
export async function insertClient(
  context: { readonly storage: RecordStore; readonly report: ReportEvent },
  client: ClientDefinition,
): Promise<void> {
  const event: SecurityEvent = { event: 'client_added', client_id: client.client_id }
  const record = { kind: CLIENT, id: client.client_id, hash: formatClient(client) }
  await commit(context, [event], {}, (told) => context.storage.records.create({ ...record, told }))
}
