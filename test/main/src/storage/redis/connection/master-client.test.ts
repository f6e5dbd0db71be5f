// When the client of a master behind Sentinels leaves its server, with Sentinels that the test speaks for.
import t, { type Test } from 'tap'
import { end } from '../../../../../../src/storage/redis/connection/lifecycle.ts'
import { MasterClient } from '../../../../../../src/storage/redis/connection/master-client.ts'
import type { NamedMaster } from '../../../../../../src/storage/redis/connection/sentinels.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import { until } from '../../../../../support/until.ts'

const LOCATION = { kind: 'sentinel' as const, sentinels: [], name: 'main' }

async function connected(t: Test) {
  const servers = [await startRedis(t), await startRedis(t)] as const
  const [first, second] = servers.map(({ port }) => ({ host: '127.0.0.1', port }))
  if (first === undefined || second === undefined) throw new TypeError()
  const named: { master: NamedMaster | undefined; asked: number } = {
    master: { ...first, epoch: 5 },
    asked: 0,
  }
  const listeners: (() => void)[] = []
  const sentinels = {
    async master() {
      named.asked += 1
      if (named.master === undefined) throw new Error('no Sentinel answers')
      return { ...named.master }
    },
    watch: (listener: () => void) => void listeners.push(listener),
  }
  const master = new MasterClient(LOCATION, sentinels)
  master.client.on('error', () => {})
  t.teardown(() => end(master.client))
  const report = () => {
    for (const listener of listeners) listener()
  }
  await until('it was asked who is the master, once connected', () => named.asked === 2)
  return { servers, first, second, named, master, report }
}

t.test('it leaves a living server when the Sentinels name another one', async (t) => {
  const { second, named, master, report } = await connected(t)
  named.master = { ...second, epoch: 6 }
  report()
  await until('it is connected to the new master', () => master.place?.port === second.port)
  t.match(await master.client.info('server'), `tcp_port:${second.port}`)
})

t.test('the connection stays if the Sentinels that answer are behind, or none answers', async (t) => {
  const { first, second, named, master, report } = await connected(t)
  for (const answer of [{ ...second, epoch: 4 }, undefined]) {
    named.master = answer
    const { asked } = named
    report()
    await until('they were asked', () => named.asked > asked)
    t.equal(await master.client.ping(), 'PONG')
    t.equal(master.place?.port, first.port)
  }
  // A restart of the failover numbers must not matter after the server was lost.
  named.master = { ...second, epoch: 0 }
  master.client.stream.destroy()
  await until('it takes what is named', () => master.place?.port === second.port)
})

t.test('it stays at a master without its replicas, and asks the Sentinels rarely', async (t) => {
  const { servers, named, master } = await connected(t)
  const [server] = servers
  const id = await master.client.client('ID')
  await server.cli('CONFIG', 'SET', 'min-replicas-to-write', '1')
  const { asked } = named
  const writes = Array.from({ length: 200 }, () => master.client.set('key', 'value'))
  for (const write of writes) await t.rejects(write, { message: /NOREPLICAS/ })
  await until('the Sentinels were asked', () => named.asked > asked)
  t.equal(await master.client.client('ID'), id, 'the same connection')
  t.ok(named.asked - asked <= 2, `asked ${named.asked - asked} times for 200 refusals`)
})

t.test('after NOREPLICAS it leaves if the Sentinels name another master', async (t) => {
  const { servers, second, named, master } = await connected(t)
  const [server] = servers
  named.master = { ...second, epoch: 6 }
  t.equal(await master.client.set('key', 'value'), 'OK', 'it was not told')
  await server.cli('CONFIG', 'SET', 'min-replicas-to-write', '1')
  await t.rejects(master.client.set('key', 'value'), { message: /NOREPLICAS/ })
  await until('it is connected to the new master', () => master.place?.port === second.port)
})

t.test('it uses no server that says it is a replica', async (t) => {
  const { servers, first, second, named, master, report } = await connected(t)
  const [, other] = servers
  await other.cli('REPLICAOF', '127.0.0.1', String(first.port))
  const errors: string[] = []
  master.client.on('error', (error) => errors.push(error.message))
  named.master = { ...second, epoch: 6 }
  report()
  await until('it refuses the replica', () => errors.includes('it is a replica'))
  t.not(master.client.status, 'ready')
  await other.cli('REPLICAOF', 'NO', 'ONE')
  await until('it is connected to the new master', () => master.place?.port === second.port)
})

t.test('it comes back after no Sentinel named a master', async (t) => {
  const { second, named, master, report } = await connected(t)
  named.master = undefined
  master.client.stream.destroy()
  await until('it tries to connect', () => master.client.status === 'connecting')
  for (let round = 0; round < 5; round += 1) report()
  const { asked } = named
  await until('it goes on asking', () => named.asked > asked + 2)
  named.master = { ...second, epoch: 6 }
  await until('it is connected again', () => master.place?.port === second.port)
})
