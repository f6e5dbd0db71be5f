import type { Settings } from '../config/settings.ts'
import { hasProviders, onlyProvider } from '../config/sign-in-ways.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import { password } from '../interaction/password-method.ts'
import type { SignInMethods } from '../interaction/sign-in-method.ts'
import { type GuardedFetch, guardedFetch } from '../outbound/guarded-fetch.ts'
import type { RelyingParties } from './parties.ts'

/** The sign-in by providers. */
export interface LoadedProviders {
  readonly parties: RelyingParties
  extend(methods: SignInMethods, parts: MethodParts): SignInMethods
}

/**
 * Loads the sign-in by providers, if it is turned on: beside the ways that there are, or instead of the password and what belongs to it.
 * Methods of an application decide for themselves.
 * @param fetch for tests
 */
export async function loadProviders(
  settings: Settings,
  fetch: GuardedFetch = guardedFetch(settings),
): Promise<LoadedProviders | undefined> {
  if (!hasProviders(settings)) return undefined
  const [{ providerMethod, FEDERATED }, { RelyingParties }] = await Promise.all([
    import('./method.ts'),
    import('./parties.ts'),
  ])
  const second_step = settings.second_factor === 'off' ? undefined : await import('../factors/second-step.ts')
  const parties = new RelyingParties(fetch)
  const only = onlyProvider(settings)
  const extend: LoadedProviders['extend'] = (methods, parts) => {
    const wrap = (method: SignInMethods[0]) =>
      second_step === undefined ? method : second_step.withSecondStep(method, parts, FEDERATED)
    if (!methods.some(({ name }) => name === password.name)) return methods
    const added = providerMethod(parts, parties, wrap, only)
    return only === undefined ? [...methods, added] : [added]
  }
  return { extend, parties }
}
