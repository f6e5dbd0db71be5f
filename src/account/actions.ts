import type { Asker } from '../accounts/fair-queue.ts'
import type { PasswordFault } from '../accounts/password-rules.ts'
import type { Parameters } from '../core/parameters.ts'
import { pathAt } from '../core/paths.ts'
import { findFactors } from '../factors/change-factors.ts'
import { addPasskey } from '../factors/passkeys/create-passkey.ts'
import { passkeySignals, removePasskey, renamePasskey } from '../factors/passkeys/manage-passkeys.ts'
import { PASSKEY_SCRIPT_PATH } from '../factors/passkeys/script.ts'
import { passwordRulesFor } from '../factors/password-length.ts'
import { beginTotp, begunTotp, confirmTotp, newRecoveryCodes, removeTotp } from '../factors/totp.ts'
import type { View } from '../pages/layout.ts'
import { sameText } from '../sessions/browser.ts'
import type { Session } from '../sessions/session.ts'
import type { AccountPageContext } from './account-context.ts'
import { type ChangePasswordContext, changePassword } from './change-password.ts'
import { isConfirmed } from './confirmation.ts'
import { deleteOwnAccount } from './delete-account.ts'
import { endApplication } from './own-applications.ts'
import { type PasskeyOwner, passkeysOf } from './own-passkeys.ts'
import { endOwnSessions } from './own-sessions.ts'
import type { DoneName } from './pages/account-form.ts'
import { deletedPage } from './pages/ends.ts'
import { passkeyRemovedPage } from './pages/passkeys.ts'
import { passwordPage } from './pages/password.ts'
import { recoveryCodesPage, secondStepPage } from './pages/second-step.ts'

/** What the actions work with. */
export type ActionContext = ChangePasswordContext

/** Who does something at the account page. */
export interface Actor extends PasskeyOwner {
  readonly session: Session
  /** Who waits if passwords have to be hashed. */
  readonly asker: Asker
}

/** What comes of it: the account page, which says so, or a page. */
export type Outcome =
  | { readonly done: DoneName }
  | {
      readonly render: (view: View) => string
      readonly ends_session?: true
      /** The page runs the script of passkeys. */
      readonly runs_script?: true
    }

/** Something that a person does at the account page, by a form that is posted to its name. */
interface Action {
  /** The page of the form, which comes again after "Confirm it is you". */
  readonly page: string
  /**
   * It changes a way in, or removes the account: the person has to confirm who it is. Signing out and taking access back need no more
   * than the session, so that somebody who is worried can do it at once: they give nobody anything.
   */
  readonly confirmed: boolean
  run(context: ActionContext, actor: Actor, form: Parameters): Promise<Outcome>
}

const PASSWORD = '/password'
const PASSKEYS = '/passkeys'
const SECOND_STEP = '/second-step'

/** All that can be done at the account page: a route has no other way to change anything. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  'end-session': {
    page: '',
    confirmed: false,
    async run(context, { user }, { sid = '' }) {
      await endOwnSessions(context, user, (other) => other === sid)
      return { done: 'session' }
    },
  },
  'end-others': {
    page: '',
    confirmed: false,
    async run(context, { user, session }) {
      await endOwnSessions(context, user, (other) => other !== session.sid)
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
      const { user, session, asker } = actor
      const result = await changePassword(context, user, password, asker)
      if (result === 'stale') return { done: 'stale' }
      if (result !== 'changed') return { render: await passwordOf(context, actor, result) }
      if (others === 'yes') await endOwnSessions(context, user, (other) => other !== session.sid)
      return { done: 'password' }
    },
  },
  'add-passkey': {
    page: PASSKEYS,
    confirmed: true,
    async run(context, actor, { credential }) {
      const { outcome } = await addPasskey(context, actor.user, credential, actor.browser)
      if (outcome === 'added') return { done: 'passkey' }
      return { render: await passkeysOf(context, actor, outcome), runs_script: true }
    },
  },
  'rename-passkey': {
    page: PASSKEYS,
    // A name gives nobody anything.
    confirmed: false,
    async run(context, actor, { passkey = '', name = '' }) {
      const result = await renamePasskey(context, actor.user.username, passkey, name)
      return { done: result === 'renamed' ? 'renamed' : 'stale' }
    },
  },
  'remove-passkey': {
    page: PASSKEYS,
    confirmed: true,
    async run(context, actor, { passkey = '' }) {
      const { user } = actor
      // A passkey that is all that a person can sign in with stays until there is something else.
      const keeps_last = user.password_hash === undefined
      const result = await removePasskey(context, user.username, passkey, { keeps_last })
      if (result === 'last') return { render: await passkeysOf(context, actor, 'last'), runs_script: true }
      if (result === 'missing') return { done: 'stale' }
      // The page tells the browser which ones are left, so that it offers this one no more.
      const { factors } = await findFactors(context, user.username)
      const signals = passkeySignals(context.settings, user, factors)
      const script = pathAt(context.settings, PASSKEY_SCRIPT_PATH)
      return { render: (view) => passkeyRemovedPage({ ...actor, signals, script }, view), runs_script: true }
    },
  },
  'confirm-totp': {
    page: SECOND_STEP,
    confirmed: true,
    async run(context, actor, { begun = '', code = '' }) {
      const { username } = actor.user
      const result = await confirmTotp(context, username, begun, code)
      if (result === 'ended') return { done: 'stale' }
      if (result === 'wrong') return wrongCode(context, actor, begun)
      return codesPage(context, actor)
    },
  },
  'new-codes': {
    page: SECOND_STEP,
    confirmed: true,
    run: (context, actor) => codesPage(context, actor),
  },
  'remove-totp': {
    page: SECOND_STEP,
    confirmed: true,
    async run(context, { user }) {
      return { done: (await removeTotp(context, user.username)) ? 'removed' : 'stale' }
    },
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
  if (action.confirmed && !(await isConfirmed(context, actor.session, actor.user)))
    return { confirm: action.page }
  return action.run(context, actor, form)
}

async function codesPage(context: AccountPageContext, actor: Actor): Promise<Outcome> {
  const codes = await newRecoveryCodes(context, actor.user.username)
  if (codes === undefined) return { done: 'stale' }
  return { render: (view) => recoveryCodesPage(codes, actor, view) }
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
