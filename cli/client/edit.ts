import { CLIENT_FIELDS } from '../../src/clients/client-fields.ts'
import { CLIENT } from '../../src/clients/client-kind.ts'
import {
  formatClient,
  type GrantType,
  isClientId,
  parseClient,
  registrationProblems,
  secretHash,
} from '../../src/clients/client-record.ts'
import { present } from '../../src/core/present.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import type { Change } from '../../src/storage/records.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { applyChange } from '../apply-change.ts'
import { assertWellFormed, Refusal, refusalOfRecord, UsageError } from '../errors.ts'
import { clearedFields, type FlagValues, givenFields } from '../field-flags.ts'
import type { Report } from '../output.ts'
import { newSecret, secretProblem } from './secret.ts'
import { describeClient, formatClientDescription, noSuchClient, readClient } from './show.ts'

/** The flags of `client add`. */
export type ClientFlags = FlagValues & { readonly public?: true }

/** The flags of `client update`. */
export type UpdateFlags = ClientFlags & { readonly confidential?: true }

/**
 * The command `client add`. If no `client_secret` is given, one is generated.
 * @throws Refusal if the client exists or its record would be malformed; UsageError
 */
export async function addClient(
  store: RecordStore,
  client_id: string,
  flags: ClientFlags,
  client_secret: string | undefined,
): Promise<Report> {
  if (!isClientId(client_id)) throw new Refusal('A client_id must have 1 to 255 printable ASCII characters.')
  const secret = flags.public ? undefined : checkSecret(client_secret ?? newSecret())
  const given = givenFields(CLIENT_FIELDS, flags)
  const client = formatClient({
    client_id,
    client_name: client_id,
    is_public: flags.public === true,
    redirect_uris: [],
    allowed_scopes: [],
    grant_types: given.grant_types === undefined ? defaultGrantTypes(flags, given) : [],
    ...present({ client_secret_hash: secret === undefined ? undefined : secretHash(secret) }),
  })
  const hash = { ...client, ...given }
  assertWellFormed(parseClient(client_id, hash))
  assertRegistrable(given)
  if ((await store.records.create({ kind: CLIENT, id: client_id, hash: hash })) === 'exists') {
    throw new Refusal(`The client "${client_id}" exists already: use redmint client update to change it.`)
  }
  return reportClient(
    'The client is registered.',
    client_id,
    hash,
    client_secret === undefined ? secret : undefined,
  )
}

/**
 * The command `client update`: changes the fields that the flags name.
 * @throws Refusal if the client does not exist or its record would be malformed; UsageError
 */
export async function updateClient(
  store: RecordStore,
  client_id: string,
  flags: UpdateFlags,
  client_secret: string | undefined,
): Promise<Report> {
  const stored = await readClient(store, client_id)
  const set = givenFields(CLIENT_FIELDS, flags)
  if (flags.public ?? flags.confidential) set.is_public = String(flags.public === true)
  const lacksSecret = flags.confidential === true && !stored.client_secret_hash
  const generated = client_secret === undefined && lacksSecret ? newSecret() : undefined
  const secret = client_secret ?? generated
  if (secret !== undefined) set.client_secret_hash = secretHash(checkSecret(secret))
  const unset = [...(flags.public ? ['client_secret_hash'] : []), ...clearedFields(CLIENT_FIELDS, flags)]
  if (Object.keys(set).length + unset.length === 0) {
    throw new UsageError(
      'There is nothing to change: give at least one flag, see redmint client update --help.',
    )
  }
  const hash = await change(store, client_id, stored, { set, unset })
  return reportClient('The client is changed.', client_id, hash, generated)
}

/**
 * The command `client rotate-secret`.
 * @throws Refusal if the client does not exist or is public, or its record is malformed
 */
export async function rotateSecret(
  store: RecordStore,
  client_id: string,
  client_secret: string | undefined,
): Promise<Report> {
  const stored = await readClient(store, client_id)
  if (stored.is_public === 'true') throw new Refusal(`The client "${client_id}" is public: it has no secret.`)
  const secret = checkSecret(client_secret ?? newSecret())
  await change(store, client_id, stored, { set: { client_secret_hash: secretHash(secret) }, unset: [] })
  const shown = client_secret === undefined ? secret : undefined
  return {
    text: ['The client has a new secret; the old secret is no longer valid.', ...secretLines(shown)].join(
      '\n',
    ),
    json: present({ client_id, client_secret: shown }),
  }
}

async function change(store: RecordStore, client_id: string, stored: Hash, wanted: Change): Promise<Hash> {
  const hash = applyChange(stored, wanted)
  assertWellFormed(parseClient(client_id, hash))
  assertRegistrable(wanted.set)
  if ((await store.records.change(CLIENT, client_id, wanted)) === 'missing') throw noSuchClient(client_id)
  return hash
}

// What is not changed stays as it is: client lint reports it.
function assertRegistrable(set: Hash): void {
  const problems = registrationProblems(set)
  if (problems.length > 0)
    throw refusalOfRecord('Nothing was written, because it is unsafe or a mistake:', problems)
}

function checkSecret(client_secret: string): string {
  const problem = secretProblem(client_secret)
  if (problem !== undefined) throw new Refusal(`The given secret ${problem}.`)
  return client_secret
}

function defaultGrantTypes(flags: ClientFlags, given: Hash): GrantType[] {
  if (given.redirect_uris !== undefined) return ['authorization_code']
  if (!flags.public) return ['client_credentials']
  throw new UsageError('A public client needs a redirect URI: give it a --redirect-uri.')
}

function reportClient(
  sentence: string,
  client_id: string,
  hash: Hash,
  client_secret: string | undefined,
): Report {
  const client = describeClient(client_id, hash)
  return {
    text: [sentence, '', formatClientDescription(client), ...secretLines(client_secret)].join('\n'),
    json: present({ ...client, client_secret }),
  }
}

function secretLines(client_secret: string | undefined): string[] {
  if (client_secret === undefined) return []
  return ['', `client_secret  ${client_secret}`, 'The secret is shown only once: only its SHA-256 is stored.']
}
