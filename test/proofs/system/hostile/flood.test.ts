// However many requests without credentials arrive, Redis keeps nothing of them but counters of bounded number.

import { createHash } from 'node:crypto'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { DESCRIBED } from '../../../../scripts/described-settings.ts'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { readConfig } from '../../../../src/config/config.ts'
import { PATHS, ROOT_PATHS } from '../../../../src/core/paths.ts'
import { newUserCode } from '../../../../src/device/user-code.ts'
import { MAX_REQUEST_BYTES } from '../../../../src/interaction/pending-request.ts'
import { COUNTERS_OF_GROUP, type FailureGroup } from '../../../../src/storage/counters.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { ASKS, CHEAP } from '../../../support/accounts.ts'
import { BANK } from '../../../support/asks.ts'
import { LARGEST, storeNotes } from '../../../support/details.ts'
import { startWithDevices } from '../../../support/device.ts'
import { behindProxy } from '../../../support/forward-auth.ts'
import { anyAddress, floodOf, form, type Opened, post, text } from '../../../support/hostile/flood.ts'
import { createClient } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { authorizationRequest, type TestOptions } from '../../../support/service.ts'

const PREFIX = 'redmint:'
/** What all requests without credentials may leave, whatever they say. */
const MAX = { keys: 2000, bytes: 650_000 }
/** Enough for each kind of record that a request could leave; how many counters there can be is filled by every name. */
const ROUNDS = 100
const AT_ONCE = 5

/** A service on a Redis of its own, with what looks into that. */
async function startOnRedis(t: Test, options: TestOptions) {
  const server = await startRedis(t)
  const redis = new Redis(server.url)
  t.teardown(() => redis.disconnect())
  const storage = redisStorage(t, server, PREFIX)
  return { redis, ...(await startWithDevices(t, { ...options, storage })) }
}

/** Sends a request many times, and counts how many are served with this status. */
function floodWith(fastify: FastifyInstance, request: InjectOptions, served: number) {
  return async (count: number, address: () => string) => {
    const all = Array.from({ length: count }, () => fastify.inject({ ...request, remoteAddress: address() }))
    const statuses = (await Promise.all(all)).map(({ statusCode }) => statusCode)
    return { served: statuses.filter((status) => status === served).length, statuses }
  }
}

/** Counts failures of so many names in each group: then every counter is in use. */
async function countEveryName({ counters }: Storage, count: number, groups: readonly FailureGroup[]) {
  const names = Array.from({ length: count }, () => createHash('sha256').update(text(9)).digest('hex'))
  for (let start = 0; start < names.length; start += 100) {
    const some = names.slice(start, start + 100)
    for (const group of groups)
      await Promise.all(some.map((name) => counters.countFailure(group, name, 600_000)))
  }
}

t.test('a flood of requests without credentials leaves bounded counters', async (t) => {
  const { redis, storage, fastify, visitor } = await startOnRedis(t, {
    ...CHEAP,
    client_auth_failures: 10,
    sign_in_failures: 10,
    forward_auth_clients: ['intranet', 'gone'],
    sign_in: 'providers',
    ...DESCRIBED,
  })
  await createClient(storage, 'bank', formatClient(BANK))
  await createClient(storage, 'intranet', formatClient(behindProxy('https://intranet.example.org')))
  const open = async (url: string): Promise<Opened> => {
    const visitorOfAll = visitor()
    const page = await visitorOfAll.page(url)
    const cookie = [...visitorOfAll.cookies].map((pair) => pair.join('=')).join('; ')
    return { cookie, fields: page.hidden }
  }
  const opened = [
    await open(`/oauth2/authorize?${form(authorizationRequest(ASKS))}`),
    await open(`${PATHS.device}?user_code=${newUserCode()}`),
  ] as const
  const paths = floodOf(...opened).map(({ url }) => new URL(String(url), 'http://x').pathname)
  for (const path of Object.values({ ...PATHS, ...ROOT_PATHS }))
    t.ok(paths.includes(path.replace(':provider', 'acme').replace(':list', 'a-list')), `${path} is flooded`)

  const statuses = new Map<number, number>()
  const flood = async (rounds: number) => {
    for (let round = 0; round < rounds; round += AT_ONCE) {
      const requests = Array.from({ length: Math.min(AT_ONCE, rounds) }, () => floodOf(...opened)).flat()
      await Promise.all(
        requests.map(async (request) => {
          const { statusCode } = await fastify.inject({ ...request, remoteAddress: anyAddress() })
          statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
        }),
      )
    }
  }
  // The first requests make Redis load the scripts.
  await flood(1)
  const before = await measure(redis)
  await flood(ROUNDS)
  // 503: too many sign in at once.
  t.equal(statuses.get(500), undefined, JSON.stringify([...statuses]))
  check('by requests', await measure(redis))

  // As it would go on: every counter that a name can have is in use.
  await countEveryName(storage, 10_000, ['client', 'sign-in', 'device'])
  check('by every name', await measure(redis))

  function check(what: string, after: Awaited<ReturnType<typeof measure>>) {
    const grown = { keys: after.keys - before.keys, bytes: after.bytes - before.bytes }
    t.comment(what, JSON.stringify(grown), JSON.stringify(after.kinds))
    // One key has the last fault of each third party, which is a record of an operator, and one its order.
    // What anybody can repeat has a part of the audit trail of its own, whose entries are counted together.
    const bounded = ['failures', 'party-outcomes', 'audit-repeated', 'audit-repeated-batches']
    t.strictSame(
      Object.keys(after.kinds).filter((kind) => !bounded.includes(kind) && !(kind in before.kinds)),
      [],
      `${what}: no other kind of record`,
    )
    for (const [kind, count] of Object.entries(before.kinds)) {
      const left = after.kinds[kind] ?? 0
      // The probe of the last request for the readiness ends after ten seconds.
      if (kind === 'probe') t.ok(left <= count, `${what}: no more probes`)
      else if (kind === 'order') t.ok(left <= count + 1, `${what}: the order of outcomes`)
      else if (kind !== 'failures') t.equal(left, count, `${what}: no more of ${kind}`)
    }
    t.ok(grown.keys <= MAX.keys, `${what}: ${grown.keys} keys`)
    t.ok(grown.bytes <= MAX.bytes, `${what}: ${grown.bytes} bytes`)
  }
})

