import { type Html, html } from './html.ts'
import { initialOf, plainName } from './text.ts'

/** An account as the pages show it. */
export interface Account {
  /** The user's name, or the username if there is none. */
  readonly name: string
  /** Tells the account from one with the same name: the username or an email address. */
  readonly detail?: string
  /** The email address that the scope `email` releases. */
  readonly email?: string
}

/** The account with its initial; `label` goes before the name. */
export function accountBadge({ name, detail }: Account, label: Html | string = ''): Html {
  const before = label === '' ? '' : html`<small>${label}</small>`
  const after = detail === undefined ? '' : html`<small><bdi>${plainName(detail)}</bdi></small>`
  return html`<span class="mark" aria-hidden="true">${initialOf(name)}</span><span>${before}<strong><bdi>${plainName(name)}</bdi></strong>${after}</span>`
}
