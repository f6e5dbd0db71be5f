import { form, hidden, type PageForm } from './form.ts'
import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { type ShownPasskey, stillYours } from './passkey-list.ts'
import { say } from './say.ts'

export interface RecoveryUsedProps extends PageForm {
  /** How many recovery codes are left. */
  readonly left: number
  readonly passkeys: readonly ShownPasskey[]
  /** The path of the account page; undefined: there is none. */
  readonly account_page: string | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

/** After a sign-in with a recovery code: what is left, and what to look after. The form sends `passkey`, or nothing. */
export function recoveryUsedPage(props: RecoveryUsedProps, view: View): string {
  const { left, passkeys, account_page, now, action, csrf, transaction } = props
  const { language } = view
  const title = say(language, 'recovery_used_title')
  const set_up =
    account_page === undefined
      ? ''
      : html`<p>${say(language, 'recovery_used_lead')}</p>
<div class="choice"><a class="button" href="${account_page}/second-step">${say(language, 'recovery_used_set_up')}</a></div>\n`
  const fields = html`${hidden('invitation', 'take')}
${passkeys.length === 0 ? '' : stillYours(passkeys, now, language)}
<div class="offers"><button class="main">${say(language, 'still_yours_keep')}</button></div>`
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'own_codes_left', { left })}</p>
${set_up}${form({ action, csrf, ...(transaction !== undefined && { transaction }) }, fields)}`
  return page(title, body, view)
}
