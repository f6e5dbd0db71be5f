import { hasDirectory, isDirectoryAlone } from '../config/ldap-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { ExtendMethods } from '../factors/extend-methods.ts'
import { password } from '../interaction/password-method.ts'
import type { SignInMethod, SignInMethods } from '../interaction/sign-in-method.ts'
import type { DirectoryTiming } from './connection.ts'

/**
 * Loads the sign-in by a directory, if it is turned on: instead of the password, or beside it. Methods of an application decide
 * for themselves.
 * @param timing for tests
 * @returns undefined: it is off
 * @throws ConfigError if a setting is of no use
 */
export async function loadDirectory(
  settings: Settings,
  timing?: DirectoryTiming,
): Promise<ExtendMethods | undefined> {
  if (!hasDirectory(settings)) return undefined
  const [{ Directory }, { directoryMethod }, { whileThere }, { readDirectoryOptions }] = await Promise.all([
    import('./directory.ts'),
    import('./method.ts'),
    import('./still-there.ts'),
    import('./read-options.ts'),
  ])
  const second_step = settings.second_factor === 'off' ? undefined : await import('../factors/second-step.ts')
  const options = await readDirectoryOptions(settings)
  return (methods, parts) => {
    if (!methods.some(({ name }) => name === password.name)) return methods
    const directory = new Directory({ ...options, now: parts.now, ...(timing && { timing }) })
    const own = directoryMethod(parts, directory)
    const by_directory = second_step === undefined ? own : second_step.withSecondStep(own, parts)
    const is_alone = isDirectoryAlone(settings)
    const withDirectory = (method: SignInMethod) =>
      is_alone && method.name === password.name ? by_directory : whileThere(method, parts, directory)
    const [first, ...others] = methods
    const kept: SignInMethods = [withDirectory(first), ...others.map(withDirectory)]
    return is_alone ? kept : [...kept, by_directory]
  }
}
