import { hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import type { Notice } from '../notice.ts'
import type { Question, ShownPage } from '../rows.ts'
import { SECTIONS, type SectionName } from '../sections.ts'
import { notice } from './notices.ts'
import { sheet } from './panel.ts'

/** What a form of the console has besides its fields. */
export interface FormKeys {
  /** The path of the console. */
  readonly base: string
  /** Where the form is sent: the path of its page. */
  readonly action: string
  /** Binds the form to the session. */
  readonly csrf: string
  /** New for each form: it acts once. */
  readonly key: string
  /** Whose form it is: so it is kept for its operator if it comes too late. Absent: it is not. */
  readonly owner?: string
}

/** What was wrong with what was sent. */
export interface Trouble {
  readonly status: number
  readonly detail: string
  /** What changed meanwhile. */
  readonly meanwhile?: Html | undefined
}

/** The page of an action: what will happen, and one button with its verb. */
export function questionPage(question: Question, keys: FormKeys, trouble?: Trouble): ShownPage {
  const { title, section, head, top = '', lead, fields = '', verb, is_danger = false, back } = question
  const { panels, ways, aside, has_other_buttons, buttons = '' } = question
  const { base, action, csrf, key, owner } = keys
  const inside = html`${lead}${fields}`
  const wrong = trouble && html`${notice('bad', trouble.detail)}${trouble.meanwhile ?? ''}`
  const sheets =
    panels === undefined
      ? sheet(html`${top}${inside.toString().trim() === '' ? '' : html`<div class="inside">${inside}</div>`}`)
      : html`${lead}${fields}${panels}`
  const form = html`<form class="narrow-page" method="post" action="${action}">
${has_other_buttons ? PRESSED_BY_ENTER : ''}${hidden('csrf', csrf)}
${hidden('key', key)}${owner === undefined ? '' : html`\n${hidden('owner', owner)}`}
${sheets}
<div class="buttons"><button class="main${is_danger ? ' red' : ''}">${verb}</button>${buttons}
<a class="button${is_danger ? '' : ' plain'}" href="${base}${back}">Cancel</a></div>
</form>`
  const beside = aside === undefined ? form : html`<div class="two">${form}<aside>${aside}</aside></div>`
  const body = html`${wrong ?? ''}${ways === undefined ? beside : html`${lead}${ways}`}`
  return {
    ...{ title, section, body, head: { path: above(section), ...head } },
    ...(trouble && { status: trouble.status }),
  }
}

/** Enter presses the first button of a form, so this one comes before those of fields. */
const PRESSED_BY_ENTER = html`<button class="read-only" tabindex="-1" aria-hidden="true">Enter</button>
`

/** The list that a page is below. */
function above(section: SectionName): readonly (readonly [string, string])[] {
  const known = Object.entries(SECTIONS).find(([name]) => name === section)?.[1]
  return known === undefined || known.path === '' ? [] : [[known.title, known.path]]
}

/** The line that says what was done: with its event, and a button that takes it back. */
export function resultLine({ text, event, undo }: Notice, keys: Omit<FormKeys, 'action'>): Html {
  const { base, csrf, key } = keys
  const entry =
    event === undefined
      ? ''
      : html` <a href="${base}/events?${new URLSearchParams({ id: event }).toString()}">See the event</a>`
  const fields = Object.entries(undo?.fields ?? {}).map(([name, value]) => hidden(name, value))
  const back =
    undo === undefined
      ? ''
      : html`<form class="undo" method="post" action="${base}${undo.path}">
${hidden('csrf', csrf)}${hidden('key', key)}${fields}<button class="small">${icon('undo')}Undo</button>
</form>`
  return notice('good', html`${text}${entry}`, back)
}
