import { hasOnlyPasskeys, hasPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import { password } from '../interaction/password-method.ts'
import type { SignInMethod, SignInMethods } from '../interaction/sign-in-method.ts'

/** Adds ways to sign in, or wraps those that there are. */
export type ExtendMethods = (methods: SignInMethods, parts: MethodParts) => SignInMethods

/**
 * Loads what is turned on: the second step after the password, and passkeys beside it, or in its place. Methods of an application
 * decide for themselves.
 */
export async function loadExtension(
  settings: Pick<Settings, 'issuer' | 'passkeys' | 'second_factor' | 'sign_in'>,
): Promise<ExtendMethods> {
  const second_step = settings.second_factor === 'off' ? undefined : await import('./second-step.ts')
  const passkeys = hasPasskeys(settings) ? await import('./passkeys/method.ts') : undefined
  return (methods, parts) => {
    const wrap = (method: SignInMethod) =>
      second_step !== undefined && method === password ? second_step.withSecondStep(method, parts) : method
    const [first, ...others] = methods
    const wrapped: SignInMethods = [wrap(first), ...others.map(wrap)]
    if (passkeys === undefined || !methods.includes(password)) return wrapped
    if (hasOnlyPasskeys(settings)) return [passkeys.onlyPasskeys(parts)]
    const added = passkeys.passkeyMethod(parts)
    return methods.some(({ name }) => name === added.name) ? wrapped : [...wrapped, added]
  }
}
