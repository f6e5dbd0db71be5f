import { type Destination, leadText } from './destination.ts'
import { form, type PageForm, passwordField } from './form.ts'
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
  /** Whether the box to stay signed in is ticked; absent: there is none. */
  readonly stay?: boolean
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
  const fields = form(props, html`${props.fields ?? passwordFields(props, view)}${offersOf(props)}`)
  const body = html`<h1>${title}</h1>
${props.destination === undefined ? html`<p class="lead">${say(language, 'login_lead_device')}</p>` : leadText(props.destination, language)}
${alert ? html`<p class="alert" id="problem" role="alert">${alert}</p>` : ''}
${mustWait(props) ? waiting(fields, view) : fields}
${props.fields === undefined ? afterPassword(view) : SEND_ONCE_SCRIPT}`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}

function passwordFields(props: LoginProps, { language, theme }: View): Html {
  const { username = '', problem, autofill = '', stay } = props
  const { forgot_password_url } = theme.links
  // The alert is read out with each field, and when the page opens.
  const described = problem ? html` aria-describedby="problem"` : html``
  const focus = html`${described}${problem === 'failed' ? html` aria-invalid="true"` : ''}${mustWait(props) ? '' : html` autofocus`}`
  const texts = { label: say(language, 'login_password'), show: say(language, 'login_show_password') }
  return html`<label for="username">${say(language, 'login_username')}</label>
<input id="username" name="username" value="${username}" autocomplete="${`username ${autofill}`.trim()}" autocapitalize="none" spellcheck="false" dir="auto" required${username === '' ? focus : described}>
<div class="secret">
${passwordField(html` autocomplete="current-password"${username === '' ? described : focus}`, texts)}
${forgot_password_url === undefined ? '' : html`<a class="link" href="${forgot_password_url}">${say(language, 'login_forgot_password')}</a>`}
</div>
<p class="caps" id="caps" role="status" data-text="${say(language, 'login_caps_lock')}"></p>
${stay === undefined ? '' : html`<label><input type="checkbox" name="stay" value="yes"${stay ? html` checked` : ''}>${say(language, 'login_stay')}</label>\n`}<button class="primary" data-waiting="${say(language, 'login_submitting')}">${say(language, 'login_submit')}</button>`
}

function afterPassword({ language, theme }: View): Html {
  const { sign_up_url } = theme.links
  const sign_up =
    sign_up_url === undefined
      ? ''
      : html`<p class="up"><a class="link" href="${sign_up_url}">${say(language, 'login_sign_up')}</a></p>\n`
  return html`${sign_up}${PASSWORD_SCRIPT}`
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
