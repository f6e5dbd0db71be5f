import type { OwnRoom } from '../plugins/room.ts'
import { hasOnlyPasskeys, hasPasskeys } from '../src/config/passkey-settings.ts'
import { password } from '../src/interaction/password-method.ts'
import type { SignInMethod } from '../src/interaction/sign-in-method.ts'

/** Passkeys, beside the password or in its place. Methods of an application decide for themselves. */
export const passkeys: OwnRoom = {
  name: 'passkeys',
  isOn: hasPasskeys,
  async load(ground) {
    const { settings } = ground
    const { onlyPasskeys, passkeyMethod } = await import('../src/factors/passkeys/method.ts')
    const { default: pages } = await import('../routes/passkeys.ts')
    const { default: endpoints } = await import('../routes/passkey-endpoints.ts')
    return {
      methods(given) {
        if (!given.includes(password)) return given
        if (hasOnlyPasskeys(settings)) return [onlyPasskeys(ground)]
        const added = passkeyMethod(ground)
        return given.some(({ name }) => name === added.name) ? given : [...given, added]
      },
      routes: [
        { scope: 'users', plugin: pages },
        ...(settings.account_page === 'on'
          ? [{ scope: 'users', at: 'host', plugin: endpoints } as const]
          : []),
      ],
    }
  },
}

/** The second step, after each way to sign in that one may follow. */
export const secondStep: OwnRoom = {
  name: 'second-step',
  isOn: ({ second_factor }) => second_factor !== 'off',
  async load(ground) {
    const { withSecondStep } = await import('../src/factors/second-step.ts')
    const { default: recoveryCodes } = await import('../routes/recovery-codes.ts')
    const wrap = (method: SignInMethod) => withSecondStep(method, ground)
    return {
      wraps: ([first, ...others]) => [wrap(first), ...others.map(wrap)],
      routes: [{ scope: 'users', plugin: recoveryCodes }],
    }
  },
}
