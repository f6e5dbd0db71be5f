import { pathAt } from '../../core/paths.ts'
import type { MethodParts } from '../../interaction/method-parts.ts'
import type { SignInMethod } from '../../interaction/sign-in-method.ts'
import { html } from '../../pages/html.ts'
import { languageOf } from '../../pages/language.ts'
import { en } from '../../pages/messages/en.ts'
import { passkeyPart } from '../../pages/passkey.ts'
import { say } from '../../pages/say.ts'
import { requestOptions } from './challenge.ts'
import { PASSKEY_SCRIPT_PATH } from './script.ts'

/** What the page is told after a passkey that no account has. */
const UNKNOWN = 'unknown_passkey'

/** Sign-in by passkey, without a username: by the suggestions of the browser, or by a button. */
export function passkeyMethod(parts: MethodParts): SignInMethod {
  return {
    name: 'passkey',
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
    offer({ language: tag, request, problem }) {
      const language = languageOf(tag) ?? en
      const part = {
        options: requestOptions(parts, { purpose: 'sign_in', bound_to: request }),
        use: 'get',
        script: pathAt(parts.settings, PASSKEY_SCRIPT_PATH),
        button: html`<button name="method" value="passkey" formnovalidate>${say(language, 'passkey_sign_in')}</button>`,
        suggests: true,
        is_unknown: problem === UNKNOWN,
      } as const
      return passkeyPart(part, language)
    },
    autofill: 'webauthn',
    script_source: "'self'",
  }
}
