import { type Static, Type } from '@sinclair/typebox'
import { FieldReader } from '../../core/record-hash.ts'
import type { Kind } from '../../storage/records.ts'

const At = Type.String({ format: 'date-time', description: 'When that was looked at' })

const Dated = Type.Object(
  {
    count: Type.Integer({ minimum: 0 }),
    oldest: Type.Array(
      Type.Object({ client_id: Type.String(), since: Type.String() }, { additionalProperties: false }),
      { description: 'The first of them, the oldest at the top' },
    ),
  },
  { additionalProperties: false },
)

/** What a look at all clients found. */
export const ClientsUpkeep = Type.Object(
  { at: At, old_secrets: Dated, unused: Dated },
  { additionalProperties: false },
)
export type ClientsUpkeep = Static<typeof ClientsUpkeep>

/** What a look at all people found. */
export const PeopleUpkeep = Type.Object(
  {
    at: At,
    people: Type.Integer({ minimum: 0, description: 'How many there are' }),
    disabled: Type.Integer({ minimum: 0, description: 'How many of them are disabled' }),
    linked: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'How many people each provider is linked to',
    }),
    groups: Type.Array(
      Type.Object({ group: Type.String(), members: Type.Integer() }, { additionalProperties: false }),
      { description: 'The largest groups' },
    ),
    is_cut: Type.Boolean({ description: 'Whether there are more groups' }),
  },
  { additionalProperties: false },
)
export type PeopleUpkeep = Static<typeof PeopleUpkeep>

/** What a look at the servers found. */
export const ServersUpkeep = Type.Object(
  {
    at: At,
    findings: Type.Array(
      Type.Object(
        { check: Type.String(), level: Type.String(), finding: Type.String(), advice: Type.String() },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)
export type ServersUpkeep = Static<typeof ServersUpkeep>

/** What was found when a server last looked: it has the time as `at`, and the rest as JSON. */
function kindOf<Found extends { readonly at: string }>(): Kind<Found> {
  return {
    name: 'upkeep',
    by_operators: true,
    format: ({ at, ...found }) => ({ at, found: JSON.stringify(found) }),
    parse(hash) {
      const fields = new FieldReader(hash)
      const at = fields.required('at')
      const found = parsed(fields.required('found'))
      if (fields.problems.length > 0 || found === undefined || Number.isNaN(Date.parse(at)))
        return { ok: false, problems: [...fields.problems] }
      // Only servers write it.
      return { ok: true, record: { ...found, at } as Found }
    },
  }
}

function parsed(json: string): object | undefined {
  try {
    const found: unknown = JSON.parse(json)
    return typeof found === 'object' && found !== null ? found : undefined
  } catch {
    return undefined
  }
}

export const CLIENTS_UPKEEP = kindOf<ClientsUpkeep>()
export const PEOPLE_UPKEEP = kindOf<PeopleUpkeep>()
export const SERVERS_UPKEEP = kindOf<ServersUpkeep>()

/** The ids of the records. */
export const OF_CLIENTS = 'clients'
export const OF_PEOPLE = 'people'
export const OF_SERVERS = 'servers'
