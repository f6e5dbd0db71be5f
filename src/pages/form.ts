import { type Html, html } from './html.ts'
import type { Language } from './messages/language.ts'
import { PICTURES } from './picture.ts'
import { say } from './say.ts'

/** What every form of a page sends in hidden fields. */
export interface PageForm {
  /** The path that the form is posted to. */
  readonly action: string
  /** Binds the form to the browser's session; sent as `csrf`. */
  readonly csrf: string
  /** The pending authorization or logout request; sent as `transaction`. Absent: the form answers none. */
  readonly transaction?: string
}

/** A form with its hidden fields. */
export function form({ action, csrf, transaction }: PageForm, content: Html): Html {
  return html`<form method="post" action="${action}">
${hidden('csrf', csrf)}
${transaction === undefined ? '' : html`${hidden('transaction', transaction)}\n`}${content}
</form>`
}

/** A field for a password, with a button that shows what was typed; the button is hidden until the script runs. */
export function passwordField(
  attributes: Html,
  { label, show }: { readonly label: Html; readonly show: Html },
): Html {
  return html`<label for="password">${label}</label>
<div class="field"><input id="password" name="password" type="password" required${attributes}><button class="eye" id="show" type="button" aria-controls="password" aria-pressed="false" aria-label="${show}" hidden>${PICTURES.eye}</button></div>`
}

/** The field for the username or the address of somebody who has an account. */
export function nameField({ username, autocomplete, attributes = '' }: NameField, language: Language): Html {
  return html`<label for="username">${say(language, 'login_username')}</label>
<input id="username" name="username" value="${username}" autocomplete="${autocomplete}" autocapitalize="none" spellcheck="false" dir="auto"${attributes}>`
}

interface NameField {
  readonly username: string
  readonly autocomplete: string
  readonly attributes?: Html | string
}

/** The box to stay signed in. */
export function stayBox(is_ticked: boolean, language: Language): Html {
  return html`<label><input type="checkbox" name="stay" value="yes"${is_ticked ? html` checked` : ''}>${say(language, 'login_stay')}</label>`
}

/** A hidden field. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}
