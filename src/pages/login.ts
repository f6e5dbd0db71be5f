import { form, type PageForm } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'
import { destinationOf, nameInText } from './text.ts'

export interface LoginProps extends PageForm {
  readonly client_name: string
  /** A registered one. */
  readonly redirect_uri: string
  /** What the person typed before, or the login_hint of the request. */
  readonly username?: string
  /** Why the last attempt led back here; one text for every reason that an attempt fails for. */
  readonly problem?: 'failed' | { readonly retry_after_seconds: number }
}

/** Asks for username and password; the form sends `username` and `password`. */
export function loginPage(props: LoginProps, view: View): string {
  const { language } = view
  const client = nameInText(props.client_name)
  const host = destinationOf(props.redirect_uri)
  const title = say(language, 'login_title')
  const alert = problemText(props, view)
  // Read out with each field, and when the page opens.
  const described = alert ? html` aria-describedby="problem"` : ''
  const state = props.problem === 'failed' ? html`${described} aria-invalid="true"` : described
  const username = props.username ?? ''
  const focus = html` autofocus`
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'login_lead', { client, host })}</p>
${alert ? html`<p class="alert" id="problem" role="alert">${alert}</p>` : ''}
${form(
  props,
  html`<label for="username">${say(language, 'login_username')}</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" dir="auto" required${state}${username === '' ? focus : ''}>
<label for="password">${say(language, 'login_password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${state}${username === '' ? '' : focus}>
<button class="primary">${say(language, 'login_submit')}</button>`,
)}`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}

function problemText({ problem }: LoginProps, { language }: View): Html | undefined {
  if (problem === undefined) return undefined
  if (problem === 'failed') return say(language, 'login_failed')
  const { retry_after_seconds: seconds } = problem
  const format = new Intl.RelativeTimeFormat(language.tag)
  const when =
    seconds > 90 ? format.format(Math.ceil(seconds / 60), 'minute') : format.format(seconds, 'second')
  return say(language, 'login_throttled', { when })
}
