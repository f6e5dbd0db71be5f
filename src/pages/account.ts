import { type Html, html } from './html.ts'
import { initialOf, plainName } from './text.ts'

/** A person as the pages show them. */
export interface Account {
  /** The name of the person, or else the username. */
  readonly name: string
  /** What tells them from a namesake: the username or an email address. */
  readonly detail?: string
}

/** Who it is, with an initial; `label` goes before the name. */
export function accountBadge({ name, detail }: Account, label: Html | string = ''): Html {
  const before = label === '' ? '' : html`<small>${label}</small>`
  const after = detail === undefined ? '' : html`<small><bdi>${plainName(detail)}</bdi></small>`
  return html`<span class="mark" aria-hidden="true">${initialOf(name)}</span><span>${before}<strong><bdi>${plainName(name)}</bdi></strong>${after}</span>`
}
