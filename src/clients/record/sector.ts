import type { RecordOf } from '../../core/field-table.ts'
import type { FieldReader } from '../../core/record-hash.ts'
import { isUrl } from '../../core/uri.ts'
import type { CLIENT_FIELDS } from './client-fields.ts'

type Fields = Pick<RecordOf<typeof CLIENT_FIELDS>, 'subject_type' | 'redirect_uris' | 'sector_identifier'>

// OpenID Connect Core §8.1: a pairwise client whose redirect URIs have several hosts needs a sector_identifier.
export function checkSector(
  { subject_type, redirect_uris = [] }: Partial<Fields>,
  fields: FieldReader,
): void {
  const field = 'sector_identifier'
  if (subject_type !== 'pairwise' || fields.optional(field) !== undefined) return
  if (onlyHost(redirect_uris) === undefined) {
    fields.fail(field, 'is missing: the redirect_uris of the pairwise client do not have exactly one host')
  }
}

/** Returns a client with the sector that its redirect URIs say, if no field says it. */
export function withSector<T extends Fields>(client: T): T {
  if (client.subject_type === 'public' || client.sector_identifier !== undefined) return client
  const host = onlyHost(client.redirect_uris)
  return host === undefined ? client : { ...client, sector_identifier: host }
}

/** Returns the host of all URIs, or undefined if there is not exactly one. */
function onlyHost(uris: readonly string[]): string | undefined {
  const hosts = new Set(uris.flatMap((uri) => (isUrl(uri) ? [new URL(uri).hostname] : [])))
  const [host] = hosts
  return hosts.size === 1 && host !== '' ? host : undefined
}
