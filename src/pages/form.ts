import { type Html, html } from './html.ts'
import { PICTURES } from './picture.ts'

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

/** A hidden field. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}
