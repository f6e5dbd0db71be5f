import { timingSafeEqual } from 'node:crypto'
import { commit } from '../../core/commit.ts'
import type { ClientId } from '../../core/ids.ts'
import { isObject } from '../../core/json.ts'
import { describeUnquoted, type Hash } from '../../core/record-hash.ts'
import { invalidClientMetadata, invalidRegistrationToken } from '../../core/registration-errors.ts'
import { StorageUnavailable } from '../../storage/errors.ts'
import { DESCRIBED_FIELDS, readClientMetadata } from '../documents/client-metadata.ts'
import { REGISTERED_CLIENT } from '../record/client-kind.ts'
import { type Client, formatClient } from '../record/client-record.ts'
import { secretHash } from '../record/client-secret.ts'
import { type ClientInformation, clientInformation } from './information.ts'
import { newSecret, type RegistrationContext } from './register.ts'

/** A request at the client configuration endpoint (RFC 7592 §2). */
export interface ManagementRequest {
  readonly client_id: ClientId
  /** The bearer token; absent: none. */
  readonly token: string | undefined
}

/** The members that a client must not send when it changes its registration (RFC 7592 §2.2). */
const NOT_TO_SEND = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
]
/** How often a change is tried while others change the same client. */
const MAX_ATTEMPTS = 5
const OLD_SECRET = ['old_secret_hash', 'old_secret_created_at', 'old_secret_ends_at']

/**
 * Returns the client information of a client (RFC 7592 §2.1). Its secret is not stored and not in it.
 * @throws OAuthError `invalid_token`; StorageUnavailable
 */
export async function readRegistration(
  context: RegistrationContext,
  request: ManagementRequest,
): Promise<ClientInformation> {
  const { client, registration_access_token } = await authenticatedClient(context, request)
  return clientInformation(context.settings.issuer, client, { registration_access_token })
}

/**
 * Replaces the metadata of a client (RFC 7592 §2.2). What the operator set stays, the allowed scopes included.
 * @throws OAuthError `invalid_token`, or as readClientMetadata; StorageUnavailable, also if others change it all the time
 */
export async function changeRegistration(
  context: RegistrationContext,
  request: ManagementRequest,
  metadata: unknown,
): Promise<ClientInformation> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const information = await tryChange(context, request, metadata)
    if (information !== undefined) return information
  }
  throw new StorageUnavailable('others change the same client')
}

/** One attempt of changeRegistration; undefined if the record changed since it was read. */
async function tryChange(
  context: RegistrationContext,
  request: ManagementRequest,
  metadata: unknown,
): Promise<ClientInformation | undefined> {
  const { settings, storage, now } = context
  const authenticated = await authenticatedClient(context, request)
  const { client: before, hash: stored, registration_access_token } = authenticated
  checkOwn(before, metadata)
  const secret = newSecret()
  const described = readClientMetadata(metadata, {
    client_id: before.client_id,
    client_secret_hash: before.client_secret_hash ?? secretHash(secret),
    scopes: before.allowed_scopes,
    signing_algs: settings.signing_algs,
    client_certificates: settings.client_certificate_secret !== undefined,
  })
  const { client_secret_hash } = described
  const is_new_secret = client_secret_hash !== undefined && before.client_secret_hash === undefined
  const hash = formatClient(described)
  const set: Hash = {
    ...changedFields(stored, hash),
    ...(is_new_secret && { client_secret_created_at: new Date(now()).toISOString() }),
  }
  const unset = [
    ...DESCRIBED_FIELDS.filter((field) => !(field in hash)),
    ...(client_secret_hash === undefined ? ['client_secret_created_at', ...OLD_SECRET] : []),
  ]
  assertWhole(before.client_id, stored, set, unset)
  const { client_id } = before
  const expected = knownFields(stored)
  const event = { event: 'registration_changed', client_id } as const
  const changed = await commit(context, [event], {}, (told) =>
    storage.records.change(REGISTERED_CLIENT, client_id, { set, unset, expected, told }),
  )
  if (changed === 'missing') return undefined
  const { registered_at } = before
  const client = { ...described, ...(registered_at === undefined ? {} : { registered_at }) }
  return clientInformation(settings.issuer, client, {
    ...(is_new_secret && { client_secret: secret }),
    registration_access_token,
  })
}

