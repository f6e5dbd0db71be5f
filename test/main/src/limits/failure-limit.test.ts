import t from 'tap'
import { invalidClient } from '../../../../src/core/client-errors.ts'
import { type Attempt, FailureLimit } from '../../../../src/limits/failure-limit.ts'
import { LIFTED } from '../../../../src/limits/lockouts.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { write } from '../../../../src/storage/records.ts'
import { instead } from '../../../support/instead.ts'

const WINDOW = 60

/** A limit with a clock that can be moved, and counts in a shared store. */
function setup(max: number, beforeRead = async () => {}) {
  const state = { now: 0, checked: 0, counted: 0 }
  const counts = new Map<string, number>()
  const storage = new MemoryStorage()
  const { records } = storage
  const read: typeof records.read = async (...args) => {
    await beforeRead()
    return records.read(...args)
  }
  const parts = { changes: storage.changes, records: instead(records, { read }) }
  const limit = new FailureLimit(max, WINDOW, () => state.now, parts)
  const wrong = (client_id: string, address = '192.0.2.1'): Attempt<string> => ({
    client_id,
    address: () => address,
    has_secret: true,
    isProof: () => true,
    registered: () => undefined,
    fromCache: () => undefined,
    async fromStorage() {
      state.checked += 1
      throw invalidClient('client_credentials_wrong')
    },
    async count(name) {
      state.counted += 1
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return { remaining: Math.max(0, max - count), is_exceeded: count > max, ttl: WINDOW * 1000 }
    },
  })
  const statusOf = (attempt: Attempt<string>) =>
    limit.check(attempt).then(
      () => 200,
      (error: { status: number }) => error.status,
    )
  return { state, counts, limit, storage, wrong, statusOf }
}

