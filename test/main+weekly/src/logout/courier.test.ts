// The courier: how it handles each response, and notices that it cannot deliver.

import { randomUUID } from 'node:crypto'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { COURIER_TIMING, LogoutCourier } from '../../../../src/logout/courier.ts'
import type { CourierTiming } from '../../../../src/outbound/notice-courier.ts'
import type { LogoutNotice } from '../../../../src/sessions/logout-queue.ts'
import { claimLogouts, queueLogouts } from '../../../../src/sessions/logout-queue.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Queue, Retry } from '../../../../src/storage/queue.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { claimsOf, courierContext, keptLog } from '../../../support/logout/relying-party.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { observed } from '../../../support/observed.ts'
import { createClient } from '../../../support/records.ts'
import { CLIENTS } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const URI = 'https://rp.example.com/backchannel?secret=x'
const client = { ...CLIENTS.app, client_id: 'rp', backchannel_logout_uri: URI }
/** No reads of the queue by timer. */
const UNTIMED: CourierTiming = { ...COURIER_TIMING, poll: 86_400, busy_poll: 86_400 }
/** No delays either. */
const AT_ONCE: CourierTiming = { ...UNTIMED, busy_poll: 0.02, first_delay: 0, longest_delay: 0 }

/** Further clients, with an address of their own each. */
const OTHERS = Array.from({ length: 20 }, (_, index) => `other-${index}`)
const uriOf = (client_id: string) =>
  client_id === 'rp' ? URI : `https://${client_id}.example.com/backchannel`

const noticeFor = (client_id = 'rp'): LogoutNotice => ({
  id: randomUUID(),
  client_id,
  sub: 'sub-of-alice',
  sid: 'a-sid',
  attempts: 0,
})

/** So many notices for each of these clients. */
const noticesFor = (count: number, ...client_ids: string[]) =>
  client_ids.flatMap((client_id) => Array.from({ length: count }, () => noticeFor(client_id)))

type Post = (uri: string, form: string) => Promise<number | string>

async function startCourier(
  t: Test,
  storage: Storage,
  post: Post,
  timing: Partial<CourierTiming> = {},
  now = Date.now,
) {
  for (const client_id of ['rp', ...OTHERS]) {
    const registered = { ...client, client_id, backchannel_logout_uri: uriOf(client_id) }
    await createClient(storage, client_id, formatClient(registered))
  }
  const { log, lines } = keptLog()
  const sent: { uri: string; form: string }[] = []
  const asked: number[] = []
  const retried: Retry[] = []
  let finished = 0
  const watched = observed(storage, async (call, run, args) => {
    if (call === 'claim') asked.push(Number(args[1]))
    const answer = await run()
    if (call === 'finish') finished += 1
    if (call === 'retryLater') retried.push(...(args.slice(1) as Retry[]))
    return answer
  })
  const context = await courierContext(t, watched, log, {}, now)
  const courier = new LogoutCourier(
    context,
    (uri, form) => {
      sent.push({ uri, form })
      return post(uri, form)
    },
    { ...AT_ONCE, ...timing },
  )
  t.teardown(() => courier.close())
  return { courier, sent, lines, asked, retried, finished: () => finished }
}

/** Whether the queue is empty. It claims the notices, so no courier may be running. */
const isEmpty = async (storage: Storage) =>
  (await claimLogouts({ queue: storage.queue, log: SILENT }, 100, 0)).length === 0

/** Responds with these in turn, then always with the last one. */
const inTurn = (...answers: (number | string)[]) => {
  let asked = 0
  return async () => answers[Math.min(asked++, answers.length - 1)] ?? 200
}

forEachStorage(t, 'a notice is delivered once', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const { courier, sent, lines, finished } = await startCourier(t, storage, inTurn(200, 204))
  await queueLogouts(storage, [noticeFor(), noticeFor()])
  courier.wake()
  courier.wake()
  await until('both arrived', () => finished() === 2)
  await courier.close()
  t.ok(await isEmpty(storage))
  t.equal(sent.length, 2)
  t.strictSame(new Set(sent.map(({ uri }) => uri)), new Set([URI]))
  t.strictSame(lines, [])
})

