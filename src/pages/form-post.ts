import { hostOf, hostText } from './destination.ts'
import { hidden } from './form.ts'
import { Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import type { Language } from './messages/language.ts'
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

/** The script source that the Content-Security-Policy of a page with a form that sends itself allows. */
export const FORM_POST_SCRIPT_SOURCE = hashSource(SCRIPT)

/** Posts the response to the client, by script or by a button (OAuth 2.0 Form Post Response Mode). */
export function formPostPage({ redirect_uri, parameters }: FormPostProps, { theme, language }: View): string {
  const title = say(language, 'form_post_title')
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'form_post_lead', { host: html`<strong>${hostText(hostOf(redirect_uri))}</strong>` })}</p>
${sentForm(redirect_uri, Object.entries(parameters), language)}`
  // Without the query: the page answers a request that is then over, and cannot be loaded again.
  return page(title, body, { theme, language })
}

/** A form that is sent by script, or by its button. */
export function sentForm(
  action: string,
  fields: readonly (readonly [name: string, value: string])[],
  language: Language,
): Html {
  const inputs = fields.map(([name, value]) => html`${hidden(name, value)}\n`)
  return html`<form method="post" action="${action}">
${inputs}<button class="main late">${say(language, 'form_post_submit')}</button>
</form>
<script>${new Html(SCRIPT)}</script>`
}