t.test('a flood of pushed requests leaves a bounded number of records', async (t) => {
  const par_requests = 20
  const { redis, storage, fastify, log } = await startOnRedis(t, { par_requests })
  const short = authorizationRequest({ ...ASKS, state: '' })
  const asked = { ...short, state: text(MAX_REQUEST_BYTES - JSON.stringify(short).length) }
  const request = post(PATHS.par, asked)
  const flood = floodWith(fastify, request, 201)
  const { served, statuses } = await flood(500, () => '192.0.2.1')
  t.equal(served, par_requests, 'one address gets so many')
  t.strictSame([...new Set(statuses)].sort(), [201, 429])
  t.equal(
    log.filter((line) => line.includes('"event":"pushing_limited"')).length,
    1,
    'the refused ones are one event',
  )
  const { kinds } = await measure(redis)
  t.equal(kinds.pushed, par_requests)
  const written = await redis.keys(`${PREFIX}pushed:*`)
  const sizes = await Promise.all(written.map((key) => redis.memory('USAGE', key)))
  // The bound of decision 63: every counter that there can be lets so many pass.
  const kept = COUNTERS_OF_GROUP * readConfig({}).settings.par_requests
  for (const bytes of sizes)
    t.ok(Number(bytes) * kept < 500_000_000, `${bytes} bytes for the longest request`)
  // With details it is longer, and counts as several.
  await storeNotes(storage, ['shop'])
  const details = [JSON.stringify(LARGEST), JSON.stringify([{ type: 'note', note: text(3900) }])]
  for (const [place, authorization_details] of details.entries()) {
    const more = floodWith(fastify, post(PATHS.par, { ...asked, authorization_details }), 201)
    const { served } = await more(par_requests, () => `192.0.2.${2 + place}`)
    const longer = (await redis.keys(`${PREFIX}pushed:*`)).filter((key) => !written.includes(key))
    written.push(...longer)
    const bytes = Number(await redis.memory('USAGE', String(longer[0])))
    t.ok(served > 1 && longer.length === served, `${served} of ${bytes} bytes`)
    t.ok((bytes * served * kept) / par_requests < 500_000_000, `${bytes} bytes`)
  }
  // Every counter is in use, and those that are shared are full.
  await countEveryName(storage, 20_000, ['pushed'])
  t.equal((await flood(500, anyAddress)).served, 0, 'a new address finds no room')
  const expiries = await Promise.all(written.map((key) => redis.pttl(key)))
  t.ok(
    expiries.every((left) => left > 0 && left <= (60 + 1800 + 60) * 1000),
    'what there is ends by itself',
  )
})

t.test('a flood of requests of devices leaves a bounded number of records', async (t) => {
  const device_requests = 20
  const { redis, storage, fastify, log } = await startOnRedis(t, { device_requests })
  const request = post(PATHS.device_authorization, { client_id: 'tv' })
  const flood = floodWith(fastify, request, 200)
  await flood(1, anyAddress)
  const before = await measure(redis)

  const { served, statuses } = await flood(500, () => '192.0.2.1')
  t.equal(served, device_requests, 'one address gets so many')
  t.strictSame([...new Set(statuses)].sort(), [200, 429])
  t.equal(
    log.filter((line) => line.includes('"event":"device_limited"')).length,
    1,
    'the refused ones are one event',
  )
  const after = await measure(redis)
  const records = ['code', 'user-code'].map((kind) => (after.kinds[kind] ?? 0) - (before.kinds[kind] ?? 0))
  t.strictSame(records, [device_requests, device_requests], JSON.stringify(after.kinds))
  const written = [...(await redis.keys(`${PREFIX}code:*`)), ...(await redis.keys(`${PREFIX}user-code:*`))]
  const sizes = await Promise.all(written.map((key) => redis.memory('USAGE', key)))
  const bytes = Math.ceil(sizes.reduce((sum: number, size) => sum + Number(size), 0) / (written.length / 2))
  t.comment(`${bytes} bytes for each device`)
  // The bound of decision 52: every counter that there can be lets so many pass.
  t.ok(bytes * COUNTERS_OF_GROUP * device_requests < 100_000_000, `${bytes} bytes for each device`)

  // Every counter is in use, and those that are shared are full.
  await countEveryName(storage, 20_000, ['device'])
  t.equal((await flood(500, anyAddress)).served, 0, 'a new address finds no room')
  const expiries = await Promise.all((await redis.keys(`${PREFIX}user-code:*`)).map((key) => redis.pttl(key)))
  t.ok(
    expiries.every((left) => left > 0 && left <= 600_000),
    'what there is ends by itself',
  )
})

/** The keys by their kind, and what Redis uses for them. */
async function measure(redis: Redis) {
  const names = await redis.keys(`${PREFIX}*`)
  const kinds: Record<string, number> = {}
  for (const name of names) {
    const kind = name.slice(PREFIX.length).split(':')[0] ?? ''
    kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  const info = await redis.info('memory')
  const bytes = Number(/used_memory:(\d+)/.exec(info)?.[1])
  return { keys: await redis.dbsize(), kinds, bytes }
}
