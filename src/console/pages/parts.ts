import type { OperationName } from '../../admin/operations.ts'
import { madeOnce } from '../../core/made-once.ts'
import { type Html, html } from '../../pages/html.ts'
import { en } from '../../pages/messages/en.ts'
import { agoTime } from '../../pages/when.ts'
import { CONSOLE_CLIENT } from '../client.ts'
import type { Desk } from '../desk.ts'
import { segmentOf } from '../place.ts'
import { panel } from './panel.ts'

/** How much of a text a page shows, in UTF-16 code units. */
const MAX_SHOWN = 2000
const MAX_SHORT = 120

const NOTHING = html``
const isNothing = (shown: Html | string | undefined) => (shown ?? '').toString() === ''

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string')

/** A text that somebody else wrote, isolated from the direction of what is around it; of a list an entry in each line. */
export function text(value: unknown, max = MAX_SHOWN): Html {
  const given =
    typeof value === 'string' ? value : isTexts(value) ? value.join('\n') : (JSON.stringify(value) ?? '')
  if (given === '') return NOTHING
  return html`<bdi>${given.length > max ? `${given.slice(0, max)}…` : given}</bdi>`
}

/** A name in a list or a sentence: short. */
export const short = (value: unknown): Html => text(value, MAX_SHORT)

/** A text of a machine, such as an id. */
export const code = (value: unknown): Html => (value === '' ? NOTHING : html`<code>${text(value)}</code>`)

const LATELY = 2 * 86_400_000
const date = madeOnce(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }))
const clock = madeOnce(() => new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' }))

/** A time within two days of now in words, else a date; with the exact time in UTC. Absent: "never". */
export function when(iso: unknown, { now }: Pick<Desk, 'now'>): Html {
  const at = typeof iso === 'string' ? Date.parse(iso) : Number.NaN
  if (Number.isNaN(at)) return html`never`
  if (at <= now && now - at < LATELY) return agoTime(at, now, en)
  const exact = new Date(at).toISOString()
  const shown = at <= now ? date().format(at) : `${date().format(at)}, ${clock().format(at)}`
  return html`<time datetime="${exact}" title="${exact}">${shown}</time>`
}

/** What a fact is called, and what it is; undefined: there is none, and it is left out. */
export type Fact = readonly [label: string, value: Html | string | undefined]

/** Facts, one below the other. @param labels where they stand: beside what they are about, or above it in a narrow column */
export function facts(rows: readonly Fact[], labels: 'beside' | 'above' = 'beside'): Html {
  const shown = rows.filter(([, value]) => !isNothing(value))
  return html`<dl class="facts${labels === 'above' ? ' above' : ''}">
${shown.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value ?? ''}</dd></div>\n`)}</dl>`
}

/** What is wrong with a field of a malformed record. */
export interface RecordProblem {
  readonly field: string
  /** With the name of the field. */
  readonly detail: string
}

/** What is wrong with a record; undefined: nothing. */
export const wrongs = (problems: readonly RecordProblem[] = []): Html | undefined =>
  problems.length === 0 ? undefined : entries(problems.map(({ detail }) => detail))

/** Texts that somebody else wrote, as a list. */
const entries = (texts: readonly string[]): Html =>
  html`<ul>${texts.map((one) => html`<li>${text(one)}</li>`)}</ul>`

/** A column of a table. */
export interface Column {
  readonly label: string
  /** Whether a phone leaves it out. */
  readonly is_minor?: true
  /** Whether it has numbers, or buttons: they stand at the end of the line. */
  readonly is_number?: true
  /** Whether it has values in one piece, which other columns leave room for. */
  readonly is_wide?: true
  /** Whether only who hears the page knows what it is called. */
  readonly is_silent?: true
  /** What an empty cell says; absent: "none". */
  readonly absent?: string
}

const columnOf = (column: string | Column): Column =>
  typeof column === 'string' ? { label: column } : column

const classesOf = ({ is_minor, is_number, is_wide }: Column, more = ''): Html => {
  const classes = [is_minor && 'minor', is_number && 'number', is_wide && 'wide', more]
    .filter(Boolean)
    .join(' ')
  return classes === '' ? NOTHING : html` class="${classes}"`
}

/**
 * A table. The link in the first cell of a row opens the row wherever it is pressed. On a phone minor columns are left
 * out; a table without any has its rows one below the other.
 * @param empty what the page says and advises if there are no rows
 */
export function table(
  caption: string,
  columns: readonly (string | Column)[],
  rows: readonly (readonly (Html | string)[])[],
  empty: Html | string,
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const known = columns.map(columnOf)
  const stacks = known.length > 2 && !known.some(({ is_minor }) => is_minor)
  const cells = (row: readonly (Html | string)[]) =>
    row.map((cell, i) => {
      const column = known[i] ?? { label: '' }
      const shown = isNothing(cell) ? absent(column) : cell
      return i === 0
        ? html`<th scope="row">${shown}</th>`
        : html`<td${classesOf(column, whole(cell))} data-label="${column.is_silent ? '' : column.label}">${shown}</td>`
    })
  const heads = known.map(
    (column, i) =>
      html`<th scope="col"${classesOf(column, i === 0 ? '' : whole(column.label))}>${column.is_silent ? html`<span class="read-only">${column.label}</span>` : column.label}</th>`,
  )
  return html`<table${stacks ? html` class="stacks"` : ''}>
