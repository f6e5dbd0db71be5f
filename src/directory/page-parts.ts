import type { Settings } from '../config/settings.ts'
import type { PageTexts } from '../interaction/sign-in-method.ts'
import { type Html, html } from '../pages/html.ts'
import type { Language, MessageName } from '../pages/messages/language.ts'
import { say } from '../pages/say.ts'
import type { DirectoryRefusal } from './account.ts'
import { NAME } from './name.ts'

/** The problem of a right password that the directory takes no more. */
export const PASSWORD_EXPIRED = `${NAME}_password_expired`

const PROBLEMS = {
  directory_password_expired: 'directory_password_expired',
  directory_no_account: 'directory_no_account',
  directory_known: 'directory_known',
  directory_several: 'provider_several',
  directory_busy: 'provider_busy',
  directory_unreadable: 'directory_unreadable',
} as const satisfies Readonly<Record<`${typeof NAME}_${DirectoryRefusal | 'password_expired'}`, MessageName>>

/** What sends the name and the password to the directory, beside the button for those of redmint. */
export function directoryButton(language: Language): Html {
  return html`<button name="method" value="${NAME}">${say(language, 'directory_sign_in')}</button>\n`
}

/**
 * What the page says to somebody whose password was right, with the way to a new one where that is missing; undefined:
 * something else was the problem.
 */
export function directoryProblem(
  problem: string | undefined,
  language: Language,
  { change_password_url }: Pick<Settings, 'change_password_url'>,
): PageTexts | undefined {
  if (problem === undefined || !Object.hasOwn(PROBLEMS, problem)) return undefined
  const said = say(language, PROBLEMS[problem as keyof typeof PROBLEMS])
  if (problem !== PASSWORD_EXPIRED || change_password_url === undefined) return { problem: said }
  return {
    problem: html`${said} <a href="${change_password_url}">${say(language, 'own_change_password')}</a>`,
  }
}
