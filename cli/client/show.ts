import { isClientIdUrl } from '../../src/clients/documents/client-id-url.ts'
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import type { Client } from '../../src/clients/record/client-record.ts'
import { withProfile } from '../../src/clients/record/profiles.ts'
import { withSector } from '../../src/clients/record/sector.ts'
import { isObject } from '../../src/core/json.ts'
import { present } from '../../src/core/present.ts'
import { describeProblem, type FieldProblem, type Hash } from '../../src/core/record-hash.ts'
import { shellWord } from '../../src/core/shell-word.ts'
import { type Calls, wholeList } from '../calls.ts'
import { type FindFlag, noneText, queryOf } from '../command.ts'
import { EXIT, type Hints, withHints } from '../errors.ts'
import { fieldRows } from '../field-rows.ts'
import { problemsIn, type RecordAnswer, shownRecord, storedForm } from '../from-answer.ts'
import { listed, pairs, type Report, withIndexing } from '../output.ts'

/** The JSON of a client in reports, without the hash of its secret. */
export type ClientDescription =
  | (Omit<Client, 'client_secret_hash' | 'old_secret_hash' | 'registration_token_hash' | 'disabled'> & {
      /** `demo`: refused outside demo mode. */
      state: 'active' | 'disabled' | 'demo'
      secret: 'set' | 'none'
      old_secret: 'set' | 'none'
      /** Whether the client can read, change and delete its own registration. */
      registration_token: 'set' | 'none'
      /** In ISO 8601, to the hour; absent if no use is known. */
      secret_used_at?: string
      old_secret_used_at?: string
    })
  | {
      client_id: string
      state: 'malformed'
      problems: FieldProblem[]
      /** The raw known fields; unknown fields may contain secrets. */
      fields: Hash
    }

type ShownState = Pick<Client, 'registered_at' | 'lapses_at' | 'preview_of'> & { readonly state: string }

/** What to do if the operations of a client are refused. */
export const hintsFor = (client_id: string): Hints => ({
  exists: ': use redmint client update to change it.',
  stale: ': repeat the command.',
  ...(isClientIdUrl(client_id) && {
    not_found: `. To refuse it: redmint client disable ${shellWord(client_id)}`,
  }),
})

/** Returns the description of a client in an answer of the API. */
export function describeAnswer(answer: RecordAnswer): ClientDescription {
  const client_id = String(answer.client_id)
  const hash = withProfile({ client_name: client_id, ...storedForm(CLIENT_FIELDS, answer) })
  const shown = shownRecord(CLIENT_FIELDS, hash, problemsIn(answer))
  if (!shown.ok) {
    const fields = isObject(answer.fields) ? (answer.fields as Hash) : {}
    return { client_id, state: 'malformed', problems: shown.problems, fields }
  }
  // Digests do not come out.
  const { client_secret_hash: _, old_secret_hash: __, registration_token_hash: ___, ...record } = shown.record
  const { disabled, ...client } = withSector(record)
  const { secret_used_at, old_secret_used_at } = answer as Readonly<Record<string, string | undefined>>
  const stateOf = (name: 'secret' | 'old_secret' | 'registration_token') =>
    answer[name] === 'set' ? 'set' : 'none'
  return {
    ...client,
    client_id: client_id as Client['client_id'],
    state: disabled ? 'disabled' : client.demo ? 'demo' : 'active',
    secret: stateOf('secret'),
    old_secret: stateOf('old_secret'),
    registration_token: stateOf('registration_token'),
    ...present({ secret_used_at, old_secret_used_at }),
  }
}

/** The command `client list`. */
export async function listClients(calls: Calls, flags: FindFlag): Promise<Report> {
  const { items, of, ...indexing } = await wholeList(calls, 'list_clients', queryOf(flags))
  const none = noneText(flags, 'There are no clients yet: see redmint client add --help.')
  return withIndexing(reportClients(items.map(describeAnswer), { none, of }), 'client', indexing)
}

function reportClients(
  clients: readonly ClientDescription[],
  texts: { readonly none: string; readonly of: number | undefined },
): Report {
  const rows = clients.map((client) =>
    client.state === 'malformed'
      ? [client.client_id, '', '', '', 'malformed']
      : [
          client.client_id,
          client.client_name,
          clientType(client),
          client.grant_types.join(' '),
          stateText(client),
        ],
  )
  const malformed = clients.filter(({ state }) => state === 'malformed').length
  const head = ['CLIENT_ID', 'NAME', 'TYPE', 'GRANT TYPES', 'STATE']
  const lines = [listed(head, rows, { ...texts, noun: 'client' })]
  if (malformed > 0) {
    lines.push(`Malformed records: ${malformed} of ${clients.length}. See redmint client lint.`)
  }
  return {
    text: lines.join('\n'),
    json: { clients },
  }
}

/** The command `client show`. */
export async function showClient({ call }: Calls, client_id: string): Promise<Report> {
  const reading = call('read_client', { params: { client_id } })
  const client = describeAnswer(await withHints(hintsFor(client_id), reading))
  return {
    text: formatClientDescription(client),
    json: client,
    ...(client.state === 'malformed' ? { exit: EXIT.refused } : {}),
  }
}

/** Formats a client as text, one line for each field. */
export function formatClientDescription(client: ClientDescription): string {
  if (client.state === 'malformed') {
    return [
      'This record is malformed, so the servers refuse the client:',
      ...client.problems.map((problem) => `  ${describeProblem(problem)}`),
      '',
      pairs(Object.entries(client.fields)),
    ].join('\n')
  }
  const { secret_used_at, old_secret_used_at } = client
  const uses = Object.entries(present({ secret_used_at, old_secret_used_at }))
  return pairs([
    ...fieldRows(CLIENT_FIELDS, client, {
      is_public: ['type', clientType(client)],
      client_secret_hash: ['secret', client.secret],
      ...(client.old_secret === 'set' ? { old_secret_hash: ['old_secret', 'set'] } : {}),
      ...(client.registration_token === 'set'
        ? { registration_token_hash: ['registration_token', 'set'] }
        : {}),
      disabled: ['state', client.state],
    }),
    ...uses,
  ])
}

/**
 * The state in the list; a preview has the day on which it lapses, and so has a client that registered itself, if it gets no
 * tokens before.
 */
function stateText({ state, registered_at, lapses_at, preview_of }: ShownState): string {
  const end = lapses_at === undefined ? '' : `, lapses ${lapses_at.slice(0, 10)}`
  if (preview_of !== undefined) return `${state}, preview of ${preview_of}${end}`
  return registered_at === undefined ? state : `${state}, registered itself${end}`
}

function clientType({ is_public }: Pick<Client, 'is_public'>): string {
  return is_public ? 'public' : 'confidential'
}
