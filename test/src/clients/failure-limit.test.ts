import t from 'tap'
import { type Attempt, FailureLimit } from '../../../src/clients/failure-limit.ts'
import { invalidClient } from '../../../src/core/errors.ts'

const WINDOW = 60

/** A limit with a clock that can be moved, and a count that all share. */
function setup(max: number) {
  const state = { now: 0, checked: 0, counted: 0 }
  const counts = new Map<string, number>()
  const limit = new FailureLimit(max, WINDOW, () => state.now)
  const wrong = (client_id: string, address = '192.0.2.1'): Attempt<string> => ({
    client_id,
    address: () => address,
    hasSecret: true,
    fromCache: () => undefined,
    async fromStorage() {
      state.checked += 1
      throw invalidClient()
    },
    async count(name) {
      state.counted += 1
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return { remaining: Math.max(0, max - count), isExceeded: count > max, ttl: WINDOW * 1000 }
    },
  })
  const statusOf = (attempt: Attempt<string>) =>
    limit.check(attempt).then(
      () => 200,
      (error: { status: number }) => error.status,
    )
  return { state, counts, limit, wrong, statusOf }
}

t.test('the window ends at its millisecond', async (t) => {
  const { state, counts, wrong, statusOf } = setup(2)
  t.equal(await statusOf(wrong('a')), 401)
  t.equal(await statusOf(wrong('a')), 401)
  state.now = WINDOW * 1000 - 1
  t.equal(await statusOf(wrong('a')), 429)
  t.equal(state.checked, 2, 'unseen')
  state.now += 1
  counts.clear()
  t.equal(await statusOf(wrong('a')), 401)
})

t.test('client and address cannot be mistaken for another client and address', async (t) => {
  const { counts, wrong, statusOf } = setup(1)
  const pairs = [
    ['a', 'x'],
    ['x', 'a'],
    ['a ', 'x'],
    ['a x', ''],
    ['', 'a x'],
  ] as const
  for (const [client_id, address] of pairs) await statusOf(wrong(client_id, address))
  t.equal(counts.size, pairs.length)
  for (const name of counts.keys()) t.match(name, /^[0-9a-f]{64}$/)
})

t.test('what is remembered is bounded, and what was forgotten is learnt by one failure', async (t) => {
  const { state, wrong, statusOf } = setup(1)
  t.equal(await statusOf(wrong('first')), 401)
  t.equal(await statusOf(wrong('first')), 429)
  t.equal(state.counted, 1)
  for (let i = 0; i < 9_999; i += 1) await statusOf(wrong(`other ${i}`))
  t.equal(await statusOf(wrong('first')), 429)
  t.equal(state.counted, 10_000, '10,000 are remembered')
  await statusOf(wrong('one more'))
  t.equal(await statusOf(wrong('first')), 429, 'the count says so')
  t.equal(state.counted, 10_002, 'but it had to be asked')
  t.equal(await statusOf(wrong('first')), 429)
  t.equal(state.counted, 10_002)
})

t.test('guesses wait for those before them, and share what became of them', async (t) => {
  const { state, limit, wrong, statusOf } = setup(2)
  const right = { ...wrong('a'), fromCache: () => 'a' }
  const storm = [wrong('a'), wrong('a'), right, wrong('a')]
  t.strictSame(await Promise.all(storm.map(statusOf)), [401, 401, 429, 429])
  t.equal(state.checked, 2)

  const away = new Error('away')
  const lost = { ...wrong('b'), count: () => Promise.reject(away) }
  const late = { ...right, client_id: 'b' }
  const results = await Promise.allSettled([lost, lost, late].map((attempt) => limit.check(attempt)))
  t.strictSame(
    results.map((result) => result.status === 'rejected' && result.reason),
    [away, away, away],
  )

  const cold = { ...wrong('c'), fromStorage: async () => 'c' }
  t.strictSame(await Promise.all(Array.from({ length: 20 }, () => statusOf(cold))), Array(20).fill(200))
})

t.test('an attempt without a secret neither waits nor is refused unseen', async (t) => {
  const { state, wrong, statusOf } = setup(1)
  t.equal(await statusOf(wrong('a')), 401)
  const open = { ...wrong('a'), hasSecret: false }
  t.equal(await statusOf({ ...open, fromCache: () => 'a' }), 200)
  t.equal(await statusOf({ ...open, fromStorage: async () => 'a' }), 200)
  t.equal(await statusOf(open), 429, 'but it counts')
  t.equal(state.counted, 2)
})

t.test('what is not about the credentials is not counted', async (t) => {
  const { state, limit, wrong } = setup(1)
  const fault = new Error('of ours')
  const faulty = { ...wrong('a'), fromStorage: () => Promise.reject(fault) }
  for (let i = 0; i < 3; i += 1) await t.rejects(limit.check(faulty), fault)
  t.equal(state.counted, 0)
})
