import t from 'tap'
import { DocumentCache, type DocumentCacheLimits } from '../../../../src/outbound/document-cache.ts'
import { type Fetched, type FetchFailure, fetchFailure } from '../../../../src/outbound/public-get.ts'

const LIMITS: DocumentCacheLimits = {
  min_fresh: 60,
  max_fresh: 3600,
  default_fresh: 300,
  max_stale: 1000,
  retry_interval: 60,
  max_size: 10_000,
  per_host: 3,
  per_minute: 100,
  places: { concurrency: 4, renewals: 6, per_host: 2 },
}
const AWAY = fetchFailure('network', 'is away')

/** A cache whose clock and answers the test sets. Its documents are valid if they have a `v`. */
function cacheOf(limits: Partial<DocumentCacheLimits> = {}) {
  const host = {
    now: 1_000_000_000_000,
    asked: [] as string[],
    answer: (_url: string): Fetched | FetchFailure | Promise<Fetched | FetchFailure> => AWAY,
    pass(seconds: number) {
      host.now += seconds * 1000
    },
  }
  const cache = new DocumentCache<unknown>(
    async (url) => {
      host.asked.push(url)
      return host.answer(url)
    },
    ({ v }) => (v === undefined ? { ok: false, problem: 'has no v' } : { ok: true, value: v }),
    { ...LIMITS, ...limits },
    () => host.now,
  )
  const answerOf = async (...args: Parameters<typeof cache.find>) => {
    const found = await cache.find(...args)
    return found.ok ? found.value : found.code
  }
  return { cache, host, answerOf }
}

const document = (v: unknown, cache_control?: string): Fetched => ({
  ok: true,
  document: { v },
  headers: cache_control === undefined ? {} : { 'cache-control': cache_control },
})

/** Lets the fetches of a host wait. Returns the function that answers them. */
function hold(host: ReturnType<typeof cacheOf>['host']) {
  let answer = (_: Fetched) => {}
  const answered = new Promise<Fetched>((resolve) => {
    answer = resolve
  })
  host.answer = () => answered
  return answer
}

t.test('a document is fetched once while it is fresh', async (t) => {
  const { cache, host, answerOf } = cacheOf()
  host.answer = () => document(1)
  t.equal(cache.fresh('https://a.example/x'), undefined)
  t.match(await cache.find('https://a.example/x'), { ok: true, value: 1, fetched_at: host.now })
  host.answer = () => document(2)
  host.pass(299)
  t.equal(await answerOf('https://a.example/x'), 1)
  t.equal(cache.fresh('https://a.example/x'), 1)
  host.pass(1)
  t.equal(cache.fresh('https://a.example/x'), undefined)
  t.equal(await answerOf('https://a.example/x'), 2)
  t.equal(host.asked.length, 2)
})

t.test('after the clock was set back, a document is fetched again', async (t) => {
  const { cache, host, answerOf } = cacheOf()
  host.answer = () => document('first')
  await answerOf('https://a.example.com/')
  host.pass(-86_400)
  t.equal(cache.fresh('https://a.example.com/'), undefined)
  host.answer = () => document('second')
  t.equal(await answerOf('https://a.example.com/'), 'second')
  t.equal(cache.fresh('https://a.example.com/'), 'second')
})

t.test('concurrent look-ups are one fetch', async (t) => {
  const { cache, host } = cacheOf()
  const resolve = hold(host)
  const finding = [1, 2, 3].map(() => cache.find('https://a.example/x'))
  resolve(document(1))
  for (const found of await Promise.all(finding)) t.match(found, { ok: true, value: 1 })
  t.equal(host.asked.length, 1)
})

t.test('a failure is not kept, and neither is a document that is refused', async (t) => {
  const { host, answerOf } = cacheOf()
  t.equal(await answerOf('https://a.example/x'), 'network')
  host.answer = () => document(undefined)
  t.equal(await answerOf('https://a.example/x'), 'invalid')
  host.answer = () => document(1)
  t.equal(await answerOf('https://a.example/x'), 1)
})

