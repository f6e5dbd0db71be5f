import { accountLink } from './account.ts'
import { type ConsentProps, consentAccount, consentChoice, documents, scopeList } from './consent.ts'
import { form } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import type { Language } from './messages/language.ts'
import { originText } from './origin.ts'
import { type RequestNote, requestNote } from './request-note.ts'
import { say } from './say.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'
import { nameInText, plainName } from './text.ts'
import { whenText } from './when.ts'

/** A device that asks for tokens. */
export interface AskingDevice {
  /** The code as the device shows it. */
  readonly user_code: string
  /** Where it asked from: an IPv4 address or the network of an IPv6 address. */
  readonly address: string
  /** When it asked, in milliseconds since 1970. */
  readonly asked_at: number
  /** The person has to type the code that the device shows: the device gets rights to change what is of others. */
  readonly is_typed?: true
}

export interface DeviceConsentProps extends ConsentProps {
  readonly device: AskingDevice
  /** Milliseconds since 1970. */
  readonly now: number
  /** Whether another code was typed. */
  readonly is_wrong?: boolean
  /** The request with that. */
  readonly refused?: RequestNote
}

/**
 * Asks whether a device may have access (RFC 8628 §5.4): the page says which one asks, so that nobody allows the device
 * of somebody else. `decision` is sent as on the consent page.
 */
export function deviceConsentPage(props: DeviceConsentProps, view: View): string {
  const { language } = view
  const { client_name } = props.destination
  const body = html`<h1>${say(language, 'device_consent_title', { client: html`<bdi>${plainName(client_name)}</bdi>` })}</h1>
<p class="lead">${say(language, 'device_consent_lead')}</p>
${whichDevice(props, language)}
${form(props, consentAccount(props, language))}
${form(
  props,
  html`<p>${say(language, 'consent_lead_without_host', { client: nameInText(client_name) })}</p>
${scopeList(props, language)}
${props.device.is_typed ? typedCode(props, language) : ''}${originText(props, view)}<p class="note">${say(language, 'device_consent_note')}</p>
${documents(props.destination, language)}${consentChoice(language)}`,
)}${props.refused ? html`\n${requestNote(props.refused, language)}` : ''}
${accountLink(view)}${SEND_ONCE_SCRIPT}`
  return page(say(language, 'device_consent_title', { client: plainName(client_name) }), body, view)
}

function whichDevice({ device, now }: DeviceConsentProps, language: Language): Html {
  const { user_code, address, asked_at, is_typed } = device
  const since = whenText(Math.min(0, (asked_at - now) / 1000), language)
  return html`<dl class="device">
${is_typed ? '' : html`<dt>${say(language, 'device_code')}</dt><dd><code>${user_code}</code></dd>`}
<dt>${say(language, 'device_address')}</dt><dd><bdi>${address}</bdi></dd>
<dt>${say(language, 'device_since')}</dt><dd><time datetime="${new Date(asked_at).toISOString()}">${since}</time></dd>
</dl>`
}

/**
 * Says what is given, and asks for the code: a link that somebody else sent has it, and the person has no device that
 * shows it.
 */
function typedCode({ is_wrong = false }: DeviceConsentProps, language: Language): Html {
  const described = is_wrong ? html` aria-describedby="problem" aria-invalid="true"` : ''
  return html`<p class="alert">${say(language, 'device_consent_rights')}</p>
${is_wrong ? html`<p class="alert" id="problem" role="alert">${say(language, 'device_wrong')}</p>` : ''}
<label for="user_code">${say(language, 'device_lead')}</label>
<input class="code" id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" dir="ltr" maxlength="32"${described}>
`
}
