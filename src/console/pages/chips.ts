import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { short } from './parts.ts'

/** More values than these are folded: chosen ones are shown, and the others are offered while one types. */
const MAX_BOXES = 12

/** A filter of a list. */
export interface FilterChip {
  readonly label: string
  /** How many there are; undefined: nobody counted. */
  readonly count?: string | undefined
  readonly href: string
  readonly is_current?: boolean
}

/** A long choice of filters, behind one chip. */
export interface PickChip {
  readonly label: string
  readonly items: readonly FilterChip[]
  /** Whether one of them is chosen. */
  readonly is_current?: boolean
}

/** The filters of a list: links, so that the filter is in the address. @param label "Which people" */
export function filterChips(
  label: string,
  chips: readonly FilterChip[],
  picks: readonly PickChip[] = [],
): Html {
  const current = (is_current: boolean | undefined) => (is_current ? html` aria-current="true"` : '')
  const long = picks
    .filter(({ items }) => items.length > 0)
    .map(
      (pick) =>
        html`<details class="pick"><summary class="chip"${current(pick.is_current)}>${short(pick.label)}</summary><ul>
${pick.items.map((one) => html`<li><a href="${one.href}"${current(one.is_current)}>${short(one.label)}${one.count === undefined ? '' : html` <span class="quiet">${one.count}</span>`}</a></li>\n`)}</ul></details>\n`,
    )
  return html`<nav class="chips" aria-label="${label}">
${chips.map(({ label: name, count, href, is_current }) => html`<a class="chip" href="${href}"${current(is_current)}>${name}${count === undefined ? '' : html` <b>${count}</b>`}</a>\n`)}${long}</nav>`
}

/** The box that finds in a list. It is sent by GET, so what is found has an address. */
interface FindBox {
  readonly action: string
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  /** Other filters that stay. */
  readonly kept?: Readonly<Record<string, string | undefined>>
}

/** A box that finds in a list. */
export function findBox({ action, name, label, value = '', kept = {} }: FindBox): Html {
  const others = Object.entries(kept).filter(([, one]) => one)
  return html`<form class="find" method="get" action="${action}">
${others.map(([key, one = '']) => html`<input type="hidden" name="${key}" value="${one}">\n`)}<input name="${name}" type="search" value="${value}" aria-label="${label}" placeholder="${label}" autocomplete="off" spellcheck="false">
<button aria-label="Find">${icon('search')}</button>
</form>`
}

/** What is above a list: the box, and the chips. */
export const listHead = (box: Html | '', chips: Html | ''): Html =>
  html`<div class="filters">
${box}
${chips}
</div>
`

/** Words in a row. */
export const chipList = (words: readonly string[]): Html | '' =>
  words.length === 0
    ? ''
    : html`<span class="chips">${words.map((word) => html`<span class="chip">${short(word)}</span>`)}</span>`

interface ChipInput {
  /** As the form has it: its values are sent as a list of lines. */
  readonly name: string
  readonly label: Html | string
  readonly hint?: string
  /** Values that are known. */
  readonly known: readonly string[]
  readonly chosen: readonly string[]
  /** What the field for a new value says: "Another group". */
  readonly another: string
}

/** A list as an input without scripts: a box for each known value, and a field for a new one. */
export function chipInput({ name, label, hint, known, chosen, another }: ChipInput): Html {
  const others = known.filter((one) => !chosen.includes(one))
  const shown = others.length + chosen.length > MAX_BOXES ? [] : others
  const box = (value: string, is_chosen: boolean) =>
    html`<label class="chip"><input type="checkbox" name="${name}[]" value="${value}"${is_chosen ? html` checked` : ''}>${short(value)}</label>\n`
  const list =
    shown.length === others.length
      ? ''
      : html`<datalist id="known-${name}">${others.map((value) => html`<option value="${value}"></option>`)}</datalist>`
  return html`<fieldset class="field"><legend>${label}</legend>
<div class="chips">
${chosen.map((value) => box(value, true))}${shown.map((value) => box(value, false))}<input type="text" name="${name}[]" aria-label="${another}" placeholder="${another}" autocomplete="off"${list === '' ? '' : html` list="known-${name}"`}>${list}</div>
${hint === undefined ? '' : html`<p class="hint">${hint}</p>\n`}</fieldset>
`
}
