import { type Static, Type } from '@sinclair/typebox'
import { recordOf } from '../../storage/records.ts'
import { byName, operation } from '../operation/operation.ts'
import { listGroups } from './groups.ts'
import { readProviderUse } from './provider-use.ts'
import {
  CLIENTS_UPKEEP,
  ClientsUpkeep,
  OF_CLIENTS,
  OF_SERVERS,
  SERVERS_UPKEEP,
  ServersUpkeep,
} from './upkeep-record.ts'

const Upkeep = Type.Object(
  { clients: Type.Optional(ClientsUpkeep), servers: Type.Optional(ServersUpkeep) },
  { $id: 'redmint:Upkeep', additionalProperties: false, description: 'Absent: no server has looked yet' },
)
/** What is to be done about clients and servers. */
export type Upkeep = Static<typeof Upkeep>

const read = operation({
  name: 'read_upkeep',
  summary:
    'What a server found when it last looked, with CONSOLE=on: old secrets and unused clients once a day, what is not well with servers and Redis once an hour',
  method: 'GET',
  path: '/server/upkeep',
  scope: 'redmint:server:read',
  answer: Upkeep,
  async run({ storage: { records } }) {
    const [clients, servers] = await Promise.all([
      records.read(CLIENTS_UPKEEP, OF_CLIENTS),
      records.read(SERVERS_UPKEEP, OF_SERVERS),
    ])
    const found = { clients: recordOf(clients), servers: recordOf(servers) }
    return {
      body: {
        ...(found.clients && { clients: found.clients }),
        ...(found.servers && { servers: found.servers }),
      },
    }
  },
})

/** What operators see of what a server found. */
export const UPKEEP_OPERATIONS = byName(read, listGroups, readProviderUse)
