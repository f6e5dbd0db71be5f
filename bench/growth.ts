// Measures what grows with the amount of data and with age: `npm run bench:growth`. It starts its own Redis and server.
import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Redis } from 'ioredis'
import { formatClient, secretHash } from '../src/clients/client-record.ts'
import { completeSettings } from '../src/config/settings.ts'
import { inBatches } from '../src/core/batches.ts'
import { SILENT } from '../src/core/log.ts'
import { newFamilyId, newToken } from '../src/core/token-string.ts'
import { cookieDigest, newCookieValue } from '../src/sessions/browser.ts'
import { endSession } from '../src/sessions/end-session.ts'
import { joinSession } from '../src/sessions/join-session.ts'
import { createSession, useSessionFor } from '../src/sessions/session-store.ts'
import { MemoryStorage } from '../src/storage/memory/storage.ts'
import { RedisKeys } from '../src/storage/redis/keys.ts'
import type { Storage } from '../src/storage/storage.ts'
import { createClient, saveToken } from '../test/support/records.ts'
import { callsIn } from '../test/support/redis-calls.ts'
import { basic, SECRET } from '../test/support/service.ts'
import { refreshing, signIn } from '../test/system/contract/family.ts'
import { session } from '../test/system/contract/session-contract.ts'
import { useRefreshToken } from '../test/system/contract/use-refresh-token.ts'
import { CLIENT as BENCH } from './client.ts'
import { load, memoryOf, Owner, openStorage, print, startServer } from './growth-load.ts'

const REQUESTS = 8000
const MOST_TOKENS = Number(process.env.GROWTH_TOKENS ?? 2_000_000)
const MOST_CLIENTS = Number(process.env.GROWTH_CLIENTS ?? 100_000)
const MOST_ROTATIONS = Number(process.env.GROWTH_ROTATIONS ?? 100_000)
const upTo = (most: number, sizes: readonly number[]) => [...sizes.filter((size) => size < most), most]

const CLIENT = { ...BENCH, client_secret_hash: secretHash(SECRET), can_introspect: true }
const form = { grant_type: 'client_credentials', scope: 'api.read' }
const issue = (client_id: string) =>
  ({ method: 'POST', path: '/oauth2/token', headers: basic(client_id), form }) as const

/** Copies a key under made-up family ids, inside Redis. */
const COPY = `
  local dump, ttl = redis.call('DUMP', KEYS[1]), redis.call('PTTL', KEYS[1])
  for i = tonumber(ARGV[1]), tonumber(ARGV[2]) do
    redis.call('RESTORE', string.gsub(KEYS[1], '{.-}', string.format('{%016d}', i)), ttl, dump)
  end`

async function tokens(owner: Owner): Promise<void> {
  const place = await openStorage(owner)
  const { admin, storage } = place
  await createClient(storage, CLIENT.client_id, formatClient(CLIENT))
  const server = await startServer(owner, place.redis)
  const token = newToken(newFamilyId())
  const fields = {
    type: 'access_token',
    client_id: CLIENT.client_id,
    subject: '',
    scope: 'api.read',
  } as const
  await saveToken(storage, token, fields, 86_400)
  const operations = {
    'client credentials': () => issue(CLIENT.client_id),
    introspection: () =>
      ({
        method: 'POST',
        path: '/oauth2/introspect',
        headers: basic(CLIENT.client_id),
        form: { token },
      }) as const,
  }
  const rows = []
  let copied = 0
  for (const size of upTo(MOST_TOKENS, [10_000, 100_000, 1_000_000])) {
    const [from, before] = [copied, await memoryOf(admin)]
    for (; copied < size; copied += 10_000) {
      await admin.eval(COPY, 1, new RedisKeys('redmint:').token(token), copied + 1, copied + 10_000)
    }
    const bytes = ((await memoryOf(admin)) - before) / (copied - from)
    for (const [operation, request] of Object.entries(operations)) {
      const cost = await load(server, place, REQUESTS, request)
      rows.push({ 'live tokens': size, 'bytes a token': bytes, operation, ...named(cost) })
    }
  }
  print('Live access tokens', rows)
}

async function clients(owner: Owner): Promise<void> {
  const place = await openStorage(owner)
  const { admin, storage } = place
  const server = await startServer(owner, place.redis)
  const rows = []
  let created = 0
  for (const size of upTo(MOST_CLIENTS, [1, 1000, 10_000, 20_000])) {
    const before = await memoryOf(admin)
    const more = Array.from({ length: size - created }, (_, i) => `bench-${created + i}`)
    await inBatches(more, 100, (some) =>
      Promise.all(
        some.map((client_id) => createClient(storage, client_id, formatClient({ ...CLIENT, client_id }))),
      ),
    )
    created = size
    const bytes = ((await memoryOf(admin)) - before) / more.length
    const requests = Math.max(REQUESTS, size)
    const cost = await load(server, place, requests, (index) => issue(`bench-${index % size}`))
    rows.push({
      'clients in turn': size,
      'bytes a client': bytes,
      ...named(cost),
      'server MB': await residentOf(server.pid),
    })
  }
  print('Clients in turn, client credentials', rows)
}

