import type { ClientId } from '../../core/ids.ts'
import { recordOf } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { newPreviewId } from '../record/preview-fields.ts'
import { entryOf, type ListedPreview, lapsedIn, PREVIEWS_OF, uriOf } from './previews-record.ts'

/** How many previews of one client are alive at once. */
export const MAX_PREVIEWS = 50
/** How often a place is tried for while others take theirs. */
const ATTEMPTS = 10

/** What a preview needs a place for. */
interface Wanted {
  readonly redirect_uri: string
  /** Milliseconds since 1970. */
  readonly ends: number
  /** Milliseconds since 1970. */
  readonly now: number
  /** An id that is not to be used again: its record is gone. */
  readonly gone?: ClientId | undefined
}

/** The id of the preview that has a place, and whether it had it before. */
interface Place {
  readonly client_id: ClientId
  readonly was_there: boolean
}

/**
 * Takes the one place of a redirect URI among the previews of a client, before the preview is written: however many ask at
 * once, there are never more.
 * @returns `full`: as many are alive as there may be; `busy`: others were faster again and again
 * @throws StorageUnavailable
 */
export async function takePlace(
  { records }: RecordStore,
  original: ClientId,
  { redirect_uri, ends, now, gone }: Wanted,
): Promise<Place | 'full' | 'busy'> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const found = await records.read(PREVIEWS_OF, original)
    const previews = recordOf(found) ?? new Map<string, ListedPreview>()
    const lapsed = lapsedIn(previews, now)
    const known = lapsed.includes(redirect_uri) ? undefined : previews.get(redirect_uri)?.client_id
    if (known === undefined && previews.size - lapsed.length >= MAX_PREVIEWS) return 'full'
    const was_there = known !== undefined && known !== gone
    const client_id = was_there ? known : newPreviewId()
    const set = { [redirect_uri]: entryOf({ client_id, ends }) }
    const unset = lapsed.filter((uri) => uri !== redirect_uri)
    const ttl = Math.ceil((ends - now) / 1000)
    const written =
      found === undefined
        ? await records.create({ kind: PREVIEWS_OF, id: original, hash: set, ttl })
        : await records.change(PREVIEWS_OF, original, { set, unset, ttl, expected: found.hash, whole: true })
    if (written === 'ok') return { client_id, was_there }
  }
  return 'busy'
}

/** Returns the previews that have a place, by their redirect URIs. @throws StorageUnavailable */
export async function placesOf(
  { records }: RecordStore,
  original: ClientId,
): Promise<ReadonlyMap<string, ListedPreview>> {
  return recordOf(await records.read(PREVIEWS_OF, original)) ?? new Map()
}

/** Gives back the place of a preview that is removed. @throws StorageUnavailable */
export async function freePlace(
  { records }: RecordStore,
  original: ClientId,
  client_id: ClientId,
): Promise<void> {
  const hash = (await records.read(PREVIEWS_OF, original))?.hash ?? {}
  const uri = uriOf(hash, client_id)
  if (uri === undefined) return
  // One that was made anew meanwhile stays.
  await records.change(PREVIEWS_OF, original, { set: {}, unset: [uri], expected: { [uri]: hash[uri] ?? '' } })
}

/** Gives back all places, and returns whose they were. @throws StorageUnavailable */
export async function freePlaces({ records }: RecordStore, original: ClientId): Promise<ClientId[]> {
  const previews = recordOf(await records.remove(PREVIEWS_OF, original, undefined))
  return [...(previews ?? new Map<string, ListedPreview>()).values()].map(({ client_id }) => client_id)
}
