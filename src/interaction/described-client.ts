import { hash } from 'node:crypto'
import type { Client } from '../clients/record/client-record.ts'
import { isNativeRedirectUri, recipientOf } from '../clients/record/redirect-uri.ts'
import { isObject, parseJson } from '../core/json.ts'
import type { ConsentRecord } from './consent.ts'

/** The parts of a description whose changes the page names, in this order. */
export const ASPECTS = ['client_name', 'recipient', 'redirect_uris', 'pages'] as const
export type Aspect = (typeof ASPECTS)[number]

/**
 * What a client says about itself, and who gets the answer: the name and the recipient, and digests of the rest, so that a
 * consent that has it stays small.
 */
type Description = Readonly<Record<Aspect, string>>

/** What the user knows of the description of a client. */
export type DescriptionHistory =
  | { readonly state: 'first' }
  /** `since`: milliseconds since 1970, as below. */
  | { readonly state: 'unchanged'; readonly since: number }
  | {
      readonly state: 'changed'
      readonly since: number
      readonly aspects: readonly Aspect[]
      readonly former_name: string
    }

/** A client that describes itself, for the consent page and the consent that follows. */
export interface DescribedClient {
  /** The host of its document, which is that of its client_id. */
  readonly host?: string
  /** When it registered itself, in ISO 8601, if no document describes it. */
  readonly registered_at?: string
  /** Whether a document describes it and the request returns to the device: any program there can pretend to be it. */
  readonly is_local: boolean
  readonly history: DescriptionHistory
  /** Who else can get its answers (`recipientOf`). */
  readonly others: readonly string[]
  /** The description, for the record of the consent. */
  readonly description: string
}

/**
 * Returns what is special about a client that describes itself, by a document or by registration; undefined for one that an
 * operator registered. Nobody vouches for what it says (RFC 7591 §5), so a consent is for what the page said, and for the
 * recipient that it named (RFC 9700 §4.11.2).
 * @param redirect_uri where the answer goes; undefined: to a device
 * @param remembered the consent of the user; undefined if there is none
 */
export function describedClient(
  client: Client,
  redirect_uri: string | undefined,
  remembered: ConsentRecord | undefined,
): DescribedClient | undefined {
  const { document_host: host, registered_at = '' } = client
  if (host === undefined && registered_at === '') return undefined
  const now = descriptionOf(client, redirect_uri)
  const recipients = new Set(client.redirect_uris.map(recipientOf))
  return {
    ...(host === undefined ? { registered_at } : { host }),
    is_local: host !== undefined && redirect_uri !== undefined && isNativeRedirectUri(redirect_uri),
    history: historyOf(now, remembered),
    others: [...recipients].filter((recipient) => recipient !== now.recipient),
    description: JSON.stringify(now),
  }
}

function descriptionOf(client: Client, redirect_uri: string | undefined): Description {
  const { client_name, redirect_uris, client_uri, logo_uri, policy_uri, tos_uri } = client
  return {
    client_name,
    recipient: redirect_uri === undefined ? '' : recipientOf(redirect_uri),
    redirect_uris: digestOf(redirect_uris.toSorted()),
    pages: digestOf([client_uri, logo_uri, policy_uri, tos_uri].map((uri) => uri ?? '')),
  }
}

function historyOf(now: Description, remembered: ConsentRecord | undefined): DescriptionHistory {
  const then = parseJson(remembered?.description ?? '')
  const since = Date.parse(remembered?.described_since ?? '')
  if (!isDescription(then) || Number.isNaN(since)) return { state: 'first' }
  const aspects = ASPECTS.filter((aspect) => now[aspect] !== then[aspect])
  if (aspects.length === 0) return { state: 'unchanged', since }
  const agreed = Date.parse(remembered?.given_at ?? '')
  return {
    state: 'changed',
    since: Number.isNaN(agreed) ? since : agreed,
    aspects,
    former_name: then.client_name,
  }
}

// An operator may have edited the record.
function isDescription(value: unknown): value is Description {
  return isObject(value) && ASPECTS.every((aspect) => typeof value[aspect] === 'string')
}

const digestOf = (parts: readonly string[]) => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)