t.test('a stale document is used only by those who may, and only for its time', async (t) => {
  const { host, answerOf } = cacheOf()
  const url = 'https://a.example/x'
  host.answer = () => document(1)
  await answerOf(url)
  host.answer = () => AWAY
  host.pass(300)
  t.equal(await answerOf(url), 'network')
  t.equal(await answerOf(url, 'on_error'), 1)
  t.equal(await answerOf(url, 'meanwhile'), 1)
  t.equal(host.asked.length, 2, 'not asked again right after a failure')
  host.pass(61)
  t.equal(await answerOf(url, 'on_error'), 1)
  t.equal(host.asked.length, 3)
  host.pass(LIMITS.max_stale)
  t.equal(await answerOf(url, 'on_error'), 'network')
  t.equal(await answerOf(url, 'meanwhile'), 'network')
})

t.test('a stale document is renewed meanwhile, or before it is used', async (t) => {
  const { host, answerOf } = cacheOf()
  const url = 'https://a.example/x'
  host.answer = () => document(1)
  await answerOf(url)
  host.pass(300)
  host.answer = () => document(2)
  t.equal(await answerOf(url, 'meanwhile'), 1)
  t.equal(await answerOf(url, 'meanwhile'), 2)
  host.pass(300)
  host.answer = () => document(3)
  t.equal(await answerOf(url, 'on_error'), 3)
})

t.test('a document that is gone or invalid now is not used any more', async (t) => {
  for (const answer of [fetchFailure('status', 'is gone', true), document(undefined)]) {
    const { host, answerOf } = cacheOf()
    host.answer = () => document(1)
    await answerOf('https://a.example/x')
    host.pass(300)
    host.answer = () => answer
    const code = answer.ok ? 'invalid' : 'status'
    t.equal(await answerOf('https://a.example/x', 'on_error'), code)
    host.answer = () => AWAY
    t.equal(await answerOf('https://a.example/x', 'on_error'), 'network')
  }
})

t.test('a document in which something is missed is fetched again, once a minute', async (t) => {
  const { cache, host } = cacheOf()
  const url = 'https://a.example/x'
  host.answer = () => document(1)
  t.match(await cache.refetch(url), { value: 1 })
  host.answer = () => document(2)
  t.match(await cache.refetch(url), { value: 2 }, 'the first fetch was none for something that is missed')
  host.answer = () => document(3)
  t.match(await cache.refetch(url), { value: 2 })
  t.equal(host.asked.length, 2)
  host.pass(60)
  host.answer = () => AWAY
  t.match(await cache.refetch(url), { value: 2 }, 'the old one counts')
  t.match(await cache.refetch(url), { value: 2 })
  t.equal(host.asked.length, 3)
  host.pass(-3600)
  host.answer = () => document(4)
  t.match(await cache.refetch(url), { value: 4 }, 'the clock was set back')
})

t.test('fetches have a budget by host and minute', async (t) => {
  const { host, answerOf } = cacheOf()
  for (let i = 0; i < 5; i++) await answerOf(`https://a.example/${i}`)
  t.equal(host.asked.length, LIMITS.per_host)
  t.equal(await answerOf('https://A.example:8443/x'), 'budget', 'the host counts, not its spelling or port')
  t.equal(await answerOf('https://b.example/x'), 'network')
  host.pass(60)
  t.equal(await answerOf('https://a.example/x'), 'network')
})

t.test('the renewal of a kept document does not depend on the budget', async (t) => {
  const { host, answerOf } = cacheOf({ min_fresh: 1 })
  host.answer = () => document(1, 'max-age=1')
  t.equal(await answerOf('https://a.example/x'), 1)
  for (let i = 0; i < 5; i++) await answerOf(`https://a.example/${i}`)
  host.pass(2)
  host.answer = () => document(2)
  t.equal(await answerOf('https://a.example/x'), 2)
})

t.test(
  'a kept document whose renewal failed is asked for once a minute, whatever strangers ask of its host',
  async (t) => {
    const { host, answerOf } = cacheOf()
    const url = 'https://a.example/x'
    host.answer = () => document(1)
    t.equal(await answerOf(url), 1)
    host.pass(300)
    host.answer = () => AWAY
    t.equal(await answerOf(url), 'network')
    for (let i = 0; i < LIMITS.per_host; i++) t.equal(await answerOf(`https://a.example/${i}`), 'network')
    t.equal(await answerOf(url), 'budget', 'not again at once')
    host.pass(60)
    for (let i = 0; i < LIMITS.per_host; i++) t.equal(await answerOf(`https://a.example/${i}`), 'network')
    t.equal(await answerOf(`https://a.example/other`), 'budget')
    host.answer = () => document(2)
    t.equal(await answerOf(url), 2)
  },
)

