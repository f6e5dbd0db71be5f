// A deposed master that is still alive is left at once, and the client comes back whatever happens to the Sentinels.
import t, { type Test } from 'tap'
import { watcher } from '../../../../../support/contract/subject.ts'
import { createClient, isWatching, readClient, watchClients } from '../../../../../support/records.ts'
import { type RedisServer, startSentinel } from '../../../../../support/redis-server.ts'
import { open, PREFIX, unavailable, writable } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

async function working(
  t: Test,
  prepare: (watchers: readonly RedisServer[]) => Promise<unknown> = async () => {},
) {
  const setup = await startSentinel(t)
  const { name, watchers, master, replicas } = setup
  await prepare(watchers)
  const sentinels = watchers.map(({ port }) => ({ host: '127.0.0.1', port }))
  const opened = open(t, { kind: 'sentinel', sentinels, name })
  await writable(opened.storage)
  const { told, watch } = watcher()
  watchClients(opened.storage, watch)
  await until('changes are reported', () => isWatching(opened.storage))
  return { ...setup, ...opened, told, servers: [master, ...replicas] as RedisServer[] }
}

/** The connections of redmint to a server: their names and ids. */
async function connectionsTo(server: RedisServer): Promise<string[]> {
  const lines = (await server.cli('CLIENT', 'LIST')).split('\n')
  return lines.filter((line) => line.includes(' name=redmint')).map((line) => line.split(' ')[0] ?? '')
}

const roleOf = async (server: RedisServer) => (await server.cli('ROLE')).split('\n')[0]

/** Waits until a command has such an answer. A server that changes its role closes connections. */
const untilAnswer = (what: string, server: RedisServer, command: string[], answer: RegExp) =>
  until(what, () =>
    server.cli(...command).then(
      (text) => answer.test(text),
      () => false,
    ),
  )

/** Makes a Sentinel fail over, and waits until nothing of redmint is left at the old master, which lives. */
async function failOver(by: RedisServer, name: string, old: RedisServer): Promise<string | undefined> {
  await until('the Sentinel agrees', () =>
    by.cli('SENTINEL', 'FAILOVER', name).then(
      () => true,
      () => false,
    ),
  )
  await until('the old master is left', async () => (await connectionsTo(old)).length === 0)
  return roleOf(old)
}

t.test('a deposed master is left while it still takes writes, again and again', async (t) => {
  const { name, watchers, storage, servers, told, texts } = await working(t)
  const [hung, ...others] = watchers
  if (hung === undefined) throw new TypeError()
  for (let round = 0; round < 3; round += 1) {
    const [old, next] = servers
    const by = others[round % others.length]
    if (old === undefined || next === undefined || by === undefined) throw new TypeError()
    // The first Sentinel of the configuration hangs, and then continues with what it knew.
    if (round === 1) process.kill(hung.pid, 'SIGSTOP')
    if (round === 2) process.kill(hung.pid, 'SIGCONT')
    // The Sentinels make the old master a replica eight seconds later, and only then close its connections.
    t.equal(await failOver(by, name, old), 'master', `round ${round}: left before it was made a replica`)

    await writable(storage)
    t.match(await createClient(storage, `app-${round}`, { client_name: 'App' }), 'ok')
    t.equal(await next.cli('EXISTS', `${PREFIX}client:app-${round}`), '1', 'data goes to the new master')
    await until('changes are reported', () => isWatching(storage))
    told.changed.length = 0
    await next.cli('HSET', `${PREFIX}client:app-${round}`, 'client_name', 'by hand')
    await until('the change at the new master is reported', () => told.changed.includes(`app-${round}`))
    t.match(await readClient(storage, `app-${round}`), { client_name: 'by hand' })
    await untilAnswer('the old master is a replica', old, ['INFO', 'replication'], /master_link_status:up/)
    servers.reverse()
  }
  t.ok(
    texts().every((text) => !text.startsWith('error')),
    texts().join('\n'),
  )
})

t.test('a deposed master that refuses writes is left although no Sentinel reports', async (t) => {
  const { name, watchers, storage, servers } = await working(t, (all) =>
    Promise.all(all.map((one) => one.cli('ACL', 'SETUSER', 'default', '-subscribe'))),
  )
  const [old, next] = servers
  const [by] = watchers
  if (old === undefined || next === undefined || by === undefined) throw new TypeError()
  await old.cli('CONFIG', 'SET', 'min-replicas-to-write', '1')
  await by.cli('SENTINEL', 'FAILOVER', name)
  await untilAnswer('the replica is promoted', next, ['ROLE'], /^master/)
  await until('writes go to the new master', async () => {
    await storage.probe().catch(() => {})
    const keys = await next.cli('--scan', '--pattern', `${PREFIX}*`).catch(() => '')
    return keys !== '' && (await connectionsTo(next)).length > 0
  })
  t.equal(await roleOf(old), 'master', 'the old one is not yet a replica')
})

t.test(
  'while all Sentinels are away connections stay, and a lost one is opened when they are back',
  async (t) => {
    const { watchers, storage, master } = await working(t)
    await Promise.all(watchers.map((one) => one.stop()))
    await storage.probe()
    await master.cli('CLIENT', 'KILL', 'TYPE', 'normal')
    await unavailable(t, { probe: () => storage.probe() })
    await until('the reason is that no Sentinel answers', () =>
      storage.probe().then(
        () => false,
        (error: Error) => error.message.startsWith('no Sentinel answers'),
      ),
    )
    t.notOk(isWatching(storage), 'nothing may be cached meanwhile')
    await Promise.all(watchers.map((one) => one.restart()))
    await writable(storage)
    await until('changes are reported', () => isWatching(storage))
  },
)
