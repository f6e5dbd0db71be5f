import { pathAt } from '../core/paths.ts'
import { findFactors } from '../factors/change-factors.ts'
import { type CreatingBrowser, creationOptions } from '../factors/passkeys/create-passkey.ts'
import { listPasskeys, passkeySignals } from '../factors/passkeys/manage-passkeys.ts'
import { PASSKEY_SCRIPT_PATH } from '../factors/passkeys/script.ts'
import type { View } from '../pages/layout.ts'
import type { User } from '../users/user-record.ts'
import type { AccountPageContext } from './account-context.ts'
import type { AccountLinks } from './pages/account-form.ts'
import { type PasskeyProblem, passkeysPage } from './pages/passkeys.ts'

/** Whose passkeys they are, and in which browser. */
export interface PasskeyPageOwner extends AccountLinks {
  readonly user: User
  readonly browser: CreatingBrowser
}

/** The page of the passkeys. @param problem why nothing was done. @throws StorageUnavailable */
export async function passkeysOf(
  context: AccountPageContext,
  owner: PasskeyPageOwner,
  problem?: PasskeyProblem,
): Promise<(view: View) => string> {
  const { settings } = context
  const { user, browser } = owner
  const options = await creationOptions(context, user, browser)
  const { factors } = await findFactors(context, user.username)
  const props = {
    ...owner,
    passkeys: listPasskeys(factors),
    options,
    signals: passkeySignals(settings, user, factors),
    script: pathAt(settings, PASSKEY_SCRIPT_PATH),
    ...(problem && { problem }),
    now: context.now(),
  }
  return (view) => passkeysPage(props, view)
}
