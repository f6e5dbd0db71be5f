// Lockouts of clients on two replicas, which remember them: seen and lifted from another process (review M3).
import t, { type Test } from 'tap'
import type { Limit } from '../../../../src/admin/limits.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'
import { forEachStorage, onRedis, type StartLimited } from '../../../support/limits/service.ts'
import { patient } from '../../../support/patient.ts'
import { startCluster, startRedis } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'

const HERE = '192.0.2.1'
const THERE = '192.0.2.2'

async function liftsEverywhere(t: Test, start: StartLimited, open: () => Storage | undefined) {
  const [one, other] = [await start({}, open()), await start({}, open())]
  const { redmint } = createCli({ storage: open() ?? one.storage })
  const list = async () => parsed<{ limits: Limit[] }>(await redmint(['limits', '--json'])).limits
  for (const from of [HERE, THERE]) await one.exhaust({ from })
  await one.exhaust({ client_id: 'hunter2' })
  const ids = async () => (await list()).map(({ id }) => id).sort()
  const noted = await ids()
  for (const from of [HERE, THERE]) t.equal(await other.guess({ from }), 429)
  t.strictSame(await ids(), noted, 'another replica that counts it changes nothing')
  const statuses = async (from: string) => [
    (await one.ask({ from })).status,
    (await other.ask({ from })).status,
  ]
  t.strictSame(await statuses(HERE), [429, 429], 'both replicas remember it')

  const listed = await list()
  t.strictSame(
    listed.map(({ kind, counter, client_id, address }) => [kind, counter, client_id, address]).sort(),
    [
      ['client', 'client_auth', undefined, HERE],
      ['client', 'client_auth', 'service', HERE],
      ['client', 'client_auth', 'service', THERE],
    ],
    'each once, and no client_id that is none',
  )
  t.notMatch(JSON.stringify(listed), /hunter2/)
  const { id = '' } = listed.find(({ client_id, address }) => client_id && address === HERE) ?? {}
  const lifting = performance.now()
  t.match(await redmint(['limits', 'lift', id]), { code: 0, stderr: '' })
  await until('both replicas let the client in', async () => String(await statuses(HERE)) === '200,200')
  t.comment(`lifted within ${Math.round(performance.now() - lifting)} ms`)
  t.strictSame(await statuses(THERE), [429, 429], 'another address stays locked out')
  t.equal((await list()).length, 2)

  await one.exhaust({ from: HERE })
  t.equal((await one.ask({ from: HERE })).status, 429, 'the next failures count again')
  t.equal((await list()).length, 3)
}

forEachStorage('M3: the lockout of a client is lifted on both replicas', (t, start) =>
  liftsEverywhere(t, start, () => undefined),
)

t.test('M3: the same on Redis', async (t) => {
  const { start, place } = onRedis(t, await startRedis(t))
  await liftsEverywhere(t, start, () => patient(place.open(t)))
})

t.test('M3: the same on a Cluster', async (t) => {
  const { masters } = await startCluster(t)
  const [server] = masters
  if (server === undefined) throw new TypeError('no master')
  const { start, place } = onRedis(t, server)
  const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
  const { keys } = place.redis ?? {}
  if (keys === undefined) throw new TypeError('no keys')
  await liftsEverywhere(t, start, () => {
    const storage = openRedis({ kind: 'cluster', nodes }, keys, SILENT)
    t.teardown(() => storage.close())
    return patient(storage)
  })
})

t.test('a lockout that is lifted while changes are not reported is noticed, too', async (t) => {
  const server = await startRedis(t)
  const { start, place } = onRedis(t, server)
  const [one, other] = [place.open(t), place.open(t)]
  const { ask, exhaust } = await start({}, one)
  await exhaust()
  t.equal((await ask()).status, 429)
  await server.cli('CLIENT', 'KILL', 'TYPE', 'pubsub')
  const { redmint } = createCli({ storage: { ...other } })
  const { limits } = parsed<{ limits: Limit[] }>(await redmint(['limits', '--json']))
  await redmint(['limits', 'lift', limits[0]?.id ?? ''])
  t.equal((await ask()).status, 200)
})
