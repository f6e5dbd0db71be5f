import type { PageTexts } from '../interaction/sign-in-method.ts'
import { type Html, html } from '../pages/html.ts'
import type { Language, MessageName } from '../pages/messages/language.ts'
import { say } from '../pages/say.ts'
import { plainName } from '../pages/text.ts'
import { nameOf } from './presets.ts'
import type { Provider } from './provider-record.ts'

const PROBLEMS = {
  provider_off: 'provider_off',
  provider_denied: 'provider_denied',
  provider_broken: 'provider_broken',
  provider_no_account: 'provider_no_account',
  provider_known: 'provider_known',
  provider_domain: 'provider_domain',
  provider_busy: 'provider_busy',
  provider_several: 'provider_several',
} as const satisfies Readonly<Record<string, MessageName>>

/** The buttons of providers on the sign-in page. */
export function providerButtons(providers: readonly Provider[], language: Language): Html {
  return html`${providers.map(
    (provider) =>
      html`<button name="method" value="${`provider:${provider.provider}`}" formnovalidate>${say(language, 'provider_sign_in', { provider: plainName(nameOf(provider)) })}</button>\n`,
  )}`
}

/** What the page says after a sign-in that led nowhere; undefined: something else was the problem. */
export function providerProblem(problem: string | undefined, language: Language): PageTexts | undefined {
  if (problem === undefined || !Object.hasOwn(PROBLEMS, problem)) return undefined
  return { problem: say(language, PROBLEMS[problem as keyof typeof PROBLEMS]) }
}
