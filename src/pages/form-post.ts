import { hostOf, hostText } from './destination.ts'
import { hidden } from './form.ts'
import { Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'
import { hashSource } from './theme.ts'

export interface FormPostProps {
  /** A registered redirect_uri. */
  readonly redirect_uri: string
  /** The parameters of the response: code, state and iss, or an error; or the JWT that has them. */
  readonly parameters: Readonly<Record<string, string>>
}

// Not `form.submit()`: a field named `submit` would shadow it.
const SCRIPT = 'HTMLFormElement.prototype.submit.call(document.forms[0])'

/** The script source that the Content-Security-Policy of this page allows, and of no other page. */
export const FORM_POST_SCRIPT_SOURCE = hashSource(SCRIPT)

/** Posts the response to the client, by script or by a button (OAuth 2.0 Form Post Response Mode). */
export function formPostPage({ redirect_uri, parameters }: FormPostProps, { theme, language }: View): string {
  const title = say(language, 'form_post_title')
  const fields = Object.entries(parameters).map(([name, value]) => html`${hidden(name, value)}\n`)
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'form_post_lead', { host: html`<strong>${hostText(hostOf(redirect_uri))}</strong>` })}</p>
<form method="post" action="${redirect_uri}">
${fields}<button class="primary late">${say(language, 'form_post_submit')}</button>
</form>
<script>${new Html(SCRIPT)}</script>`
  // Without the query: the page answers a request that is then over, and cannot be loaded again.
  return page(title, body, { theme, language })
}
