// Redis logins with a user name and password, on a Cluster and behind Sentinels.

import t from 'tap'
import { createClient, isWatching, watchClients } from '../../../../../support/records.ts'
import type { RedisServer } from '../../../../../support/redis-server.ts'
import { startCluster, startSentinel } from '../../../../../support/redis-server.ts'
import { IDS } from '../../../../../support/storage/redis/connection/cluster-support.ts'
import { open, PREFIX, writable } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

const USER = { username: 'redmint', password: 'p@ss:word/1' }

/** Disables the default user: only our user can access keys. */
async function guard(servers: readonly RedisServer[]): Promise<void> {
  for (const { cli } of servers) {
    await cli('ACL', 'SETUSER', USER.username, 'on', `>${USER.password}`, `~${PREFIX}*`, '&*', '+@all')
    await cli('ACL', 'SETUSER', 'default', 'resetkeys')
  }
}

t.test('a user name and a password on a Cluster', async (t) => {
  const { masters } = await startCluster(t)
  await guard(masters)
  const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
  const { storage } = open(t, { kind: 'cluster', nodes, ...USER })
  await writable(storage)
  watchClients(storage, { changed() {}, allChanged() {} })
  await until('changes are reported by every node', () => isWatching(storage))
  for (const client_id of IDS) t.equal(await createClient(storage, client_id, { client_id }), 'ok')
  const stranger = open(t, { kind: 'cluster', nodes })
  await until('other logins are refused', async () =>
    stranger.storage.probe().then(
      () => false,
      (error: Error) => /NOPERM/.test(error.message),
    ),
  )
})

t.test('Sentinels with a password different from that of the servers', async (t) => {
  const { master, replicas, watchers, name } = await startSentinel(t)
  await guard([master, ...replicas])
  for (const watcher of watchers) await watcher.cli('ACL', 'SETUSER', 'default', 'resetpass', '>watch')
  const sentinels = watchers.map(({ port }) => ({ host: '127.0.0.1', port }))
  const { storage } = open(t, { kind: 'sentinel', sentinels, name, sentinel_password: 'watch', ...USER })
  await writable(storage)
  t.equal(await createClient(storage, 'app', { client_id: 'app' }), 'ok')
})
