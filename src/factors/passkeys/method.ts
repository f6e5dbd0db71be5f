import { pathAt } from '../../core/paths.ts'
import { present } from '../../core/present.ts'
import type { MethodParts } from '../../interaction/method-parts.ts'
import type { AskedPage, SignInMethod } from '../../interaction/sign-in-method.ts'
import { html } from '../../pages/html.ts'
import {
  type PasskeyPartProps,
  passkeyInvitationPage,
  passkeyPart,
  passkeySignInFields,
  passkeysMissing,
} from '../../pages/passkey.ts'
import { say } from '../../pages/say.ts'
import { requestOptions } from './challenge.ts'
import { PASSKEY_SCRIPT_PATH } from './script.ts'

const NAME = 'passkey'

/** What the page is told after a passkey that no account has. */
const UNKNOWN = 'unknown_passkey'

/** Sign-in by passkey, without a username: by the suggestions of the browser, or by a button. */
export function passkeyMethod(parts: MethodParts): SignInMethod {
  const script = pathAt(parts.settings, PASSKEY_SCRIPT_PATH)
  return {
    name: NAME,
    acr_values: ['phr'],
    username: () => undefined,
    async authenticate(context, { request, answer, browser }) {
      const { usePasskey } = await import('./use-passkey.ts')
      const is_for = { purpose: 'sign_in', bound_to: request } as const
      const result = await usePasskey({ ...parts, ...context }, is_for, answer.credential, browser)
      if (result.outcome === 'ok') return result
      const { unknown, ...failure } = result
      return unknown ? { ...failure, problem: UNKNOWN } : failure
    },
    offer(asked) {
      const { texts: language, ways } = asked
      if (ways?.has_passkey === false) return html``
      const button = html`<button name="method" value="passkey" formnovalidate>${say(language, 'passkey_sign_in')}</button>`
      return passkeyPart({ ...signInPart(parts, asked), button }, language)
    },
    confirms(asked) {
      const { texts: language } = asked
      const button = html`<button class="main" name="method" value="passkey">${say(language, 'confirm_use_passkey')}</button>`
      const part = {
        ...signInPart(parts, asked),
        suggests: false,
        button,
        problem: 'own_passkey_refused',
      } as const
      return html`${passkeyPart(part, language)}\n${passkeysMissing(language)}`
    },
    // Only to an account with a password alone: to add to more takes the strongest way in.
    aside: {
      isPossible: ({ method, answer }) => method !== NAME && answer.passkeys === 'yes',
      async page(user, browser) {
        const { findFactors } = await import('../change-factors.ts')
        const { factors } = await findFactors(parts, user.username)
        if (factors.totp !== undefined || factors.passkeys.size > 0) return undefined
        const { creationOptions } = await import('./create-passkey.ts')
        const options = await creationOptions(parts, user, browser)
        return options && ((form, view) => passkeyInvitationPage({ options, script, ...form }, view))
      },
      async take(user, browser, { credential }) {
        const { addPasskey } = await import('./create-passkey.ts')
        const { outcome } = await addPasskey(parts, user, credential, browser)
        return outcome === 'added' ? 'over' : 'failed'
      },
      script_source: "'self'",
    },
    autofill: 'webauthn',
    script_source: "'self'",
  }
}

/**
 * Sign-in by passkey where there is nothing else: its page asks for no name, but has a field in which browsers suggest
 * passkeys.
 */
export function onlyPasskeys(parts: MethodParts): SignInMethod {
  const { name, acr_values, username, authenticate, confirms, script_source = '' } = passkeyMethod(parts)
  return {
    ...{ name, acr_values, username, authenticate, ...present({ confirms }), script_source },
    fields: (asked) => {
      const { username, stay, texts } = asked
      return passkeySignInFields({ ...signInPart(parts, asked), ...present({ username, stay }) }, texts)
    },
  }
}

/** What a sign-in page has for a passkey. @throws StorageUnavailable */
function signInPart(parts: MethodParts, { request, problem }: AskedPage): Omit<PasskeyPartProps, 'button'> {
  return {
    options: requestOptions(parts, { purpose: 'sign_in', bound_to: request }),
    use: 'get',
    script: pathAt(parts.settings, PASSKEY_SCRIPT_PATH),
    suggests: true,
    is_unknown: problem === UNKNOWN,
  }
}
