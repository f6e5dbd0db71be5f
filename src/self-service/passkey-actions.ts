import { hasOnlyPasskeys } from '../config/passkey-settings.ts'
import type { Parameters } from '../core/parameters.ts'
import { pathAt } from '../core/paths.ts'
import { findFactors } from '../factors/change-factors.ts'
import { keepConfirmed } from '../factors/confirmation.ts'
import { addPasskey } from '../factors/passkeys/create-passkey.ts'
import { passkeySignals, removePasskey, renamePasskey } from '../factors/passkeys/manage-passkeys.ts'
import { PASSKEY_SCRIPT_PATH } from '../factors/passkeys/script.ts'
import type { ActionContext, ActionOutcome, ConfirmedActor, PageActor } from './action.ts'
import { passkeysOf } from './own-passkeys.ts'
import { passkeyRemovedPage } from './pages/passkeys.ts'

/** Adds the passkey that the page made. @throws StorageUnavailable */
export async function addOwnPasskey(
  context: ActionContext,
  actor: ConfirmedActor,
  { credential }: Parameters,
): Promise<ActionOutcome> {
  const { user, browser, account, session } = actor
  const { outcome } = await addPasskey(context, user, credential, browser, account)
  if (outcome !== 'added') return { render: await passkeysOf(context, actor, outcome) }
  const factors = { generation: account.factors.generation + 1 }
  await keepConfirmed(context, { id: session.id }, account, { user: account.user, factors })
  return { done: 'passkey' }
}

/** Gives a passkey another name. @throws StorageUnavailable */
export async function renameOwnPasskey(
  context: ActionContext,
  actor: PageActor,
  { passkey = '', name = '' }: Parameters,
): Promise<ActionOutcome> {
  const result = await renamePasskey(context, actor.user.username, passkey, name)
  if (result === 'name') return { render: await passkeysOf(context, actor, 'name') }
  return { done: result === 'renamed' ? 'renamed' : 'stale' }
}

/** Removes a passkey, unless it is all that the person can sign in with. @throws StorageUnavailable */
export async function removeOwnPasskey(
  context: ActionContext,
  actor: PageActor,
  { passkey = '' }: Parameters,
): Promise<ActionOutcome> {
  const { user } = actor
  const keeps_last = hasOnlyPasskeys(context.settings) || user.password_hash === undefined
  const result = await removePasskey(context, user.username, passkey, { keeps_last })
  if (result === 'last') return { render: await passkeysOf(context, actor, 'last') }
  if (result === 'missing') return { done: 'stale' }
  // The page tells the browser which ones are left, so that it offers this one no more.
  const { factors } = await findFactors(context, user.username)
  const signals = passkeySignals(context.settings, user, factors)
  const script = pathAt(context.settings, PASSKEY_SCRIPT_PATH)
  return { render: (view) => passkeyRemovedPage({ ...actor, signals, script }, view) }
}
