import type { Settings } from '../config/settings.ts'
import { PATHS } from '../core/paths.ts'
import { accountState } from '../factors/account-state.ts'
import { findFactors } from '../factors/change-factors.ts'
import { type ConfirmationContext, confirm, isStrongest, loginFor } from '../factors/confirmation.ts'
import type { Flow } from '../interaction/flow.ts'
import type { LoginStep } from '../interaction/interaction.ts'
import { destinationOf } from '../pages/destination.ts'
import type { MessageName } from '../pages/messages/language.ts'
import type { AccountRegistry } from '../users/account-registry.ts'
import type { PagePath } from './action.ts'

/** What the pages for which people confirm are called. */
const TITLES: Readonly<Record<string, MessageName>> = {
  '/passkeys': 'own_passkeys',
  '/password': 'own_change_password',
  '/providers': 'own_providers',
  '/address': 'own_address_change',
  '/second-step': 'own_second_step',
  '/delete': 'own_delete',
} satisfies Partial<Record<PagePath, MessageName>>

/** What it takes to sign somebody in for the account page. */
export interface AccountFlowContext extends ConfirmationContext {
  readonly settings: Pick<Settings, 'issuer' | 'service_name'>
  readonly accounts: Pick<AccountRegistry, 'findUser'>
}

/**
 * The flow of people who come to the account page: they sign in, and with the parameter `confirm` sign in again by the
 * strongest way of their account. Its parameter `page` is where they go on.
 */
export function accountFlow(context: AccountFlowContext): Flow<never> {
  const destination = destinationOf({ client_name: context.settings.service_name })
  const signIn = (step: Omit<LoginStep, 'step'> = {}) =>
    ({ due: 'user', step: { step: 'login', ...step }, destination }) as const
  return async ({ session, pending, parameters }) => {
    const is_fresh = session !== undefined && pending.signed_in === session.sid
    const wants_other = pending.other_account === 'true' && !is_fresh
    const user = session && (await context.accounts.findUser(session))
    if (session === undefined || user === undefined || wants_other) return signIn()
    const { factors } = await findFactors(context, user.username)
    const is_strong = isStrongest(session.acr, factors)
    if (parameters.confirm === 'true' && !(is_fresh && is_strong)) {
      // After a weaker sign-in only the rest is asked for, where a method can go on from it.
      const next = TITLES[parameters.page ?? '']
      return signIn({ ...loginFor(user, factors, is_fresh), ...(next && { next }) })
    }
    const location = `${context.settings.issuer}${PATHS.account}${parameters.page ?? ''}`
    return {
      due: 'answer',
      answer: async () => {
        if (is_fresh && is_strong) await confirm(context, session, accountState(user, factors))
        return { to: 'site', location }
      },
    }
  }
}
