// Suite: proofs
// A Cluster whose masters are replaced.

import t from 'tap'
import { isWatching, listClients } from '../../../support/records.ts'
import type { RedisServer } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'
import { collect } from '../../../system/contract/subject.ts'
import { held, IDS, readsAll, reportsChanges, working } from './cluster-support.ts'

t.test('a replica takes over', async (t) => {
  const state = await working(t, { replicas: 1 })
  const { storage, masters, replicas } = state
  const [gone, ...others] = masters
  if (gone === undefined) throw new TypeError()
  const lost = await held(gone)
  const heir = await heirOf(gone, replicas)
  await until('the replica has all', async () => (await held(heir)).length === lost.length)
  await gone.stop()
  await until('the replica is a master', async () =>
    /role:master/.test(await heir.cli('INFO', 'replication')),
  )
  await until('all is well', () => readsAll(storage))
  await until('changes are reported', () => isWatching(storage))
  await reportsChanges(t, state, [heir, ...others])
  t.equal((await collect(listClients(storage))).length, IDS.length)
})

t.test('a master hands over without being gone', async (t) => {
  const state = await working(t, { replicas: 1 })
  const { storage, masters, replicas } = state
  const [former, ...others] = masters
  if (former === undefined) throw new TypeError()
  const heir = await heirOf(former, replicas)
  await heir.cli('CLUSTER', 'FAILOVER', 'TAKEOVER')
  await until('the replica is a master', async () =>
    /role:master/.test(await heir.cli('INFO', 'replication')),
  )
  await until('all is well', () => readsAll(storage))
  await until(
    'the former master is watched no more',
    async () => !/redmint-watch/.test(await former.cli('CLIENT', 'LIST')),
  )
  await until('changes are reported', () => isWatching(storage))
  await reportsChanges(t, state, [heir, ...others])
})

async function heirOf(master: RedisServer, replicas: readonly RedisServer[]): Promise<RedisServer> {
  for (const replica of replicas) {
    if ((await replica.cli('INFO', 'replication')).includes(`master_port:${master.port}`)) return replica
  }
  throw new Error(`the master of port ${master.port} has no replica`)
}
