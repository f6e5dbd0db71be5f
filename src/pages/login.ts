import { type Destination, leadText } from './destination.ts'
import { form, type PageForm } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'

export interface LoginProps extends PageForm {
  readonly destination: Destination
  /** The username of the last attempt, or the login_hint of the request. */
  readonly username?: string
  /** Why the last attempt was refused. All failures have the same text. */
  readonly problem?: 'failed' | { readonly retry_after_seconds: number }
  /** The fields that answer a sign-in method's challenge, in place of username and password. */
  readonly challenge?: Html
}

/** Asks the user to sign in; the form sends `username` and `password`, or the fields of a challenge. */
export function loginPage(props: LoginProps, view: View): string {
  const { language } = view
  const title = say(language, 'login_title')
  const alert = problemText(props, view)
  const body = html`<h1>${title}</h1>
<p class="lead">${leadText('login_lead', props.destination, language)}</p>
${alert ? html`<p class="alert" id="problem" role="alert">${alert}</p>` : ''}
${form(props, props.challenge ?? passwordFields(props, view))}`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}

function passwordFields({ username = '', problem }: LoginProps, { language }: View): Html {
  // The alert is read out with each field, and when the page opens.
  const described = problem ? html` aria-describedby="problem"` : ''
  const state = problem === 'failed' ? html`${described} aria-invalid="true"` : described
  const focus = html` autofocus`
  return html`<label for="username">${say(language, 'login_username')}</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" dir="auto" required${state}${username === '' ? focus : ''}>
<label for="password">${say(language, 'login_password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${state}${username === '' ? '' : focus}>
<button class="primary">${say(language, 'login_submit')}</button>`
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
