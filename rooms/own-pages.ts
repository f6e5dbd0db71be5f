import type { OwnRoom } from '../plugins/room.ts'
import { hasOwnPage } from '../src/config/own-pages.ts'
import { password } from '../src/interaction/password-method.ts'

/**
 * Sign-in at the page of an application, in place of the password and what belongs to it, and consent at a page of it.
 * Methods of an application decide for themselves.
 */
export const ownPages: OwnRoom = {
  name: 'own-pages',
  isOn: hasOwnPage,
  async load(ground) {
    const { login_url, consent_url } = ground.settings
    const { ownLogin } = await import('../src/own-login/method.ts')
    const { ownConsent } = await import('../src/own-login/own-consent.ts')
    return {
      ...(login_url !== undefined && {
        methods: (given) => (given.includes(password) ? [ownLogin(ground, login_url)] : given),
      }),
      ...(consent_url !== undefined && { consent: (context) => ownConsent(context, consent_url) }),
    }
  },
}
