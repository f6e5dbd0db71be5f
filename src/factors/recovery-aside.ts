import { hasPasskeys } from '../config/passkey-settings.ts'
import { PATHS, pathAt } from '../core/paths.ts'
import type { Aside } from '../interaction/aside.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import { recoveryUsedPage } from '../pages/recovery-used.ts'
import type { User } from '../users/user-record.ts'
import { accountState } from './account-state.ts'
import { findFactors } from './change-factors.ts'
import type { Factors } from './factors-record.ts'
import { readRecoveryCode } from './recovery-codes.ts'

/**
 * What is shown to somebody who signed in with a recovery code, which takes the place of a lost app: how many are left,
 * where to set up another app, and which passkeys there are, because whoever has the app may have added one. It is about
 * the account as it was at the sign-in: a change ends it.
 */
export function recoveryAside(parts: MethodParts, method: string): Aside {
  const { settings } = parts
  const account_page = settings.account_page === 'on' ? pathAt(settings, PATHS.account) : undefined
  const factorsThen = async (user: User, account_state?: string): Promise<Factors | undefined> => {
    const { factors } = await findFactors(parts, user.username)
    return accountState(user, factors) === account_state ? factors : undefined
  }
  return {
    is_due: true,
    isPossible: (signed_in) => {
      const { code = '', recovery_code = '' } = signed_in.answer
      return signed_in.method === method && readRecoveryCode(code === '' ? recovery_code : code) !== undefined
    },
    async page(user, _browser, account_state) {
      const factors = await factorsThen(user, account_state)
      if (factors === undefined) return undefined
      const left = factors.recovery?.digests.length ?? 0
      const managed = hasPasskeys(settings) ? await import('./passkeys/manage-passkeys.ts') : undefined
      const passkeys = managed?.listPasskeys(factors) ?? []
      const props = { left, passkeys, account_page, now: parts.now() }
      return (form, view) => recoveryUsedPage({ ...props, ...form }, view)
    },
    async take(user, _browser, { passkey = '' }, account_state) {
      if (passkey === '' || !hasPasskeys(settings) || (await factorsThen(user, account_state)) === undefined)
        return 'over'
      const { removeAllPasskeys, removePasskey } = await import('./passkeys/manage-passkeys.ts')
      const { username } = user
      if (passkey === 'all') await removeAllPasskeys(parts, username)
      else await removePasskey(parts, username, passkey)
      const { factors } = await findFactors(parts, username)
      return factors.passkeys.size === 0 ? 'over' : { account_state: accountState(user, factors) }
    },
  }
}