t.test('a courier that is woken while it reads reads once more, one after the other', async (t) => {
  const { courier, asked } = await startCourier(t, new MemoryStorage(), inTurn(200))
  for (let i = 0; i < 3; i++) courier.wake()
  t.equal(asked.length, 1)
  await until('it read again', () => asked.length > 1)
  await courier.close()
  t.equal(asked.length, 2)
})

forEachStorage(t, 'a notice that failed is sent again, with a new token', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const answers = [500, 302, 400, 201, 'ETIMEDOUT', 200]
  const { courier, sent, lines } = await startCourier(t, storage, inTurn(...answers))
  await queueLogouts(storage, [noticeFor()])
  courier.wake()
  await until('it arrived', () => sent.length === answers.length)
  await courier.close()
  t.ok(await isEmpty(storage))
  t.equal(sent.length, answers.length)
  const tokens = sent.map(({ form }) => String(new URLSearchParams(form).get('logout_token')))
  t.equal(new Set(tokens.map((token) => claimsOf(token).jti)).size, answers.length)
  t.strictSame(
    lines.map(({ level, details }) => ({ level, ...details })),
    answers.slice(0, -1).map((status, index) => ({
      level: 'info',
      client_id: 'rp',
      status,
      attempt: index + 1,
      delay: 0,
    })),
  )
})

t.test('a notice is dropped after ten attempts with growing delays', async (t) => {
  const clock = { now: Date.now() }
  const storage = new MemoryStorage({ now: () => clock.now })
  const delays: number[] = []
  const spied = observed(storage, async (call, run, args) => {
    const answer = await run()
    if (call !== 'retryLater') return answer
    const [, ...retries] = args as Parameters<Queue['retryLater']>
    for (const { delay } of retries) {
      delays.push(delay)
      clock.now += delay * 1000
    }
    return answer
  })
  const now = () => clock.now
  const { courier, sent, lines } = await startCourier(t, spied, inTurn('ECONNREFUSED'), UNTIMED, now)
  await queueLogouts(storage, [noticeFor()])
  courier.wake()
  await until('it is given up', () => lines.some(({ level }) => level === 'warn'))
  await courier.close()
  t.equal(sent.length, 10)
  t.ok(await isEmpty(storage))
  t.strictSame(delays, [5, 10, 20, 40, 80, 160, 320, 600, 600])
  t.strictSame(lines.at(-1), {
    level: 'warn',
    details: { client_id: 'rp', status: 'ECONNREFUSED', attempt: 10 },
    message: 'A client could not be notified of a logout. The notice is dropped.',
  })
  const log = JSON.stringify(lines)
  for (const { form } of sent) t.notOk(log.includes(form.slice(13, 60)), 'no token in the log')
  t.notMatch(log, /secret|rp\.example/)
})

t.test('clients that were removed or disabled, or want no notices any more, get none', async (t) => {
  const storage = new MemoryStorage()
  const { courier, sent, lines, finished } = await startCourier(t, storage, inTurn(200))
  const silent = { ...CLIENTS.app, client_id: 'silent' }
  await createClient(storage, 'silent', formatClient(silent))
  await createClient(storage, 'disabled', formatClient({ ...client, client_id: 'disabled', disabled: true }))
  await createClient(storage, 'malformed', {
    ...formatClient({ ...client, client_id: 'malformed' }),
    is_public: '?',
  })
  await queueLogouts(storage, ['nobody', 'silent', 'disabled', 'malformed'].map(noticeFor))
  courier.wake()
  await until('all are dealt with', () => finished() === 4)
  await courier.close()
  t.ok(await isEmpty(storage))
  t.strictSame(sent, [])
  const named = new Set(lines.map(({ details }) => (details as { client_id: string }).client_id))
  t.strictSame([...named], ['malformed'])
})

