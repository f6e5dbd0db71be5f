import type { Parameters } from '../core/parameters.ts'
import { type AccountNow, readAfterFactors } from '../factors/account-now.ts'
import { findFactors } from '../factors/change-factors.ts'
import { passwordRulesFor } from '../factors/password-length.ts'
import { shownCodes } from '../factors/recovery-file.ts'
import { beginTotp, begunTotp, confirmTotp, newRecoveryCodes, removeTotp } from '../factors/totp.ts'
import type { View } from '../pages/layout.ts'
import { sameText } from '../sessions/browser.ts'
import type { PasswordFault } from '../users/password-rules.ts'
import type { AccountPageContext } from './account-context.ts'
import type { Action, ActionContext, Actor, Outcome } from './action.ts'
import { type AddressContext, type AddressProblem, askForAddress, pendingAddress } from './change-address.ts'
import { changePassword } from './change-password.ts'
import { readConfirmed } from './confirmation.ts'
import { deleteOwnAccount } from './delete-account.ts'
import { endApplication } from './own-applications.ts'
import { endOtherSessions, endOwnSession } from './own-sessions.ts'
import { addressPage } from './pages/address.ts'
import { deletedPage } from './pages/ends.ts'
import { passwordPage } from './pages/password.ts'
import { recoveryCodesPage, secondStepPage } from './pages/second-step.ts'
import { placeIn } from './part.ts'

const PASSWORD = '/password'
const ADDRESS = '/address'
const PASSKEYS = '/passkeys'
const SECOND_STEP = '/second-step'
const PROVIDERS = '/providers'

/**
 * All that can be done at the account page: a route has no other way to change anything. What passkeys need is loaded with the
 * first one.
 */
export const ACTIONS: Readonly<Record<string, Action>> = {
  'end-session': {
    page: '',
    confirmed: false,
    async run(context, { user }, { sid = '', sessions }) {
      await endOwnSession(context, user, sid, placeIn(context, 'sessions', user.sub, sessions))
      return { done: 'session' }
    },
  },
  'end-others': {
    page: '',
    confirmed: false,
    async run(context, { user, session }) {
      await endOtherSessions(context, user, session)
      return { done: 'sessions' }
    },
  },
  'end-application': {
    page: '',
    confirmed: false,
    async run(context, { user }, { client_id = '' }) {
      await endApplication(context, user, client_id)
      return { done: 'application' }
    },
  },
  'change-password': {
    page: PASSWORD,
    confirmed: true,
    async run(context, actor, { password = '', others }) {
      const { user, session, asker, account } = actor
      const result = await changePassword(context, user, password, asker, account)
      if (result === 'stale') return { done: 'stale' }
      if (result !== 'changed') return { render: await passwordOf(context, actor, result) }
      if (others === 'yes') await endOtherSessions(context, user, session)
      return { done: 'password' }
    },
  },
  'change-address': {
    page: ADDRESS,
    confirmed: true,
    async run(context, actor, { email = '' }) {
      if (!sendsMail(context)) return { done: 'stale' }
      const problem = await askForAddress(context, actor.user, email, actor.language)
      return problem === undefined
        ? { done: 'address' }
        : { render: await addressOf(context, actor, { email, problem }) }
    },
  },
  'add-passkey': {
    page: PASSKEYS,
    confirmed: true,
    run: async (...asked) => (await import('./passkey-actions.ts')).addOwnPasskey(...asked),
  },
  'rename-passkey': {
    page: PASSKEYS,
    // A name gives nobody anything.
    confirmed: false,
    run: async (...asked) => (await import('./passkey-actions.ts')).renameOwnPasskey(...asked),
  },
  'remove-passkey': {
    page: PASSKEYS,
    confirmed: true,
    run: async (...asked) => (await import('./passkey-actions.ts')).removeOwnPasskey(...asked),
  },
  'confirm-totp': {
    page: SECOND_STEP,
    confirmed: true,
    async run(context, actor, { begun = '', code = '' }) {
      const { user, account } = actor
      const result = await confirmTotp(context, user.username, begun, code, account)
      if (result === 'ended') return { done: 'stale' }
      if (result === 'wrong') return wrongCode(context, actor, begun)
      return codesPage(context, actor, await readAfterFactors(context, account))
    },
  },
  'new-codes': {
    page: SECOND_STEP,
    confirmed: true,
    run: (context, actor) => codesPage(context, actor, actor.account),
  },
  // A form that is posted, so that no address has what its page shows.
  'codes-saved': {
    page: SECOND_STEP,
    confirmed: false,
    run: async () => ({ done: 'second_step' }),
  },
  'remove-totp': {
    page: SECOND_STEP,
    confirmed: true,
    async run(context, { user }) {
      return { done: (await removeTotp(context, user.username)) ? 'removed' : 'stale' }
    },
  },
  'link-provider': {
    page: PROVIDERS,
    confirmed: true,
    run: async (...asked) => (await import('./provider-actions.ts')).linkProvider(...asked),
  },
  'unlink-provider': {
    page: PROVIDERS,
    confirmed: true,
    run: async (...asked) => (await import('./provider-actions.ts')).unlinkProvider(...asked),
  },
  'delete-account': {
    page: '/delete',
    confirmed: true,
    async run(context, { user }) {
      if (!(await deleteOwnAccount(context, user))) return { done: 'stale' }
      return { render: deletedPage, ends_session: true }
    },
  },
}

