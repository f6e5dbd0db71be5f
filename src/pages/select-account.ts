import { type Account, accountBadge, accountLink } from './account.ts'
import { type Destination, leadText } from './destination.ts'
import { form, type PageForm } from './form.ts'
import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'

export interface SelectAccountProps extends PageForm {
  readonly destination: Destination
  /** The accounts that are signed in. The id of the chosen one is sent as `account`. */
  readonly accounts: readonly (Account & { readonly id: string })[]
}

/** Asks which account to continue with; for another account, `decision` is sent as `other_account`. */
export function selectAccountPage(props: SelectAccountProps, view: View): string {
  const { language } = view
  const accounts = props.accounts.map(
    (account) =>
      html`<button class="account" name="account" value="${account.id}">${accountBadge(account)}</button>\n`,
  )
  const title = say(language, 'select_account_title')
  const body = html`<h1>${title}</h1>
${leadText(props.destination, language)}
${form(
  props,
  html`<div class="choice">
${accounts}<button name="decision" value="other_account">${say(language, 'account_other')}</button>
</div>`,
)}
${accountLink(view)}${SEND_ONCE_SCRIPT}`
  return page(title, body, view)
}
