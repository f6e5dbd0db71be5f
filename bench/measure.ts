// Measures one row: all its servers run at once and are loaded in turn, round by round, so that a slow moment of the
// machine meets all of them.
import { cpuOf, type RedisAccount, residentOf } from './accounts.ts'
import { TokenCheck } from './answers.ts'
import { Browser } from './browser.ts'
import { Connection } from './connection.ts'
import { load } from './load.ts'
import { OPERATIONS } from './operations.ts'
import { NothingDone, patiently } from './patience.ts'
import { type Course, warmOf } from './plan.ts'
import { makeProofKey } from './proof.ts'
import type { CandidateResult, Sample } from './results.ts'
import { connectionsOf, type Row } from './row.ts'
import type { Running } from './servers.ts'
import { SignedRequests } from './signed-requests.ts'
import { quantile } from './statistics.ts'
import type { Target, User } from './user.ts'

/** A server, and the users that load it. */
export interface Contestant {
  result: Omit<CandidateResult, 'samples'>
  running: Running
}

/** @returns the samples of every contestant, in their order */
export async function measureRow(
  row: Row,
  contestants: readonly Contestant[],
  course: Course,
): Promise<CandidateResult[]> {
  const courses = contestants.map(({ result, running }) => ({
    result: { ...result, samples: [] as Sample[] },
    running,
    users: createUsers(row, running.target),
    operations: 0,
    empty: undefined as RedisAccount | undefined,
  }))
  for (let round = 0; round <= course.rounds; round += 1) {
    // The one that was first is last in the next round.
    const order = courses.map((_, index) => courses[(index + round) % courses.length])
    for (const one of order) {
      if (!one) continue
      const { result, running, users } = one
      one.empty ??= await running.redis.read()
      // The first round warms up, for longer.
      const ms = (round === 0 ? warmOf(course) : course.seconds) * 1000 * (row.longer ?? 1)
      const { samples, operations } = await patiently(`${row.name}, ${result.label}`, () =>
        burst(row, running, users, ms),
      )
      one.operations += operations
      if (round > 0) result.samples.push(...samples)
    }
  }
  return Promise.all(
    courses.map(async ({ result, running, operations, empty }) => {
      const full = await running.redis.read()
      return empty && full ? { ...result, stored_bytes: (full.memory - empty.memory) / operations } : result
    }),
  )
}

/** The users that load a server, each on a connection of its own. */
export function createUsers(row: Row, target: Target): User[] {
  return Array.from({ length: connectionsOf(row) }, (_, number) => {
    const connection = new Connection(target.endpoints.token)
    const browser = new Browser(connection, target.subject, number)
    const [proof_key, signed] = [makeProofKey(), new SignedRequests()]
    const tokens = new TokenCheck(row)
    return { number, connection, target, settings: row, tokens, browser, proof_key, signed }
  })
}

/**
 * Loads a server with all users for a while.
 * @param slices into which it is cut
 * @returns a sample of each slice, and the number of all operations
 */
export async function burst(row: Row, { pid, redis }: Running, users: User[], ms: number, slices = 1) {
  // All users of a burst share what they have seen.
  const tokens = new TokenCheck(row)
  for (const user of users) user.tokens = tokens
  const repeated: (() => Promise<void>)[] = []
  // One after the other: so many sign-ins at once would meet a limit.
  for (const user of users) repeated.push(await OPERATIONS[row.operation](user))
  const read = async (count: () => number) => {
    const bytes = users.reduce((sum, { connection }) => sum + connection.bytes, 0)
    const server = { operations: count(), bytes, cpu: pid === undefined ? undefined : cpuOf(pid) }
    const account = await redis.read()
    return { server, redis: { operations: count(), account } }
  }
  try {
    const found = await load(repeated, ms, read, slices)
    const samples = found.slices.map(({ before, after, operations, seconds, latencies }): Sample => {
      if (operations === 0) throw new NothingDone('no operation ended in a round')
      const rss = pid === undefined ? undefined : residentOf(pid)
      return {
        ...serverCost(before.server, after.server),
        ...redisCost(before.redis, after.redis),
        rate: operations / seconds,
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
        ...(rss !== undefined && { rss }),
      }
    })
    return { samples, operations: found.total }
  } finally {
    for (const { connection } of users) connection.close()
  }
}

interface ServerReading {
  operations: number
  bytes: number
  cpu: ReturnType<typeof cpuOf>
}

function serverCost(
  before: ServerReading,
  after: ServerReading,
): Pick<Sample, 'cpu' | 'cpu_main' | 'cpu_low' | 'http_bytes'> {
  const operations = after.operations - before.operations
  const http_bytes = (after.bytes - before.bytes) / operations
  if (!before.cpu || !after.cpu) return { http_bytes }
  return {
    cpu: (after.cpu.all - before.cpu.all) / operations,
    cpu_main: (after.cpu.main - before.cpu.main) / operations,
    cpu_low: (after.cpu.low - before.cpu.low) / operations,
    http_bytes,
  }
}

interface RedisReading {
  operations: number
  account: RedisAccount | undefined
}

function redisCost(
  before: RedisReading,
  after: RedisReading,
): Pick<Sample, 'redis_cpu' | 'redis_calls' | 'redis_bytes'> {
  const [a, b] = [before.account, after.account]
  if (!a || !b) return {}
  const operations = after.operations - before.operations
  const calls = Object.entries(b.calls)
    .map(([name, count]): [string, number] => [name, (count - (a.calls[name] ?? 0)) / operations])
    // What runs once a second is no part of an operation.
    .filter(([, count]) => count > 0.01)
  return {
    redis_cpu: (b.cpu - a.cpu) / operations,
    redis_calls: Object.fromEntries(calls),
    redis_bytes: (b.received - a.received + b.sent - a.sent) / operations,
  }
}
