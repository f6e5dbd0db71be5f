import type { Settings } from '../config/settings.ts'
import type { ExtendMethods } from '../factors/extend-methods.ts'
import { password } from '../interaction/password-method.ts'

/**
 * Loads the sign-in at the page of an application, if it is turned on: in place of the password and what belongs to it.
 * Methods of an application decide for themselves.
 */
export async function loadOwnLogin(settings: Settings): Promise<ExtendMethods | undefined> {
  const { login_url, second_factor } = settings
  if (login_url === undefined) return undefined
  const [{ ownLogin }, { UNSAID }] = await Promise.all([import('./method.ts'), import('./challenge.ts')])
  const second_step = second_factor === 'off' ? undefined : await import('../factors/second-step.ts')
  return (methods, parts) => {
    if (!methods.includes(password)) return methods
    const own = ownLogin(parts, login_url)
    return [second_step === undefined ? own : second_step.withSecondStep(own, parts, UNSAID)]
  }
}
