import { badge } from './account.ts'
import { type Html, html } from './html.ts'
import type { Language } from './messages/language.ts'
import { say } from './say.ts'
import { plainName } from './text.ts'

/** Where the user is going on to, as a page names it. */
export interface Destination {
  /** The client's name, as it was registered. It does not prove who the client is. */
  readonly client_name: string
  /** The host, or the private-use scheme, that the browser returns to; absent if it does not return, as for a device. */
  readonly host?: string
  /** The client's picture and documents (RFC 7591 §2), for the consent page. */
  readonly logo_uri?: string | undefined
  readonly policy_uri?: string | undefined
  readonly tos_uri?: string | undefined
}

/** Returns what the pages show of a client. @param host as in Destination */
export function destinationOf(client: Omit<Destination, 'host'>, host?: string): Destination {
  const { client_name, logo_uri, policy_uri, tos_uri } = client
  return { client_name, logo_uri, policy_uri, tos_uri, ...(host !== undefined && { host }) }
}

/** The row that says where the user is going on to: logo or initial, name and host. Its logo needs `image_source`. */
export function destinationRow({ client_name, host, logo_uri }: Destination): Html {
  const logo = logo_uri === undefined ? undefined : html`<img class="logo" src="${logo_uri}" alt="">`
  return html`<div class="account app">${badge(client_name, host ?? '', '', logo)}</div>`
}

/** The lines under a page's title that say what the user goes on to. */
export function leadText({ client_name, host }: Destination, language: Language): Html {
  return html`<p class="lead">${say(language, 'continue_to')}</p>
${destinationRow({ client_name, ...(host !== undefined && { host }) })}`
}

/** A client as far as a page links back to it. */
export interface LinkedClient {
  readonly client_name: string
  /** The page of the client that the operator registered; absent: there is no link. */
  readonly client_uri?: string | undefined
}

/** Returns the fields of a client that a link back to it needs. */
export function linkedClient({ client_name, client_uri }: LinkedClient): LinkedClient {
  return { client_name, client_uri }
}

/** The link to a client from a page that has no other next step. */
export function linkBack(client: LinkedClient | undefined, language: Language): Html | string {
  if (client?.client_uri === undefined) return ''
  const name = html`<bdi>${plainName(client.client_name)}</bdi>`
  return html`<div class="choice"><a class="button" href="${client.client_uri}">${say(language, 'back_to_client', { client: name })}</a></div>`
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
