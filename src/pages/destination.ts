import { type Html, html } from './html.ts'
import type { Language } from './messages/language.ts'
import { say } from './say.ts'
import { nameInText } from './text.ts'

/** Where the user is going on to, as a page names it. */
export interface Destination {
  /** The client's name, as it was registered. It does not prove who the client is. */
  readonly client_name: string
  /** The host, or the private-use scheme, that the browser returns to; absent if it does not return, as for a device. */
  readonly host?: string
}

type Lead = 'login_lead' | 'select_account_lead' | 'consent_lead'

/** The sentence under a page's title that names the destination. */
export function leadText(lead: Lead, { client_name, host }: Destination, language: Language): Html {
  const client = nameInText(client_name)
  return host === undefined
    ? say(language, `${lead}_without_host`, { client })
    : say(language, lead, { client, host: hostText(host) })
}

/** A host inside a sentence, isolated from the direction of the text around it. */
export function hostText(host: string): Html {
  return html`<bdi>${host}</bdi>`
}

/** The host of a registered redirect_uri, or the scheme if it is a private-use one (RFC 8252 §7.1). */
export function hostOf(redirect_uri: string): string {
  const { host, protocol } = new URL(redirect_uri)
  // The host of a private-use URI is a text that the app chose.
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.slice(0, -1)
}
