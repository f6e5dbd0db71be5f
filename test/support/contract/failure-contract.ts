// The contract of the failure counters.
import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import { FAILURE_GROUPS, type FailureGroup, MAX_COUNTERS } from '../../../src/storage/counters.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { type Make, pass } from './subject.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const MINUTE = 60_000

const SIGNED_IN = { username: 'alice', at: 1 }

export async function failureContract(t: Test, make: Make): Promise<void> {
  await t.test('failures are counted by name', async (t) => {
    const { storage } = await make(t)
    const [one, other] = [digest('one'), digest('other')]
    for (const count of [1, 2, 3]) {
      const failures = await storage.counters.countFailure('client', one, MINUTE)
      t.equal(failures.count, count)
      t.ok(failures.ends_in > 0 && failures.ends_in <= MINUTE, `${failures.ends_in} ms left`)
    }
    t.equal((await storage.counters.countFailure('client', other, MINUTE)).count, 1)
  })

  await t.test('what weighs more counts as so many, in one step', async (t) => {
    const { storage } = await make(t)
    const name = digest('heavy')
    const counted = await Promise.all(
      [3, 1, 5, 2].map((weight) => storage.counters.countFailure('pushed', name, MINUTE, weight)),
    )
    t.equal(Math.max(...counted.map(({ count }) => count)), 11)
    t.equal((await storage.counters.countFailure('pushed', name, MINUTE)).count, 12)
  })

  await t.test('concurrent failures are all counted, each with its own number', async (t) => {
    const { storage } = await make(t)
    const name = digest('storm')
    const failures = await Promise.all(
      Array.from({ length: 50 }, () => storage.counters.countFailure('client', name, MINUTE)),
    )
    t.strictSame(
      failures.map(({ count }) => count).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
  })

  await t.test('a window starts with its first failure and ends on time', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const name = digest('window')
    t.equal((await storage.counters.countFailure('client', name, 1000)).count, 1)
    const second = await storage.counters.countFailure('client', name, MINUTE)
    t.equal(second.count, 2)
    t.ok(second.ends_in <= 1000, 'another failure does not extend it')
    await pass(
      subject,
      1.1,
      async () => (await storage.counters.countFailure('client', name, MINUTE)).count === 1,
    )
    const next = await storage.counters.countFailure('client', name, MINUTE)
    t.equal(next.count, 2, 'a new window')
    t.ok(next.ends_in > 1000, 'of the requested length')
  })

  await t.test('forgiveFailures takes back one failure and keeps the end of the window', async (t) => {
    const { storage } = await make(t)
    const [name, other] = [digest('forgiven'), digest('never')]
    await storage.counters.countFailure('client', name, MINUTE / 2)
    await storage.counters.countFailure('client', name, MINUTE)
    await storage.counters.forgiveFailures([{ group: 'client', name }])
    t.equal((await storage.counters.countFailure('client', name, MINUTE)).count, 2)
    for (let i = 0; i < 5; i += 1) await storage.counters.forgiveFailures([{ group: 'client', name }])
    const next = await storage.counters.countFailure('client', name, MINUTE)
    t.equal(next.count, 1, 'never below zero')
    t.ok(next.ends_in <= MINUTE / 2, 'the window is the same')
    await storage.counters.forgiveFailures([{ group: 'client', name: other }])
    t.equal(
      (await storage.counters.countFailure('client', other, MINUTE)).count,
      1,
      'an unknown counter does not become negative',
    )
  })

  await t.test('several counters count one failure, and all are forgiven it', async (t) => {
    const { counters } = (await make(t)).storage
    const some = (['sign-in', 'client', 'device'] as const).map((group) => ({
      group,
      name: digest(group),
      max: 3,
    }))
    for (const count of [1, 2, 3]) {
      const counted = await counters.countFailures(some, MINUTE)
      t.match(counted, Array(3).fill({ count }))
      t.ok(
        counted.every(({ ends_in }) => ends_in > 0 && ends_in <= MINUTE),
        'each has a window',
      )
    }
    await counters.forgiveFailures(some)
    await counters.forgiveFailures(some.slice(1))
    t.match(await counters.countFailures(some, MINUTE), [{ count: 3 }, { count: 2 }, { count: 2 }])
  })

  await t.test('only the counter that is full counts what it refuses', async (t) => {
    const { counters } = (await make(t)).storage
    const counterOf = (group: FailureGroup, max: number) => ({ group, name: digest(group), max })
    const [before, full, after] = [counterOf('sign-in', 9), counterOf('client', 2), counterOf('device', 9)]
    const count = () => counters.countFailures([before, full, after], MINUTE)
    await counters.countFailures([before], MINUTE / 2)
    t.match(await count(), [{ count: 2 }, { count: 1 }, { count: 1 }])
    t.match(
      await count(),
      [{ count: 3 }, { count: 2 }, { count: 2 }],
      'the limit itself is no failure too many',
    )
    for (const beyond of [3, 4]) {
      const counted = await count()
      t.match(counted, [{ count: 4 }, { count: beyond }])
      t.equal(counted.length, 2)
    }
    const kept = await counters.countFailures([before, after], MINUTE)
    t.match(kept, [{ count: 4 }, { count: 3 }])
    t.ok((kept[0]?.ends_in ?? MINUTE) <= MINUTE / 2, 'the window is the same')
  })

  await t.test('of several counters each finds its own room', async (t) => {
    const { counters } = (await make(t)).storage
    const full: string[] = []
    counters.full.on('full', (group) => full.push(group))
    const counterOf = (group: FailureGroup, number: number) => ({
      group,
      name: `ab${digest(String(number))}`,
      max: 100,
    })
    for (let number = 0; number < MAX_COUNTERS; number += 1)
      await counters.countFailures([counterOf('client', 0), counterOf('device', number)], MINUTE)
    t.strictSame(full, [])
    t.match(await counters.countFailures([counterOf('device', 100), counterOf('device', 101)], MINUTE), [
      { count: 1 },
      { count: 2 },
    ])
    await counters.forgiveFailures([counterOf('device', 100)])
    t.match(await counters.countFailures([counterOf('device', 102)], MINUTE), [{ count: 2 }])
    t.strictSame(full, ['device', 'device', 'device'])
  })

  await t.test('clearFailures forgets the failures of one name', async (t) => {
    const { storage } = await make(t)
    const { counters } = storage
    const count = async (name: string) => (await counters.countFailure('device', name, MINUTE)).count
    const name = (number: number) => `cd${digest(String(number))}`
    await counters.countFailure('device', name(0), MINUTE / 2)
    for (let number = 0; number < MAX_COUNTERS; number += 1) await count(name(number))
    await counters.clearFailures('device', name(0))
    const next = await counters.countFailure('device', name(0), MINUTE)
    t.equal(next.count, 1)
    t.ok(next.ends_in <= MINUTE / 2, 'the window is the same')
    t.equal(await count(name(1)), 2, 'another name')
    t.strictSame([await count(name(98)), await count(name(99))], [1, 2], 'two that share a counter')
    await counters.clearFailures('device', name(98))
    t.equal(await count(name(98)), 1)
    t.equal(await count(name(99)), 3, 'the other one stays where it was')
    await counters.clearFailures('device', digest('never'))
    t.equal(await count(digest('never')), 1)
  })

  await t.test('concurrent failures and forgiven failures are all counted', async (t) => {
    const { storage } = await make(t)
    const name = digest('both')
    for (let i = 0; i < 10; i += 1) await storage.counters.countFailure('client', name, MINUTE)
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2 === 0
          ? storage.counters.countFailure('client', name, MINUTE)
          : storage.counters.forgiveFailures([{ group: 'client', name }]),
      ),
    )
    t.equal((await storage.counters.countFailure('client', name, MINUTE)).count, 11)
  })

  await t.test('names that leave records share a counter where there is no room', async (t) => {
    const { counters } = (await make(t)).storage
    const full: string[] = []
    counters.full.on('full', (group) => full.push(group))
    const count = async (number: number) =>
      (await counters.countFailure('device', `ab${digest(String(number))}`, MINUTE)).count
    for (let number = 0; number < MAX_COUNTERS; number += 1) t.equal(await count(number), 1)
    t.strictSame(full, [])
    t.equal(await count(100), 1)
    t.equal(await count(101), 2, 'it counts too much')
    t.strictSame(full, ['device', 'device'])
    t.equal(await count(0), 2, 'nobody can remove a counter')
    await counters.forgiveFailures([{ group: 'device', name: `ab${digest('100')}` }])
    t.equal(await count(102), 2, 'the shared one is forgiven')
    t.equal((await counters.countFailure('device', `cd${digest('x')}`, MINUTE)).count, 1, 'other names')
    t.equal((await counters.countFailure('pushed', `ab${digest('100')}`, MINUTE)).count, 1, 'another group')
  })

  await t.test(
    'an account has room of its own for addresses, and that which failed least gives way',
    async (t) => {
      const { counters } = (await make(t)).storage
      const count = async (account: string, address: number) => {
        const name = digest(account).slice(0, 32) + digest(`${address}`).slice(0, 32)
        return (await counters.countFailure('account-address', name, MINUTE)).count
      }
      for (const expected of [1, 2, 3]) t.equal(await count('alice', 0), expected)
      for (let address = 1; address < 100; address += 1) t.equal(await count('alice', address), 1)
      t.equal(await count('alice', 0), 4)
      t.equal(await count('alice', 1), 1, 'it gave way')
      t.equal(await count('bob', 0), 1, 'another account')
    },
  )

  await t.test(
    'names that strangers choose share no counter: that which counts least gives way',
    async (t) => {
      const { counters } = (await make(t)).storage
      const full: string[] = []
      counters.full.on('full', (group) => full.push(group))
      const count = async (number: number, window = MINUTE) =>
        (await counters.countFailure('sign-in', `ab${digest(String(number))}`, window)).count
      await count(1, MINUTE / 2)
      for (let number = 0; number < MAX_COUNTERS; number += 1) await count(number)
      t.equal(await count(0), 2)
      t.strictSame(full, [])
      for (let number = 100; number < 200; number += 1) t.equal(await count(number), 1, 'each counts alone')
      t.equal(full.length, 100)
      t.strictSame([...new Set(full)], ['sign-in'])
      t.strictSame([await count(0), await count(1)], [3, 3], 'who failed more often is not forgotten')
      t.equal(await count(2), 1, 'of those that count as much the first one went')
      await counters.forgiveFailures([{ group: 'sign-in', name: `ab${digest('3')}` }])
      t.equal(await count(3), 1, 'what is forgotten cannot be forgiven')
    },
  )

  await t.test('what only accounts have gives way to nothing, and shares nothing', async (t) => {
    const { counters } = (await make(t)).storage
    const full: string[] = []
    counters.full.on('full', (group) => full.push(group))
    for (const [group, room] of Object.entries(FAILURE_GROUPS) as [FailureGroup, string][]) {
      if (room !== 'own') continue
      const count = async (number: number) =>
        (await counters.countFailure(group, `ab${digest(String(number))}`, MINUTE)).count
      const counts = []
      for (const _ of [1, 2]) for (let number = 0; number < 20; number += 1) counts.push(await count(number))
      t.strictSame(counts, [...Array(20).fill(1), ...Array(20).fill(2)], group)
      await counters.clearFailures(group, `ab${digest('1')}`)
      t.strictSame([await count(0), await count(1)], [3, 1], group)
    }
    t.strictSame(full, [])
  })

  await t.test('there is room again when windows end', async (t) => {
    const subject = await make(t)
    const { counters } = subject.storage
    const name = (number: number) => `ab${digest(String(number))}`
    await counters.countFailure('client', name(0), MINUTE)
    for (let number = 1; number < MAX_COUNTERS; number += 1) {
      await counters.countFailure('client', name(number), 200)
    }
    await counters.countFailure('client', name(49), MINUTE)
    await pass(
      subject,
      0.3,
      async () => (await counters.countFailure('client', name(50), MINUTE)).count === 1,
    )
    const other = async () => (await counters.countFailure('client', name(51), MINUTE)).count === 1
    await pass(subject, 0, other)
    t.equal((await counters.countFailure('client', name(0), MINUTE)).count, 2, 'whose window runs is kept')
  })

  await t.test('a browser is remembered for a time, and can be remembered again', async (t) => {
    const subject = await make(t)
    const { counters } = subject.storage
    const limit = { max: 5, ttl: 60 }
    t.equal(await counters.findBrowser('alice', 'one'), undefined)
    await counters.rememberBrowser('alice', { name: 'one', bound_to: 'password' }, limit, SIGNED_IN)
    t.equal(await counters.findBrowser('alice', 'one'), 'password')
    t.equal(await counters.findBrowser('alice', 'One'), undefined)
    t.equal(await counters.findBrowser('bob', 'one'), undefined)
    await counters.rememberBrowser(
      'alice',
      { name: 'one', bound_to: 'next' },
      { max: 5, ttl: 0.2 },
      SIGNED_IN,
    )
    t.equal(await counters.findBrowser('alice', 'one'), 'next')
    await counters.rememberBrowser('alice', { name: 'two', bound_to: 'password' }, limit, SIGNED_IN)
    await pass(subject, 0.3, async () => (await counters.findBrowser('alice', 'one')) === undefined)
    t.equal(await counters.findBrowser('alice', 'two'), 'password', 'each browser has its own time')
    await counters.rememberBrowser('alice', { name: 'one', bound_to: 'password' }, limit, SIGNED_IN)
    t.equal(await counters.findBrowser('alice', 'one'), 'password')
  })

  await t.test('of the browsers of a user the newest are kept, and a renewed one is one', async (t) => {
    const subject = await make(t)
    const { counters } = subject.storage
    const remember = async (name: string, replaces?: string) => {
      const browser = { name, bound_to: 'password', ...(replaces !== undefined && { replaces }) }
      const start = Date.now()
      await counters.rememberBrowser('alice', browser, { max: 3, ttl: 60 }, SIGNED_IN)
      await pass(subject, 0.001, async () => Date.now() > start)
    }
    const known = async (...names: string[]) => {
      const found = await Promise.all(names.map((name) => counters.findBrowser('alice', name)))
      return names.filter((_, index) => found[index] !== undefined)
    }
    for (const name of ['1', '2', '3', '1', '4']) await remember(name)
    t.strictSame(await known('1', '2', '3', '4'), ['1', '3', '4'])
    await remember('5', '4')
    t.strictSame(
      await known('1', '3', '4', '5'),
      ['1', '3', '5'],
      'the renewed browser takes no place of others',
    )
    await remember('6', 'nobody')
    await remember('6', '6')
    t.strictSame(await known('1', '3', '5', '6'), ['1', '5', '6'])
  })

  await t.test(
    'in Redis forgiveFailures creates no key, and the browsers of a user are one key',
    async (t) => {
      const { storage, redis } = await make(t)
      if (redis === undefined) return
      const key = `${redis.prefix}browsers:alice`
      await storage.counters.forgiveFailures([{ group: 'client', name: 'nobody' }])
      for (let count = 0; count < 20; count += 1) {
        const browser = { name: digest(`${count}`), bound_to: digest('password').slice(0, 43) }
        await storage.counters.rememberBrowser('alice', browser, { max: 5, ttl: 600 }, SIGNED_IN)
      }
      t.strictSame(
        (await keysOf(redis)).filter((found) => !found.startsWith('probe:')),
        ['browsers:alice', 'last-sign-ins'],
      )
      t.equal(await redis.cli('HLEN', key), '5')
      t.match(await redis.cli('OBJECT', 'ENCODING', key), /^(listpack|ziplist)$/)
      const left = (await expiryOf(redis, 'browsers:alice')) - Date.now()
      t.ok(Math.abs(left - 600_000) < 25_000, `${left} ms left`)
      await redis.cli('HSET', key, 'one', 'spoiled')
      t.equal(await storage.counters.findBrowser('alice', 'one'), undefined, 'a malformed entry is unknown')
      await storage.counters.rememberBrowser(
        'alice',
        { name: 'two', bound_to: 'x' },
        { max: 5, ttl: 600 },
        SIGNED_IN,
      )
      t.equal(await redis.cli('HEXISTS', key, 'one'), '0', 'and removed at the next sign-in')
    },
  )

  await t.test('in Redis a counter is one key that always expires', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) return
    const name = digest('key')
    const key = `failures:client:${name.slice(0, 2)}`
    await storage.counters.countFailure('client', name, MINUTE)
    t.strictSame(
      (await keysOf(redis)).filter((found) => !found.startsWith('probe:')),
      [key],
    )
    const left = async () => (await expiryOf(redis, key)) - Date.now()
    t.ok((await left()) > 0 && (await left()) <= MINUTE + 1000)
    t.match(await redis.cli('HGET', `${redis.prefix}${key}`, name.slice(2, 18)), /^1 \d{13}$/)
    await redis.cli('PERSIST', `${redis.prefix}${key}`)
    t.equal((await storage.counters.countFailure('client', name, MINUTE)).count, 2)
    t.ok((await left()) > 0, 'also if its expiry was removed with redis-cli')
  })
}
