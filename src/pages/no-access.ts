import { isHttpsUrl } from '../config/page-links.ts'
import { type Account, accountBadge } from './account.ts'
import type { Destination } from './destination.ts'
import { form, type PageForm } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import type { Language } from './messages/language.ts'
import { say } from './say.ts'
import { nameInText, plainName } from './text.ts'

export interface NoAccessProps extends PageForm {
  readonly destination: Destination
  /** The account that is signed in. */
  readonly account: Account
  /** Whom to ask: e-mail addresses, https URLs or other texts. */
  readonly contacts: readonly string[]
  /** The home page of the client. */
  readonly client_uri?: string
}

/**
 * Says that the account may not use the client, and whom to ask. `decision` is sent as `other_account`, or as `deny` for
 * the way back to the client.
 */
export function noAccessPage(props: NoAccessProps, view: View): string {
  const { language } = view
  const { client_name, host } = props.destination
  const client = html`<bdi>${plainName(client_name)}</bdi>`
  const back =
    host === undefined ? say(language, 'no_access_not_connect') : say(language, 'back_to_client', { client })
  const body = html`<h1>${say(language, 'no_access_title', { client })}</h1>
<p class="lead">${say(language, 'no_access_lead')}</p>
<div class="account">${accountBadge(props.account, say(language, 'account_signed_in'))}</div>
${whomToAsk(props, language)}
${form(
  props,
  html`<div class="choice">
<button class="primary" name="decision" value="other_account">${say(language, 'account_other')}</button>
<button name="decision" value="deny">${back}</button>
</div>`,
)}`
  return page(say(language, 'no_access_title', { client: plainName(client_name) }), body, view)
}

function whomToAsk({ contacts, client_uri, destination }: NoAccessProps, language: Language): Html {
  if (contacts.length > 0) {
    const entries = contacts.map((contact) => html`<li>${contactLink(contact)}</li>\n`)
    return html`<p>${say(language, 'no_access_contacts')}</p>\n<ul>\n${entries}</ul>`
  }
  const name = nameInText(destination.client_name)
  const client = client_uri === undefined ? name : html`<a href="${client_uri}">${name}</a>`
  return html`<p>${say(language, 'no_access_ask', { client })}</p>`
}

// Without characters that would add a subject or a recipient to the message.
const EMAIL = /^[\w.+-]+@[\w.-]+$/

function contactLink(contact: string): Html {
  const address = EMAIL.test(contact) ? `mailto:${contact}` : contact
  const text = html`<bdi>${contact}</bdi>`
  return address !== contact || isHttpsUrl(contact) ? html`<a href="${address}">${text}</a>` : text
}
