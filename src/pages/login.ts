import { withQuery } from '../core/uri.ts'
import { type Destination, leadText } from './destination.ts'
import { form, hidden, nameField, type PageForm, passwordField, stayBox } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import type { Language } from './messages/language.ts'
import { PASSWORD_SCRIPT } from './password-script.ts'
import { type RequestNote, requestNote } from './request-note.ts'
import { say } from './say.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'
import { whenText } from './when.ts'

export interface LoginProps extends PageForm {
  /** Undefined for a device: which client it is of is shown after the sign-in. */
  readonly destination: Destination | undefined
  /** The username of the last attempt, or the login_hint of the request. */
  readonly username?: string
  /** Whether the box to stay signed in is ticked; absent: there is none. */
  readonly stay?: boolean
  /** Why the last attempt was refused. All failures have the same text. */
  readonly problem?: 'failed' | { readonly retry_after_seconds: number }
  /** The request in which the last attempt was refused. */
  readonly refused?: RequestNote
  /** The fields and the button of a sign-in method, in place of username and password. */
  readonly fields?: Html
  /** The person is signed in, and confirms who it is before the account is changed. */
  readonly confirms?: true
  /** Not the own account is to be changed, but what is of others. */
  readonly is_for_rights?: true
  /** What a sign-in method says in place of the usual texts. */
  readonly texts?: { readonly title?: Html; readonly lead?: Html; readonly problem?: Html }
  /** Only the username is asked for: the next page asks for the rest. */
  readonly asks_name_first?: boolean
  /** What leads to other sign-in methods. */
  readonly offers?: readonly Html[]
  /** What the field of the username has in `autocomplete` besides `username`. */
  readonly autofill?: string
}

/**
 * Asks the user to sign in; the form sends `username` and `password`, one after the other or together, or the fields of
 * a method.
 */
export function loginPage(props: LoginProps, view: View): string {
  const { language } = view
  const title = props.texts?.title ?? say(language, props.confirms ? 'confirm_title' : 'login_title')
  const alert = problemText(props, view)
  const own = props.asks_name_first ? nameFields : passwordFields
  const fields = form(props, html`${props.fields ?? own(props, view)}${offersOf(props)}`)
  const body = html`<h1>${title}</h1>
${leadOf(props, language)}
${alert ? html`<p class="alert" id="problem" role="alert">${alert}</p>` : ''}
${mustWait(props) ? waiting(fields, view) : fields}
${afterFields(props, view)}${alert && props.refused ? html`\n${requestNote(props.refused, language)}` : ''}`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}

function leadOf({ destination, confirms, is_for_rights, texts }: LoginProps, language: Language): Html {
  if (texts?.lead !== undefined) return html`<p class="lead">${texts.lead}</p>`
  if (confirms)
    return html`<p class="lead">${say(language, is_for_rights ? 'confirm_rights' : 'confirm_lead')}</p>`
  return destination === undefined
    ? html`<p class="lead">${say(language, 'login_lead_device')}</p>`
    : leadText(destination, language)
}

function passwordFields(props: LoginProps, view: View): Html {
  const { username = '', problem, stay } = props
  const { language } = view
  // The alert is read out with each field, and when the page opens.
  const described = problem ? html` aria-describedby="problem"` : html``
  const focus = html`${described}${problem === 'failed' ? html` aria-invalid="true"` : ''}${mustWait(props) ? '' : html` autofocus`}`
  const texts = { label: say(language, 'login_password'), show: say(language, 'login_show_password') }
  return html`${nameOf(props, html` required${username === '' ? focus : described}`, language)}
<div class="secret">
${passwordField(html` autocomplete="current-password"${username === '' ? described : focus}`, texts)}
${lostLink(props, view, 'login_forgot_password')}
</div>
<p class="caps" id="caps" role="status" data-text="${say(language, 'login_caps_lock')}"></p>
${stay === undefined ? '' : html`${stayBox(stay, language)}\n`}<button class="main" data-waiting="${say(language, 'login_submitting')}">${say(language, 'login_submit')}</button>`
}

/** The first of two pages: the second one is the same for every name. */
function nameFields(props: LoginProps, { language }: View): Html {
  const { stay } = props
  return html`${hidden('asked', 'username')}
${nameOf(props, html` required autofocus`, language)}
${stay === undefined ? '' : html`${stayBox(stay, language)}\n`}<button class="main">${say(language, 'login_next')}</button>`
}

function nameOf({ username = '', autofill = '' }: LoginProps, attributes: Html, language: Language): Html {
  return nameField({ username, autocomplete: `username ${autofill}`.trim(), attributes }, language)
}

function afterFields(props: LoginProps, view: View): Html {
  const { fields, asks_name_first, confirms } = props
  const sign_up = confirms === undefined ? signUpLink(props, view) : ''
  const has_password = fields === undefined && !asks_name_first
  const script = has_password ? PASSWORD_SCRIPT : SEND_ONCE_SCRIPT
  if (fields === undefined) return html`${sign_up}${script}`
  if (!view.theme.has_only_passkeys) return script
  const lost = lostLink(props, view, 'passkey_lost')
  return html`${lost && html`<p class="up">${lost}</p>\n`}${sign_up}${script}`
}

function signUpLink(
  { transaction }: LoginProps,
  { language, theme: { links, has_own_sign_up } }: View,
): Html | string {
  const { sign_up_url } = links
  if (sign_up_url === undefined) return ''
  const is_taken_there = has_own_sign_up && transaction !== undefined
  const href = is_taken_there ? withQuery(sign_up_url, { transaction }) : sign_up_url
  return html`<p class="up"><a class="link" href="${href}">${say(language, 'login_sign_up')}</a></p>\n`
}

/** The link to a new password, or passkey: the page of redmint leads back to the request that waits. */
function lostLink(
  { transaction }: LoginProps,
  { language, theme: { links, has_own_reset } }: View,
  text: 'login_forgot_password' | 'passkey_lost',
): Html | string {
  const { forgot_password_url } = links
  if (forgot_password_url === undefined) return ''
  const is_taken_there = has_own_reset && transaction !== undefined
  const href = is_taken_there ? withQuery(forgot_password_url, { transaction }) : forgot_password_url
  return html`<a class="link" href="${href}">${say(language, text)}</a>`
}

function mustWait({ problem }: LoginProps): boolean {
  return problem !== undefined && problem !== 'failed'
}

/** What a user can do who has to wait. Another account may be let in at once, so the form stays within reach. */
function waiting(fields: Html, { language, theme }: View): Html {
  const { help_url } = theme.links
  const help =
    help_url === undefined
      ? ''
      : html`<a class="button" href="${help_url}">${say(language, 'login_help')}</a>\n`
  return html`<div class="choice">
<a class="button" href="">${say(language, 'error_retry')}</a>
${help}</div>
<details>
<summary>${say(language, 'login_other')}</summary>
${fields}
</details>`
}

function offersOf({ offers = [] }: LoginProps): Html | string {
  return offers.length === 0 ? '' : html`\n<div class="offers">${offers}</div>`
}

function problemText({ problem, fields, texts }: LoginProps, { language }: View): Html | undefined {
  if (problem === undefined) return undefined
  if (problem === 'failed')
    return texts?.problem ?? say(language, fields === undefined ? 'login_failed' : 'login_failed_answer')
  return say(language, 'login_throttled', { when: whenText(problem.retry_after_seconds, language) })
}
