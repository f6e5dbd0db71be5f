import type { Client } from '../clients/record/client-record.ts'
import type { SecurityEvent } from '../core/events.ts'
import type { ClientId } from '../core/ids.ts'
import type { Session } from '../sessions/session.ts'
import type { AccountRegistry } from '../users/account-registry.ts'
import { accessFacts, type GroupSettings, mayUse } from '../users/client-access.ts'

/** The user who is signed in may not use the client: they choose another account, or go back to it. */
export interface NoAccessStep {
  readonly step: 'no_access'
  /** How to reach the people who run the client, as the operator set it. */
  readonly contacts: readonly string[]
  /** What is reported when the page is shown. */
  readonly event: Extract<SecurityEvent, { readonly event: 'access_refused' }>
  readonly client_id: ClientId
  /** What explains it to operators. */
  readonly facts: ReturnType<typeof accessFacts>
}

/** What it takes to find out whether a user may use a client. */
export interface AccessStepContext {
  readonly accounts: Pick<AccountRegistry, 'findUser'>
  readonly settings: GroupSettings
}

/**
 * Returns the step of a user who may not use the client; undefined if they may.
 * @throws StorageUnavailable
 */
export function findNoAccess(
  context: AccessStepContext,
  client: Client,
  session: Session,
): Promise<NoAccessStep | undefined> | undefined {
  return client.allowed_groups === undefined ? undefined : noAccessByGroup(context, client, session)
}

async function noAccessByGroup(
  { accounts, settings }: AccessStepContext,
  client: Client,
  session: Session,
): Promise<NoAccessStep | undefined> {
  const user = await accounts.findUser(session)
  if (mayUse(client, user, settings)) return undefined
  const { client_id, client_uri, contacts = client_uri ? [client_uri] : [], registered_at } = client
  const { username, sub } = session
  return {
    step: 'no_access',
    client_id,
    // Nobody vouches for what a client says about itself (RFC 7591 §5).
    contacts: registered_at === undefined ? contacts : [],
    event: { event: 'access_refused', at: 'page', client_id, username, sub },
    facts: accessFacts(client, user, settings),
  }
}
