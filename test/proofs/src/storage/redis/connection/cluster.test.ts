// A Cluster whose slots move and whose nodes stop and restart.

import t from 'tap'
import { SILENT } from '../../../../../../src/core/log.ts'
import { RedisConnection } from '../../../../../../src/storage/redis/connection/connect.ts'
import { redeemCode } from '../../../../../../src/tokens/token-families.ts'
import { collect, issueCode } from '../../../../../support/contract/subject.ts'
import { patient } from '../../../../../support/patient.ts'
import {
  changeClient,
  issueClientToken,
  isWatching,
  listClients,
  readClient,
} from '../../../../../support/records.ts'
import { startCluster } from '../../../../../support/redis-server.ts'
import {
  held,
  IDS,
  keyOf,
  readsAll,
  reportsChanges,
  working,
} from '../../../../../support/storage/redis/connection/cluster-support.ts'
import { PREFIX, unavailable } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

t.test('records are spread over all nodes, and every node is watched', async (t) => {
  const state = await working(t)
  const { storage, masters, texts } = state
  for (const master of masters) t.not((await held(master)).length, 0)
  t.equal((await collect(listClients(storage))).length, IDS.length)
  await reportsChanges(t, state, masters)
  const limits = ['0', '64mb', '1gb']
  for (const { cli } of masters) await cli('CONFIG', 'SET', 'maxmemory', limits.shift() ?? '')
  t.match(await storage.memory?.(), { max: 64 * 1024 * 1024 }, 'the fullest one')
  t.strictSame(texts(), ['info Redis Cluster (3 nodes) is connected.'])
  await storage.close()
  for (const master of masters) {
    await until('no connection remains', async () => !/redmint/.test(await master.cli('CLIENT', 'LIST')))
  }
})

t.test('a connection knows every master that commands go to', async (t) => {
  const { masters } = await startCluster(t)
  const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
  const connection = new RedisConnection({ kind: 'cluster', nodes }, SILENT, '')
  t.teardown(() => connection.close())
  await connection.ready()
  const addresses = nodes.map(({ host, port }) => `${host}:${port}`)
  t.ok(connection.sendsOnlyTo((server) => addresses.includes(server)))
  for (const missing of addresses) {
    t.notOk(
      connection.sendsOnlyTo((server) => addresses.includes(server) && server !== missing),
      missing,
    )
  }
})

t.test('a connection that is closed while it reads the slots leaves no timer', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const { masters } = await startCluster(t)
  const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
  const before = timers()
  const connection = new RedisConnection({ kind: 'cluster', nodes }, SILENT, '')
  await connection.ready()
  for (const { pid } of masters) process.kill(pid, 'SIGSTOP')
  await until('the slots are read again', () => Reflect.get(connection.client, 'isRefreshing'))
  await connection.close()
  await until('no timer is left', () => timers() <= before)
  t.equal(Reflect.get(connection.client, 'isRefreshing'), false)
})