<caption class="read-only">${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${cells(row)}</tr>\n`)}</tbody>
</table>`
}

const absent = ({ absent: word = 'none', is_silent }: Column): Html =>
  is_silent ? NOTHING : html`<span class="quiet">${word}</span>`

/** Of what has no long word each word stays whole: any text may be broken, so columns would be as narrow as a letter. */
const whole = (cell: Html | string): string =>
  /[^\s]{13}/.test(cell.toString().replaceAll(/<[^>]*>/g, '')) ? '' : 'whole'

/** A part of a page with a title. @param content paragraphs, facts, a table, a form */
export function part(title: string, content: Html | readonly (Html | string)[]): Html {
  return panel({ title }, content)
}

/** A link to a page of the console. */
export const link = ({ base }: Pick<Desk, 'base'>, path: string, label: Html | string): Html =>
  html`<a href="${base}${path}">${label}</a>`

/** A person: a link to the page of the person for those who may open it. */
export const personLink = (desk: Desk, username: string, label = short(username)): Html =>
  desk.may('read_user') ? link(desk, at`/people/${username}`, label) : label

/** An application: a link to its page for those who may open it. The console itself has none: there is no record of it. */
export const applicationLink = (desk: Desk, client_id: string, label = short(client_id)): Html =>
  client_id !== CONSOLE_CLIENT && desk.may('read_client')
    ? link(desk, at`/applications/${client_id}`, label)
    : label

/** Returns a path below the console with names in it. */
export function at(strings: TemplateStringsArray, ...names: readonly string[]): string {
  return strings.map((part, i) => part + (names[i] === undefined ? '' : segmentOf(names[i]))).join('')
}

/** How it is: works, will be a problem, is one; plain: neither. */
export type Mood = 'good' | 'warn' | 'bad' | 'plain'

/** A state as a word with a mark. */
export function badge(state: string, mood: Mood = 'plain'): Html {
  return html`<span class="state ${mood}">${state}</span>`
}

/** The state of a record beside its name; nothing if it is as it should be. */
export const oddState = (state: unknown): Html => (state === 'active' ? NOTHING : stateBadge(state))

/** The state of a record. */
export function stateBadge(state: unknown): Html {
  const known = String(state)
  return badge(known, known === 'active' ? 'good' : known === 'demo' ? 'plain' : 'bad')
}

/** An action that a page offers. */
export interface Offer {
  readonly path: string
  readonly label: string
  readonly operation: OperationName
}

/**
 * The actions that a page offers: an operator without the right sees what it would take, and whoever has it why the server
 * does not do what is missing.
 */
export function offers(desk: Desk, given: readonly Offer[], scope: string): Html {
  const may = given.filter(({ operation }) => desk.may(operation))
  if (given.length === 0) return html``
  if (may.length === 0)
    return html`<p class="empty">You may see this, and not change it: that takes the right <code>${scope}</code>.</p>`
  const possible = may.filter(({ operation }) => desk.refusal(operation) === undefined)
  const missing = may.map(({ operation }) => desk.refusal(operation)).filter((why) => why !== undefined)
  const list =
    possible.length === 0
      ? ''
      : html`<ul class="buttons">
${possible.map(({ path, label }) => html`<li><a class="button" href="${desk.base}${path}">${label}</a></li>\n`)}</ul>`
  return html`${list}${missing.map((why) => html`<p class="empty">${why}</p>`)}`
}

/** The link to the rest of a list, with the filters of the address. */
export function older(
  { base }: Pick<Desk, 'base'>,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  next: string | undefined,
  label = 'More',
): Html | '' {
  if (next === undefined) return ''
  const kept = Object.entries({ ...query, cursor: next }).filter(([, value]) => value)
  return html`<p class="buttons"><a class="button small" rel="next" href="${base}${path}?${new URLSearchParams(kept as [string, string][]).toString()}">${label}</a></p>`
}

/** A list that the script can follow, if it is at its newest part. */
export const followed = (cursor: string | undefined, list: Html): Html =>
  cursor === undefined ? html`<div data-live>${list}</div>` : list

/** The link to a list as a file. */
export function exportOffer(
  { base }: Pick<Desk, 'base'>,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): Html {
  const kept = Object.entries(query).filter(([, value]) => value)
  return html`<a href="${base}${path}?${new URLSearchParams(kept as [string, string][]).toString()}" download title="At most 10,000 rows">Download as CSV</a>`
}

/** A count that a page of a list knows: `next` says that there are more. */
export const atLeast = (items: readonly unknown[], next: string | undefined): string =>
  next === undefined ? String(items.length) : `${items.length} or more`

/** Names that are separated by spaces, such as scopes, as words in a row. */
export const chipsOf = (names: string): Html =>
  html`<span class="chips">${names
    .split(' ')
    .filter((name) => name !== '')
    .map((name) => html`<span class="chip">${short(name)}</span>`)}</span>`

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** A time span in words, such as "15 minutes". @param seconds a whole number */
export function durationWords(seconds: number): string {
  const [unit, size] =
    UNITS.find(([, one]) => seconds >= one && seconds % one === 0) ?? (['second', 1] as const)
  const count = seconds / size
  return `${String(count)} ${unit}${count === 1 ? '' : 's'}`
}
