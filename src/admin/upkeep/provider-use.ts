import { type Static, Type } from '@sinclair/typebox'
import type { LastOutcome } from '../../core/last-outcomes.ts'
import { PROVIDER } from '../../providers/provider-record.ts'
import { readProviderOutcomes } from '../../service/outcome-keeper.ts'
import { recordOf } from '../../storage/records.ts'
import { onlyWithConsole, operation } from '../operation/operation.ts'
import { OF_PEOPLE, PEOPLE_UPKEEP } from './upkeep-record.ts'

const ProviderUse = Type.Object(
  {
    provider: Type.String(),
    last_success_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When somebody last came back with an answer that counts; kept for 90 days',
      }),
    ),
    last_error: Type.Optional(
      Type.Object(
        {
          at: Type.String({ format: 'date-time' }),
          step: Type.String({ description: 'What it was asked for, such as `token` or `keys`' }),
          code: Type.String({ description: 'As in the log, such as `ECONNREFUSED` or `invalid_client`' }),
        },
        { description: 'What last went wrong; kept for 90 days', additionalProperties: false },
      ),
    ),
    linked: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'How many people it is linked to; absent: nobody counted since it was added',
      }),
    ),
  },
  { additionalProperties: false },
)
/** How a provider is used. */
export type ProviderUse = Static<typeof ProviderUse>

const ProviderUses = Type.Object(
  {
    items: Type.Array(ProviderUse, { description: 'In the order of their names; at most 100' }),
    linked_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'When people were counted, as once a day' }),
    ),
  },
  { $id: 'redmint:ProviderUses', additionalProperties: false },
)

const MOST = 100

/** What came of asking providers, and whom they are linked to. */
export const readProviderUse = operation({
  name: 'list_provider_uses',
  summary:
    'What last came of asking each provider, to ten seconds before, and how many people it is linked to; with CONSOLE=on',
  method: 'GET',
  path: '/provider-uses',
  scope: 'redmint:apis:read',
  answer: ProviderUses,
  refusal: onlyWithConsole('What comes of asking providers is kept'),
  async run({ storage }) {
    const [{ items }, outcomes, found] = await Promise.all([
      storage.records.page(PROVIDER, { limit: MOST }),
      readProviderOutcomes(storage),
      storage.records.read(PEOPLE_UPKEEP, OF_PEOPLE),
    ])
    const counted = recordOf(found)
    return {
      body: {
        items: items.map(({ id }) => useOf(id, outcomes.get(id), counted?.linked[id])),
        ...(counted && { linked_at: counted.at }),
      },
    }
  },
})

function useOf(provider: string, { success_at, error }: LastOutcome = {}, linked?: number): ProviderUse {
  return {
    provider,
    ...(success_at !== undefined && { last_success_at: new Date(success_at).toISOString() }),
    ...(error && {
      last_error: { at: new Date(error.at).toISOString(), step: error.step, code: error.code },
    }),
    ...(linked !== undefined && { linked }),
  }
}
