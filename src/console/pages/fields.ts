import { type Html, html } from '../../pages/html.ts'

export { hidden } from '../../pages/form.ts'

/** A field of a form. */
interface Field {
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  /** What stands below the field. */
  readonly hint?: string | undefined
  readonly required?: boolean
  /** A word beside the label: "optional". */
  readonly note?: string
  /** What those who write scripts call it, small at the other end of the label. */
  readonly field?: string | undefined
  readonly placeholder?: string
  /** What is offered while one types; anything else can be typed, too. */
  readonly known?: readonly (readonly [value: string, label: string])[]
}

const hintOf = ({ name, hint }: Field): Html | '' =>
  hint === undefined ? '' : html`<p class="hint" id="hint-${name}">${hint}</p>\n`
const describedBy = ({ name, hint }: Field): Html | '' =>
  hint === undefined ? '' : html` aria-describedby="hint-${name}"`

const labelled = (given: Field, input: Html): Html => {
  const { name, label, note, field } = given
  const small = note === undefined ? '' : html` <span class="quiet">${note}</span>`
  const called = field === undefined || field === label ? '' : html` <code>${field}</code>`
  return html`<div class="field"><div class="label"><label for="f-${name}">${label}${small}</label>${called}</div>
${input}
${hintOf(given)}</div>
`
}

/** A field of one line. */
export function line(given: Field, type = 'text'): Html {
  const { name, value = '', required, placeholder, known = [] } = given
  const says = placeholder === undefined ? '' : html` placeholder="${placeholder}"`
  const list = known.length === 0 ? '' : html` list="known-${name}"`
  const offered =
    known.length === 0
      ? ''
      : html`<datalist id="known-${name}">${known.map(([one, shown]) => html`<option value="${one}">${shown}</option>`)}</datalist>`
  return labelled(
    given,
    html`<input id="f-${name}" name="${name}" type="${type}" value="${value}" autocomplete="off" dir="auto"${says}${list}${describedBy(given)}${required ? html` required` : ''}>${offered}`,
  )
}

/** A field of several lines. @param rows so many are there at least */
export function lines(given: Field, rows = 2): Html {
  const { name, value = '' } = given
  const height = String(Math.min(12, Math.max(rows, value.split('\n').length + 1)))
  return labelled(
    given,
    html`<textarea id="f-${name}" name="${name}" rows="${height}" dir="auto" spellcheck="false"${describedBy(given)}>
${value}</textarea>`,
  )
}

/** A choice of words. */
export function choice(given: Field, options: readonly (readonly [value: string, label: string])[]): Html {
  const { name, value = '', required } = given
  return labelled(
    given,
    html`<select id="f-${name}" name="${name}"${describedBy(given)}${required ? html` required` : ''}>
${options.map(([option, shown]) => html`<option value="${option}"${option === value ? html` selected` : ''}>${shown}</option>\n`)}</select>`,
  )
}

/** A box to tick; it is sent as `true`, or not at all. */
export const tick = ({ name, label, value, hint }: Field): Html =>
  html`<label class="tick down"><input type="checkbox" name="${name}" value="true"${value === 'true' ? html` checked` : ''}><span>${label}${hint === undefined ? '' : html`<small>${hint}</small>`}</span></label>
`

/** Two fields side by side. */
export const pair = (one: Html, other: Html): Html => html`<div class="pair">
${one}${other}</div>
`

/** What few forms need, folded. */
export const more = (summary: string, fields: Html, is_open = false): Html =>
  html`<details class="more"${is_open ? html` open` : ''}><summary>${summary}</summary>
${fields}</details>
`

/** A form that filters a list: it is sent by GET, so the filters are in the address. */
export function filters(action: string, fields: Html): Html {
  return html`<form class="sieve" method="get" action="${action}">
${fields}<div class="field"><button>Show</button></div>
</form>`
}
