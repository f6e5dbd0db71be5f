import type { ClientRegistry } from '../clients/client-registry.ts'
import type { ClientId } from '../core/ids.ts'
import { PATHS, pathAt } from '../core/paths.ts'
import { withQuery } from '../core/uri.ts'
import type { User } from '../users/user-record.ts'
import { asksOf, type InboxContext } from './inbox.ts'

/** What a client asks a person, as their account page shows it. */
export interface OwnAsk {
  readonly client_name: string
  readonly message: string | undefined
  /** When it was asked, in milliseconds since 1970. */
  readonly asked_at: number
  /** Where the person answers. */
  readonly address: string
}

/** A client that may not ask a person any more. */
export interface MutedClient {
  readonly client_id: ClientId
  readonly client_name: string
}

/** What it takes to show what waits for a person. */
export interface OwnAsksContext extends InboxContext {
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly settings: { readonly issuer: string }
}

/** Returns what waits for the answer of a person, the newest first. @throws StorageUnavailable */
export async function ownAsks(context: OwnAsksContext, { sub }: Pick<User, 'sub'>): Promise<OwnAsk[]> {
  const asks = await asksOf(context, sub)
  const waiting = asks.filter(({ asked }) => asked.status === 'pending')
  const shown = waiting.map(async ({ name, asked }): Promise<OwnAsk | undefined> => {
    const client = await context.clients.find(asked.client_id)
    return (
      client && {
        client_name: client.client_name,
        message: asked.binding_message,
        asked_at: Date.parse(asked.asked_at),
        address: withQuery(pathAt(context.settings, PATHS.asked), { ask: name }),
      }
    )
  })
  return (await Promise.all(shown)).filter((ask) => ask !== undefined)
}

/** Returns the clients that may not ask a person any more. @throws StorageUnavailable */
export function mutedClients(
  { clients }: Pick<OwnAsksContext, 'clients'>,
  { muted_clients = [] }: Pick<User, 'muted_clients'>,
): Promise<MutedClient[]> {
  return Promise.all(
    muted_clients.map(async (name) => {
      const client_id = decodeURIComponent(name)
      return { client_id, client_name: (await clients.find(client_id))?.client_name ?? client_id }
    }),
  )
}