/**
 * Deletes a client (RFC 7592 §2.3). Its codes and tokens are refused from then on, because their client is unknown, and
 * expire by themselves; no other client ever gets its id.
 * @throws OAuthError `invalid_token`; StorageUnavailable
 */
export async function deleteRegistration(
  context: RegistrationContext,
  request: ManagementRequest,
): Promise<void> {
  const { client } = await authenticatedClient(context, request)
  const { client_id } = client
  const event = { event: 'registration_deleted', client_id } as const
  await commit(context, [event], {}, (told) =>
    context.storage.records.remove(REGISTERED_CLIENT, client_id, told),
  )
}

/** The fields that must not change between reading and writing: two changes at once would leave a mixture of both. */
function knownFields(stored: Hash): Hash {
  const names = new Set(['registration_token_hash', ...DESCRIBED_FIELDS])
  return Object.fromEntries(Object.entries(stored).filter(([field]) => names.has(field)))
}

/** Only what changes is written: an operator may set the scopes or the secret at the same time, and must not lose that. */
function changedFields(stored: Hash, hash: Hash): Hash {
  return Object.fromEntries(Object.entries(hash).filter(([field, text]) => text !== (stored[field] ?? '')))
}

/** What the client describes must fit what the operator set: otherwise its record is malformed, and it is lost. */
function assertWhole(client_id: ClientId, stored: Hash, set: Hash, unset: readonly string[]): void {
  const kept = Object.entries(stored).filter(([field]) => !unset.includes(field))
  const whole = REGISTERED_CLIENT.parse({ ...Object.fromEntries(kept), ...set }, client_id)
  if (whole.ok) return
  const problems = whole.problems.map(describeUnquoted).join('; ')
  throw invalidClientMetadata(
    'metadata_refused',
    `This does not fit what the operator set for this client: ${problems}.`,
  )
}

/** Returns the client and its token. An unknown client and a wrong token get the same answer (RFC 7592 §2). */
async function authenticatedClient(
  { storage }: RegistrationContext,
  { client_id, token }: ManagementRequest,
): Promise<{ client: Client; hash: Hash; registration_access_token: string }> {
  if (token === undefined) throw invalidRegistrationToken('no token')
  const found = await storage.records.read(REGISTERED_CLIENT, client_id, { current: true })
  const client = found?.ok && !found.record.disabled ? found.record : undefined
  const expected = Buffer.from(client?.registration_token_hash ?? secretHash(''))
  if (found === undefined || client?.registration_token_hash === undefined)
    throw invalidRegistrationToken('the client is not registered, or not by itself')
  if (!timingSafeEqual(Buffer.from(secretHash(token)), expected))
    throw invalidRegistrationToken('not the token of the client')
  return { client, hash: found.hash, registration_access_token: token }
}

function checkOwn(client: Client, metadata: unknown): void {
  const sent: Readonly<Record<string, unknown>> = isObject(metadata) ? metadata : {}
  if (sent.client_id !== client.client_id) {
    throw invalidClientMetadata('metadata_refused', 'client_id must be that of this client.')
  }
  const wrong = NOT_TO_SEND.filter((member) => Object.hasOwn(sent, member))
  if (wrong.length > 0)
    throw invalidClientMetadata('metadata_refused', `Leave out what the server sets: ${wrong.join(', ')}.`)
  // §2.2: a client cannot choose its secret.
  const { client_secret } = sent
  if (client_secret === undefined) return
  if (typeof client_secret === 'string' && secretHash(client_secret) === client.client_secret_hash) return
  throw invalidClientMetadata('metadata_refused', 'client_secret must be the present one: leave it out.')
}
