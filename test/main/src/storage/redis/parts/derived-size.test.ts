// What a flood of exchanges costs Redis, at the largest depth and with the largest details.
import { Redis } from 'ioredis'
import t from 'tap'
import { MAX_DERIVED } from '../../../../../../src/storage/derivation.ts'
import { countCommands } from '../../../../../support/command-counter.ts'
import { deriving, signInToDerive } from '../../../../../support/contract/deriving.ts'
import { LARGEST } from '../../../../../support/details.ts'
import { callsIn } from '../../../../../support/redis-calls.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import { openAt, PREFIX, writable } from '../../../../../support/storage/redis/support.ts'

const DEPTH = 4
const FIELDS = { act: 'x'.repeat(400), authorization_details: JSON.stringify(LARGEST) }
/** Of one exchange, of a list of all, and of a record. The details alone have 8,192 bytes. */
const MAX = { calls: 20, calls_of_list: 110, bytes_sent: 9400, bytes_of_token: 12_300 }

t.test('T18: a flood of exchanges leaves and costs a bounded amount', async (t) => {
  const server = await startRedis(t)
  const counter = await countCommands(t, server.port)
  const redis = new Redis(server.url)
  t.teardown(() => redis.disconnect())
  const { storage } = openAt(t, counter.url)
  await writable(storage)
  const { grant, subject } = await signInToDerive(storage)
  const sizes = async () => {
    const keys = await redis.keys(`${PREFIX}*{${grant}}*`)
    const bytes = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)))
    return { keys: keys.length, bytes: bytes.reduce<number>((sum, each) => sum + Number(each), 0) }
  }
  const before = await sizes()
  let from = subject
  const next = () => deriving(from, { fields: FIELDS })
  for (let depth = 1; depth < DEPTH; depth++) {
    const derivation = next()
    t.equal(await storage.families.deriveToken(derivation), 'ok')
    from = { token: derivation.token, is_jwt: false }
  }
  const cost = async (run: () => Promise<unknown>) => {
    const calls = await callsIn(redis)
    counter.take()
    counter.takeBytes()
    const outcome = await run()
    const { sent, received } = counter.takeBytes()
    return { outcome, commands: counter.take().length, calls: (await callsIn(redis)) - calls, sent, received }
  }
  const derive = () => cost(() => storage.families.deriveToken(next()))

  const first = await derive()
  for (let count = DEPTH + 1; count < MAX_DERIVED; count++) await storage.families.deriveToken(next())
  const last = await derive()
  for (const [name, one] of Object.entries({ first, last })) {
    t.match(one, { outcome: 'ok', commands: 1 }, name)
    t.ok(one.calls <= MAX.calls, `${name}: ${one.calls} calls in Redis`)
    t.ok(
      one.sent <= MAX.bytes_sent && one.received < 100,
      `${name}: ${one.sent} bytes, and ${one.received} back`,
    )
  }
  t.equal(last.calls, first.calls, 'the hundredth costs what the first one did')
  const full = await sizes()
  t.equal(full.keys, before.keys + MAX_DERIVED + 1, 'a record for each, and their list')
  const each = Math.ceil((full.bytes - before.bytes) / MAX_DERIVED)
  t.ok(each <= MAX.bytes_of_token, `${each} bytes for each`)

  const refused = await derive()
  t.match(refused, { outcome: 'many', commands: 1 })
  t.ok(refused.calls <= first.calls, `${refused.calls} calls of a refused one`)
  for (let count = 0; count < 50; count++) await storage.families.deriveToken(next())
  t.strictSame(await sizes(), full, 'what is refused leaves nothing')

  const list = await cost(() => storage.families.readDerived(grant))
  t.ok(list.calls <= MAX.calls_of_list, `${list.calls} calls to list them`)
})
