import { fieldsOfOriginal, previewRecord } from '../../clients/previews/new-preview.ts'
import { MAX_PREVIEWS, takePlace } from '../../clients/previews/places.ts'
import { previewUriProblem } from '../../clients/previews/preview-uri.ts'
import { CLIENT } from '../../clients/record/client-kind.ts'
import { type Client, parseClient } from '../../clients/record/client-record.ts'
import { openHostProblem } from '../../clients/record/preview-fields.ts'
import { commit } from '../../core/commit.ts'
import type { ClientId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import { removeClient } from '../clients/state.ts'
import type { AdminContext } from '../operation/operation.ts'
import { AdminError, invalidField, invalidFields } from '../operation/problem.ts'
import { readOriginal } from './original.ts'

/** A preview that was made. */
export interface MadePreview {
  readonly client_id: ClientId
  readonly hash: Hash
  /** Whether it was there before, with this redirect URI, and now lapses later or sooner. */
  readonly was_there: boolean
}

/** What is wanted of a preview. */
interface Wanted {
  readonly redirect_uri: string
  /** Seconds. */
  readonly lives: number
}

/**
 * Makes a preview of a client, or makes one anew that has the redirect URI: then it keeps its id, and has what its original
 * has now.
 * @throws AdminError `lacks_right`, `invalid_field` or `conflict`; StorageUnavailable
 */
export async function makePreview(
  context: AdminContext,
  original_id: ClientId,
  { redirect_uri, lives }: Wanted,
): Promise<MadePreview> {
  const original = await readOriginal(context, original_id)
  assertPreviewUri(original, redirect_uri)
  const { storage, settings } = context
  const now = context.now()
  // To the second, as tokens end.
  const ends = Math.floor(now / 1000 + lives) * 1000
  let gone: ClientId | undefined
  // A preview whose record is gone, as one that lapsed just now, is not made again: another one takes its place.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const place = await takePlace(storage, original_id, { redirect_uri, ends, now, gone })
    if (typeof place === 'string') throw new AdminError('conflict', NO_PLACE[place])
    const { client_id, was_there } = place
    const hash = previewRecord(original, { client_id, redirect_uri, ends }, settings)
    const parsed = parseClient(client_id, hash)
    if (!parsed.ok) throw invalidFields(parsed.problems)
    const written = await writePreview(context, client_id, hash, {
      was_there,
      ttl: Math.ceil((ends - now) / 1000),
    })
    if (written !== 'ok') {
      gone = client_id
      continue
    }
    await assertStillOriginal(context, original_id, client_id)
    return { client_id, hash, was_there }
  }
  throw new AdminError('conflict', 'The preview was removed at the same time: try again.')
}

const NO_PLACE = {
  full: `${MAX_PREVIEWS} previews of this client are alive, which is the most: end some, or let them lapse sooner.`,
  busy: 'Many previews of this client are being made: try again.',
} as const

/** @throws AdminError `invalid_field` */
function assertPreviewUri(original: Client, redirect_uri: string): void {
  const problem =
    previewUriProblem(original, redirect_uri) ??
    (original.preview_hosts ?? [])
      .filter((host) => redirect_uri.includes(`.${host}/`))
      .map(openHostProblem)[0]
  if (problem !== undefined) throw invalidField('redirect_uri', `redirect_uri ${problem}`)
}

async function writePreview(
  context: AdminContext,
  client_id: ClientId,
  hash: Hash,
  { was_there, ttl }: { readonly was_there: boolean; readonly ttl: number },
): Promise<'ok' | 'exists' | 'missing'> {
  const { records } = context.storage
  const { preview_of = '', lapses_at = '' } = hash
  const event = { event: 'preview_made', client_id, preview_of, lapses_at } as const
  return commit<'ok' | 'exists' | 'missing'>(context, [event], {}, (told) => {
    if (!was_there) return records.create({ kind: CLIENT, id: client_id, hash, ttl, told })
    // Whether an operator disabled it stays.
    const unset = fieldsOfOriginal().filter((name) => hash[name] === undefined)
    return records.change(CLIENT, client_id, { set: hash, unset, ttl, expected: { preview_of }, told })
  })
}

/** Removes a preview whose original ended while it was made: a client that takes the id of that one later has none. */
async function assertStillOriginal(
  context: AdminContext,
  original: ClientId,
  client_id: ClientId,
): Promise<void> {
  try {
    await readOriginal(context, original)
  } catch (error) {
    if (error instanceof AdminError) await removeClient(context, client_id)
    throw error
  }
}
