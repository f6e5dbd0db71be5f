import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Client } from '../clients/record/client-record.ts'
import { actingClients } from '../core/actor.ts'
import type { Hash } from '../core/record-hash.ts'
import type { ValidAccessToken } from './validation.ts'

/** The clients behind a token with which somebody acts for its user (RFC 8693). */
export interface Acting {
  /** The one that the user signed in at. */
  readonly origin: Client
  /** Those that act, the current one included. */
  readonly actors: readonly Client[]
}

/**
 * Returns the clients behind a token that was derived for `client`; undefined if one of them is unknown, disabled or
 * malformed: the end of an actor ends what it does for others.
 * @throws StorageUnavailable
 */
export async function findActing(
  { clients }: { readonly clients: Pick<ClientRegistry, 'find'> },
  { client_id, act }: Pick<ValidAccessToken, 'client_id' | 'act'>,
  client: Client,
  grant: Hash | undefined,
): Promise<Acting | undefined> {
  const find = async (id: string) => (id === client_id ? client : await clients.find(id))
  const origin = await find(grant?.client_id ?? client_id)
  const found = await Promise.all([...new Set([client_id, ...actingClients(act)])].map(find))
  const actors = found.filter((one) => one !== undefined)
  return origin === undefined || actors.length < found.length ? undefined : { origin, actors }
}
