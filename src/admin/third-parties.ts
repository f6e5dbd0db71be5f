import { type Static, Type } from '@sinclair/typebox'
import { adviceOf, PARTIES, partyOf } from '../core/third-parties.ts'
import { type RecentFault, readRecentFaults } from '../service/recent-faults.ts'
import { byName, operation } from './operation/operation.ts'

const Fault = Type.Object(
  {
    party: Type.String({ enum: [...PARTIES], description: 'Whose fault it is' }),
    is: Type.String({ description: 'The same in words' }),
    name: Type.Optional(Type.String({ description: 'Of its record; absent: there is one such party' })),
    step: Type.String({ description: 'What was asked of it, such as `token` or `keys`' }),
    code: Type.String({ description: 'What came of that, such as `CERT_HAS_EXPIRED` or `HTTP_503`' }),
    at: Type.String({ format: 'date-time' }),
    advice: Type.String({ description: 'The command that says what is wrong' }),
  },
  { additionalProperties: false },
)
export type ThirdPartyFault = Static<typeof Fault>

const Faults = Type.Object(
  { items: Type.Array(Fault, { description: 'The newest first' }) },
  { $id: 'redmint:ThirdPartyFaults', additionalProperties: false },
)
/** What went wrong at third parties within an hour. */
export type ThirdPartyFaults = Static<typeof Faults>

const list = operation({
  name: 'list_third_party_faults',
  summary:
    'The last fault of each third party that failed within an hour and not since, to ten seconds before: providers, the directory, keys of clients and issuers, mail, the webhook, notices of logout and of answers',
  method: 'GET',
  path: '/server/third-parties',
  scope: 'redmint:server:read',
  answer: Faults,
  async run({ storage, now }) {
    return { body: { items: (await readRecentFaults(storage, now())).map(describe) } }
  },
})

/** What operators see of third parties. */
export const THIRD_PARTY_OPERATIONS = byName(list)

function describe(fault: RecentFault): ThirdPartyFault {
  const { party, name, step, code, at } = fault
  return {
    party,
    is: partyOf(party).is,
    ...(name !== undefined && { name }),
    ...{ step, code },
    at: new Date(at).toISOString(),
    advice: adviceOf(fault),
  }
}
