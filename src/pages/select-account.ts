import { type Account, accountBadge } from './account.ts'
import { form, type PageForm } from './form.ts'
import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'
import { destinationOf, nameInText } from './text.ts'

export interface SelectAccountProps extends PageForm {
  readonly client_name: string
  /** A registered one. */
  readonly redirect_uri: string
  /** Those signed in; the id of the one that is pressed is sent as `account`. */
  readonly accounts: readonly (Account & { readonly id: string })[]
}

/** Asks which account to go on with; `decision` `other_account` is sent for one that is not there. */
export function selectAccountPage(props: SelectAccountProps, view: View): string {
  const { language } = view
  const client = nameInText(props.client_name)
  const host = destinationOf(props.redirect_uri)
  const accounts = props.accounts.map(
    (account) =>
      html`<button class="account" name="account" value="${account.id}">${accountBadge(account)}</button>\n`,
  )
  const title = say(language, 'select_account_title')
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'select_account_lead', { client, host })}</p>
${form(
  props,
  html`<div class="choice">
${accounts}<button name="decision" value="other_account">${say(language, 'account_other')}</button>
</div>`,
)}`
  return page(title, body, view)
}
