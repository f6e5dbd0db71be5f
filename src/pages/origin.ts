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
      readonly aspects: readonly ('client_name' | 'recipient' | 'redirect_uris' | 'pages')[]
      readonly former_name: string
    }

interface OriginProps {
  readonly described?: Described
  readonly destination: Destination
}

/** Where a client that no operator registered comes from. */
export interface Described {
  /** The host of its description. */
  readonly host?: string
  /** When it registered itself, in ISO 8601. */
  readonly registered_at?: string
  /** Whether it runs on the user's device: any program there can pretend to be it. */
  readonly is_local: boolean
  readonly history: History
  /** Who else can get its answers: https origins, `http://localhost` for any program on the device, and `app-scheme:`. */
  readonly others: readonly string[]
}

/** How many of them are named; a client that describes itself cannot have more. */
const MAX_OTHERS = 20

/** The part of a consent page that says where a client comes from, what is new about it, and who else gets its answers. */
export function originText({ described, destination }: OriginProps, view: View): Html | string {
  if (described === undefined) return ''
  const { is_local, history, others } = described
  const { language, theme } = view
  const service = nameInText(theme.brand.service_name)
  const client = nameInText(destination.client_name)
  // Nothing is remembered of a client on the device, so there is nothing to compare with.
  const more = is_local
    ? html`<p class="alert" role="note">${html`<span>${say(language, 'consent_local', { client })}</span>`}</p>\n`
    : historyText(history, service, language)
  return html`<div class="origin">
<p>${sourceText(described, service, language)}</p>
${more}${othersText(others, language)}</div>
`
}

/** Nobody checked the client: all that the page says of it is what it says of itself. */
function sourceText({ host, registered_at = '' }: Described, service: Html, language: Language): Html {
  if (host !== undefined)
    return say(language, 'consent_origin', { service, host: html`<strong>${hostText(host)}</strong>` })
  const date = html`<time datetime="${registered_at}">${dateText(Date.parse(registered_at), language)}</time>`
  return say(language, 'consent_self_registered', { date, service })
}

function othersText(others: readonly string[], language: Language): Html | string {
  if (others.length === 0) return ''
  const named = others.slice(0, MAX_OTHERS).map((other) => html`<li>${otherText(other, language)}</li>\n`)
  const count = others.length - named.length
  const rest = count === 0 ? '' : html`<li>${say(language, 'consent_others_more', { count })}</li>\n`
  return html`<p>${say(language, 'consent_others')}</p>
<ul>
${named}${rest}</ul>
`
}

function otherText(other: string, language: Language): Html {
  if (other === 'http://localhost') return say(language, 'consent_other_program')
  if (/^https?:/.test(other)) return hostText(new URL(other).host)
  return say(language, 'consent_other_app', { scheme: hostText(other.slice(0, -1)) })
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
