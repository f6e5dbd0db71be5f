import { type Destination, leadText } from './destination.ts'
import { hidden } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'

/** The request that waits while somebody asks for a mail. */
export interface AwaitedByForm {
  /** The request, sealed: the form sends it on. */
  readonly transaction: string
  /** Undefined: a device. */
  readonly destination: Destination | undefined
  /** Where somebody signs in who has an account. */
  readonly sign_in: string
  /** What the field is filled in with. */
  readonly name: string
}

/** Asks for the `email` of somebody who wants an account. @param waiting absent: no request waits */
export function signUpPage(action: string, view: View, waiting?: AwaitedByForm): string {
  const { language } = view
  const title = say(language, 'welcome_title')
  const { destination, transaction, name = '' } = waiting ?? {}
  const body = html`<h1>${title}</h1>
${destination === undefined ? '' : html`${leadText(destination, language)}\n`}<p class="lead">${say(language, 'sign_up_lead')}</p>
<form method="post" action="${action}">
${transaction === undefined ? '' : html`${hidden('transaction', transaction)}\n`}<label for="email">${say(language, 'sign_up_email')}</label>
<input id="email" name="email" value="${name}" type="text" inputmode="email" autocomplete="email" autocapitalize="none" spellcheck="false" dir="auto" maxlength="254" required autofocus>
<button class="main">${say(language, 'forgot_submit')}</button>
</form>
${signInLink(waiting, view)}${SEND_ONCE_SCRIPT}`
  return page(title, body, view)
}

/** Says that a mail is under way: the same for every address. @param waiting absent: no request waits */
export function signUpDonePage(view: View, waiting?: AwaitedByForm): string {
  const { language } = view
  const title = say(language, 'forgot_done_title')
  const body = html`<h1>${title}</h1>
<p>${say(language, 'sign_up_done_lead')}</p>
${signInLink(waiting, view)}`
  return page(title, body, view)
}

/** The way on with an account: one that there is, or one that was made with another device. */
export function signInLink(waiting: AwaitedByForm | undefined, { language }: View): Html | string {
  return waiting === undefined
    ? ''
    : html`<p class="up"><a class="link" href="${waiting.sign_in}">${say(language, 'own_sign_in')}</a></p>\n`
}
