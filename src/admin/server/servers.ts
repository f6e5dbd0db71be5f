import { type Static, Type } from '@sinclair/typebox'
import { VERSION } from '../../core/version.ts'
import { Finding } from '../../service/finding.ts'
import { readServers } from '../../service/running-server.ts'
import { Disagreement, findDisagreements, groupServers, Running } from '../../service/running-servers.ts'
import { redisFindings } from '../doctor/redis.ts'
import { byName, operation } from '../operation/operation.ts'

const Servers = Type.Object(
  {
    issuer: Type.String({ format: 'uri' }),
    version: Type.String({ description: 'Of the server that answers' }),
    storage: Type.String({ description: 'Where the records are' }),
    servers: Type.Array(Running),
    disagreements: Type.Array(Disagreement),
    redis: Type.Array(Finding, {
      description: 'As `redmint doctor` sees it; empty with storage in memory',
    }),
  },
  { $id: 'redmint:Servers', additionalProperties: false },
)
export type Servers = Static<typeof Servers>

const readServer = operation({
  name: 'read_server',
  summary: 'The servers that run, the settings in which they disagree, and the state of Redis',
  method: 'GET',
  path: '/server',
  scope: 'redmint:server:read',
  answer: Servers,
  async run({ storage, settings: { issuer }, now }) {
    const { description, fails_over = false } = storage
    const [processes, examined = []] = await Promise.all([readServers(storage), storage.examine?.(now)])
    return {
      body: {
        issuer,
        version: VERSION,
        storage: description,
        servers: groupServers(processes),
        disagreements: findDisagreements(processes),
        redis: examined.flatMap((server) => redisFindings(server, fails_over, now())),
      },
    }
  },
})

/** What operators see of servers. */
export const SERVER_OPERATIONS = byName(readServer)
