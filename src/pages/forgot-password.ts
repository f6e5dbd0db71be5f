import { leadText } from './destination.ts'
import { hidden } from './form.ts'
import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'
import { type AwaitedByForm, signInLink } from './sign-up.ts'

/** Asks whose password is lost, or whose passkey where there is nothing else; the form sends `username`. */
export function forgotPasswordPage(action: string, view: View, waiting?: AwaitedByForm): string {
  const { language, theme } = view
  const title = say(language, theme.has_only_passkeys ? 'passkey_lost' : 'forgot_title')
  const { destination, transaction, name = '' } = waiting ?? {}
  const body = html`<h1>${title}</h1>
${destination === undefined ? '' : html`${leadText(destination, language)}\n`}<p class="lead">${say(language, theme.has_only_passkeys ? 'passkey_lost_lead' : 'forgot_lead')}</p>
<form method="post" action="${action}">
${transaction === undefined ? '' : html`${hidden('transaction', transaction)}\n`}<label for="username">${say(language, 'login_username')}</label>
<input id="username" name="username" value="${name}" autocomplete="username" autocapitalize="none" spellcheck="false" dir="auto" maxlength="255" required autofocus>
<button class="main">${say(language, 'forgot_submit')}</button>
</form>
${signInLink(waiting, view)}${SEND_ONCE_SCRIPT}`
  return page(title, body, view)
}

/** Says that a mail is under way if there is such an account: the same for every name. */
export function forgotDonePage(view: View, waiting?: AwaitedByForm): string {
  const { language } = view
  const title = say(language, 'forgot_done_title')
  const body = html`<h1>${title}</h1>\n<p>${say(language, 'forgot_done_lead')}</p>\n${signInLink(waiting, view)}`
  return page(title, body, view)
}
