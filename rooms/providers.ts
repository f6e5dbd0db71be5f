import type { OwnRoom, PartiesOf } from '../plugins/room.ts'
import type { Settings } from '../src/config/settings.ts'
import { hasProviders, onlyProvider } from '../src/config/sign-in-ways.ts'
import { password } from '../src/interaction/password-method.ts'
import { type GuardedFetch, guardedFetch } from '../src/outbound/guarded-fetch.ts'

/** Loads what asks providers. @param fetch for tests */
export function loadParties(fetch?: GuardedFetch): PartiesOf {
  let parties: ReturnType<PartiesOf> | undefined
  const load = async (settings: Settings) => {
    if (!hasProviders(settings)) return undefined
    const { RelyingParties } = await import('../src/providers/parties.ts')
    return new RelyingParties(fetch ?? guardedFetch(settings))
  }
  return (settings) => (parties ??= load(settings))
}

/**
 * Sign-in by providers, beside the ways that there are, or instead of the password and what belongs to it. Methods of an
 * application decide for themselves.
 */
export const providers = (partiesOf: PartiesOf): OwnRoom => ({
  name: 'providers',
  isOn: hasProviders,
  listed: async () => [(await import('../src/providers/provider-record.ts')).PROVIDER],
  async load(ground) {
    const { settings } = ground
    const { providerMethod } = await import('../src/providers/method.ts')
    const { default: callback } = await import('../routes/provider-callback.ts')
    const { default: logout } = await import('../routes/provider-logout.ts')
    const parties = await partiesOf(settings)
    if (parties === undefined) return {}
    const only = onlyProvider(settings)
    return {
      methods(given) {
        if (!given.some(({ name }) => name === password.name)) return given
        const added = providerMethod(ground, parties, only)
        return only === undefined ? [...given, added] : [added]
      },
      routes: [
        { scope: 'root', plugin: logout },
        { scope: 'users', plugin: async (fastify) => void fastify.register(callback, { parties }) },
      ],
    }
  },
})
