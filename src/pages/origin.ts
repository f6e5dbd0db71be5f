import { type Destination, hostText } from './destination.ts'
import { type Html, html } from './html.ts'
import type { View } from './layout.ts'
import type { Language } from './messages/language.ts'
import { say } from './say.ts'
import { nameInText } from './text.ts'

/** What users know of a client's description. `since`: milliseconds since 1970. */
export type History =
  | { readonly state: 'first' }
  | { readonly state: 'unchanged'; readonly since: number }
  | {
      readonly state: 'changed'
      readonly since: number
      readonly aspects: readonly ('client_name' | 'redirect_uris' | 'pages')[]
      readonly former_name: string
    }

/** Where a client that no operator registered comes from. */
export interface Described {
  /** The host of its description. */
  readonly host: string
  /** Whether it runs on the user's device: any program there can pretend to be it. */
  readonly is_local: boolean
  readonly history: History
}

/** The part of the consent page that says where a client comes from and what is new about it. */
export function originText(
  { host, is_local, history }: Described,
  { client_name }: Destination,
  view: View,
): Html {
  const { language, theme } = view
  const service = nameInText(theme.brand.service_name)
  const client = nameInText(client_name)
  // Nothing is remembered of a client on the device, so there is nothing to compare with.
  const more = is_local
    ? html`<p class="alert" role="note">${html`<span>${say(language, 'consent_local', { client })}</span>`}</p>\n`
    : historyText(history, service, language)
  return html`<div class="origin">
<p>${say(language, 'consent_origin', { service, host: html`<strong>${hostText(host)}</strong>` })}</p>
${more}</div>
`
}

function historyText(history: History, service: Html, language: Language): Html {
  if (history.state === 'first') return html`<p>${say(language, 'consent_first', { service })}</p>\n`
  const date = dateText(history.since, language)
  if (history.state === 'unchanged') return html`<p>${say(language, 'consent_unchanged', { date })}</p>\n`
  const { aspects, former_name } = history
  const changes = aspects.map(
    (aspect) =>
      html`<li>${aspect === 'client_name' ? say(language, 'consent_changed_client_name', { name: nameInText(former_name) }) : say(language, `consent_changed_${aspect}`)}</li>\n`,
  )
  return html`<div class="alert" role="note"><div>
<p>${say(language, 'consent_changed', { date })}</p>
<ul>
${changes}</ul>
</div></div>
`
}

function dateText(since: number, language: Language): string {
  return new Intl.DateTimeFormat(language.tag, { dateStyle: 'long', timeZone: 'UTC' }).format(since)
}
