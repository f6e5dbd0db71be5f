import t from 'tap'
import { LOCKING_COUNTERS, noteLockout } from '../../../src/limits/lockouts.ts'
import { queueEnding } from '../../../src/logout/endings-queue.ts'
import { queueMail } from '../../../src/mail/mail-queue.ts'
import { queueLogouts } from '../../../src/sessions/logout-queue.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { onRedis, spyOn } from '../../support/matrix.ts'
import { reader } from '../../support/plugins/metrics-reader.ts'
import { startService } from '../../support/service.ts'

async function start(t: Parameters<typeof startService>[0], options: object = {}) {
  let ahead = 0
  const spy = spyOn(new MemoryStorage())
  const { get, fastify } = await startService(t, {
    storage: spy.storage,
    now: () => Date.now() + ahead,
    smtp_url: 'smtp://127.0.0.1:1',
    mail_from: 'login@example.com',
    ...options,
  })
  const read = reader(get, (ms) => {
    ahead += ms
  })
  return { spy, read, context: fastify.redmint }
}

t.test('the length of a queue is no number while storage does not answer', async (t) => {
  const { spy, read: readOne } = await start(t)
  const read = async () => [
    ...(await readOne('redmint_logout_queue_length')),
    ...(await readOne('redmint_ending_queue_length')),
    ...(await readOne('redmint_mail_queue_length')),
  ]
  t.strictSame(await read(), [])
  const notice = { client_id: 'app', sub: 'alice', sid: 's', attempts: 0 }
  await queueLogouts(spy.storage, [
    { ...notice, id: 'one' },
    { ...notice, id: 'two' },
  ])
  await queueEnding(spy.storage, { what: 'grants', username: 'alice', before: 1 })
  await queueMail(spy.storage, {
    id: 'one',
    kind: 'password_changed',
    to: 'alice@example.com',
    created_at: 0,
    ends_at: 1,
    attempts: 0,
    begun: 0,
    state: 'refused',
    answer: '',
    sealed: '',
  })
  t.strictSame(await read(), [' 2', ' 1', ' 1'])
  spy.fault = new StorageUnavailable('a fault for the test')
  t.strictSame(await read(), [' Nan', ' Nan', ' Nan'])
  spy.fault = undefined
  t.strictSame(await read(), [' 2', ' 1', ' 1'])
})

t.test('where there is no mail, its queue is no metric', async (t) => {
  const { read } = await start(t, { demo: false, smtp_url: undefined, mail_from: undefined })
  t.strictSame(await read('# HELP redmint_mail'), [])
})

t.test('the checks of readiness', async (t) => {
  const { spy, read, context } = await start(t)
  t.strictSame(await read('redmint_ready'), ['{check="storage"} 1', '{check="keys"} 1'])
  spy.fault = new StorageUnavailable('a fault for the test')
  t.strictSame(await read('redmint_ready'), ['{check="keys"} 1'])
  spy.fault = new Error('another fault')
  t.strictSame(await read('redmint_ready'), [], 'a fault that is none of storage does not say ready')
  t.not((await read('# HELP redmint_ready')).length, 0, 'and hides no other metric')
  spy.fault = undefined
  Object.defineProperty(context.sealer, 'fresh', { value: false })
  t.strictSame(await read('redmint_ready'), ['{check="storage"} 1'])
})

t.test('lockouts by their counter, and no number while storage does not answer', async (t) => {
  const { spy, read } = await start(t)
  const lock = (name: string, whom: Parameters<typeof noteLockout>[2]) =>
    noteLockout(spy.storage, { group: 'sign-in', name }, whom, 60_000)
  await lock('one', { counter: 'sign_in_user', username: 'alice' })
  await lock('two', { counter: 'sign_in_user' })
  await lock('three', { counter: 'sign_in_address', address: '192.0.2.1' })
  t.strictSame(await read('redmint_lockouts'), [
    '{counter="sign_in_address"} 1',
    '{counter="sign_in_user"} 2',
  ])
  spy.fault = new StorageUnavailable('a fault for the test')
  t.strictSame(
    await read('redmint_lockouts'),
    Object.keys(LOCKING_COUNTERS).map((counter) => `{counter="${counter}"} Nan`),
  )
})

onRedis(t, 'the memory of Redis', async (t, { storage, server }) => {
  const { read } = await start(t, { storage })
  await server.cli('CONFIG', 'SET', 'maxmemory', '0')
  t.match(await read('redmint_redis_memory_bytes'), [/^\{part="used"\} \d{6,}$/])
  await server.cli('CONFIG', 'SET', 'maxmemory', '1gb')
  t.match(await read('redmint_redis_memory_bytes'), [/^\{part="used"\} \d{6,}$/, '{part="max"} 1073741824'])
  await server.stop()
  t.strictSame(await read('redmint_redis_memory_bytes'), ['{part="used"} Nan', '{part="max"} Nan'])
})
