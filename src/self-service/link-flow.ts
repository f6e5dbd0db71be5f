import type { ClientRegistry } from '../clients/client-registry.ts'
import { startAddress } from '../clients/start-address.ts'
import { hasPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import { PATHS } from '../core/paths.ts'
import { findFactors } from '../factors/change-factors.ts'
import type { Flow } from '../interaction/flow.ts'
import { destinationOf, hostOf } from '../pages/destination.ts'
import { type LinkDoneProps, linkDonePage } from '../pages/link-done.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { AccountRegistry } from '../users/account-registry.ts'
import { type GroupSettings, mayUse } from '../users/client-access.ts'
import type { User } from '../users/user-record.ts'

/** What it takes to say where somebody goes on who came by a link. */
export interface LinkFlowContext {
  readonly storage: RecordStore
  readonly settings: GroupSettings & Pick<Settings, 'issuer' | 'service_name' | 'passkeys' | 'account_page'>
  readonly accounts: Pick<AccountRegistry, 'findUser'>
  readonly clients: Pick<ClientRegistry, 'find'>
}

/**
 * The flow of people who came by a link for which no request waits: once they are signed in, a page says what was done, and
 * leads on. A session from before is not enough, because it may be that of somebody else; who signs in as somebody else goes
 * to the account page.
 */
export function linkFlow(context: LinkFlowContext): Flow<never> {
  const { settings } = context
  const home = settings.issuer + (settings.account_page === 'on' ? PATHS.account : '/')
  const destination = destinationOf({ client_name: settings.service_name })
  return async ({ session, pending, parameters }) => {
    const is_fresh = session !== undefined && pending.signed_in === session.sid
    const user = is_fresh ? await context.accounts.findUser(session) : undefined
    if (user === undefined) return { due: 'user', step: { step: 'login' }, destination }
    const { username = '', client } = parameters
    const about: LinkDoneProps['about'] = parameters.about === 'welcome' ? 'welcome' : 'reset'
    if (user.username !== username)
      return { due: 'answer', answer: async () => ({ to: 'site', location: home }) }
    return {
      due: 'answer',
      answer: async () => {
        const [onward, offers_passkey] = await Promise.all([
          onwardTo(context, client, user),
          lacksPasskey(context, user),
        ])
        const shown = { about, name: user.claims.name ?? username, offers_passkey, onward }
        return { to: 'page', render: (view) => linkDonePage(shown, view), needs: {}, ui_locales: undefined }
      },
    }
  }
}

/** The client that an invitation names, if its user may use it and it has an address. @throws StorageUnavailable */
async function onwardTo(
  { clients, settings }: LinkFlowContext,
  client_id: string | undefined,
  user: User,
): Promise<LinkDoneProps['onward']> {
  const client = client_id === undefined ? undefined : await clients.find(client_id)
  if (client === undefined || client.disabled || !mayUse(client, user, settings)) return undefined
  const href = startAddress(client, settings.issuer)
  return href === undefined
    ? undefined
    : { href, ...destinationOf({ client_name: client.client_name }, hostOf(href)) }
}

async function lacksPasskey(context: LinkFlowContext, { username }: User): Promise<boolean> {
  const { settings } = context
  if (!hasPasskeys(settings) || settings.account_page !== 'on') return false
  const { factors } = await findFactors(context, username)
  return factors.passkeys.size === 0
}
