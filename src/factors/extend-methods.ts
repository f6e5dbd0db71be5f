import type { Settings } from '../config/settings.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import { password } from '../interaction/password-method.ts'
import type { SignInMethod, SignInMethods } from '../interaction/sign-in-method.ts'

/** Adds ways to sign in, or wraps those that there are. */
export type ExtendMethods = (methods: SignInMethods, parts: MethodParts) => SignInMethods

/** Loads what is turned on: the second step after the password. Methods of an application decide for themselves. */
export async function loadExtension({
  second_factor,
}: Pick<Settings, 'second_factor'>): Promise<ExtendMethods> {
  if (second_factor === 'off') return (methods) => methods
  const { withSecondStep } = await import('./second-step.ts')
  return ([first, ...others], parts) => {
    const wrap = (method: SignInMethod) => (method === password ? withSecondStep(method, parts) : method)
    return [wrap(first), ...others.map(wrap)]
  }
}