t.test('a flood of URLs on many hosts is bounded', async (t) => {
  const { cache, host, answerOf } = cacheOf()
  host.answer = () => document('x'.repeat(900))
  for (let i = 0; i < 500; i++) await answerOf(`https://h${i}.example/x`)
  t.equal(host.asked.length, LIMITS.per_minute)
  const kept = host.asked.filter((url) => cache.fresh(url) !== undefined)
  t.ok(kept.length > 5 && kept.length <= 10, 'the cache has a size')
})

t.test('only so many fetches run at the same time', async (t) => {
  const { cache, host, answerOf } = cacheOf()
  const resolve = hold(host)
  const finding = [1, 2, 3, 4].map((i) => cache.find(`https://h${i}.example/x`))
  t.equal(await answerOf('https://h5.example/x'), 'budget')
  resolve(document(1))
  await Promise.all(finding)
  t.equal(await answerOf('https://h5.example/x'), 1)
})

const urlsOf = (hosts: string, count: number) =>
  Array.from({ length: count }, (_, i) => `https://${hosts}${i}.example/x`)

t.test('the renewal of a kept document does not wait for hosts of strangers that are slow', async (t) => {
  const { cache, host, answerOf } = cacheOf()
  host.answer = () => document(1)
  const kept = urlsOf('k', 7)
  for (const url of kept) await answerOf(url)
  host.pass(300)
  const resolve = hold(host)
  const finding = urlsOf('slow', 4).map((url) => cache.find(url))
  const renewing = kept.slice(0, 6).map((url) => answerOf(url))
  t.equal(await answerOf('https://slow5.example/x'), 'budget')
  t.equal(await answerOf(kept[6] ?? ''), 'budget', 'only so many are renewed at the same time')
  resolve(document(2))
  t.strictSame(await Promise.all(renewing), [2, 2, 2, 2, 2, 2])
  await Promise.all(finding)
  t.equal(await answerOf(kept[6] ?? ''), 2)
  t.equal(await answerOf('https://slow5.example/x'), 2)
})

t.test('one host cannot take the places of others', async (t) => {
  for (const kind of ['new', 'renewal']) {
    const { host, answerOf } = cacheOf({ per_host: 100 })
    host.answer = () => document(1)
    const mine = [1, 2, 3, 4, 5, 6, 7].map((i) => `https://a.example:${i}/x`)
    if (kind === 'renewal') for (const url of [...mine, 'https://b.example/x']) await answerOf(url)
    host.pass(300)
    const resolve = hold(host)
    const answers = [...mine, 'https://b.example/x'].map((url) => answerOf(url))
    resolve(document(2))
    t.strictSame(await Promise.all(answers), [2, 2, ...Array(5).fill('budget'), 2], kind)
  }
})

t.test('known documents on hosts that are slow do not keep out those on others', async (t) => {
  const { host, answerOf } = cacheOf()
  host.answer = () => document(1)
  const slow = urlsOf('s', 50)
  const client = 'https://a.example/x'
  for (const url of [...slow, client]) await answerOf(url)
  host.pass(300)
  /** All hosts of strangers take their time, and then answer or not. The client is asked for meanwhile. */
  const attack = async (answer: Fetched | FetchFailure) => {
    const resolve = hold(host)
    const strangers = slow.map((url) => answerOf(url))
    host.answer = () => document(2)
    const of_client = await answerOf(client)
    host.pass(2)
    resolve(answer as Fetched)
    await Promise.all(strangers)
    return of_client
  }
  t.equal(await attack(document(1)), 'budget', 'as long as none of them is known to be slow')
  // 6 of 50 became known in each round.
  for (let round = 1; round < 9; round++) await attack(round % 2 ? AWAY : document(1))
  host.pass(61)
  t.equal(await attack(AWAY), 2)
  host.pass(301)
  t.equal(await attack(AWAY), 2, 'also later')
  const { length } = host.asked
  host.answer = () => document(3)
  for (const url of slow) await answerOf(url)
  t.ok(host.asked.length > length, 'a slow host is asked again')
  host.pass(601)
  t.equal(await attack(document(1)), 'budget', 'after ten minutes a host counts as any other')
})
