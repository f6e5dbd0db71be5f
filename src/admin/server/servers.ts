import { type Static, Type } from '@sinclair/typebox'
import { VERSION } from '../../core/version.ts'
import { readServers, type ServerRecord } from '../../service/running-server.ts'
import { Finding } from '../doctor/finding.ts'
import { redisFindings } from '../doctor/redis.ts'
import { type Operation, operation } from '../operation/operation.ts'

const Running = Type.Object(
  {
    host: Type.String({ description: 'The name of its machine or container' }),
    version: Type.String(),
    workers: Type.Integer({ description: 'How many processes it serves with' }),
    started_at: Type.String({ format: 'date-time' }),
    seen_at: Type.String({ format: 'date-time', description: 'When it was alive, at most a minute ago' }),
    settings_digest: Type.String({ description: 'Servers with the same settings have the same' }),
  },
  { $id: 'redmint:RunningServer', additionalProperties: false },
)
/** A server that runs: a process, or all workers of one. */
export type Running = Static<typeof Running>

const Disagreement = Type.Object(
  {
    setting: Type.String(),
    values: Type.Array(
      Type.Object(
        { value: Type.String(), hosts: Type.Array(Type.String()) },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'redmint:Disagreement', additionalProperties: false },
)
/** A setting in which servers must agree and do not: its values, and the hosts of each. */
export type Disagreement = Static<typeof Disagreement>

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
export const SERVER_OPERATIONS: readonly Operation[] = [readServer]

/**
 * Returns servers as an operator started them: the workers of one are one server, which started with its first and was
 * alive with any of them.
 */
export function groupServers(processes: readonly ServerRecord[]): Running[] {
  const groups = new Map<string, ServerRecord[]>()
  for (const process of processes) {
    const { host, pid, started_at, worker_of, version, settings_digest } = process
    const of = worker_of ?? [pid, started_at]
    const name = JSON.stringify([host, of, version, settings_digest])
    groups.set(name, [...(groups.get(name) ?? []), process])
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { host, version, settings_digest } = first
    const [started_at = ''] = group.map((one) => one.started_at).sort()
    const seen_at =
      group
        .map((one) => one.seen_at)
        .sort()
        .at(-1) ?? ''
    return [{ host, version, workers: group.length, started_at, seen_at, settings_digest }]
  })
}

/**
 * Returns the settings in which servers disagree. Of servers of different versions, only settings that both have are
 * compared.
 */
export function findDisagreements(processes: readonly ServerRecord[]): Disagreement[] {
  const names = [...new Set(processes.flatMap(({ settings }) => Object.keys(settings)))].sort()
  return names.flatMap((setting) => {
    const versions = new Set(
      processes.filter(({ settings }) => settings[setting] !== undefined).map(({ version }) => version),
    )
    const hosts = new Map<string, Set<string>>()
    for (const { settings, version, host } of processes) {
      if (!versions.has(version)) continue
      const value = settings[setting] ?? ''
      hosts.set(value, (hosts.get(value) ?? new Set()).add(host))
    }
    if (hosts.size < 2) return []
    return [{ setting, values: [...hosts].map(([value, of]) => ({ value, hosts: [...of].sort() })) }]
  })
}
