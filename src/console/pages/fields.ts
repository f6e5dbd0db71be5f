import { type Html, html } from '../../pages/html.ts'

export { hidden } from '../../pages/form.ts'

/** A field of a form. */
interface Field {
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  /** What stands below the label. */
  readonly hint?: string | undefined
  readonly required?: boolean
}

const hintOf = (name: string, hint: string | undefined): Html | '' =>
  hint === undefined ? '' : html`<p class="hint" id="hint-${name}">${hint}</p>\n`
const describedBy = (name: string, hint: string | undefined): Html | '' =>
  hint === undefined ? '' : html` aria-describedby="hint-${name}"`

/** A field of one line. */
export function line({ name, label, value = '', hint, required }: Field, type = 'text'): Html {
  return html`<div class="row"><label for="f-${name}">${label}</label>
${hintOf(name, hint)}<input id="f-${name}" name="${name}" type="${type}" value="${value}" autocomplete="off" dir="auto"${describedBy(name, hint)}${required ? html` required` : ''}></div>
`
}

/** A field of several lines. */
export function lines({ name, label, value = '', hint }: Field): Html {
  return html`<div class="row"><label for="f-${name}">${label}</label>
${hintOf(name, hint)}<textarea id="f-${name}" name="${name}" rows="${String(Math.min(12, Math.max(2, value.split('\n').length + 1)))}" dir="auto" spellcheck="false"${describedBy(name, hint)}>
${value}</textarea></div>
`
}

/** A choice of words. */
export function choice(
  { name, label, value = '', hint }: Field,
  options: readonly (readonly [value: string, label: string])[],
): Html {
  return html`<div class="row"><label for="f-${name}">${label}</label>
${hintOf(name, hint)}<select id="f-${name}" name="${name}"${describedBy(name, hint)}>
${options.map(([option, shown]) => html`<option value="${option}"${option === value ? html` selected` : ''}>${shown}</option>\n`)}</select></div>
`
}

/** A form that filters a list: it is sent by GET, so the filters are in the address. */
export function filters(action: string, fields: Html): Html {
  return html`<form class="filters" method="get" action="${action}">
${fields}<div class="row"><button>Show</button></div>
</form>`
}
