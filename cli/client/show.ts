import { CLIENT } from '../../src/clients/client-kind.ts'
import { CLIENT_FIELDS, type Client, parseClient } from '../../src/clients/client-record.ts'
import type { FieldProblem, Hash } from '../../src/core/record-hash.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { EXIT, Refusal, sayProblem } from '../errors.ts'
import { count, pairs, type Report, table } from '../output.ts'

/** A client as the operator sees it: all but its secret's hash. */
export type ClientDescription =
  | (Omit<Client, 'client_secret_hash' | 'disabled'> & {
      state: 'active' | 'disabled'
      secret: 'set' | 'none'
    })
  | {
      client_id: string
      state: 'malformed'
      problems: FieldProblem[]
      /** The fields as they stand; those that redmint does not know are left out, as they may hold anything. */
      fields: Hash
    }

/** @throws Refusal where there is no such client */
export async function readClient(store: RecordStore, client_id: string): Promise<Hash> {
  const hash = (await store.records.read(CLIENT, client_id))?.hash
  if (hash === undefined) throw noSuchClient(client_id)
  return hash
}

export function noSuchClient(client_id: string): Refusal {
  return new Refusal(`There is no client "${client_id}".`)
}

/** Every client's record by its id, sorted. */
export async function readClients(store: RecordStore): Promise<Map<string, Hash>> {
  const clients: [string, Hash][] = []
  for await (const { id, hash } of store.records.list(CLIENT)) clients.push([id, hash])
  return new Map(clients.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Describes a record as it stands in storage. */
export function describeClient(client_id: string, hash: Hash): ClientDescription {
  const parsed = parseClient(client_id, hash)
  if (!parsed.ok) {
    const shown = CLIENT_FIELDS.filter(
      (field) => field !== 'client_secret_hash' && Object.hasOwn(hash, field),
    ).map((field) => [field, hash[field]])
    return { client_id, state: 'malformed', problems: parsed.problems, fields: Object.fromEntries(shown) }
  }
  const { client_secret_hash, disabled, ...client } = parsed.record
  return {
    ...client,
    state: disabled ? 'disabled' : 'active',
    secret: client_secret_hash === undefined ? 'none' : 'set',
  }
}

/** The command `client list`. */
export async function listClients(store: RecordStore): Promise<Report> {
  const clients = [...(await readClients(store))].map(([id, hash]) => describeClient(id, hash))
  const rows = clients.map((client) =>
    client.state === 'malformed'
      ? [client.client_id, '', '', '', 'malformed']
      : [client.client_id, client.client_name, sayType(client), client.grant_types.join(' '), client.state],
  )
  const malformed = clients.filter(({ state }) => state === 'malformed').length
  const lines = [table(['CLIENT_ID', 'NAME', 'TYPE', 'GRANT TYPES', 'STATE'], rows)]
  if (malformed > 0) {
    lines.push('', `${count(malformed, 'record')} of ${clients.length} malformed: see redmint client lint.`)
  }
  return {
    text:
      clients.length === 0 ? 'There are no clients yet: see redmint client add --help.' : lines.join('\n'),
    json: { clients },
  }
}

/** The command `client show`. */
export async function showClient(store: RecordStore, client_id: string): Promise<Report> {
  const client = describeClient(client_id, await readClient(store, client_id))
  return {
    text: sayClient(client),
    json: client,
    ...(client.state === 'malformed' ? { exit: EXIT.refused } : {}),
  }
}

/** A client in words. */
export function sayClient(client: ClientDescription): string {
  if (client.state === 'malformed') {
    return [
      'This record is malformed, so the servers refuse the client:',
      ...client.problems.map((problem) => `  ${sayProblem(problem)}`),
      '',
      pairs(Object.entries(client.fields)),
    ].join('\n')
  }
  return pairs([
    ['client_id', client.client_id],
    ['client_name', client.client_name],
    ['type', sayType(client)],
    ['secret', client.secret],
    ['grant_types', client.grant_types.join(' ')],
    ...sayList('redirect_uris', client.redirect_uris),
    ['allowed_scopes', client.allowed_scopes.join(' ') || 'none'],
    ['access_token_format', client.access_token_format ?? "the servers' ACCESS_TOKEN_FORMAT"],
    ...sayUnusual(client),
    ['state', client.state],
  ])
}

function sayType({ is_public }: Pick<Client, 'is_public'>): string {
  return is_public ? 'public' : 'confidential'
}

// Most clients have the defaults, and are shown without them.
function sayUnusual(client: ClientDescription & { state: 'active' | 'disabled' }): [string, string][] {
  const { subject_type, sector_identifier, id_token_signed_response_alg, backchannel_logout_uri } = client
  const uris = client.post_logout_redirect_uris
  const rows: [string, string | false | undefined][] = [
    ['id_token_signed_response_alg', id_token_signed_response_alg],
    ['refresh_token_rotation', !client.refresh_token_rotation && 'false'],
    ['can_introspect', client.can_introspect && 'true'],
    ['require_pkce', !client.require_pkce && 'false'],
    ['first_party', client.first_party && 'true'],
    ['subject_type', subject_type === 'pairwise' && subject_type],
    ['sector_identifier', subject_type === 'pairwise' && sector_identifier],
    ...(uris.length === 0 ? [] : sayList('post_logout_redirect_uris', uris)),
    ['backchannel_logout_uri', backchannel_logout_uri],
    ['logout_ends_tokens', client.logout_ends_tokens && 'true'],
  ]
  return rows.filter((row): row is [string, string] => typeof row[1] === 'string')
}

function sayList(name: string, values: readonly string[]): [string, string][] {
  if (values.length === 0) return [[name, 'none']]
  return values.map((value, index) => [index === 0 ? name : '', value])
}
