import type { PageTexts } from '../interaction/sign-in-method.ts'
import { type Html, html } from '../pages/html.ts'
import type { Language, MessageName } from '../pages/messages/language.ts'
import { say } from '../pages/say.ts'
import { plainName } from '../pages/text.ts'
import { MARKS } from './marks.ts'
import { nameOf } from './presets.ts'
import type { Provider } from './provider-record.ts'

const PROBLEMS = {
  provider_off: 'provider_off',
  provider_denied: 'provider_denied',
  provider_not_fresh: 'provider_not_fresh',
  provider_broken: 'provider_broken',
  provider_no_account: 'provider_no_account',
  provider_known: 'provider_known',
  provider_domain: 'provider_domain',
  provider_busy: 'provider_busy',
  provider_several: 'provider_several',
} as const satisfies Readonly<Record<string, MessageName>>

/** What the page shows of a provider. */
type ShownProvider = Pick<Provider, 'provider' | 'kind' | 'name' | 'issuer'>

/** The buttons of providers on the sign-in page, each in the look of its kind. */
export function providerButtons(providers: readonly ShownProvider[], language: Language): Html {
  return html`${providers.map((provider) => providerButton(provider, language))}`
}

function providerButton(provider: ShownProvider, language: Language): Html {
  const label = say(language, 'provider_sign_in', { provider: plainName(nameOf(provider)) })
  return html`<button class="provider" data-kind="${provider.kind}" name="method" value="${`provider:${provider.provider}`}" formnovalidate>${MARKS[provider.kind]}<span>${label}</span></button>\n`
}

/** What the page says after a sign-in that led nowhere; undefined: something else was the problem. */
export function providerProblem(problem: string | undefined, language: Language): PageTexts | undefined {
  if (problem === undefined || !Object.hasOwn(PROBLEMS, problem)) return undefined
  return { problem: say(language, PROBLEMS[problem as keyof typeof PROBLEMS]) }
}
