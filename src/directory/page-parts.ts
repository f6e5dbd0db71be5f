import type { PageTexts } from '../interaction/sign-in-method.ts'
import { type Html, html } from '../pages/html.ts'
import type { Language, MessageName } from '../pages/messages/language.ts'
import { say } from '../pages/say.ts'
import type { Refusal } from './account.ts'

export const NAME = 'directory'

const PROBLEMS = {
  directory_no_account: 'directory_no_account',
  directory_known: 'directory_known',
  directory_several: 'provider_several',
  directory_busy: 'provider_busy',
  directory_unreadable: 'directory_unreadable',
} as const satisfies Readonly<Record<`directory_${Refusal}`, MessageName>>

/** What sends the name and the password to the directory, beside the button for those of redmint. */
export function directoryButton(language: Language): Html {
  return html`<button name="method" value="${NAME}">${say(language, 'directory_sign_in')}</button>\n`
}

/** What the page says to somebody whom the directory let in; undefined: something else was the problem. */
export function directoryProblem(problem: string | undefined, language: Language): PageTexts | undefined {
  if (problem === undefined || !Object.hasOwn(PROBLEMS, problem)) return undefined
  return { problem: say(language, PROBLEMS[problem as keyof typeof PROBLEMS]) }
}
