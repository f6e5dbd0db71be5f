import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'

/** Asks for the `email` of somebody who wants an account. */
export function signUpPage(action: string, view: View): string {
  const { language } = view
  const title = say(language, 'welcome_title')
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'sign_up_lead')}</p>
<form method="post" action="${action}">
<label for="email">${say(language, 'sign_up_email')}</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="email" autocapitalize="none" spellcheck="false" dir="auto" maxlength="254" required autofocus>
<button class="primary">${say(language, 'forgot_submit')}</button>
</form>
${SEND_ONCE_SCRIPT}`
  return page(title, body, view)
}

/** Says that a mail is under way: the same for every address. */
export function signUpDonePage(view: View): string {
  const { language } = view
  const title = say(language, 'forgot_done_title')
  return page(title, html`<h1>${title}</h1>\n<p>${say(language, 'sign_up_done_lead')}</p>`, view)
}
