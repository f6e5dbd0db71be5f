import { type Static, Type } from '@sinclair/typebox'
import type { ServerRecord } from './running-server.ts'

export const Running = Type.Object(
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

export const Disagreement = Type.Object(
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
