import { type Html, html } from './html.ts'

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

/** A hidden field. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}
