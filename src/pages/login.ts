import { type Destination, leadText } from './destination.ts'
import { form, type PageForm } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import { PASSWORD_SCRIPT } from './password-script.ts'
import { say } from './say.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'
import { whenText } from './when.ts'

export interface LoginProps extends PageForm {
  /** Undefined for a device: which client it is of is shown after the sign-in. */
  readonly destination: Destination | undefined
  /** The username of the last attempt, or the login_hint of the request. */
  readonly username?: string
  /** Why the last attempt was refused. All failures have the same text. */
  readonly problem?: 'failed' | { readonly retry_after_seconds: number }
  /** The fields and the button of a sign-in method, in place of username and password. */
  readonly fields?: Html
  /** What a sign-in method says in place of the usual texts. */
  readonly texts?: { readonly title?: Html; readonly problem?: Html }
  /** What leads to other sign-in methods. */
  readonly offers?: readonly Html[]
  /** What the field of the username has in `autocomplete` besides `username`. */
  readonly autofill?: string
}

/** Asks the user to sign in; the form sends `username` and `password`, or the fields of a method. */
export function loginPage(props: LoginProps, view: View): string {
  const { language } = view
  const title = props.texts?.title ?? say(language, 'login_title')
  const alert = problemText(props, view)
  const body = html`<h1>${title}</h1>
<p class="lead">${props.destination === undefined ? say(language, 'login_lead_device') : leadText('login_lead', props.destination, language)}</p>
${alert ? html`<p class="alert" id="problem" role="alert">${alert}</p>` : ''}
${throttledHelp(props, view)}${form(props, html`${props.fields ?? passwordFields(props, view)}${offersOf(props)}`)}
${props.fields === undefined ? afterPassword(view) : SEND_ONCE_SCRIPT}`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}

function passwordFields(
  { username = '', problem, autofill = '' }: LoginProps,
  { language, theme }: View,
): Html {
  const { forgot_password_url } = theme.links
  // The alert is read out with each field, and when the page opens.
  const described = problem ? html` aria-describedby="problem"` : ''
  const state = problem === 'failed' ? html`${described} aria-invalid="true"` : described
  const focus = html` autofocus`
  return html`<label for="username">${say(language, 'login_username')}</label>
<input id="username" name="username" value="${username}" autocomplete="${`username ${autofill}`.trim()}" autocapitalize="none" spellcheck="false" dir="auto" required${state}${username === '' ? focus : ''}>
<label for="password">${say(language, 'login_password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${state}${username === '' ? '' : focus}>
<p class="caps" id="caps" role="status" data-text="${say(language, 'login_caps_lock')}"></p>
<div class="row">
<button class="link" id="show" type="button" aria-controls="password" data-show="${say(language, 'login_show_password')}" data-hide="${say(language, 'login_hide_password')}" hidden>${say(language, 'login_show_password')}</button>
${forgot_password_url === undefined ? '' : html`<a class="link" href="${forgot_password_url}">${say(language, 'login_forgot_password')}</a>`}
</div>
<button class="primary" data-waiting="${say(language, 'login_submitting')}">${say(language, 'login_submit')}</button>`
}

function afterPassword({ language, theme }: View): Html {
  const { sign_up_url } = theme.links
  const sign_up =
    sign_up_url === undefined
      ? ''
      : html`<p class="up"><a class="link" href="${sign_up_url}">${say(language, 'login_sign_up')}</a></p>\n`
  return html`${sign_up}${PASSWORD_SCRIPT}`
}

/** The way out for a user who has to wait. */
function throttledHelp({ problem }: LoginProps, { language, theme }: View): Html | string {
  const { help_url } = theme.links
  if (help_url === undefined || problem === undefined || problem === 'failed') return ''
  return html`<p class="lead"><a class="button" href="${help_url}">${say(language, 'login_help')}</a></p>\n`
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