t.test('the number of concurrent notices is limited, and a slow client keeps one place', async (t) => {
  const storage = new MemoryStorage()
  let open = 0
  let most = 0
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let stuck = 0
  const post: Post = async () => {
    open += 1
    most = Math.max(most, open)
    if (stuck++ < 3) await gate
    else await Promise.resolve()
    open -= 1
    return 200
  }
  const { courier, sent } = await startCourier(t, storage, post, { concurrency: 4 })
  await queueLogouts(
    storage,
    [...OTHERS, ...OTHERS].map((client_id) => noticeFor(client_id)),
  )
  courier.wake()
  await until('all but the stuck ones arrived', () => sent.length === 40 && open === 3)
  t.equal(most, 4)
  let closed = false
  const closing = courier.close().then(() => {
    closed = true
  })
  await queueLogouts(storage, [noticeFor()])
  courier.wake()
  await new Promise(setImmediate)
  t.equal(closed, false, 'it waits for those that are on their way')
  letGo()
  await closing
  t.equal(sent.length, 40, 'and takes nothing more')
  t.equal((await claimLogouts({ queue: storage.queue, log: SILENT }, 10, 0)).length, 1)
})

t.test('a client that hangs does not delay others', async (t) => {
  const clock = { now: Date.now() }
  const now = () => clock.now
  const storage = new MemoryStorage({ now })
  const hanging: ((status: number | string) => void)[] = []
  const post: Post = (uri) =>
    uri === URI ? new Promise((resolve) => hanging.push(resolve)) : Promise.resolve(200)
  const { courier, sent, retried, finished } = await startCourier(t, storage, post, UNTIMED, now)
  // Else a failure would wait for them for ever.
  t.teardown(() => {
    for (const answer of hanging) answer(200)
  })
  const toHanging = () => sent.filter(({ uri }) => uri === URI).length
  await queueLogouts(storage, noticesFor(200, 'rp'))
  clock.now += 1
  await queueLogouts(storage, noticesFor(2, ...OTHERS))
  /** Reads the queue until it is so; the notices that wait for their client become due meanwhile. */
  const comes = (what: string, condition: () => boolean) =>
    until(
      what,
      async () => {
        clock.now += 20
        courier.wake()
        await turnOfTheLoop()
        return condition()
      },
      0,
    )

  courier.wake()
  await until('the others were told', () => sent.length === 2 * OTHERS.length + 2)
  t.equal(toHanging(), 2, 'two places are taken, all others are free')
  for (const fail of hanging.splice(0)) fail('ETIMEDOUT')
  await until('both are put back', () => retried.filter(({ delay }) => delay === 5).length === 2)
  const failed = retried.length
  await comes('all that are due count as failed', () => retried.length >= failed + 50)
  t.equal(toHanging(), 2, 'the client is not asked again')
  t.strictSame(new Set(retried.slice(failed).map(({ delay }) => delay)), new Set([5]))

  clock.now += 5000
  await comes('it is asked again', () => toHanging() === 3)
  await queueLogouts(storage, [noticeFor('other-0')])
  await comes('another client has a place', () => sent.at(-1)?.uri === uriOf('other-0'))
  t.equal(toHanging(), 3, 'by one notice')
  hanging.pop()?.(200)
  await comes('it gets two at a time again', () => hanging.length === 2)
  await comes('and finally all notices', () => {
    for (const answer of hanging.splice(0)) answer(200)
    return finished() === 200 + 2 * OTHERS.length + 1
  })
  await courier.close()
  t.ok(await isEmpty(storage))
})

t.test('the notices of a client that never answers are dropped, after few attempts in all', async (t) => {
  const clock = { now: Date.now() }
  const now = () => clock.now
  const storage = new MemoryStorage({ now })
  const { courier, sent, lines } = await startCourier(t, storage, inTurn('ETIMEDOUT'), UNTIMED, now)
  await queueLogouts(storage, noticesFor(60, 'rp'))
  const start = clock.now
  const drops = () => lines.filter(({ level }) => level === 'warn').length
  const turn = async () => {
    clock.now += 2500
    courier.wake()
    await turnOfTheLoop()
    return drops() === 60
  }
  await until('all are dropped', turn, 0)
  await courier.close()
  t.ok(await isEmpty(storage))
  t.ok(sent.length <= 12, `${sent.length} attempts: two at first, then one after each back-off`)
  t.ok(clock.now - start < 3_600_000, 'within an hour')
  t.match(lines.at(-1)?.details, { client_id: 'rp', status: 'ETIMEDOUT', attempt: 10 })
})

