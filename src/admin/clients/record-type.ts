import { Type } from '@sinclair/typebox'
import { lastUseOf } from '../../clients/authentication/secret-uses.ts'
import { isClientIdUrl } from '../../clients/documents/client-id-url.ts'
import { keyProblems } from '../../clients/keys/key-problems.ts'
import { CLIENT_FIELDS } from '../../clients/record/client-fields.ts'
import { CLIENT } from '../../clients/record/client-kind.ts'
import { type Client, parseClient, registrationProblems } from '../../clients/record/client-record.ts'
import type { FieldTable } from '../../core/field-table.ts'
import { present } from '../../core/present.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { scopeNames } from '../../core/scope.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { AdminError, invalidFields } from '../operation/problem.ts'
import { describeRecord, type RecordType, shownFields } from '../operation/record-type.ts'

const TABLE: FieldTable = CLIENT_FIELDS
// Every other field without a flag is redmint's own: a new one cannot be set by a request before somebody decides so.
const GIVEN = [
  ...['client_id', 'is_public', 'contacts', 'software_id', 'software_version', 'disabled'],
  // Whoever declares records says which ones no longer are.
  'undeclared',
]

/** Clients, as operators see and set them. */
export const CLIENTS: RecordType<typeof CLIENT_FIELDS, 'client_id'> = {
  name: 'client',
  kind: CLIENT,
  table: CLIENT_FIELDS,
  id: 'client_id',
  read_only: shownFields({ table: TABLE }).filter(
    (name) => TABLE[name]?.flag === undefined && !GIVEN.includes(name),
  ),
}

const SET = { enum: ['set', 'none'], readOnly: true } as const
const USED = { readOnly: true, description: 'in ISO 8601, to the hour; absent if no use is known' } as const

/** What answers say of the secrets of a client. */
export const SECRET_STATES = {
  secret: Type.Optional(Type.String(SET)),
  old_secret: Type.Optional(Type.String(SET)),
  registration_token: Type.Optional(
    Type.String({ ...SET, description: 'whether it can read, change and delete its own registration' }),
  ),
  secret_used_at: Type.Optional(Type.String(USED)),
  old_secret_used_at: Type.Optional(Type.String(USED)),
}

/** Returns a client as lists have it; undefined: its key is not a hash. */
export function describeClient(client_id: string, stored: Hash | undefined) {
  const stateOf = (digest: string | undefined) => (digest ? 'set' : 'none')
  return {
    ...describeRecord(CLIENTS, client_id, stored),
    secret: stateOf(stored?.client_secret_hash),
    old_secret: stateOf(stored?.old_secret_hash),
    registration_token: stateOf(stored?.registration_token_hash),
  }
}

/** Returns when the secrets of a client were last used, as far as that is known. @throws StorageUnavailable */
export async function usesOf(
  store: RecordStore,
  client_id: string,
  { client_secret_hash, old_secret_hash }: Hash,
): Promise<{ secret_used_at?: string; old_secret_used_at?: string }> {
  const [secret_used_at, old_secret_used_at] = await Promise.all(
    [client_secret_hash, old_secret_hash].map((digest) => digest && lastUseOf(store, client_id, digest)),
  )
  return present({
    secret_used_at: secret_used_at || undefined,
    old_secret_used_at: old_secret_used_at || undefined,
  })
}

/** Reads the record of a client. @throws AdminError `not_found`; StorageUnavailable */
export async function readClient({ records }: RecordStore, client_id: string): Promise<Hash> {
  const stored = (await records.read(CLIENT, client_id))?.hash
  if (stored === undefined) throw noSuchClient(client_id)
  return stored
}

/** Returns the error for a client that has no record. */
export function noSuchClient(client_id: string): AdminError {
  const why = isClientIdUrl(client_id)
    ? ' If its document describes it (CLIENT_ID_METADATA), it has no record.'
    : ''
  return new AdminError('not_found', `There is no client "${client_id}".${why}`)
}

/** Returns the scopes that a client has by its record. */
export const scopesOf = ({ allowed_scopes = '' }: Hash) => scopeNames(allowed_scopes)

/**
 * Checks that servers would accept a record, and that nothing in it is unsafe or a mistake.
 * @param stored the record before; what was wrong with its keys stays allowed
 * @param set the fields that change; other redirect URIs stay allowed
 * @throws AdminError `invalid_field`
 */
export function assertRegistrable(
  client_id: string,
  hash: Hash,
  stored: Hash = {},
  set: Hash = hash,
): Client {
  const parsed = parseClient(client_id, hash)
  const problems: FieldProblem[] = [
    ...(parsed.ok ? [] : parsed.problems),
    ...registrationProblems(set),
    ...keyProblems(hash, stored),
    ...(isAmbiguous(hash) && !isAmbiguous(stored)
      ? [{ field: 'everybody', problem: 'must not be true with allowed_groups: say who may use it once' }]
      : []),
  ]
  if (!parsed.ok || problems.length > 0) throw invalidFields(problems)
  return parsed.record
}

const isAmbiguous = ({ everybody, allowed_groups }: Hash) =>
  everybody === 'true' && allowed_groups !== undefined
