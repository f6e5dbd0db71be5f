// A Cluster with client records on every node, and a storage that watches them.

import type { Test } from 'tap'
import type { Storage } from '../../../../../src/storage/storage.ts'
import { watcher } from '../../../contract/subject.ts'
import { patient } from '../../../patient.ts'
import { createClient, isWatching, readClient, watchClients } from '../../../records.ts'
import { type RedisServer, startCluster } from '../../../redis-server.ts'
import { until } from '../../../until.ts'
import { open, PREFIX, writable } from '../support.ts'

export const IDS = Array.from({ length: 12 }, (_, i) => `app-${i}`)
export const keyOf = (client_id: string) => `${PREFIX}client:${client_id}`

export async function working(t: Test, shape?: { replicas: number }) {
  const cluster = await startCluster(t, shape)
  const nodes = cluster.masters.map(({ port }) => ({ host: '127.0.0.1', port }))
  const opened = open(t, { kind: 'cluster', nodes })
  await writable(opened.storage)
  const { told, watch } = watcher()
  watchClients(opened.storage, watch)
  await until('changes are reported', () => isWatching(opened.storage))
  for (const client_id of IDS)
    await createClient(patient(opened.storage), client_id, { client_name: client_id })
  return { ...cluster, ...opened, told }
}

/** The clients whose records are on this node. */
export async function held(node: RedisServer): Promise<string[]> {
  const keys = await node.cli('--scan', '--pattern', `${PREFIX}client:*`)
  return keys.split('\n').map((key) => key.slice(`${PREFIX}client:`.length))
}

export async function readsAll(storage: Storage): Promise<boolean> {
  const names = await Promise.all(IDS.map((id) => readClient(storage, id))).catch(() => [])
  return names.length === IDS.length && names.every((hash, i) => hash?.client_name === IDS[i])
}

/** Checks that a change made with redis-cli on any of these nodes is reported. */
export async function reportsChanges(
  t: Test,
  { told }: { told: { changed: string[] } },
  nodes: readonly RedisServer[],
) {
  for (const node of nodes) {
    const [client_id = ''] = await held(node)
    told.changed.length = 0
    await node.cli('HSET', keyOf(client_id), 'changed', 'by hand')
    await until(`the change of ${client_id} is reported`, () => told.changed.includes(client_id))
    t.strictSame(told.changed, [client_id])
  }
}
