import { type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'

type Content = Html | readonly (Html | string)[]

/** What is around the contents of a panel. */
interface Around {
  readonly title: string
  /** A number beside the title. */
  readonly count?: string | undefined
  /** One small link or button at the right. */
  readonly action?: Html | '' | undefined
  /** A line below the title. */
  readonly lead?: Html | string
  readonly foot?: Html | '' | undefined
  readonly is_danger?: true
  /** What links name it; absent: by its title. */
  readonly id?: string
}

/** The id of a title: one page has each title once. */
const idOf = (title: string): string => title.toLowerCase().replace(/[^a-z]+/g, '-')

/** A white sheet with a title: paragraphs, facts, rows, a table or a form. */
export function panel(
  { title, count, action = '', lead, foot = '', is_danger, id = idOf(title) }: Around,
  content: Content,
): Html {
  const number = count === undefined ? '' : html` <span class="quiet">${count}</span>`
  return html`<section class="panel${is_danger ? ' danger' : ''}" aria-labelledby="${id}">
<header><h2 id="${id}">${title}${number}</h2>${action}${lead === undefined ? '' : html`<p>${lead}</p>`}</header>
${content}
${footer(foot)}</section>
`
}

/** A white sheet without a title of its own, such as the list that a page is about. */
export const sheet = (content: Content, foot: Html | '' = ''): Html =>
  html`<section class="panel">
${content}
${footer(foot)}</section>
`

const footer = (foot: Html | ''): Html | '' =>
  foot.toString() === '' ? '' : html`<footer>${foot}</footer>\n`

/** A row of a panel. */
export interface Row {
  /** A picture, or initials. */
  readonly mark?: Html | ''
  readonly name: Html | string
  /** Whether it is a sentence, and no name. */
  readonly is_plain?: true
  /** A state beside the name. */
  readonly state?: Html | ''
  /** The second line. */
  readonly detail?: Html | string | undefined
  /** One small button, or a time, at the end. */
  readonly action?: Html | ''
}

/** Rows of a panel: a name with a second line, and one small button. */
export const rows = (given: readonly Row[]): Html =>
  html`<ul class="rows">
${given.map(({ mark = '', name, is_plain, state = '', detail = '', action = '' }) => html`<li>${mark}<div class="grow">${is_plain ? name : html`<b>${name}</b>`} ${state}${detail.toString() === '' ? '' : html`<small>${detail}</small>`}</div>${action}</li>\n`)}</ul>`

/** What a page says instead of an empty list: what it is for, and how it begins. */
export const empty = (
  picture: IconName,
  title: string,
  says: Html | string,
  actions: Html | '' = '',
): Html => html`<section class="panel empty"><span class="sign">${icon(picture)}</span><h2>${title}</h2>
<p>${says}</p>
${actions.toString() === '' ? '' : html`<div class="buttons">${actions}</div>`}</section>
`
