import { form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { page, type View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import type { PasswordFault } from '../../users/password-rules.ts'
import type { AccountLinks } from './account-form.ts'

export interface PasswordPageProps extends AccountLinks {
  readonly username: string
  readonly min_length: number
  readonly problem?: PasswordFault
}

/** Asks for a new `password`, and whether `others`, all other browsers, are signed out. */
export function passwordPage(props: PasswordPageProps, view: View): string {
  const { base, csrf, username, min_length, problem } = props
  const { language } = view
  const title = say(language, 'own_change_password')
  const count = min_length
  const text =
    problem === 'short'
      ? say(language, 'choose_password_short', { count })
      : problem && say(language, `choose_password_${problem}`)
  const alert = text && html`<p class="alert" id="problem" role="alert">${text}</p>\n`
  const state = alert
    ? html` aria-describedby="problem rule" aria-invalid="true"`
    : html` aria-describedby="rule"`
  const body = html`<h1>${title}</h1>
${alert ?? ''}${form(
  { action: `${base}/change-password`, csrf },
  html`<input type="hidden" name="username" value="${username}" autocomplete="username">
<label for="password">${say(language, 'choose_password')}</label>
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus${state}>
<p class="note" id="rule">${say(language, 'choose_password_rule', { count })}</p>
<label><input type="checkbox" name="others" value="yes" checked>${say(language, 'own_sign_out_others')}</label>
<button class="main">${say(language, 'reset_submit')}</button>`,
)}
<div class="choice"><a class="button" href="${base}">${say(language, 'own_back')}</a></div>`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}
