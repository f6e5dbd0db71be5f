import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'

/** A number of what an action changes, such as 3 sessions that end. */
export interface Consequence {
  /** "3", or "20+" where nobody counted further. */
  readonly number: string
  /** What so many do: "sessions end now". */
  readonly says: string
}

/** Returns a number of what a part of a list has. @param next absent: there are no more */
export const counted = (
  { items, next }: { readonly items: readonly unknown[]; readonly next?: string | undefined },
  one: string,
  many: string,
): Consequence => ({
  number: next === undefined ? String(items.length) : `${items.length}+`,
  says: items.length === 1 && next === undefined ? one : many,
})

/** What an action changes, in numbers; nothing if there are none. */
export const consequence = (given: readonly (Consequence | undefined)[]): Html | '' => {
  const known = given.filter((one) => one !== undefined)
  return known.length === 0
    ? ''
    : html`<ul class="consequence">
${known.map(({ number, says }) => html`<li><b>${number}</b><span>${says}</span></li>\n`)}</ul>
`
}

/** A step: `stays`: is well, or stays; `ends`: is lost; `stops`: here it stopped; `next`: is asked or done then. */
export interface Step {
  readonly kind: 'stays' | 'ends' | 'stops' | 'next'
  readonly says: Html | string
  /** Small buttons that mend it. */
  readonly actions?: Html
}

const PICTURES = {
  stays: icon('check'),
  ends: icon('cross', 'bad'),
  stops: icon('stop'),
  next: icon('arrow'),
} as const

/** Steps, or what is lost and what stays. */
export const steps = (given: readonly Step[]): Html => html`<ul class="steps">
${given.map(({ kind, says, actions }) => html`<li${kind === 'stops' ? html` class="stop"` : ''}>${PICTURES[kind]}<span>${says}</span>${actions === undefined ? '' : html`<span class="buttons">${actions}</span>`}</li>\n`)}</ul>
`

/** A field that changes. */
export interface FieldChange {
  /** In words. */
  readonly label: string
  /** As scripts call it. */
  readonly field: string
  readonly from: Html | string
  readonly to: Html | string
}

/** What changes, and what it was. */
export const difference = (changes: readonly FieldChange[]): Html => html`<table class="difference">
<caption class="read-only">What changes</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Now</th><th scope="col">After</th></tr></thead>
<tbody>
${changes.map(({ label, field, from, to }) => html`<tr><th scope="row">${label}${label === field ? '' : html`<br><code class="quiet">${field}</code>`}</th><td>${lost(from)}</td><td>${gained(to)}</td></tr>\n`)}</tbody>
</table>
`

const NONE = html`<span class="quiet">none</span>`
const lost = (value: Html | string) => (value.toString() === '' ? NONE : html`<del>${value}</del>`)
const gained = (value: Html | string) => (value.toString() === '' ? NONE : html`<ins>${value}</ins>`)
