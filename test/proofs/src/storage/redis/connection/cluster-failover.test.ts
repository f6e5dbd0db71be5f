// Replacing the masters of a Cluster.

import t from 'tap'
import { collect } from '../../../../../support/contract/subject.ts'
import { isWatching, listClients } from '../../../../../support/records.ts'
import type { RedisServer } from '../../../../../support/redis-server.ts'
import {
  held,
  IDS,
  readsAll,
  reportsChanges,
  working,
} from '../../../../../support/storage/redis/connection/cluster-support.ts'
import { until } from '../../../../../support/until.ts'

t.test('after a failover the promoted replica is used', async (t) => {
  const state = await working(t, { replicas: 1 })
  const { storage, masters, replicas } = state
  const [gone, ...others] = masters
  if (gone === undefined) throw new TypeError()
  const heir = await heirOf(gone, replicas)
  await gone.stop()
  await until('the replica is a master', async () =>
    /role:master/.test(await heir.cli('INFO', 'replication')),
  )
  await until('storage works', () => readsAll(storage))
  await until('changes are reported', () => isWatching(storage))
  await reportsChanges(t, state, [heir, ...others])
  t.equal((await collect(listClients(storage))).length, IDS.length)
})

t.test('after a manual failover with the old master online the new master is used', async (t) => {
  const state = await working(t, { replicas: 1 })
  const { storage, masters, replicas } = state
  const [former, ...others] = masters
  if (former === undefined) throw new TypeError()
  const heir = await heirOf(former, replicas)
  await heir.cli('CLUSTER', 'FAILOVER', 'TAKEOVER')
  await until('the replica is a master', async () =>
    /role:master/.test(await heir.cli('INFO', 'replication')),
  )
  await until('storage works', () => readsAll(storage))
  await until(
    'the former master is no longer watched',
    async () => !/redmint-watch/.test(await former.cli('CLIENT', 'LIST')),
  )
  await until('changes are reported', () => isWatching(storage))
  await reportsChanges(t, state, [heir, ...others])
})

/** Returns the replica of this master, once it has all records: one that is promoted before would lose some. */
async function heirOf(master: RedisServer, replicas: readonly RedisServer[]): Promise<RedisServer> {
  const records = await held(master)
  for (const replica of replicas) {
    if (!(await replica.cli('INFO', 'replication')).includes(`master_port:${master.port}`)) continue
    await until('the replica has all records', async () => (await held(replica)).length === records.length)
    return replica
  }
  throw new Error(`the master of port ${master.port} has no replica`)
}
