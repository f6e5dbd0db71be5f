import { CLIENT } from '../../clients/record/client-kind.ts'
import { type Client, parseClient } from '../../clients/record/client-record.ts'
import { signInGrants, TOKEN_EXCHANGE } from '../../clients/record/grant-types.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { shellWord } from '../../core/shell-word.ts'
import { RESOURCE } from '../../resources/resource-record.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { findingsOf, type RecordFinding } from '../operation/findings.ts'

/** Returns the warnings about the clients that act with the tokens of a resource. @throws StorageUnavailable */
export async function lintActingClients(
  { records }: RecordStore,
  resource: string,
  hash: Hash | undefined,
): Promise<RecordFinding<'resource'>[]> {
  if (!hash?.acting_clients) return []
  const parsed = RESOURCE.parse(hash, resource)
  if (!parsed.ok) return []
  const warnings: FieldProblem[] = []
  for (const client_id of parsed.record.acting_clients) {
    const stored = (await records.read(CLIENT, client_id))?.hash
    const client = stored && parseClient(client_id, stored)
    const why =
      client === undefined ? 'is not registered' : client.ok ? whyNot(client.record) : 'is malformed'
    if (why !== undefined)
      warnings.push({ field: 'acting_clients', problem: `names "${client_id}", which ${why}` })
  }
  return findingsOf({ resource }, [], warnings)
}

/** Why a client cannot act, or should not. */
function whyNot({ client_id, disabled, is_public, grant_types, exchange_mode }: Client): string | undefined {
  if (disabled) return 'is disabled'
  if (is_public) return 'is public, and so cannot exchange tokens'
  const has_grant = grant_types.includes(TOKEN_EXCHANGE)
  if (!has_grant || exchange_mode !== 'delegate')
    return `may not act: redmint client update ${shellWord(client_id)} --exchange-mode delegate${has_grant ? '' : ` --add-grant-type ${TOKEN_EXCHANGE}`}`
  // It could exchange what it got itself, and act for itself.
  if (signInGrants(grant_types).length > 0)
    return 'signs people in itself, and so could act for itself: give the API a client of its own'
  return undefined
}
