// If failures cannot be counted, the response reveals nothing, and the number of guesses is still limited.

import t from 'tap'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { failureKeys, forEachStorage, MAX, onRedis } from '../../../support/limits/service.ts'
import { observed } from '../../../support/observed.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'

/** A storage whose counter can be made to fail. */
function uncounting(storage: Storage) {
  const state = { away: false }
  const uncounted = observed(storage, (call, run) =>
    call === 'countFailure' && state.away
      ? Promise.reject(new StorageUnavailable('no answer in time'))
      : run(),
  )
  return { storage: uncounted, state }
}

forEachStorage(
  'a failure that cannot be counted in storage gets 503 and is counted locally',
  async (t, start, place) => {
    const { storage, state } = uncounting(place.open(t))
    const { ask, guess, endWindows } = await start({}, storage)
    t.equal((await ask()).status, 200)
    t.equal(await guess(), 401)
    state.away = true
    for (let i = 1; i < MAX; i += 1) {
      const { status, headers, body } = await ask({ client_secret: 'wrong' })
      t.equal(status, 503, `failure ${i + 1}`)
      t.match(headers['retry-after'], /^[1-5]$/)
      t.match(JSON.parse(body), { error: 'temporarily_unavailable' })
      if (i < MAX - 1) t.equal((await ask()).status, 200, 'the right secret needs no count')
    }
    t.equal(await guess(), 429, 'storage may be away for long')
    t.equal((await ask()).status, 429)
    t.equal((await ask({ from: '192.0.2.2' })).status, 200, 'the client elsewhere goes on')

    await endWindows()
    t.equal((await ask()).status, 200)
    t.equal(await guess(), 503, 'still away')
    state.away = false
    t.equal(await guess(), 401, 'and back')
  },
)

forEachStorage('many guesses that cannot be counted in storage are limited', async (t, start, place) => {
  const { storage, state } = uncounting(place.open(t))
  const { ask, guess } = await start({}, storage)
  t.equal((await ask()).status, 200)
  state.away = true
  const statuses = await Promise.all(Array.from({ length: 40 }, () => guess()))
  t.strictSame(statuses.slice(0, MAX), Array(MAX).fill(503))
  t.ok(
    statuses.every((status) => status === 503 || status === 429),
    'every response is the same',
  )
  t.equal((await ask()).status, 429, 'and they were guesses')
})

t.test('while Redis is down, guesses get 503 or 429 and leave no key', async (t) => {
  const server = await startRedis(t)
  const { start, place } = onRedis(t, server)
  const service = await start()
  const { ask, guess } = service
  t.equal((await ask()).status, 200)
  t.equal(await guess(), 401)
  await server.stop()
  for (let i = 0; i < 3 * MAX; i += 1) {
    const status = await guess()
    t.ok(status === 503 || status === 429, `${status} while Redis is away`)
  }
  await server.restart()
  await until('Redis is back', async () => (await service.get('/actuator/health/readiness')).status === 200)
  t.strictSame(await failureKeys(place), [], 'this Redis keeps nothing')
})
