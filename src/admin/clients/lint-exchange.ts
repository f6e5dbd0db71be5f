import { APPLICATION } from '../../applications/application-record.ts'
import { idElsewhere } from '../../applications/named-client.ts'
import { isClientIdUrl } from '../../clients/documents/client-id-url.ts'
import { TOKEN_EXCHANGE } from '../../clients/record/grant-types.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { scopeNames } from '../../core/scope.ts'
import { listedRecords } from '../../storage/indexes.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { entries } from './lint-fields.ts'

const hasGrant = (hash: Hash) => entries(hash, 'grant_types').includes(TOKEN_EXCHANGE)

/** Returns the warnings about a client that exchanges tokens (RFC 8693), by its record alone. */
export function exchangeWarnings(client_id: string, hash: Hash): FieldProblem[] {
  const { exchange_mode, is_public } = hash
  if (!exchange_mode) return []
  const warnings = [
    ...(hasGrant(hash) ? [] : [`is not used, because grant_types lacks ${TOKEN_EXCHANGE}`]),
    ...(is_public === 'true' ? ['is not used, because a public client cannot exchange tokens'] : []),
    ...(isClientIdUrl(client_id)
      ? [`is ${exchange_mode}, but a document describes the client: register a separate client for this use`]
      : []),
  ]
  return warnings.map((problem) => ({ field: 'exchange_mode', problem }))
}

/**
 * Returns a warning about a client that has the grant type and may exchange nothing by it: it has no mode, and no server
 * elsewhere takes identity assertions that it asks for.
 * @throws StorageUnavailable
 */
export async function unusedExchange(
  store: RecordStore,
  client_id: string,
  hash: Hash,
): Promise<FieldProblem[]> {
  if (hash.exchange_mode || !hasGrant(hash)) return []
  for await (const { hash: application } of listedRecords(store, APPLICATION))
    if (idElsewhere(scopeNames(application.clients ?? ''), client_id) !== undefined) return []
  const problem = `contains ${TOKEN_EXCHANGE}, but exchange_mode is missing, so it gets identity assertions alone: set it to delegate or narrow for access tokens`
  return [{ field: 'grant_types', problem }]
}