forEachStorage(
  t,
  'a client with many logouts gets two notices at a time, and all of them',
  async (t, makeStorage) => {
    const { storage } = await makeStorage()
    let open = 0
    let most = 0
    const post: Post = async () => {
      open += 1
      most = Math.max(most, open)
      await new Promise(setImmediate)
      open -= 1
      return 200
    }
    const { courier, finished } = await startCourier(t, storage, post, { ...AT_ONCE, spacing: 0.001 })
    await queueLogouts(storage, noticesFor(150, 'rp'))
    courier.wake()
    await until('all arrived', () => finished() === 150)
    await courier.close()
    t.equal(most, 2)
  },
)

t.test('a notice that becomes due while the queue is read is found soon', async (t) => {
  const clock = { now: Date.now() }
  const now = () => clock.now
  let delivered = () => 0
  const storage = observed(new MemoryStorage({ now }), async (call, run) => {
    const answer = await run()
    if (call === 'claim' && delivered() === 1) clock.now += 1000
    return answer
  })
  const { courier, finished } = await startCourier(t, storage, inTurn(200), { per_client: 1 }, now)
  delivered = finished
  await queueLogouts(storage, noticesFor(2, 'rp'))
  courier.wake()
  await until('the one that waited for its client arrived', () => finished() === 2)
  await courier.close()
  t.ok(await isEmpty(storage))
})

t.test('notices that are queued during a read are found at once', async (t) => {
  const storage = new MemoryStorage()
  let answered = () => {}
  const slow = observed(storage, async (call, run) => {
    const answer = await run()
    if (call !== 'claim') return answer
    await new Promise<void>((resolve) => {
      answered = resolve
    })
    return answer
  })
  const { courier, sent, asked } = await startCourier(t, slow, inTurn(200))
  courier.wake()
  await until('it looks', () => asked.length === 1)
  await queueLogouts(storage, [noticeFor()])
  courier.wake()
  await until('it is delivered', () => {
    answered()
    return sent.length === 1
  })
  const closing = courier.close()
  answered()
  await closing
  t.equal(sent.length, 1)
})

t.test('storage is read only if another notice can be sent', async (t) => {
  const { courier, asked } = await startCourier(t, new MemoryStorage(), inTurn(200), { concurrency: 0 })
  courier.wake()
  await courier.close()
  t.strictSame(asked, [])
})

t.test('an outage of storage is survived, and left to the log of storage', async (t) => {
  const memory = new MemoryStorage()
  let [looks, is_away] = [0, false]
  const storage = observed(memory, (call, run) => {
    if (call === 'claim') looks += 1
    return is_away ? Promise.reject(new StorageUnavailable('away')) : run()
  })
  const { courier, sent, lines } = await startCourier(t, storage, inTurn(200), { poll: 0.01 })
  await queueLogouts(memory, [noticeFor()])
  const look = async (times: number) => {
    const since = looks
    await until('it looked again', () => looks > since + times)
  }
  courier.start()
  for (let outage = 1; outage <= 2; outage++) {
    is_away = true
    await look(5)
    is_away = false
    await until('it goes on', () => sent.length > 0)
    await look(2)
  }
  await courier.close()
  t.equal(sent.length, 1)
  t.strictSame(lines, [])
})

t.test('an internal error keeps the notice', async (t) => {
  const storage = new MemoryStorage()
  const { courier, lines } = await startCourier(t, storage, async () => {
    throw new TypeError('a slip')
  })
  await queueLogouts(storage, [noticeFor()])
  courier.wake()
  await until('it is told', () => lines.length === 1)
  await courier.close()
  t.match(lines, [{ level: 'error', details: { err: { message: 'a slip' } } }])
  t.equal(
    (await claimLogouts({ queue: storage.queue, log: SILENT }, 10, 0)).length,
    0,
    'nobody else gets it before its lease ends',
  )
})

forEachStorage(t, 'another replica delivers what a dead one had claimed', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const notice = noticeFor()
  await queueLogouts(storage, [notice])
  const claim = () => claimLogouts({ queue: storage.queue, log: SILENT }, 10, 0.2)
  const [dying, other] = await Promise.all([claim(), claim()])
  t.strictSame(dying, [notice], 'the one that dies has it')
  t.strictSame(other, [], 'and for now nobody else')
  const { courier, sent } = await startCourier(t, storage, inTurn(200), { poll: 0.02 })
  courier.start()
  await until('it arrived', () => sent.length === 1)
  await courier.close()
  t.ok(await isEmpty(storage))
})
