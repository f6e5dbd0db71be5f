import { hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Notice } from '../notice.ts'
import type { Question, ShownPage } from '../rows.ts'

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
  const { title, section, lead, fields = '', verb, is_danger = false, back } = question
  const { base, action, csrf, key, owner } = keys
  const body = html`${trouble === undefined ? '' : html`<div class="alert" role="alert"><p>${trouble.detail}</p></div>\n${trouble.meanwhile ?? ''}`}<form class="ask" method="post" action="${action}">
${hidden('csrf', csrf)}
${hidden('key', key)}${owner === undefined ? '' : html`\n${hidden('owner', owner)}`}
${lead}
${fields}
<div class="buttons"><button class="${is_danger ? 'danger' : 'primary'}">${verb}</button>
<a class="button" href="${base}${back}">Back</a></div>
</form>`
  return { title, section, body, ...(trouble && { status: trouble.status }) }
}

/** The line that says what was done: with its event, and a button that takes it back. */
export function resultLine({ text, event, undo }: Notice, keys: Omit<FormKeys, 'action'>): Html {
  const { base, csrf, key } = keys
  const entry =
    event === undefined
      ? ''
      : html` <a href="${base}/events?${new URLSearchParams({ id: event }).toString()}">Event <code>${event}</code></a>`
  const fields = Object.entries(undo?.fields ?? {}).map(([name, value]) => hidden(name, value))
  const back =
    undo === undefined
      ? ''
      : html`<form class="undo" method="post" action="${base}${undo.path}">
${hidden('csrf', csrf)}${hidden('key', key)}${fields}<button>Undo</button>
</form>
`
  return html`<div class="result"><p role="status">${text}${entry}</p>
${back}</div>
`
}
