import { CLIENT } from '../../src/clients/client-kind.ts'
import {
  type ClientDefinition,
  formatClient,
  type GrantType,
  isClientId,
  parseClient,
  secretHash,
} from '../../src/clients/client-record.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import type { Change } from '../../src/storage/records.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { applyChange } from '../apply-change.ts'
import { Refusal, refuseProblems, sayProblem, UsageError } from '../errors.ts'
import type { Report } from '../output.ts'
import { clearedFields, type FieldFlags, givenFields } from './fields.ts'
import { newSecret, secretProblem } from './secret.ts'
import { describeClient, noSuchClient, readClient, sayClient } from './show.ts'

/** What the flags of `client add` say; absent where the flag was not given. */
export interface ClientFlags extends FieldFlags {
  name?: string
  redirectUri?: string[]
  scope?: string[]
  grantType?: GrantType[]
  public?: true
  postLogoutRedirectUri?: string[]
}

/** What the flags of `client update` say. */
export interface UpdateFlags extends ClientFlags {
  confidential?: true
  clearName?: true
  clearRedirectUris?: true
  clearScopes?: true
  clearPostLogoutRedirectUris?: true
}

/**
 * The command `client add`. `client_secret` is the given one; where there is none, one is generated.
 * @throws Refusal where the client exists or its record would be malformed; UsageError
 */
export async function addClient(
  store: RecordStore,
  client_id: string,
  flags: ClientFlags,
  client_secret: string | undefined,
): Promise<Report> {
  if (!isClientId(client_id)) throw new Refusal('A client_id has 1 to 255 characters of printable ASCII.')
  const secret = flags.public ? undefined : checkSecret(client_secret ?? newSecret())
  const client: ClientDefinition = {
    client_id,
    ...(secret === undefined ? {} : { client_secret_hash: secretHash(secret) }),
    client_name: flags.name ?? client_id,
    redirect_uris: checkUris(flags.redirectUri ?? []),
    allowed_scopes: flags.scope ?? [],
    grant_types: flags.grantType ?? defaultGrantTypes(flags),
    is_public: flags.public === true,
    post_logout_redirect_uris: checkUris(flags.postLogoutRedirectUri ?? []),
    disabled: false,
  }
  const hash = { ...formatClient(client), ...givenFields(flags) }
  assertWellFormed(client_id, hash)
  if ((await store.records.create({ kind: CLIENT, id: client_id, hash: hash })) === 'exists') {
    throw new Refusal(`There is a client "${client_id}" already: redmint client update changes it.`)
  }
  return reportClient(
    'The client is registered.',
    client_id,
    hash,
    client_secret === undefined ? secret : undefined,
  )
}

/**
 * The command `client update`: changes what the flags name, and nothing else.
 * @throws Refusal where there is no such client or its record would be malformed; UsageError
 */
export async function updateClient(
  store: RecordStore,
  client_id: string,
  flags: UpdateFlags,
  client_secret: string | undefined,
): Promise<Report> {
  const stored = await readClient(store, client_id)
  const set = givenFields(flags)
  if (flags.name !== undefined) set.client_name = flags.name
  if (flags.redirectUri) set.redirect_uris = checkUris(flags.redirectUri).join(' ')
  if (flags.postLogoutRedirectUri) {
    set.post_logout_redirect_uris = checkUris(flags.postLogoutRedirectUri).join(' ')
  }
  if (flags.scope) set.allowed_scopes = flags.scope.join(' ')
  if (flags.grantType) set.grant_types = flags.grantType.join(' ')
  if (flags.public ?? flags.confidential) set.is_public = String(flags.public === true)
  const lacksSecret = flags.confidential === true && !stored.client_secret_hash
  const generated = client_secret === undefined && lacksSecret ? newSecret() : undefined
  const secret = client_secret ?? generated
  if (secret !== undefined) set.client_secret_hash = secretHash(checkSecret(secret))
  const unset = [
    ...(flags.public ? ['client_secret_hash'] : []),
    ...(flags.clearName ? ['client_name'] : []),
    ...(flags.clearRedirectUris ? ['redirect_uris'] : []),
    ...(flags.clearScopes ? ['allowed_scopes'] : []),
    ...(flags.clearPostLogoutRedirectUris ? ['post_logout_redirect_uris'] : []),
    ...clearedFields(flags),
  ]
  if (Object.keys(set).length + unset.length === 0) {
    throw new UsageError('There is nothing to change: name it by a flag, see redmint client update --help.')
  }
  const hash = await change(store, client_id, stored, { set, unset })
  return reportClient('The client is changed.', client_id, hash, generated)
}

/**
 * The command `client rotate-secret`.
 * @throws Refusal where there is no such client, or it is public, or its record is malformed
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
    text: ['The client has a new secret; the old one is worth nothing now.', ...saySecret(shown)].join('\n'),
    json: { client_id, ...(shown === undefined ? {} : { client_secret: shown }) },
  }
}

async function change(store: RecordStore, client_id: string, stored: Hash, wanted: Change): Promise<Hash> {
  const hash = applyChange(stored, wanted)
  assertWellFormed(client_id, hash)
  if ((await store.records.change(CLIENT, client_id, wanted)) === 'missing') throw noSuchClient(client_id)
  return hash
}

// The servers read the record by the same function: what passes here is no malformed client there.
function assertWellFormed(client_id: string, hash: Hash): void {
  const parsed = parseClient(client_id, hash)
  if (parsed.ok) return
  throw refuseProblems(
    'The record would be malformed, so nothing was written:',
    parsed.problems.map(sayProblem),
  )
}

function checkSecret(client_secret: string): string {
  const problem = secretProblem(client_secret)
  if (problem !== undefined) throw new Refusal(`The given secret ${problem}.`)
  return client_secret
}

// Storage separates the list by spaces: an entry with a space in it would become two.
function checkUris(uris: readonly string[]): readonly string[] {
  if (uris.some((uri) => !/^\S+$/.test(uri))) {
    throw new Refusal('A redirect URI is not empty and has no white space: give the flag once for each.')
  }
  return [...new Set(uris)]
}

function defaultGrantTypes(flags: ClientFlags): GrantType[] {
  if (flags.redirectUri) return ['authorization_code']
  if (!flags.public) return ['client_credentials']
  throw new UsageError('A public client signs users in: give it a --redirect-uri.')
}

function reportClient(
  sentence: string,
  client_id: string,
  hash: Hash,
  client_secret: string | undefined,
): Report {
  const client = describeClient(client_id, hash)
  return {
    text: [sentence, '', sayClient(client), ...saySecret(client_secret)].join('\n'),
    json: { ...client, ...(client_secret === undefined ? {} : { client_secret }) },
  }
}

function saySecret(client_secret: string | undefined): string[] {
  if (client_secret === undefined) return []
  return ['', `client_secret  ${client_secret}`, 'The secret is shown this once: only its SHA-256 is stored.']
}
