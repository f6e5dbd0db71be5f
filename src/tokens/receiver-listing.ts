import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { Sub } from '../core/ids.ts'
import { SIGNALS_SCOPE } from '../core/security-events.ts'
import type { Listing, ListKey } from '../storage/lists.ts'

/** For how many milliseconds after somebody last used a client it may be told of them. */
export const KNOWN_FOR = 2 * 365 * 86_400_000

/** The clients that may be told of somebody (SSF 1.0), because the person used them. */
export const receiversOf = (sub: Sub): ListKey => ({ list: 'receivers-of', owner: sub })

/** What begins with a grant. */
interface Used {
  readonly client: Pick<Client, 'client_id' | 'allowed_scopes'>
  /** Undefined: nobody is known by a sub. */
  readonly sub: Sub | undefined
  /** Milliseconds since 1970. */
  readonly started_at: number
}

/**
 * Returns the entry that says that somebody used a client which receives security events: it is written with the grant, and
 * outlives it, so that the end of the grant can be told. Nothing for any other client.
 */
export function receiverListing(
  { shared_signals }: Pick<Settings, 'shared_signals'>,
  { client, sub, started_at }: Used,
): Listing[] {
  if (shared_signals === 'off' || sub === undefined) return []
  if (!client.allowed_scopes.includes(SIGNALS_SCOPE.manage)) return []
  return [{ ...receiversOf(sub), id: client.client_id, until: started_at + KNOWN_FOR }]
}
