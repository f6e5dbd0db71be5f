import { PATHS } from '../core/paths.ts'
import { type Account, accountBadge } from './account.ts'
import { form, type PageForm } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import type { MessageName } from './messages/language.ts'
import { type RequestNote, requestNote } from './request-note.ts'
import { say } from './say.ts'
import { whenText } from './when.ts'

export interface ConfirmProps extends PageForm {
  /** Who is signed in. */
  readonly account: Account
  /** The button of the one way that counts. */
  readonly fields: Html
  /** The title of the page of the account that comes then; absent: it is for something else. */
  readonly next?: MessageName
  /** Not the own account is to be changed, but what is of others. */
  readonly is_for_rights?: true
  /** Why the last answer did not do. `not_enough`: it was right, and by a way that does not count. */
  readonly problem?: 'failed' | 'not_enough' | { readonly retry_after_seconds: number }
  /** The request in which the last answer was refused. */
  readonly refused?: RequestNote
}

/** Asks somebody who is signed in for a passkey, and for nothing else, because nothing else counts. */
export function confirmPage(props: ConfirmProps, view: View): string {
  const { account, fields, next, is_for_rights, refused } = props
  const { language } = view
  const title = say(language, 'confirm_title')
  const alert = problemText(props, view)
  const lead = next && html`<br>${say(language, 'confirm_next', { page: String(language.messages[next]) })}`
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, is_for_rights ? 'confirm_rights_passkey' : 'confirm_lead_passkey')}${lead ?? ''}</p>
${alert === undefined ? '' : html`<p class="alert" id="problem" role="alert">${alert}</p>\n`}<p class="account chip">${accountBadge(account)}</p>
${form(props, fields)}
${lost(view)}
${next === undefined ? '' : html`<p class="up"><a class="link" href="${view.theme.base}${PATHS.account}">${say(language, 'own_back')}</a></p>\n`}${alert !== undefined && refused ? requestNote(refused, language) : ''}`
  return page(alert === undefined ? title : say(language, 'title_with_problem', { title }), body, view)
}

function problemText({ problem }: ConfirmProps, { language }: View): Html | undefined {
  if (problem === undefined) return undefined
  if (problem === 'not_enough') return say(language, 'confirm_not_enough')
  return problem === 'failed'
    ? say(language, 'login_failed_answer')
    : say(language, 'login_throttled', { when: whenText(problem.retry_after_seconds, language) })
}

/** A link gives another passkey where there is nothing else; elsewhere a password alone takes none away. */
function lost({ language, theme }: View): Html {
  const { forgot_password_url, help_url } = theme.links
  if (theme.has_only_passkeys && forgot_password_url !== undefined)
    return html`<p class="up"><a class="link" href="${forgot_password_url}">${say(language, 'passkey_lost')}</a></p>`
  const service = theme.brand.service_name
  const help = help_url && html`\n<p><a href="${help_url}">${say(language, 'login_help')}</a></p>`
  return html`<details>
<summary>${say(language, 'passkey_lost')}</summary>
<p>${say(language, 'reset_passkey_lost', { service })}</p>${help ?? ''}
</details>`
}
