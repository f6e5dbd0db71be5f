// A Cluster that has lost a slot answers no command, and the service answers 503.
import t from 'tap'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'
import {
  answeredAll,
  downAndAlive,
  prepare,
  ready,
  refusedAll,
  working,
} from '../../../support/faults/requests.ts'
import { startCluster } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'

t.test('CLUSTERDOWN', async (t) => {
  const { masters } = await startCluster(t)
  const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
  const service = await working(t, {
    open(t) {
      const storage = openRedis({ kind: 'cluster', nodes }, new RedisKeys('redmint:'), SILENT)
      t.teardown(() => storage.close())
      return storage
    },
  })
  const requests = await prepare(service)
  const others = await prepare(service)
  const everywhere = (state: string) =>
    until(`every node calls it ${state}`, async () => {
      const infos = await Promise.all(masters.map(({ cli }) => cli('CLUSTER', 'INFO')))
      return infos.every((info) => info.includes(`cluster_state:${state}`))
    })

  for (const { cli } of masters) await cli('CLUSTER', 'DELSLOTS', '0')
  await everywhere('fail')
  await refusedAll(t, requests, 'at once')
  await downAndAlive(t, service, 'CLUSTERDOWN')
  await refusedAll(t, requests, 'later')

  for (const { cli } of masters.slice(0, 1)) await cli('CLUSTER', 'ADDSLOTS', '0')
  await everywhere('ok')
  await ready(service)
  await answeredAll(t, requests, 'the same requests again')
  await answeredAll(t, others, 'new ones')
})
