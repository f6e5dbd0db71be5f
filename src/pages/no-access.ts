import { isHttpsUrl } from '../config/page-links.ts'
import { type Account, accountBadge } from './account.ts'
import type { Destination } from './destination.ts'
import { form, type PageForm } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import { type RequestNote, requestNote } from './request-note.ts'
import { say } from './say.ts'
import { nameInText, plainName } from './text.ts'

export interface NoAccessProps extends PageForm {
  readonly destination: Destination
  /** The account that is signed in. */
  readonly account: Account
  /** How to reach the people who run the client: e-mail addresses, https URLs or other texts. */
  readonly contacts: readonly string[]
  readonly refused: RequestNote
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
<p>${say(language, 'no_access_ask', { client: nameInText(client_name) })}</p>
${contactList(props.contacts)}<div class="account">${accountBadge(props.account, say(language, 'account_signed_in'))}</div>
${form(
  props,
  html`<div class="choice">
<button class="main" name="decision" value="other_account">${say(language, 'account_other')}</button>
<button name="decision" value="deny">${back}</button>
</div>`,
)}
${requestNote(props.refused, language)}`
  return page(say(language, 'no_access_title', { client: plainName(client_name) }), body, view)
}

function contactList(contacts: readonly string[]): Html {
  const links = contacts.flatMap((contact) => {
    const address = addressOf(contact)
    return address === undefined ? [] : [html`<a class="link" href="${address}"><bdi>${contact}</bdi></a>\n`]
  })
  const texts = contacts.filter((contact) => addressOf(contact) === undefined)
  return html`${texts.map((text) => html`<p><bdi>${text}</bdi></p>\n`)}${links.length === 0 ? '' : html`<div class="more">\n${links}</div>\n`}`
}

// Without characters that would add a subject or a recipient to the message.
const EMAIL = /^[\w.+-]+@[\w.-]+$/

function addressOf(contact: string): string | undefined {
  if (EMAIL.test(contact)) return `mailto:${contact}`
  return isHttpsUrl(contact) ? contact : undefined
}
