import { CLIENT } from '../../clients/record/client-kind.ts'
import { secretHash } from '../../clients/record/client-secret.ts'
import { hasSecretlessMethod, withProfile } from '../../clients/record/profiles.ts'
import { commit } from '../../core/commit.ts'
import { present } from '../../core/present.ts'
import type { Hash } from '../../core/record-hash.ts'
import { applyChange } from '../operation/apply-change.ts'
import type { AdminContext } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'
import { changeClient } from './change.ts'
import { clientChange } from './events.ts'
import { noSuchClient, readClient } from './record-type.ts'
import { checkSecret, newSecret, OLD_SECRET_FIELDS, secretFields } from './secret.ts'

/** The most seconds for which an old secret is kept. */
export const MAX_KEPT = 90 * 86_400

/** The new secret of a client. */
interface Rotated {
  readonly stored: Hash
  /** The secret that was generated; absent if it was given. */
  readonly client_secret?: string
  /** ISO 8601; absent: the old secret is not accepted any more. */
  readonly old_secret_ends_at?: string
}

/**
 * Gives a client a new secret. The one before is accepted for `keep` more seconds.
 * @param given the secret; undefined: it is generated
 * @throws AdminError `not_found`, `conflict` if the client has no secret or this one, `invalid_field`, `lacks_right`, or
 * `stale` if the client changes meanwhile; StorageUnavailable
 */
export async function rotateSecret(
  context: Pick<AdminContext, 'storage' | 'caller' | 'report' | 'now'>,
  client_id: string,
  given: string | undefined,
  keep: number,
): Promise<Rotated> {
  const now = context.now()
  const stored = await readClient(context.storage, client_id)
  if (stored.is_public === 'true') {
    throw new AdminError('conflict', `The client "${client_id}" is public: it has no secret.`)
  }
  if (hasSecretlessMethod(stored)) {
    throw new AdminError(
      'conflict',
      `The client "${client_id}" authenticates by ${withProfile(stored).token_endpoint_auth_method}, and not by a secret: replace its keys or its certificate.`,
    )
  }
  const secret = checkSecret(given ?? newSecret())
  const { client_secret_hash, client_secret_created_at } = stored
  if (secretHash(secret) === client_secret_hash) {
    throw new AdminError('conflict', 'The client has this secret already: give another one.')
  }
  const old_secret_ends_at = keep === 0 ? undefined : new Date(now + keep * 1000).toISOString()
  const old = old_secret_ends_at && {
    old_secret_hash: client_secret_hash,
    old_secret_created_at: client_secret_created_at,
    old_secret_ends_at,
  }
  const set: Hash = { ...secretFields(secret, now), ...present(old || {}) }
  const unset = OLD_SECRET_FIELDS.filter((field) => set[field] === undefined)
  // Of two rotations at the same time, the second would keep a secret that nobody was given.
  const changed = await changeClient(context, client_id, stored, { set, unset })
  return {
    stored: changed,
    ...present({ client_secret: given === undefined ? secret : undefined, old_secret_ends_at }),
  }
}

/**
 * Ends the secret before the present one of a client.
 * @returns the record as it is stored now
 * @throws AdminError `not_found`; StorageUnavailable
 */
export async function endOldSecret(
  context: Pick<AdminContext, 'storage' | 'report'>,
  client_id: string,
): Promise<Hash> {
  const { storage } = context
  const stored = await readClient(storage, client_id)
  const ended = { set: {}, unset: OLD_SECRET_FIELDS }
  const hash = applyChange(stored, ended)
  const { events, about } = clientChange(client_id, stored, hash)
  const changed = await commit(context, events, about, (told) =>
    storage.records.change(CLIENT, client_id, { ...ended, told }),
  )
  if (changed === 'missing') throw noSuchClient(client_id)
  return hash
}
