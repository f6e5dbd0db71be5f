import type { ClientId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { Kind } from '../../storage/records.ts'

/** A preview, as the record of those of its original names it. */
export interface ListedPreview {
  readonly client_id: ClientId
  /** Milliseconds since 1970. */
  readonly ends: number
}

/** The previews of an original, by their redirect URIs; those that have lapsed, too, until the next one is made. */
export const PREVIEWS_OF: Kind<ReadonlyMap<string, ListedPreview>> = {
  name: 'previews',
  by_operators: true,
  format: (previews) => Object.fromEntries([...previews].map(([uri, preview]) => [uri, entryOf(preview)])),
  parse: (hash) => ({ ok: true, record: new Map(Object.entries(hash).flatMap(readEntry)) }),
}

/** Returns what the record says of a preview: its id, and when it lapses in ISO 8601. */
export const entryOf = ({ client_id, ends }: ListedPreview): string =>
  `${client_id} ${new Date(ends).toISOString()}`

function readEntry([uri, entry]: [string, string]): [string, ListedPreview][] {
  const [client_id = '', lapses_at = ''] = entry.split(' ')
  return [[uri, { client_id, ends: Date.parse(lapses_at) }]]
}

/** Returns the redirect URIs of those that are not alive any more, or malformed. @param now milliseconds since 1970 */
export function lapsedIn(previews: ReadonlyMap<string, ListedPreview>, now: number): string[] {
  return [...previews].flatMap(([uri, { ends }]) => (now < ends ? [] : [uri]))
}

/** Returns the redirect URI under which a record names a preview. */
export function uriOf(hash: Hash, client_id: ClientId): string | undefined {
  return Object.keys(hash).find((uri) => hash[uri]?.startsWith(`${client_id} `))
}
