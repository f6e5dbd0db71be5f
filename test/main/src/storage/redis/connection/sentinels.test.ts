// Which master the Sentinels name, when they disagree, hang or refuse.
import t, { type Test } from 'tap'
import { Sentinels } from '../../../../../../src/storage/redis/connection/sentinels.ts'
import { startRedis } from '../../../../../support/redis-server.ts'

const NAME = 'main'

/** A Sentinel that names this port, from its configuration. Its master does not exist, so it meets no other one. */
async function startWatcher(
  t: Test,
  { port, epoch, more = '' }: { port: number; epoch: number; more?: string },
) {
  const config = `sentinel monitor ${NAME} 127.0.0.1 ${port} 2\nsentinel config-epoch ${NAME} ${epoch}\n${more}\n`
  return startRedis(t, { config, args: ['--sentinel'] })
}

function ask(t: Test, watchers: readonly { port: number }[], { name = NAME, password = '' } = {}) {
  const sentinels = new Sentinels({
    kind: 'sentinel',
    sentinels: watchers.map(({ port }) => ({ host: '127.0.0.1', port })),
    name,
    ...(password === '' ? {} : { sentinel_password: password }),
  })
  t.teardown(() => sentinels.close())
  return sentinels.master()
}

t.test('the Sentinel with the newest knowledge is believed, whatever their order', async (t) => {
  const old = await startWatcher(t, { port: 1, epoch: 3 })
  const recent = await startWatcher(t, { port: 2, epoch: 7 })
  const named = { host: '127.0.0.1', port: 2, epoch: 7 }
  t.strictSame(await ask(t, [old, recent]), named)
  t.strictSame(await ask(t, [recent, old]), named)
})

t.test('Sentinels that hang or are down do not hide the others', async (t) => {
  const hung = await startWatcher(t, { port: 1, epoch: 3 })
  const down = await startWatcher(t, { port: 1, epoch: 3 })
  const alive = await startWatcher(t, { port: 2, epoch: 2 })
  await down.stop()
  process.kill(hung.pid, 'SIGSTOP')
  t.match(await ask(t, [hung, down, alive]), { port: 2 })
})

t.test('without a master the error says what is wrong', async (t) => {
  const watcher = await startWatcher(t, { port: 1, epoch: 3 })
  await t.rejects(ask(t, [watcher], { name: 'other' }), {
    message: 'the Sentinels know no master named other',
  })
  const locked = await startWatcher(t, { port: 1, epoch: 3, more: 'requirepass hush' })
  await t.rejects(ask(t, [locked]), { message: 'no Sentinel answers: Redis answered NOAUTH' })
  await t.rejects(ask(t, [locked], { password: 'wrong' }), {
    message: 'no Sentinel answers: Redis answered WRONGPASS',
  })
  t.match(await ask(t, [locked], { password: 'hush' }), { port: 1 })
  await watcher.stop()
  await t.rejects(ask(t, [watcher]), { message: 'no Sentinel answers: no connection (ECONNREFUSED)' })
})
