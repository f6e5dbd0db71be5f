// The contract of the logout queue.

import type { Test } from 'tap'
import { SILENT } from '../../../src/core/log.ts'
import type { LogoutNotice } from '../../../src/sessions/logout-queue.ts'
import {
  claimLogouts,
  countLogouts,
  finishLogouts,
  queueLogouts,
  retryLogouts,
} from '../../../src/sessions/logout-queue.ts'
import { expiryOf } from './redis-subject.ts'
import { type Make, pass, type Subject } from './subject.ts'

const LONG = 60
const DAY = 86_400_000

function notice(id: string, change: Partial<LogoutNotice> = {}): LogoutNotice {
  return { id, client_id: 'app', sub: 'alice', sid: 'session-of-alice', attempts: 0, ...change }
}

export const NOTICE = notice('one')
const notices = (count: number) => Array.from({ length: count }, (_, i) => notice(`notice ${i}`))
const ids = (claimed: readonly LogoutNotice[]) => claimed.map(({ id }) => id).sort()

export async function logoutContract(t: Test, make: Make): Promise<void> {
  await t.test('a queued notice can be claimed and finished', async (t) => {
    const { storage } = await make(t)
    t.strictSame(await claimLogouts({ queue: storage.queue, log: SILENT }, 10, LONG), [])
    for (const queued of [
      notice('one'),
      notice('two', { sub: '"é" 🗝 \\', sid: '', client_id: '__proto__', attempts: 3 }),
      notice('\uD800', { sub: 'a\0b\r\n' }),
    ]) {
      await queueLogouts(storage, [queued])
      t.strictSame(await claimLogouts({ queue: storage.queue, log: SILENT }, 10, LONG), [queued])
      await finishLogouts(storage, queued)
    }
    await queueLogouts(storage, [])
    t.strictSame(await claimLogouts({ queue: storage.queue, log: SILENT }, 10, 0), [])
  })

  await t.test('a call with no items does nothing', async (t) => {
    const { storage } = await make(t)
    await queueLogouts(storage, [NOTICE])
    await storage.queue.add('logouts', [])
    await storage.queue.finish('logouts')
    t.equal(await storage.queue.retryLater('logouts'), 0)
    t.equal(await countLogouts(storage), 1)
  })

  await t.test(
    'a call says how many items it found, also if it is repeated because its answer was lost',
    async (t) => {
      const { queue } = (await make(t)).storage
      await queue.add('logouts', ['one', 'two'])
      const retries = [
        { item: 'one', replacement: 'one again', delay: 1 },
        { item: 'gone', replacement: 'gone again', delay: 1 },
        { item: 'two', replacement: 'two', delay: 1 },
      ]
      for (const _ of [1, 2]) t.equal(await queue.retryLater('logouts', ...retries), 2)
      t.same((await queue.list('logouts', 10)).sort(), ['one again', 'two'])
    },
  )

  await t.test('an item is offered to a queue with room, once, and may go before others', async (t) => {
    const { storage } = await make(t)
    const { queue } = storage
    const offer = (item: string, max: number, ahead = 0) => queue.offer('logouts', item, { max, ahead })
    t.equal(await offer('none', 0), false)
    t.equal(await offer('late', 2), true)
    t.equal(await offer('early', 2, 60_000), true)
    t.equal(await offer('third', 2), false)
    t.equal(await offer('late', 2), true, 'a repeated call finds its item')
    t.strictSame(await queue.list('logouts', 10), ['early', 'late'])
    t.strictSame(await queue.claim('logouts', 1, LONG), ['early'])
    t.strictSame(await queue.claim('logouts', 5, LONG), ['late'], 'both are due at once')
    const both = await Promise.all(Array.from({ length: 8 }, (_, i) => offer(`at once ${i}`, 5)))
    t.equal(both.filter((is_in) => is_in).length, 3, 'never more than there is room for')
  })

  await t.test('the notices that wait are counted, claimed or not', async (t) => {
    const { storage } = await make(t)
    t.equal(await countLogouts(storage), 0)
    await queueLogouts(storage, notices(3))
    await claimLogouts({ queue: storage.queue, log: SILENT }, 2, LONG)
    t.equal(await countLogouts(storage), 3)
    await finishLogouts(storage, notice('notice 0'))
    t.equal(await countLogouts(storage), 2)
  })

  await t.test('a claim is limited, and takes the notices that are due longest first', async (t) => {
    const { storage } = await make(t)
    await queueLogouts(storage, [notice('first')])
    const queued = Date.now()
    await pass({ storage }, 0, async () => Date.now() > queued + 1)
    await queueLogouts(storage, notices(5))
    t.strictSame(ids(await claimLogouts({ queue: storage.queue, log: SILENT }, 1, LONG)), ['first'])
    t.equal((await claimLogouts({ queue: storage.queue, log: SILENT }, 3, LONG)).length, 3)
    t.equal((await claimLogouts({ queue: storage.queue, log: SILENT }, 3, LONG)).length, 2)
    t.equal((await claimLogouts({ queue: storage.queue, log: SILENT }, 3, LONG)).length, 0)
  })

  await t.test('of concurrent workers only one claims a notice', async (t) => {
    const { storage } = await make(t)
    await queueLogouts(storage, notices(100))
    const claims = await Promise.all(
      Array.from({ length: 30 }, () => claimLogouts({ queue: storage.queue, log: SILENT }, 7, LONG)),
    )
    t.strictSame(ids(claims.flat()), ids(notices(100)), 'each notice once')
  })

  await t.test('a notice that is neither finished nor postponed in time is due again', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    await queueLogouts(storage, notices(2))
    await claimLogouts({ queue: storage.queue, log: SILENT }, 1, LONG)
    const [one = notice('none')] = await claimLogouts({ queue: storage.queue, log: SILENT }, 1, 0.2)
    await claimedWithin(t, subject, 0.3, [one])
    await finishLogouts(storage, one)
    t.strictSame(await claimLogouts({ queue: storage.queue, log: SILENT }, 10, LONG), [])
  })

  await t.test('a postponed notice is due later, with one attempt more', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const queued = notice('one', { attempts: 2 })
    await queueLogouts(storage, [queued])
    await claimLogouts({ queue: storage.queue, log: SILENT }, 10, LONG)
    await retryLogouts(storage, { notice: queued, delay: 0.2, failed: true })
    const later = { ...queued, attempts: 3 }
    await claimedWithin(t, subject, 0.3, [later])

    await retryLogouts(storage, { notice: queued, delay: 0, failed: true })
    t.strictSame(
      await claimLogouts({ queue: storage.queue, log: SILENT }, 10, LONG),
      [],
      'a worker whose claim has expired changes nothing',
    )
    await finishLogouts(storage, queued)
    await retryLogouts(storage, { notice: later, delay: 0, failed: true })
    const again = { ...later, attempts: 4 }
    t.strictSame(
      await claimLogouts({ queue: storage.queue, log: SILENT }, 10, LONG),
      [again],
      'nor removes it',
    )
    await retryLogouts(storage, { notice: again, delay: LONG, failed: true })
    t.strictSame(
      await claimLogouts({ queue: storage.queue, log: SILENT }, 10, LONG),
      [],
      'not before it is due',
    )
  })

  await t.test('several notices are postponed at once, with or without a failed attempt', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const [failed, waiting, gone] = [notice('failed'), notice('waiting'), notice('gone')]
    await queueLogouts(storage, [failed, waiting, gone])
    await claimLogouts({ queue: storage.queue, log: SILENT }, 10, LONG)
    await finishLogouts(storage, gone)
    await retryLogouts(
      storage,
      { notice: failed, delay: 0.1, failed: true },
      { notice: gone, delay: 0, failed: true },
      { notice: waiting, delay: 0.2, failed: false },
    )
    await claimedWithin(t, subject, 0.3, [{ ...failed, attempts: 1 }, waiting])
  })

  await t.test('a finished notice cannot be postponed', async (t) => {
    const { storage } = await make(t)
    await queueLogouts(storage, [notice('one')])
    const [claimed = notice('none')] = await claimLogouts({ queue: storage.queue, log: SILENT }, 1, LONG)
    await finishLogouts(storage, claimed)
    await retryLogouts(storage, { notice: claimed, delay: 0, failed: true })
    await finishLogouts(storage, claimed)
    t.strictSame(await claimLogouts({ queue: storage.queue, log: SILENT }, 10, LONG), [])
  })

  await t.test('returned values are copies', async (t) => {
    const { storage } = await make(t)
    const given = { ...notice('one') }
    await queueLogouts(storage, [given])
    given.sub = 'changed'
    const [claimed] = await claimLogouts({ queue: storage.queue, log: SILENT }, 1, 0)
    ;(claimed as { sub: string }).sub = 'changed'
    t.strictSame(await claimLogouts({ queue: storage.queue, log: SILENT }, 1, LONG), [notice('one')])
  })

  await t.test('in Redis the queue is one sorted set, which expires a day after its last use', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) return
    const key = `${redis.prefix}logouts`
    const lasts = async (ms: number, what: string) => {
      const left = (await expiryOf(redis, 'logouts')) - Date.now()
      t.ok(Math.abs(left - ms) < 25_000, `${what}: ${left} ms left`)
    }
    await queueLogouts(storage, [notice('one')])
    await lasts(DAY, 'queued')
    t.strictSame(JSON.parse(await redis.cli('--raw', 'ZRANGE', key, '0', '-1')), notice('one'))
    await redis.cli('PEXPIRE', key, '1000')
    await claimLogouts({ queue: storage.queue, log: SILENT }, 10, LONG)
    await lasts(DAY + LONG * 1000, 'claimed')
    await redis.cli('PEXPIRE', key, '1000')
    await retryLogouts(storage, { notice: notice('one'), delay: 3600, failed: true })
    await lasts(DAY + 3_600_000, 'postponed')
    await queueLogouts(storage, [notice('two')])
    await lasts(DAY + 3_600_000, 'nothing shortens the expiry')
  })

  await t.test('malformed entries are removed', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) return
    const key = `${redis.prefix}logouts`
    await queueLogouts(storage, [notice('one')])
    const { sid: _, ...short } = notice('short')
    const odd = [
      '',
      'x',
      'null',
      '[]',
      '{}',
      '"a"',
      JSON.stringify(short),
      ` ${JSON.stringify(notice('two'))}`,
    ]
    for (const member of odd) await redis.cli('ZADD', key, '0', member)
    await redis.cli('ZADD', key, '0', JSON.stringify({ ...notice('three'), attempts: 'x' }))
    t.strictSame(await claimLogouts({ queue: storage.queue, log: SILENT }, 100, 0), [notice('one')])
    t.equal(await redis.cli('ZCARD', key), '1')
  })
}

/** Lets time pass until exactly these notices are claimed, which are not due earlier. */
async function claimedWithin(
  t: Test,
  subject: Subject,
  seconds: number,
  expected: readonly LogoutNotice[],
): Promise<void> {
  const claimed: LogoutNotice[] = []
  await pass(subject, seconds, async () => {
    claimed.push(...(await claimLogouts({ queue: subject.storage.queue, log: SILENT }, 10, LONG)))
    return claimed.length >= expected.length
  })
  t.strictSame(claimed, expected)
}
