import { PATHS } from '../core/paths.ts'
import { type Html, html } from './html.ts'
import type { View } from './layout.ts'
import { say } from './say.ts'
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

/** A name with its initial, or with a picture in place of it, and what is under the name. */
export function badge(
  name: string,
  detail: Html | string,
  before: Html | string = '',
  mark = initialMark(name),
): Html {
  const under = detail === '' ? '' : html`<small><bdi>${detail}</bdi></small>`
  return html`${mark}<span>${before}<strong><bdi>${plainName(name)}</bdi></strong>${under}</span>`
}

function initialMark(name: string): Html {
  return html`<span class="mark" aria-hidden="true">${initialOf(name)}</span>`
}

/** The account with its initial; `label` goes before the name. */
export function accountBadge({ name, detail }: Account, label: Html | string = ''): Html {
  const before = label === '' ? '' : html`<small>${label}</small>`
  return badge(name, detail === undefined ? '' : plainName(detail), before)
}

/** The link to the page of the own account, where there is one. */
export function accountLink({ theme, language }: View): Html | string {
  if (!theme.has_account_page) return ''
  return html`<p class="note"><a class="link" href="${theme.base}${PATHS.account}">${say(language, 'own_link')}</a></p>
`
}