const sendsMail = (context: ActionContext): context is ActionContext & AddressContext =>
  context.send !== undefined

/** What comes of a form: an outcome, or the page to go back to after "Confirm it is you". */
export type Acted = Outcome | { readonly confirm: string }

/**
 * Does what a form asks for. One of another site, or of a tab from before a sign-in, does nothing, and nor does one without the
 * confirmation that it needs.
 * @throws OAuthError `temporarily_unavailable` (503) if too many passwords wait; StorageUnavailable
 */
export async function act(
  context: ActionContext,
  actor: Actor,
  action: Action,
  form: Parameters,
): Promise<Acted> {
  if (!sameText(form.csrf ?? '', actor.csrf)) return { done: 'stale' }
  if (!action.confirmed) return action.run(context, actor, form)
  const account = await readConfirmed(context, actor.session, actor.user)
  return account === undefined ? { confirm: action.page } : action.run(context, { ...actor, account }, form)
}

async function codesPage(
  context: AccountPageContext,
  actor: Actor,
  account: AccountNow | undefined,
): Promise<Outcome> {
  const { username } = actor.user
  const codes = account && (await newRecoveryCodes(context, username, account))
  if (codes === undefined) return { done: 'stale' }
  const shown = shownCodes(context, username, codes)
  return { render: (view) => recoveryCodesPage(shown, actor, view) }
}

async function wrongCode(context: AccountPageContext, actor: Actor, begun: string): Promise<Outcome> {
  const again = begunTotp(context, actor.user.username, begun)
  if (again === undefined) return { done: 'stale' }
  const { factors } = await findFactors(context, actor.user.username)
  return { render: (view) => secondStepPage({ ...actor, factors, begun: again, has_failed: true }, view) }
}

/** The page to set up or change the second step. @throws StorageUnavailable */
export async function secondStepOf(
  context: AccountPageContext,
  actor: Actor,
): Promise<(view: View) => string> {
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
  actor: Actor,
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
  actor: Actor,
  problem?: PasswordFault,
): Promise<(view: View) => string> {
  const { username } = actor.user
  const { factors } = await findFactors(context, username)
  const min_length = passwordRulesFor(context.settings, factors).password_min_length
  const props = { ...actor, username, min_length, ...(problem && { problem }) }
  return (view) => passwordPage(props, view)
}
