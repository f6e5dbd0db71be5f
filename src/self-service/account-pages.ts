import { hasMail } from '../config/mail-settings.ts'
import { hasPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import { hasPasswords, hasProviders } from '../config/sign-in-ways.ts'
import type { Parameters } from '../core/parameters.ts'
import { findFactors } from '../factors/change-factors.ts'
import type { ConfirmedFor } from '../factors/confirmation.ts'
import { passwordRulesFor } from '../factors/password-length.ts'
import { beginTotp } from '../factors/totp.ts'
import type { FileReply } from '../pages/file-reply.ts'
import type { View } from '../pages/layout.ts'
import type { PageNeeds } from '../pages/theme.ts'
import type { PasswordFault } from '../users/password-rules.ts'
import type { AccountPageContext } from './account-context.ts'
import type { PageActor, PagePath } from './action.ts'
import { type AddressProblem, pendingAddress } from './change-address.ts'
import { isOperator } from './delete-account.ts'
import { showOverview } from './overview.ts'
import { ownData, showData } from './own-data.ts'
import { profileOf } from './own-profile.ts'
import { addressPage } from './pages/address.ts'
import { deletePage } from './pages/ends.ts'
import { passwordPage } from './pages/password.ts'
import { secondStepPage } from './pages/second-step.ts'

/** A page of the account, and what it demands. */
interface AccountPage {
  isOn(settings: Settings): boolean
  /** Its forms change a way in, or remove the account: the user has to confirm who it is. */
  readonly confirmed: ConfirmedFor | false
  /** What the pages of its path need besides their text. */
  readonly needs?: PageNeeds
  /** Where the browser goes on after a sign-in; absent: here. */
  readonly after?: PagePath
  show(
    context: AccountPageContext,
    actor: PageActor,
    query: Parameters,
  ): Promise<((view: View) => string) | FileReply>
}

const always = () => true

/** The pages of the account. What passkeys and providers need is loaded with the first one. */
export const PAGES: Readonly<Record<PagePath, AccountPage>> = {
  '': { isOn: always, confirmed: false, needs: { look: 'account' }, show: showOverview },
  '/data/page': { isOn: always, confirmed: false, show: showData },
  '/data': {
    isOn: always,
    confirmed: false,
    // The page of the sign-in would stay while the file is saved.
    after: '',
    async show(context, actor) {
      const text = JSON.stringify(await ownData(context, actor), null, 2)
      return { to: 'file', name: 'account.json', media_type: 'application/json', text }
    },
  },
  '/profile': {
    isOn: ({ account_fields }) => account_fields.length > 0,
    // Nobody signs in by a name, and no right follows from one.
    confirmed: false,
    show: (context, actor) => profileOf(context, actor),
  },
  '/passkeys': {
    isOn: hasPasskeys,
    confirmed: 'adding',
    needs: { script_source: "'self'" },
    show: async (context, actor) => (await import('./own-passkeys.ts')).passkeysOf(context, actor),
  },
  '/password': {
    isOn: hasPasswords,
    confirmed: 'taking',
    show: (context, actor) => passwordOf(context, actor),
  },
  '/providers': {
    isOn: hasProviders,
    confirmed: 'adding',
    show: async (context, actor) => (await import('./own-providers.ts')).providersOf(context, actor),
  },
  '/address': {
    isOn: hasMail,
    confirmed: 'adding',
    show: (context, actor) => addressOf(context, actor),
  },
  '/second-step': {
    isOn: ({ second_factor }) => second_factor !== 'off',
    confirmed: 'taking',
    show: secondStepOf,
  },
  '/notices': {
    // The browsers of a person are kept while notices are off, and can be removed then.
    isOn: always,
    // A notice says nothing, and gives nobody anything.
    confirmed: false,
    needs: { script_source: "'self'" },
    show: async (context, actor) => (await import('./own-notices.ts')).noticesOf(context, actor),
  },
  '/delete': {
    isOn: ({ account_deletion }) => account_deletion === 'on',
    confirmed: 'adding',
    show: async (_context, actor) => (view) => deletePage(actor, isOperator(actor.user), view),
  },
}

/** The page to set up or change the second step. @throws StorageUnavailable */
async function secondStepOf(context: AccountPageContext, actor: PageActor): Promise<(view: View) => string> {
  const { username } = actor.user
  const [{ factors }, begun] = await Promise.all([
    findFactors(context, username),
    beginTotp(context, username),
  ])
  return (view) => secondStepPage({ ...actor, factors, begun, has_failed: false }, view)
}

/**
 * The page to change or confirm the address.
 * @param refused what was typed before, and why it was refused
 * @throws StorageUnavailable
 */
export async function addressOf(
  context: AccountPageContext,
  actor: PageActor,
  refused?: { readonly email: string; readonly problem: AddressProblem },
): Promise<(view: View) => string> {
  const { username, claims } = actor.user
  const pending = await pendingAddress(context, username)
  const unconfirmed = claims.email_verified === 'true' ? undefined : claims.email
  const props = { ...actor, email: pending ?? unconfirmed ?? '', pending, ...refused }
  return (view) => addressPage(props, view)
}

/** The page to change the password. @param problem why the one before was refused. @throws StorageUnavailable */
export async function passwordOf(
  context: AccountPageContext,
  actor: PageActor,
  problem?: PasswordFault,
): Promise<(view: View) => string> {
  const { username } = actor.user
  const { factors } = await findFactors(context, username)
  const min_length = passwordRulesFor(context.settings, factors).password_min_length
  const props = { ...actor, username, min_length, ...(problem && { problem }) }
  return (view) => passwordPage(props, view)
}
