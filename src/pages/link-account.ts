import { type Account, accountBadge } from './account.ts'
import { type Destination, leadText } from './destination.ts'
import { type Html, html } from './html.ts'
import type { View } from './layout.ts'
import { say } from './say.ts'
import { breakableName } from './text.ts'

/** Whose account the page of a link is about; by an invitation, only the address that the account gets is known. */
export interface LinkAccount {
  readonly username?: string
  readonly email?: string
}

export interface LinkAccountProps {
  readonly account: LinkAccount
  /** The other account that is signed in in this browser. */
  readonly signed_in?: Account
  /** Where the person goes on in this browser once the account is there. */
  readonly destination?: Destination | undefined
}

/** Names the account that a link is about, so that nobody consents to something that is not named. */
export function linkAccount({ account, signed_in, destination }: LinkAccountProps, { language }: View): Html {
  const { username, email } = account
  const rows = [
    ...(username === undefined ? [] : [['own_username', username] as const]),
    ...(email === undefined ? [] : [['sign_up_email', email] as const]),
  ]
  const list = html`<dl>
${rows.map(([label, value]) => html`<dt>${say(language, label)}</dt><dd><bdi>${breakableName(value)}</bdi></dd>\n`)}</dl>
`
  const other =
    signed_in &&
    html`<div class="account">${accountBadge(signed_in, say(language, 'account_signed_in'))}</div>
<p class="alert">${say(language, 'link_other_account')}</p>
`
  const onward = destination && html`${leadText(destination, language)}\n`
  return html`${onward ?? ''}${other ?? ''}${rows.length === 0 ? '' : list}`
}

/** The name that a password manager keeps with what the form asks for. */
export function usernameForManager({ account: { username } }: LinkAccountProps): Html | '' {
  return username === undefined
    ? ''
    : html`<input type="hidden" name="username" value="${username}" autocomplete="username">\n`
}