const named = ({ server_us, redis_us, calls }: Awaited<ReturnType<typeof load>>) => ({
  'server µs': server_us,
  'Redis µs': redis_us,
  'calls in Redis': calls,
})

async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** The keys of a family and their bytes. */
async function sizeOf(admin: Redis, grant: string) {
  const keys = await admin.keys(`*{${grant}}*`)
  const bytes = await Promise.all(keys.map((key) => admin.memory('USAGE', key, 'SAMPLES', 0)))
  return { keys: keys.length, bytes: bytes.reduce<number>((sum, each) => sum + Number(each), 0) }
}

/** The time that Redis spent in scripts, in microseconds. */
async function scriptTime(admin: Redis): Promise<number> {
  const stats = await admin.info('commandstats')
  const times = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)/gm)]
  return times.reduce((sum, [, time]) => sum + Number(time), 0)
}

async function rotations(owner: Owner): Promise<void> {
  const { admin, storage } = await openStorage(owner)
  for (const [name, where] of [
    ['Redis', storage],
    ['memory', new MemoryStorage()],
  ] as const) {
    const { grant, refresh_token } = await signIn(where)
    const rows = []
    let [done, presented] = [0, refresh_token]
    for (const size of upTo(MOST_ROTATIONS, [1, 1000, 10_000])) {
      const [from, calls, time, cpu] = [
        done,
        await callsIn(admin),
        await scriptTime(admin),
        process.cpuUsage(),
      ]
      for (; done < size; done++) {
        const { access_token: _, ...jwt } = refreshing(grant, `operation ${done}`)
        const { outcome } = await useRefreshToken(where, presented, jwt)
        if (outcome !== 'ok') throw new Error(`the refresh is ${outcome}`)
        presented = jwt.successor
      }
      const { user, system } = process.cpuUsage(cpu)
      const each = (more: number) => more / (done - from)
      // npm run bench:growth makes the collector callable.
      globalThis.gc?.()
      rows.push({
        rotations: size,
        'µs of this process': each(user + system),
        'heap MB': process.memoryUsage().heapUsed / 1e6,
        ...(name === 'Redis' && {
          'script µs': each((await scriptTime(admin)) - time),
          'calls in Redis': each((await callsIn(admin)) - calls),
          ...(await sizeOf(admin, grant)),
        }),
      })
    }
    print(`One family, refreshed again and again, ${name}`, rows)
  }
}

async function sessions(owner: Owner): Promise<void> {
  const { admin, storage } = await openStorage(owner)
  const rows = []
  for (const size of [1, 50, 1000]) {
    const signedIn = await sessionOf(storage, size)
    const bytes = Number(await admin.memory('USAGE', `redmint:session:${signedIn.id}`, 'SAMPLES', 0))
    // The first calls compile code.
    for (let i = 0; i < 20; i++) await signedIn.steps.read()
    for (const [step, run] of Object.entries(signedIn.steps)) {
      const [calls, time, cpu] = [await callsIn(admin), await scriptTime(admin), process.cpuUsage()]
      await run()
      const { user, system } = process.cpuUsage(cpu)
      rows.push({
        'clients of the session': size,
        'bytes of the session': bytes,
        step,
        'µs of this process': user + system,
        'script µs': (await scriptTime(admin)) - time,
        'calls in Redis': (await callsIn(admin)) - calls,
      })
    }
  }
  print('A session with many clients, a family of each', rows)
}

/** A session with this number of clients, and what is done with it. */
async function sessionOf(storage: Storage, size: number) {
  const names = Array.from({ length: size }, (_, i) => `client-${i}`)
  const families = new Map(names.map((client_id) => [newFamilyId(), { client_id, joined_at: Date.now() }]))
  const cookie = newCookieValue()
  const id = cookieDigest(cookie)
  const record = session({ clients: new Set(names), families })
  await createSession(storage, id, record, 3600)
  const context = {
    storage,
    settings: completeSettings({ issuer: 'https://a.example' }),
    clients: { find: async () => undefined },
    logouts: new EventEmitter<{ queued: [] }>(),
    log: SILENT,
    now: Date.now,
  }
  const joined = { id, has_joined: true }
  const steps = {
    read: () => useSessionFor(storage, id, 3600, 'client-0'),
    join: () => joinSession(context, joined, 'client-0', newFamilyId()),
    'log out': () => endSession(context, cookie),
  }
  return { id, steps }
}

for (const measure of [rotations, sessions, tokens, clients]) {
  const owner = new Owner()
  try {
    await measure(owner)
  } finally {
    await owner.end()
  }
}