t.test('a command goes to the master of its slot', async (t) => {
  const { storage, masters } = await working(t)
  for (let i = 0; i < 30; i++) await issueClientToken(storage)
  t.ok(await readsAll(storage))
  for (const master of masters) t.match(await master.cli('INFO', 'errorstats'), /^# Errorstats\s*$/)
})

t.test('storage follows a slot that moves (ASK, MOVED)', async (t) => {
  const state = await working(t)
  const { storage, masters } = state
  const [from, to] = masters
  if (from === undefined || to === undefined) throw new TypeError()
  const [client_id = ''] = await held(from)
  const slot = await from.cli('CLUSTER', 'KEYSLOT', keyOf(client_id))
  const [source, target] = [await from.cli('CLUSTER', 'MYID'), await to.cli('CLUSTER', 'MYID')]
  await to.cli('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source)
  await from.cli('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target)
  t.match(await readClient(storage, client_id), { client_name: client_id }, 'while the slot migrates')
  await from.cli('MIGRATE', '127.0.0.1', String(to.port), keyOf(client_id), '0', '1000')
  t.match(await readClient(storage, client_id), { client_name: client_id }, 'ASK is followed')
  for (const node of [to, from, ...masters.slice(2)])
    await node.cli('CLUSTER', 'SETSLOT', slot, 'NODE', target)
  t.equal(
    await changeClient(storage, client_id, { set: { moved: 'yes' }, unset: [] }),
    'ok',
    'MOVED is followed',
  )
  t.match(await readClient(storage, client_id), { moved: 'yes' })
  t.equal((await collect(listClients(storage))).length, IDS.length)
  await reportsChanges(t, state, [to])
})

t.test('what a script replaces is kept while its slot moves', async (t) => {
  const { storage, masters } = await working(t)
  const [any] = masters
  if (any === undefined) throw new TypeError()
  /** Begins to move the slot of a key away from the master that has it. */
  const move = async (key: string) => {
    const slot = await any.cli('CLUSTER', 'KEYSLOT', key)
    const ids = await Promise.all(masters.map((master) => master.cli('CLUSTER', 'MYID')))
    const holds = await Promise.all(
      masters.map(async (master) => (await master.cli('CLUSTER', 'COUNTKEYSINSLOT', slot)) !== '0'),
    )
    const from = holds.indexOf(true)
    const to = (from + 1) % masters.length
    await masters[to]?.cli('CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[from] ?? '')
    await masters[from]?.cli('CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[to] ?? '')
  }
  const { signing_keys, queue } = storage
  t.equal(await signing_keys.replace({}, { one: '1', two: '2' }), true)
  await move(`${PREFIX}signing-keys`)
  t.equal(await signing_keys.replace({ one: '1', two: '2' }, { two: '2', three: '3' }), true)
  t.strictSame(await signing_keys.read(), { two: '2', three: '3' })

  await queue.add('logouts', ['notice'])
  await move(`${PREFIX}logouts`)
  await queue.retryLater('logouts', { item: 'notice', replacement: 'notice', delay: 1 })
  await queue.retryLater('logouts', { item: 'notice', replacement: 'another', delay: 1 })
  t.equal(await queue.size('logouts'), 1)
})

t.test('storage recovers after a node was stopped and restarted', async (t) => {
  const { storage, masters, told } = await working(t)
  const [away, ...others] = masters
  if (away === undefined) throw new TypeError()
  const lost = await held(away)
  await Promise.all(masters.map((node) => node.cli('CONFIG', 'SET', 'cluster-require-full-coverage', 'no')))
  const before = told.all
  await away.stop()
  await until('changes are not reported', () => !isWatching(storage))
  t.ok(told.all > before)
  const calls = Object.fromEntries(lost.map((id) => [`read ${id}`, () => readClient(storage, id)]))
  await unavailable(t, { ...calls, list: () => collect(listClients(storage)) })
  for (const node of others) {
    for (const id of await held(node)) t.match(await readClient(storage, id), { client_name: id })
  }
  await away.restart()
  await until('the node is back', () =>
    readClient(storage, lost[0] ?? '').then(
      () => true,
      () => false,
    ),
  )
  await until('changes are reported', () => isWatching(storage))
})

t.test('storage recovers after a node was suspended', async (t) => {
  const { storage, masters } = await working(t)
  const [hung] = masters
  if (hung === undefined) throw new TypeError()
  const lost = await held(hung)
  process.kill(hung.pid, 'SIGSTOP')
  const calls = lost.map((id) => unavailable(t, { [`read ${id}`]: () => readClient(storage, id) }))
  await Promise.all(calls)
  await unavailable(t, Object.fromEntries(lost.map((id) => [`read ${id}`, () => readClient(storage, id)])))
  process.kill(hung.pid, 'SIGCONT')
  await until('storage works', () => readsAll(storage))
  await until('changes are reported', () => isWatching(storage))
})

t.test('storage recovers after all nodes were stopped and restarted', async (t) => {
  const { storage, masters } = await working(t)
  await Promise.all(masters.map((node) => node.stop()))
  await unavailable(t, {
    probe: () => storage.probe(),
    read: () => readClient(storage, 'app-1'),
    list: () => collect(listClients(storage)),
  })
  t.notOk(isWatching(storage))
  await Promise.all(masters.map((node) => node.restart()))
  // The other masters may be connected later than the first.
  const { code, attempt } = await issueCode(patient(storage))
  t.match(await redeemCode(patient(storage), code, attempt('one')), { outcome: 'ok' })
  await until('changes are reported', () => isWatching(storage))
})
