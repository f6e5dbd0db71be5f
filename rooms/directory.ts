import type { OwnRoom } from '../plugins/room.ts'
import { hasDirectory, isDirectoryAlone } from '../src/config/ldap-settings.ts'
import type { DirectoryTiming } from '../src/directory/connection.ts'
import { password } from '../src/interaction/password-method.ts'
import type { SignInMethod, SignInMethods } from '../src/interaction/sign-in-method.ts'

/**
 * Sign-in by a directory, instead of the password, or beside it. Methods of an application decide for themselves.
 * @param timing for tests
 */
export const directory = (timing?: DirectoryTiming): OwnRoom => ({
  name: 'directory',
  isOn: hasDirectory,
  async load(ground) {
    const { settings, now } = ground
    const { Directory } = await import('../src/directory/directory.ts')
    const { directoryMethod } = await import('../src/directory/method.ts')
    const { whileThere } = await import('../src/directory/still-there.ts')
    const { readDirectoryOptions } = await import('../src/directory/read-options.ts')
    const asked = new Directory({ ...(await readDirectoryOptions(settings)), now, ...(timing && { timing }) })
    const own = directoryMethod(ground, asked)
    const mapped = ([first, ...others]: SignInMethods, change: (method: SignInMethod) => SignInMethod) =>
      [change(first), ...others.map(change)] as const
    const isPassword = ({ name }: SignInMethod) => name === password.name
    return {
      methods(given) {
        if (!given.some(isPassword)) return given
        return isDirectoryAlone(settings)
          ? mapped(given, (method) => (isPassword(method) ? own : method))
          : [...given, own]
      },
      // After the second step: who is gone meanwhile does not sign in.
      wraps: (all) =>
        all.some(({ name }) => name === own.name)
          ? mapped(all, (method) => (method.name === own.name ? method : whileThere(method, ground, asked)))
          : all,
    }
  },
})
