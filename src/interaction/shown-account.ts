import type { Sub } from '../core/ids.ts'
import type { Account } from '../pages/account.ts'
import type { Browser } from '../sessions/browser.ts'
import { findSession, type SessionContext } from '../sessions/session.ts'
import type { SessionRecord } from '../sessions/session-record.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { AccountRegistry } from '../users/account-registry.ts'

/**
 * The account of a session as pages show it. Returns undefined if the account is missing, disabled or malformed, or now
 * belongs to another user.
 * @throws StorageUnavailable
 */
export async function accountOf(
  { accounts }: { accounts: Pick<AccountRegistry, 'findUser'> },
  session: Pick<SessionRecord, 'username' | 'sub'>,
): Promise<Account | undefined> {
  const user = await accounts.findUser(session)
  if (user === undefined) return undefined
  const { name = '', email = '' } = user.claims
  const shown = name === '' ? { name: user.username } : { name, detail: user.username }
  return email === '' ? shown : { email, ...shown }
}

/**
 * The account that is signed in in a browser, for a page that needs none: undefined also while storage is away. A browser
 * without a session costs no look into storage.
 */
export async function shownAccount(
  context: SessionContext & { readonly accounts: Pick<AccountRegistry, 'findUser'> },
  browser: Browser,
): Promise<(Account & { readonly sub: Sub }) | undefined> {
  try {
    const session = await findSession(context, browser, undefined)
    const account = session && (await accountOf(context, session))
    return session && account && { ...account, sub: session.sub }
  } catch (error) {
    if (error instanceof StorageUnavailable) return undefined
    throw error
  }
}
