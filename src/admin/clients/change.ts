import { hasSecretlessMethod } from '../../clients/record/profiles.ts'
import { commit } from '../../core/commit.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { Change } from '../../storage/records.ts'
import { applyChange } from '../operation/apply-change.ts'
import type { AdminContext } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'
import { changeRead } from '../operation/record-type.ts'
import { assertMayGive } from '../operation/rights.ts'
import { needsSecret } from './defaults.ts'
import { clientChange } from './events.ts'
import { assertRegistrable, CLIENTS, scopesOf } from './record-type.ts'
import { checkSecret, newSecret, OLD_SECRET_FIELDS, secretFields } from './secret.ts'

/** What somebody wants of a client that exists. */
export interface WantedChange {
  /** The fields to set, as storage writes them. */
  readonly set: Hash
  readonly unset: readonly string[]
  readonly client_secret?: string | undefined
  /** Whether it becomes confidential, and so needs a secret whatever else its record names. */
  readonly becomes_confidential: boolean
}

/** A change that can be written. */
export interface PlannedChange {
  readonly set: Hash
  readonly unset: readonly string[]
  /** Seconds; Infinity: it lapses no more. */
  readonly ttl?: number
  /** The secret that was generated, which is shown once. */
  readonly client_secret?: string
}

/**
 * Returns the change of a record that is wanted, and what follows from it for the secret: a client that needs one gets
 * one, and a client that does not loses its own.
 * @param now milliseconds since 1970
 * @throws AdminError `invalid_field` if the given secret is refused
 */
export function planChange(stored: Hash, wanted: WantedChange, now: number): PlannedChange {
  const { client_secret, becomes_confidential } = wanted
  const has_other_method = hasSecretlessMethod(applyChange(stored, wanted))
  const lacks_secret =
    !has_other_method &&
    (becomes_confidential || hasSecretlessMethod(stored)) &&
    !stored.client_secret_hash &&
    needsSecret({ ...wanted.set, is_public: 'false' })
  const generated = client_secret === undefined && lacks_secret ? newSecret() : undefined
  const secret = client_secret ?? generated
  const has_digest = wanted.set.client_secret_hash !== undefined
  const created_at = generated === undefined ? wanted.set.client_secret_created_at : undefined
  const fields = secret === undefined ? {} : secretFields(checkSecret(secret), now, created_at)
  const set: Hash = { ...wanted.set, ...fields }
  // A given secret stays in the record: it is malformed with a method that needs no secret, and so refused.
  const has_no_secret = wanted.set.is_public === 'true' || (has_other_method && secret === undefined)
  const ended = [
    ...(has_no_secret ? ['client_secret_hash', 'client_secret_created_at'] : []),
    // It is not known when a secret was made that comes as its digest.
    ...(has_digest ? ['client_secret_created_at'] : []),
    ...(has_no_secret || has_digest || secret !== undefined ? OLD_SECRET_FIELDS : []),
  ].filter((field) => set[field] === undefined)
  // A client without a secret has an empty field.
  const unset = [
    ...ended.filter((field) => stored[field]),
    ...replacedAccess(stored, wanted),
    ...wanted.unset,
  ]
  return { set, unset, ...(generated !== undefined && { client_secret: generated }) }
}

/** The field that a new answer to "who may use it" replaces: groups and everybody exclude each other. */
function replacedAccess(stored: Hash, { set }: Pick<WantedChange, 'set'>): string[] {
  const given = (field: string) => set[field] !== undefined
  const other =
    given('allowed_groups') && !given('everybody')
      ? 'everybody'
      : set.everybody === 'true' && !given('allowed_groups')
        ? 'allowed_groups'
        : undefined
  return other !== undefined && stored[other] !== undefined ? [other] : []
}

/**
 * Returns a record after a change. A preview is as its original is, so nobody changes it.
 * @throws AdminError `invalid_field`, `lacks_right` or `conflict`
 */
export function changedClient(
  { caller }: Pick<AdminContext, 'caller'>,
  client_id: string,
  stored: Hash,
  change: Change,
): Hash {
  if (stored.preview_of !== undefined)
    throw new AdminError(
      'conflict',
      `"${client_id}" is a preview of "${stored.preview_of}": change that one, and make the preview again.`,
    )
  const hash = applyChange(stored, change)
  assertRegistrable(client_id, hash, stored, change.set)
  assertMayGive(caller, [...scopesOf(stored), ...scopesOf(hash)])
  return hash
}

/**
 * Changes a client that is still as it was read.
 * @returns the record as it is stored now
 * @throws AdminError `invalid_field`, `lacks_right` or `stale`; StorageUnavailable
 */
export async function changeClient(
  context: Pick<AdminContext, 'storage' | 'caller' | 'report'>,
  client_id: string,
  stored: Hash,
  change: Change,
): Promise<Hash> {
  const wanted = changedClient(context, client_id, stored, change)
  const { events, about } = clientChange(client_id, stored, wanted)
  return commit(context, events, about, (told) =>
    changeRead(context.storage, CLIENTS, client_id, stored, { ...change, told }),
  )
}
