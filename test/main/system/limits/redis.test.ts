// The keys and commands of the limit in Redis.

import { createHash } from 'node:crypto'
import t from 'tap'
import { counterOf } from '../../../../src/limits/networks.ts'
import { countCommands } from '../../../support/command-counter.ts'
import { failureKeys, MAX, onRedis } from '../../../support/limits/service.ts'
import { watchesAll } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { until } from '../../../support/until.ts'

const server = await startRedis(t)

t.test('a count hides client and address and expires', async (t) => {
  const { start, place } = onRedis(t, server)
  const { guess } = await start()
  const names = ['nobody', '\u{1f600} {x}:*', 'y'.repeat(5000)]
  for (const client_id of names) {
    for (let i = 0; i <= MAX; i += 1) await guess({ client_id, from: '2001:db8:1:2::1', by: 'body' })
  }
  const prefix = place.redis?.keys.prefix ?? ''
  const name = (client_id: string) =>
    createHash('sha256')
      .update(`${counterOf('2001:db8:1:2::')} ${client_id}`)
      .digest('hex')
  const keys = await failureKeys(place)
  const keyOf = (client_id: string) => `${prefix}failures:client:${name(client_id).slice(0, 2)}`
  t.strictSame(keys.sort(), names.map(keyOf).sort())
  for (const key of keys) {
    const left = Number(await server.cli('PTTL', key))
    t.ok(left > 0 && left <= 60_000, `${left} ms`)
  }
  for (const client_id of names) {
    const counter = await server.cli('HGET', keyOf(client_id), name(client_id).slice(2, 18))
    t.match(counter, new RegExp(`^${MAX} \\d{13}$`), 'what is refused unseen is not counted')
  }
})

t.test('a correct request costs no extra command, a blocked one none', async (t) => {
  const { start, place } = onRedis(t, server)
  const keys = place.redis?.keys
  if (keys === undefined) throw new TypeError('this is about Redis')
  const counter = await countCommands(t, server.port, 'activity:')
  const storage = redisStorage(t, counter, keys)
  for (const [access_token_format, honest] of [
    ['opaque', 1],
    ['jwt', 0],
  ] as const) {
    const { ask, guess, endWindows } = await start({ access_token_format }, storage)
    await until('the cached records are watched', () => watchesAll(storage))
    const cost = async (send: () => Promise<unknown>) => {
      counter.take()
      await send()
      return counter.take()
    }
    // Warm-up: the record is cached, and each script is known by its digest.
    for (let i = 0; i < 2; i += 1) await ask()
    for (let i = 0; i < 2; i += 1) await guess({ client_id: 'nobody' })
    t.equal((await cost(ask)).length, honest, 'an honest request')
    for (let i = 1; i < MAX; i += 1) t.strictSame(await cost(guess), ['hgetall', 'evalsha'], `failure ${i}`)
    t.strictSame(await cost(guess), ['hgetall', 'evalsha', 'evalsha'], 'the last one is a lockout, too')
    t.strictSame(await cost(guess), [], 'refused')
    t.strictSame(await cost(ask), [], 'refused, though right')
    const elsewhere = { from: '192.0.2.2' }
    t.equal((await cost(() => ask(elsewhere))).length, honest, 'an honest request from elsewhere')
    await endWindows()
    t.equal((await cost(ask)).length, honest, 'an honest request afterwards')
  }
})
