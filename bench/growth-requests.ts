// How the cost of a request grows with the tokens and clients that are stored.
import { formatClient } from '../src/clients/record/client-record.ts'
import { secretHash } from '../src/clients/record/client-secret.ts'
import { inBatches } from '../src/core/batches.ts'
import { newFamilyId, newToken } from '../src/core/token-string.ts'
import { RedisKeys } from '../src/storage/redis/keys.ts'
import { createClient } from '../test/support/records.ts'
import { basic, SECRET } from '../test/support/service.ts'
import { residentOf } from './accounts.ts'
import { CLIENT as BENCH } from './client.ts'
import { load, memoryOf, type Owner, openStorage, startServer, upTo } from './growth-load.ts'
import type { Table } from './table.ts'

const REQUESTS = Number(process.env.GROWTH_REQUESTS ?? 8000)
const MOST_TOKENS = Number(process.env.GROWTH_TOKENS ?? 2_000_000)
const MOST_CLIENTS = Number(process.env.GROWTH_CLIENTS ?? 100_000)

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

/** Client credentials and introspection with more and more live access tokens. */
export async function tokens(owner: Owner): Promise<Table[]> {
  const place = await openStorage(owner)
  const { admin, storage } = place
  await createClient(storage, CLIENT.client_id, formatClient(CLIENT))
  const server = await startServer(owner, place.redis)
  const token = newToken(newFamilyId())
  const { client_id } = CLIENT
  await storage.families.saveClientToken({ token, client_id, scope: 'api.read' }, 86_400)
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
  return [{ title: 'Live access tokens', rows }]
}

/** Client credentials of more and more clients in turn. */
export async function clients(owner: Owner): Promise<Table[]> {
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
      'server MB': residentOf(server.pid) ?? '',
    })
  }
  return [{ title: 'Clients in turn, client credentials', rows }]
}

const named = ({ server_us, redis_us, calls }: Awaited<ReturnType<typeof load>>) => ({
  'server µs': server_us,
  'Redis µs': redis_us,
  'calls in Redis': calls,
})
