// The contract of the hashes that replicas share: the signing keys and the sealing keys.
import type { Test } from 'tap'
import type { Make, RedisSide } from './subject.ts'

export async function sharedHashContract(t: Test, make: Make): Promise<void> {
  await t.test('a shared hash is replaced only if it is the expected one', async (t) => {
    const { storage } = await make(t)
    t.strictSame(await storage.signing_keys.read(), {})
    const one = { kid1: '{"kty":"EC"}', kid2: 'two\nlines' }
    const two = { kid2: 'two\nlines', kid3: 'three' }
    t.equal(await storage.signing_keys.replace({ kid1: 'x' }, one), false, 'the set is empty')
    t.strictSame(await storage.signing_keys.read(), {})
    t.equal(await storage.signing_keys.replace({}, one), true)
    t.strictSame(await storage.signing_keys.read(), one)

    t.equal(await storage.signing_keys.replace({}, two), false, 'not empty')
    t.equal(await storage.signing_keys.replace({ kid1: one.kid1 }, two), false, 'one key more')
    t.equal(await storage.signing_keys.replace({ ...one, kid3: 'x' }, two), false, 'one key less')
    t.equal(await storage.signing_keys.replace({ ...one, kid2: 'x' }, two), false, 'another value')
    t.equal(await storage.signing_keys.replace({ kid1: one.kid1, kid3: one.kid2 }, two), false, 'another kid')
    t.equal(
      await storage.signing_keys.replace({ kid1: one.kid1, toString: 'x' }, two),
      false,
      'no kid at all',
    )
    t.strictSame(await storage.signing_keys.read(), one)

    t.equal(await storage.signing_keys.replace({ kid2: one.kid2, kid1: one.kid1 }, two), true, 'in any order')
    t.strictSame(await storage.signing_keys.read(), two, 'the whole set')
    t.equal(await storage.signing_keys.replace(two, {}), true)
    t.strictSame(await storage.signing_keys.read(), {})
  })

  await t.test('of replicas that start together one writes its fields', async (t) => {
    const { storage } = await make(t)
    for (const round of ['first', 'second']) {
      const before = await storage.signing_keys.read()
      const sets = Array.from({ length: 20 }, (_, i) => ({ [`${round}-${i}`]: 'key', common: `of ${i}` }))
      const won = await Promise.all(sets.map((next) => storage.signing_keys.replace(before, next)))
      t.equal(won.filter(Boolean).length, 1)
      t.strictSame(await storage.signing_keys.read(), sets[won.indexOf(true)])
    }
  })

  await t.test('returned values are copies', async (t) => {
    const { storage } = await make(t)
    const given = { kid: 'key' }
    await storage.signing_keys.replace({}, given)
    given.kid = 'changed'
    const read = (await storage.signing_keys.read()) as Record<string, string>
    read.kid = 'changed'
    t.strictSame(await storage.signing_keys.read(), { kid: 'key' })
  })

  await t.test('the clock is that of the storage', async (t) => {
    const { storage, redis, advance } = await make(t)
    const { signing_keys } = storage
    const before = await signing_keys.now()
    t.ok(Number.isSafeInteger(before))
    advance?.(3600)
    if (advance !== undefined) t.ok((await signing_keys.now()) >= before + 3_600_000)
    if (redis === undefined) return
    const earlier = await timeOf(redis)
    const now = await signing_keys.now()
    t.ok(earlier <= now && now <= (await timeOf(redis)), `${now} since 1970`)
  })

  await t.test('signing keys and sealing keys are separate', async (t) => {
    const { storage } = await make(t)
    await storage.signing_keys.replace({}, { kid: 'signs' })
    t.strictSame(await storage.sealing_keys.read(), {})
    t.equal(await storage.sealing_keys.replace({}, { kid: 'seals' }), true)
    t.strictSame(await storage.signing_keys.read(), { kid: 'signs' })
    t.strictSame(await storage.sealing_keys.read(), { kid: 'seals' })
  })
}

async function timeOf(redis: RedisSide): Promise<number> {
  const [time = ''] = await redis.all('TIME')
  const [seconds, microseconds] = time.split('\n')
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)
}
