import { type Account, accountBadge, accountLink } from './account.ts'
import { type LinkedClient, linkBack } from './destination.ts'
import { endPage } from './end.ts'
import { form, type PageForm } from './form.ts'
import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'

export interface LogoutProps extends PageForm {
  /** The account that is signed in. */
  readonly account: Account
}

/** Asks whether to sign out; `decision` is sent as `logout` or `stay`. */
export function logoutPage(props: LogoutProps, view: View): string {
  const { language, theme } = view
  const title = say(language, 'logout_title', { service: theme.brand.service_name })
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'logout_lead')}</p>
<div class="account">${accountBadge(props.account, say(language, 'account_signed_in'))}</div>
${form(
  props,
  html`<div class="choice">
<button class="main" name="decision" value="logout">${say(language, 'logout_submit')}</button>
<button name="decision" value="stay">${say(language, 'logout_stay')}</button>
</div>`,
)}
${accountLink(view)}`
  return page(title, body, view)
}

export interface LoggedOutProps {
  readonly signed_in: boolean
  /** The client that asked for the logout. */
  readonly client?: LinkedClient | undefined
}

/** The result of a logout that does not return to a client. */
export function loggedOutPage({ signed_in, client }: LoggedOutProps, view: View): string {
  const { language } = view
  const title = say(language, signed_in ? 'logout_stayed_title' : 'logout_done_title')
  const lead = say(language, signed_in ? 'logout_stayed_lead' : 'logout_done_lead')
  return endPage({ title, lead, is_done: !signed_in, next: linkBack(client, language) }, view)
}
