import { type Static, Type } from '@sinclair/typebox'
import { recordOf } from '../../storage/records.ts'
import { isFoundBy, queried } from '../operation/list.ts'
import { onlyWithConsole, operation } from '../operation/operation.ts'
import { OF_PEOPLE, PEOPLE_UPKEEP } from './upkeep-record.ts'

const Groups = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { group: Type.String(), members: Type.Integer({ minimum: 1 }) },
        { additionalProperties: false },
      ),
      { description: 'The largest first; at most 500' },
    ),
    is_cut: Type.Boolean({ description: 'Whether there are more groups' }),
    people: Type.Optional(Type.Integer({ minimum: 0, description: 'How many people there were then' })),
    disabled: Type.Optional(Type.Integer({ minimum: 0, description: 'How many of them were disabled' })),
    counted_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'Absent: no server has counted yet' }),
    ),
  },
  { $id: 'redmint:Groups', additionalProperties: false },
)
export type Groups = Static<typeof Groups>

/** The groups that people are in, as a server counted them. */
export const listGroups = operation({
  name: 'list_groups',
  summary: 'The groups that people are in, as a server counted them once a day; with CONSOLE=on',
  method: 'GET',
  path: '/groups',
  scope: 'redmint:users:read',
  query: Type.Object({ q: Type.Optional(queried('the name, or parts of them')) }),
  answer: Groups,
  refusal: onlyWithConsole('Members of groups are counted'),
  async run({ storage }, { query: { q } }) {
    const found = recordOf(await storage.records.read(PEOPLE_UPKEEP, OF_PEOPLE))
    const { groups = [], is_cut = false } = found ?? {}
    const counted = found && { people: found.people, disabled: found.disabled, counted_at: found.at }
    const items = groups.filter(({ group }) => q === undefined || isFoundBy([group], q))
    return { body: { items, is_cut, ...counted } }
  },
})
