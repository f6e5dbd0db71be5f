import { hasWebPush } from '../config/web-push-settings.ts'
import { type AccountNow, readAfterFactors } from '../factors/account-now.ts'
import { findFactors } from '../factors/change-factors.ts'
import { shownCodes } from '../factors/recovery-file.ts'
import { begunTotp, confirmTotp, newRecoveryCodes, removeTotp } from '../factors/totp.ts'
import { loggedOutPage } from '../pages/logout.ts'
import type { AccountPageContext } from './account-context.ts'
import { addressOf, passwordOf } from './account-pages.ts'
import type { AccountAction, ActionOutcome, PageActor } from './action.ts'
import { askForAddress } from './change-address.ts'
import { changePassword } from './change-password.ts'
import { changeProfile } from './change-profile.ts'
import { deleteOwnAccount } from './delete-account.ts'
import { endApplication } from './own-applications.ts'
import { endOtherSessions, endOwnSession, signOutHere } from './own-sessions.ts'
import { endSupport } from './own-support.ts'
import { deletedPage } from './pages/ends.ts'
import { recoveryCodesPage, secondStepPage } from './pages/second-step.ts'
import { placeIn } from './part.ts'

const PROFILE = '/profile'
const PASSWORD = '/password'
const ADDRESS = '/address'
const PASSKEYS = '/passkeys'
const SECOND_STEP = '/second-step'
const PROVIDERS = '/providers'
const NOTICES = '/notices'

/**
 * All that can be done at the account page: a route has no other way to change anything. What passkeys need is loaded
 * with the first one.
 */
export const ACTIONS: Readonly<Record<string, AccountAction>> = {
  'sign-out': {
    page: '',
    confirmed: false,
    async run(context, { session }) {
      await signOutHere(context, session)
      return { render: (view) => loggedOutPage({ signed_in: false }, view), ends_session: true }
    },
  },
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
  'end-support': {
    page: '',
    confirmed: false,
    async run(context, { user }, { grant = '' }) {
      await endSupport(context, user, grant)
      return { done: 'support' }
    },
  },
  // What is kept can be taken back, whether clients may ask now or not.
  unmute: {
    page: '',
    confirmed: false,
    async run(context, { user }, { client_id = '' }) {
      const { muteClient } = await import('../asks/mute.ts')
      await muteClient(context, user, { client_id }, false)
      return { done: 'unmuted' }
    },
  },
  'change-profile': { page: PROFILE, confirmed: false, run: changeProfile },
  'change-password': {
    page: PASSWORD,
    confirmed: 'taking',
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
    confirmed: 'adding',
    async run(context, actor, { email = '' }) {
      const problem = await askForAddress(context, actor.user, email, actor.language)
      return problem === undefined
        ? { done: 'address' }
        : { render: await addressOf(context, actor, { email, problem }) }
    },
  },
  'add-passkey': {
    page: PASSKEYS,
    confirmed: 'adding',
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
    confirmed: 'taking',
    run: async (...asked) => (await import('./passkey-actions.ts')).removeOwnPasskey(...asked),
  },
  'confirm-totp': {
    page: SECOND_STEP,
    confirmed: 'taking',
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
    confirmed: 'taking',
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
    confirmed: 'taking',
    async run(context, { user }) {
      return { done: (await removeTotp(context, user.username)) ? 'removed' : 'stale' }
    },
  },
  'link-provider': {
    page: PROVIDERS,
    confirmed: 'adding',
    run: async (...asked) => (await import('./provider-actions.ts')).linkProvider(...asked),
  },
  'unlink-provider': {
    page: PROVIDERS,
    confirmed: 'taking',
    run: async (...asked) => (await import('./provider-actions.ts')).unlinkProvider(...asked),
  },
  'add-notices': {
    page: NOTICES,
    isOn: hasWebPush,
    confirmed: false,
    run: async (...asked) => (await import('./own-notices.ts')).addNotices(...asked),
  },
  'remove-notices': {
    page: NOTICES,
    confirmed: false,
    run: async (...asked) => (await import('./own-notices.ts')).removeNotices(...asked),
  },
  'delete-account': {
    page: '/delete',
    confirmed: 'adding',
    async run(context, { user }) {
      if (!(await deleteOwnAccount(context, user))) return { done: 'stale' }
      return { render: deletedPage, ends_session: true }
    },
  },
}

async function codesPage(
  context: AccountPageContext,
  actor: PageActor,
  account: AccountNow | undefined,
): Promise<ActionOutcome> {
  const { username } = actor.user
  const codes = account && (await newRecoveryCodes(context, username, account))
  if (codes === undefined) return { done: 'stale' }
  const shown = shownCodes(context, username, codes)
  return { render: (view) => recoveryCodesPage(shown, actor, view) }
}

async function wrongCode(
  context: AccountPageContext,
  actor: PageActor,
  begun: string,
): Promise<ActionOutcome> {
  const again = begunTotp(context, actor.user.username, begun)
  if (again === undefined) return { done: 'stale' }
  const { factors } = await findFactors(context, actor.user.username)
  return { render: (view) => secondStepPage({ ...actor, factors, begun: again, has_failed: true }, view) }
}
