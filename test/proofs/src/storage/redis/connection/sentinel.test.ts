import t, { type Test } from 'tap'
import { redeemCode } from '../../../../../../src/tokens/token-families.ts'
import { issueCode, watcher } from '../../../../../support/contract/subject.ts'
import { createClient, isWatching, readClient, watchClients } from '../../../../../support/records.ts'
import { startSentinel } from '../../../../../support/redis-server.ts'
import { open, PREFIX, unavailable, writable } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

async function working(t: Test) {
  const setup = await startSentinel(t)
  const sentinels = setup.watchers.map(({ port }) => ({ host: '127.0.0.1', port }))
  const opened = open(t, { kind: 'sentinel', sentinels, name: setup.name })
  await writable(opened.storage)
  const { told, watch } = watcher()
  watchClients(opened.storage, watch)
  await until('changes are reported', () => isWatching(opened.storage))
  const [replica] = setup.replicas
  if (replica === undefined) throw new TypeError()
  return { ...setup, ...opened, told, replica }
}

for (const [how, fail] of [
  ['killed', (pid: number) => process.kill(pid, 'SIGKILL')],
  ['hung', (pid: number) => process.kill(pid, 'SIGSTOP')],
] as const) {
  t.test(`when the master is ${how}, storage and watchers use the new master`, async (t) => {
    const { storage, master, replica, told } = await working(t)
    await createClient(storage, 'app', { client_name: 'App' })
    await until(
      'the replica has the record',
      async () => (await replica.cli('EXISTS', `${PREFIX}client:app`)) === '1',
    )
    const before = told.all
    fail(master.pid)
    await unavailable(t, { probe: () => storage.probe(), read: () => readClient(storage, 'app') })
    await until('changes are not reported', () => !isWatching(storage))
    t.ok(told.all > before)

    await writable(storage)
    t.match(await replica.cli('INFO', 'replication'), /role:master/)
    t.strictSame(await readClient(storage, 'app'), { client_name: 'App' })
    const { code, attempt } = await issueCode(storage)
    t.match(await redeemCode(storage, code, attempt('one')), { outcome: 'ok' })
    await until('changes are reported', () => isWatching(storage))
    told.changed.length = 0
    await replica.cli('HSET', `${PREFIX}client:app`, 'changed', 'by hand')
    await until('the change is reported', () => told.changed.includes('app'))
  })
}

t.test('a restart of the Sentinels does not interrupt open connections', async (t) => {
  const { storage, watchers, name, texts } = await working(t)
  const sentinels = watchers.map(({ port }) => ({ host: '127.0.0.1', port }))
  await Promise.all(watchers.map((watcher) => watcher.stop()))
  await storage.probe()
  const late = open(t, { kind: 'sentinel', sentinels, name })
  await unavailable(t, { probe: () => late.storage.probe() })
  await t.rejects(late.storage.probe(), { message: 'no Sentinel answers: no connection (ECONNREFUSED)' })
  await Promise.all(watchers.map((watcher) => watcher.restart()))
  await writable(late.storage)
  t.strictSame(late.texts().filter(isAboutConnection), [
    `warn Redis Sentinel ${name} is away: no Sentinel answers: no connection (ECONNREFUSED). Nothing listens there: start Redis, or correct REDIS_SENTINELS.`,
    `info Redis Sentinel ${name} is connected.`,
  ])
  t.strictSame(
    texts().filter(isAboutConnection),
    [`info Redis Sentinel ${name} is connected.`],
    'an open connection is not interrupted',
  )
})

function isAboutConnection(text: string): boolean {
  return / is (away|connected)/.test(text)
}
