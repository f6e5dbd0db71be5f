import { CLIENT_FIELDS } from '../../src/clients/client-fields.ts'
import { CLIENT } from '../../src/clients/client-kind.ts'
import { type Client, parseClient } from '../../src/clients/client-record.ts'
import type { FieldProblem, Hash } from '../../src/core/record-hash.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { EXIT, Refusal, sayProblem } from '../errors.ts'
import { sayFields } from '../field-rows.ts'
import { count, pairs, type Report, table } from '../output.ts'

/** A client as it is shown, without the hash of its secret. */
export type ClientDescription =
  | (Omit<Client, 'client_secret_hash' | 'disabled'> & {
      state: 'active' | 'disabled'
      secret: 'set' | 'none'
    })
  | {
      client_id: string
      state: 'malformed'
      problems: FieldProblem[]
      /** The raw fields, without those that redmint does not know, which may hold secrets. */
      fields: Hash
    }

/** Reads a client's record. @throws Refusal if the client does not exist */
export async function readClient(store: RecordStore, client_id: string): Promise<Hash> {
  const hash = (await store.records.read(CLIENT, client_id))?.hash
  if (hash === undefined) throw noSuchClient(client_id)
  return hash
}

export function noSuchClient(client_id: string): Refusal {
  return new Refusal(`There is no client "${client_id}".`)
}

/** Reads the records of all clients, sorted by client_id. */
export async function readClients(store: RecordStore): Promise<Map<string, Hash>> {
  const clients: [string, Hash][] = []
  for await (const { id, hash } of store.records.list(CLIENT)) clients.push([id, hash])
  return new Map(clients.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Describes a record from storage. */
export function describeClient(client_id: string, hash: Hash): ClientDescription {
  const parsed = parseClient(client_id, hash)
  if (!parsed.ok) {
    const shown = Object.keys(CLIENT_FIELDS)
      .filter((field) => field !== 'client_secret_hash' && Object.hasOwn(hash, field))
      .map((field) => [field, hash[field]])
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

/** Describes a client in words. */
export function sayClient(client: ClientDescription): string {
  if (client.state === 'malformed') {
    return [
      'This record is malformed, so the servers refuse the client:',
      ...client.problems.map((problem) => `  ${sayProblem(problem)}`),
      '',
      pairs(Object.entries(client.fields)),
    ].join('\n')
  }
  return pairs(
    sayFields(CLIENT_FIELDS, client, {
      is_public: ['type', sayType(client)],
      client_secret_hash: ['secret', client.secret],
      disabled: ['state', client.state],
    }),
  )
}

function sayType({ is_public }: Pick<Client, 'is_public'>): string {
  return is_public ? 'public' : 'confidential'
}
