// How many requests that leave records pass, by the addresses that send them; and the figures of the docs about it.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { readConfig } from '../../../../src/config/config.ts'
import { countByAddress } from '../../../../src/limits/address-limit.ts'
import { COUNTERS_OF_SITE } from '../../../../src/limits/networks.ts'
import { COUNTERS_OF_GROUP } from '../../../../src/storage/counters.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { observed } from '../../../support/observed.ts'

const LIMIT = { group: 'pushed', max: 3, window: 60 } as const

/** How many requests pass if each of these addresses sends as many as it can. */
async function passing(addresses: readonly string[]): Promise<number> {
  const storage = new MemoryStorage()
  let passed = 0
  for (const address of addresses) {
    while ((await countByAddress(storage, address, LIMIT)) === undefined) passed += 1
  }
  return passed
}

const series = (count: number, address: (number: string) => string) =>
  Array.from({ length: count }, (_, i) => address(i.toString(16)))

t.test('addresses count on their own, and the networks of one IPv6 site share a few counters', async (t) => {
  t.equal(await passing(['192.0.2.1', '192.0.2.1']), 3, 'one address')
  t.equal(await passing(['192.0.2.1', '192.0.2.2']), 6, 'two addresses')
  t.equal(await passing(['2001:db8:1::', '2001:db8:1::']), 3, 'one network of 64 bits')
  t.equal(await passing(['2001:db8:1::', '2001:db8:2::']), 6, 'two sites')
  t.equal(await passing(series(4096, (i) => `2001:db8:1:${i}::`)), 3 * COUNTERS_OF_SITE, 'a site of 52 bits')
})

t.test('only the first one beyond the limit is listed, and is an event', async (t) => {
  const calls: string[] = []
  const storage = observed(new MemoryStorage(), (call, run) => {
    calls.push(call)
    return run()
  })
  for (let i = 0; i < LIMIT.max; i++) t.equal(await countByAddress(storage, '192.0.2.1', LIMIT), undefined)
  for (const is_first of [true, false, false])
    t.match(await countByAddress(storage, '192.0.2.1', LIMIT), { is_first })
  t.strictSame(
    calls.filter((call) => call !== 'countFailure'),
    ['put lockouts'],
  )
})

t.test('what leaves more counts as so many', async (t) => {
  const storage = new MemoryStorage()
  const count = (weight: number) => countByAddress(storage, '192.0.2.1', { ...LIMIT, weight })
  t.equal(await count(2), undefined)
  t.match(await count(4), { is_first: true }, 'beyond the limit, however far')
  t.match(await count(1), { is_first: false })
})

t.test('docs say how many requests pass in all', async (t) => {
  const { par_requests, device_requests } = readConfig({}).settings
  const figures = {
    '0063-pushed-requests.md': [
      COUNTERS_OF_GROUP,
      par_requests,
      COUNTERS_OF_GROUP * par_requests,
      Math.ceil(COUNTERS_OF_GROUP / COUNTERS_OF_SITE),
    ],
    '0052-device-codes.md': [device_requests, COUNTERS_OF_GROUP * device_requests],
    '../configuration.md': [COUNTERS_OF_GROUP],
    '../device.md': [COUNTERS_OF_GROUP * device_requests],
    '../promises.md': [COUNTERS_OF_GROUP],
    '../pushed-requests.md': [COUNTERS_OF_GROUP],
  }
  for (const [file, numbers] of Object.entries(figures)) {
    const text = readFileSync(new URL(`../../../../docs/decisions/${file}`, import.meta.url), 'utf8')
    for (const number of numbers) {
      const figure = new RegExp(`(?<![\\d,])${number.toLocaleString('en')}(?![\\d,]*\\d)`)
      t.match(text, figure, `${file}: ${number}`)
    }
  }
})
