import { PATHS } from '../core/paths.ts'
import { type Destination, destinationRow } from './destination.ts'
import { endPage } from './end.ts'
import { type Html, html } from './html.ts'
import type { View } from './layout.ts'
import type { MessageName } from './messages/language.ts'
import { say } from './say.ts'
import { nameInText, plainName } from './text.ts'

/** Somebody whom a link signed in, and where to go on. */
export interface LinkDoneProps {
  readonly about: 'reset' | 'welcome'
  /** The name of the person, or the username. */
  readonly name: string
  /** The application to go on to, and the address where one begins there; undefined: none. */
  readonly onward: (Destination & { readonly href: string }) | undefined
  /** Whether the person has no passkey, and can add one. */
  readonly offers_passkey: boolean
}

const TITLES = { reset: 'reset_done_title', welcome: 'welcome_done_title' } as const satisfies Record<
  LinkDoneProps['about'],
  MessageName
>

/** Says that a link did what it was for, and that its person is signed in; one main button leads on. */
export function linkDonePage({ about, name, onward, offers_passkey }: LinkDoneProps, view: View): string {
  const { language, theme } = view
  const title = say(
    language,
    about === 'reset' && theme.has_only_passkeys ? 'renew_done_title' : TITLES[about],
  )
  const lead = say(language, `${about}_arrived_lead`, { name: nameInText(name) })
  const account = theme.base + (theme.has_account_page ? PATHS.account : '/')
  const to_account = say(language, theme.has_account_page ? 'own_link' : 'not_found_home')
  const quiet = (href: string, text: Html) => html`<a class="button" href="${href}">${text}</a>\n`
  const main =
    onward === undefined
      ? html`<a class="button main" href="${account}">${to_account}</a>\n`
      : html`<a class="button main" href="${onward.href}">${say(language, 'arrived_go_on', { client: html`<bdi>${plainName(onward.client_name)}</bdi>` })}</a>\n`
  const passkey = offers_passkey
    ? quiet(`${theme.base}${PATHS.account}/passkeys`, say(language, 'arrived_add_passkey'))
    : ''
  const next = html`${onward === undefined ? '' : destinationRow(onward)}
<div class="choice">
${main}${passkey}${onward === undefined ? '' : quiet(account, to_account)}</div>`
  return endPage({ title, lead, is_done: true, next }, view)
}
