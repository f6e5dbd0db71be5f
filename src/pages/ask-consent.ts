import { accountLink } from './account.ts'
import { type ConsentProps, consentAccount, documents, scopeList } from './consent.ts'
import { destinationRow } from './destination.ts'
import { form } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import type { Language } from './messages/language.ts'
import { originText } from './origin.ts'
import { say } from './say.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'
import { nameInText, plainName } from './text.ts'
import { whenText } from './when.ts'

/** What an application asks a person from elsewhere. */
export interface AskingClient {
  /** What it says besides, in a closed alphabet. */
  readonly message?: string
  /** Where it asked from: an IPv4 address or the network of an IPv6 address. */
  readonly address: string
  /** When it asked, in milliseconds since 1970. */
  readonly asked_at: number
}

export interface AskConsentProps extends ConsentProps {
  readonly ask: AskingClient
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Asks a person what an application wants to know from elsewhere (OpenID Connect CIBA Core §7.1): who asks, what for, and
 * in which words. `decision` is sent as on the consent page, or as `never`.
 */
export function askConsentPage(props: AskConsentProps, view: View): string {
  const { language } = view
  const { client_name } = props.destination
  const client = html`<bdi>${plainName(client_name)}</bdi>`
  const body = html`<h1>${say(language, 'ask_title', { client })}</h1>
${destinationRow(props.destination)}
${form(props, consentAccount(props, language))}
${form(
  props,
  html`${scopeList(props, language)}
${whoAsks(props, language)}
${originText(props, view)}<p class="note">${say(language, 'ask_note', { client: nameInText(client_name) })}</p>
${documents(props.destination, language)}${choice(language)}`,
)}
${accountLink(view)}${SEND_ONCE_SCRIPT}`
  return page(say(language, 'ask_title', { client: plainName(client_name) }), body, view)
}

function whoAsks({ ask, now }: AskConsentProps, language: Language): Html {
  const { message, address, asked_at } = ask
  const since = whenText(Math.min(0, (asked_at - now) / 1000), language)
  return html`<dl class="device">
${message === undefined ? '' : html`<dt>${say(language, 'ask_message')}</dt><dd><q><bdi>${message}</bdi></q></dd>`}
<dt>${say(language, 'device_address')}</dt><dd><bdi>${address}</bdi></dd>
<dt>${say(language, 'device_since')}</dt><dd><time datetime="${new Date(asked_at).toISOString()}">${since}</time></dd>
</dl>`
}

/** The three answers. */
function choice(language: Language): Html {
  return html`<div class="choice pair">
<button class="main" name="decision" value="allow">${say(language, 'ask_yes')}</button>
<button name="decision" value="deny">${say(language, 'ask_no')}</button>
<button class="link" name="decision" value="never">${say(language, 'ask_never')}</button>
</div>`
}
