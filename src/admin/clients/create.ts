import { CLIENT } from '../../clients/record/client-kind.ts'
import { type Client, formatClient, isClientId } from '../../clients/record/client-record.ts'
import { marksOfSuccessor } from '../../clients/record/removed-client.ts'
import { commit } from '../../core/commit.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { AdminContext } from '../operation/operation.ts'
import { AdminError, alreadyExists, invalidField } from '../operation/problem.ts'
import { assertMayGive } from '../operation/rights.ts'
import { defaultFields, needsSecret } from './defaults.ts'
import { assertRegistrable, scopesOf } from './record-type.ts'
import { checkSecret, newSecret, secretFields } from './secret.ts'

/** A client that can be written. */
export interface PlannedClient {
  readonly hash: Hash
  readonly client: Client
  /** The secret that was generated for it, which is shown once. */
  readonly client_secret?: string
}

/**
 * Returns a new client. If it needs a secret and none is given, it gets one.
 * @param given the fields that are given, as storage writes them
 * @param now milliseconds since 1970
 * @throws AdminError `invalid_field` or `lacks_right`
 */
export function planClient(
  { caller, now }: Pick<AdminContext, 'caller' | 'now'>,
  client_id: string,
  given: Hash,
  client_secret: string | undefined,
): PlannedClient {
  if (!isClientId(client_id)) {
    throw invalidField('client_id', 'client_id must have 1 to 255 printable ASCII characters')
  }
  // Its id would be given again, and nobody would count it.
  if (given.preview_of !== undefined)
    throw invalidField('preview_of', 'preview_of cannot be given: redmint client for-preview makes previews')
  const generated = client_secret === undefined && needsSecret(given) ? newSecret() : undefined
  const secret = client_secret === undefined ? generated : checkSecret(client_secret)
  // The date of a file is that of its secret, and not of one that is made now.
  const created_at = generated === undefined ? given.client_secret_created_at : undefined
  const hash = {
    ...formatClient({
      client_id,
      client_name: client_id,
      is_public: given.is_public === 'true',
      redirect_uris: [],
      allowed_scopes: [],
      grant_types: [],
    }),
    ...given,
    ...defaultFields(given),
    ...(secret === undefined ? {} : secretFields(secret, now(), created_at)),
  }
  const client = assertRegistrable(client_id, hash)
  assertMayGive(caller, scopesOf(hash))
  return { hash, client, ...(generated !== undefined && { client_secret: generated }) }
}

/** Writes a new client. @throws AdminError `exists`, `conflict`; StorageUnavailable */
export async function writeNewClient(
  context: Pick<AdminContext, 'storage' | 'report' | 'now'>,
  client_id: string,
  hash: Hash,
): Promise<void> {
  const outcome = await insertClient(context, client_id, hash)
  if (outcome === 'removed_just_now') {
    throw new AdminError(
      'conflict',
      `A client "${client_id}" was removed within the last two seconds: try again then.`,
    )
  }
  if (outcome === 'exists') throw alreadyExists('client', client_id)
}

/**
 * Writes the record of a new client, which inherits nothing of a removed one of the same id, and reports it.
 * @param ttl in seconds; absent: until it is removed
 * @throws StorageUnavailable
 */
export async function insertClient(
  context: Pick<AdminContext, 'storage' | 'report' | 'now'>,
  client_id: string,
  hash: Hash,
  ttl?: number,
): Promise<'ok' | 'exists' | 'removed_just_now'> {
  const { storage, now } = context
  const marks = await marksOfSuccessor(storage, client_id, now())
  if (marks === 'removed_just_now') return marks
  const event = { event: 'client_added', client_id } as const
  const record = {
    kind: CLIENT,
    id: client_id,
    hash: { ...hash, ...marks },
    ...(ttl !== undefined && { ttl }),
  }
  return commit(context, [event], {}, (told) => storage.records.create({ ...record, told }))
}