t.test('the window ends at exactly its last millisecond', async (t) => {
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

t.test('each pair of client_id and address has its own count', async (t) => {
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

t.test('the cache of counts is bounded; a forgotten count is read again with one failure', async (t) => {
  const { state, wrong, statusOf } = setup(1)
  t.equal(await statusOf(wrong('first')), 401)
  t.equal(await statusOf(wrong('first')), 429)
  t.equal(state.counted, 1)
  for (let i = 0; i < 9_999; i += 1) await statusOf(wrong(`other ${i}`))
  t.equal(await statusOf(wrong('other 0')), 429)
  t.equal(state.counted, 10_000, '10,000 are cached')
  await statusOf(wrong('one more'))
  t.equal(await statusOf(wrong('first')), 429, 'the stored count is over the limit')
  t.equal(state.counted, 10_002, 'it was read again')
  t.equal(await statusOf(wrong('first')), 429)
  t.equal(state.counted, 10_002)
})

t.test('concurrent guesses wait for the ones before them, and share their result', async (t) => {
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

t.test('an attempt without a secret does not wait, and is checked even over the limit', async (t) => {
  const { state, wrong, statusOf } = setup(1)
  t.equal(await statusOf(wrong('a')), 401)
  const open = { ...wrong('a'), has_secret: false }
  t.equal(await statusOf({ ...open, fromCache: () => 'a' }), 200)
  t.equal(await statusOf({ ...open, fromStorage: async () => 'a' }), 200)
  t.equal(await statusOf(open), 429, 'its failure counts')
  t.equal(state.counted, 2)
  t.equal(await statusOf({ ...open, isProof: () => false }), 401, 'unless it proves nothing')
  t.equal(state.counted, 2)
})

t.test('what this process counted stays counted, although storage forgot or cannot count it', async (t) => {
  const { state, counts, limit, wrong, statusOf } = setup(3)
  for (let i = 0; i < 3; i += 1) {
    t.equal(await statusOf(wrong('a')), 401)
    counts.clear()
  }
  t.equal(await statusOf(wrong('a')), 429)
  const lost = { ...wrong('b'), count: () => Promise.reject(new StorageUnavailable('away')) }
  for (let i = 0; i < 3; i += 1) await t.rejects(limit.check(lost), StorageUnavailable)
  t.equal(await statusOf(wrong('b')), 429)
  t.equal(state.checked, 6)
})

t.test('a lockout that is lifted while its failure is counted, or unreported, is looked for', async (t) => {
  const { storage, wrong, statusOf } = setup(1)
  const lifted = (name: string) => storage.records.put(write(LIFTED, name, 'a lockout', WINDOW))
  const answer = { remaining: 0, is_exceeded: false, ttl: WINDOW * 1000 }
  const meanwhile = {
    ...wrong('a'),
    async count(name: string) {
      await lifted(name)
      return answer
    },
  }
  t.equal(await statusOf(meanwhile), 401)
  t.equal(await statusOf(wrong('a')), 401, 'it was lifted')

  const quiet = { records: storage.records, changes: { watch() {}, isLive: () => false } }
  const unreported = new FailureLimit(1, WINDOW, () => 0, quiet as never)
  let counted = ''
  const first = {
    ...wrong('b'),
    async count(name: string) {
      counted = name
      return answer
    },
  }
  await t.rejects(unreported.check(first), /invalid_client/)
  await t.rejects(unreported.check(first), /temporarily_unavailable/)
  await lifted(counted)
  await t.rejects(unreported.check(first), /invalid_client/)
})

t.test('of two attempts that find a lockout lifted, the later one forgets no failure', async (t) => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let asked = 0
  const { counts, storage, wrong, statusOf } = setup(2, async () => {
    asked += 1
    if (asked === 2) await released
  })
  for (let i = 0; i < 2; i++) t.equal(await statusOf(wrong('a')), 401)
  const [name = ''] = counts.keys()
  counts.clear()
  await storage.records.put(write(LIFTED, name, 'a lockout', WINDOW))
  const [first, second] = [statusOf(wrong('a')), statusOf(wrong('a'))]
  t.equal(await first, 401)
  // Made-up names pushed the counter out of storage.
  counts.clear()
  release()
  t.equal(await second, 401)
  t.equal(await statusOf(wrong('a')), 429)
})

t.test('errors that are not about the credentials are not counted', async (t) => {
  const { state, limit, wrong } = setup(1)
  const fault = new Error('internal fault')
  const faulty = { ...wrong('a'), fromStorage: () => Promise.reject(fault) }
  for (let i = 0; i < 3; i += 1) await t.rejects(async () => limit.check(faulty), fault)
  t.equal(state.counted, 0)
})

t.test('a lifted lockout is forgotten once, also while storage reports no changes', async (t) => {
  const { state, counts, storage, wrong, statusOf } = setup(2)
  let reads = 0
  const read = storage.records.read.bind(storage.records)
  storage.records.read = (...args) => {
    reads += 1
    return read(...args)
  }
  const lift = async (lockout: string) => {
    const [[name = ''] = []] = counts
    counts.clear()
    await storage.records.put(write(LIFTED, name, lockout, WINDOW))
  }
  const exhaust = async () => {
    for (let i = 0; i < 2; i += 1) t.equal(await statusOf(wrong('a')), 401)
  }
  await exhaust()
  t.equal(await statusOf(wrong('a')), 429)
  t.equal(reads, 0, 'nobody asks storage while it reports changes')
  await lift('one')
  await exhaust()
  t.equal(await statusOf(wrong('a')), 429)

  storage.changes.isLive = () => false
  const { checked } = state
  for (let i = 0; i < 5; i += 1) t.equal(await statusOf(wrong('a')), 429)
  t.equal(state.checked, checked, 'the old lift gives no more guesses')
  await lift('two')
  await exhaust()
  t.equal(await statusOf(wrong('a')), 429)

  storage.records.read = async () => {
    throw new StorageUnavailable('away')
  }
  t.equal(await statusOf(wrong('a')), 429, 'an outage lifts nothing')
})
