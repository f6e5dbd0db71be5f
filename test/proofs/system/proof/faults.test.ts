// Every command that an endpoint sends to Redis meets every fault: the response is 503 or the same success, the
// client's next attempt succeeds, and nothing is issued twice.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { CASES, type Case } from '../../../support/proof/fault-cases.ts'
import { CASES_WITH_KEYS } from '../../../support/proof/fault-cases-with-keys.ts'
import { FAULTS, type Fault, FaultProxy } from '../../../support/proof/fault-proxy.ts'
import { History, succeeded } from '../../../support/proof/history.ts'
import { check, describe } from '../../../support/proof/history-check.ts'
import { type Replica, startReplica } from '../../../support/proof/replica.ts'
import { sceneOf } from '../../../support/proof/scene.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { useTestKeys } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

// Most of the time is spent waiting for the driver's timeouts.
t.jobs = 16
/** How long a fault lasts. */
const TIMES = { once: 1, 'and again': Number.POSITIVE_INFINITY }
/** When a delayed command runs. */
const RELEASES = ['before the next attempt', 'after it'] as const
type Release = (typeof RELEASES)[number]

const { port, url } = await startRedis(t)
const redis = new Redis(url)
t.teardown(() => redis.disconnect())
// Created once, before all tests need them at the same time.
await useTestKeys(new MemoryStorage())
let opened = 0

for (const fault of FAULTS) {
  for (const release of fault === 'command late' ? RELEASES : RELEASES.slice(0, 1)) {
    for (const [group, cases] of Object.entries({ ...CASES, ...CASES_WITH_KEYS })) {
      t.test(`${fault}, ${release}: ${group}`, { buffered: true }, (t) => suffer(t, fault, release, cases))
    }
  }
}

let starting: Promise<unknown> = Promise.resolve()

/** Starts replicas one after the other: many at once would exceed the driver's timeouts. */
function startInTurn(t: Test, options: Parameters<typeof startReplica>[2]): Promise<Replica> {
  const started = starting.then(() => startReplica(t, 'one', options))
  starting = started.catch(() => {})
  return started
}

async function suffer(t: Test, fault: Fault, release: Release, cases: Case[]) {
  const proxy = await FaultProxy.open(t, port)
  opened += 1
  const prefix = `proof-${opened}:`
  const replica = await startInTurn(t, { url: proxy.url, prefix })
  for (const one of cases) {
    for (const [often, times] of one.writes ? Object.entries(TIMES) : [['once', TIMES.once] as const]) {
      let n = 1
      for (; n < 10; n++) {
        const name = `${one.name}, command ${n}, ${often}`
        if (!(await meet(t, name, { one, replica, proxy, prefix, fault, release, n, times }))) break
      }
      t.ok(n > 1, `${one.name} has a command that can fail`)
    }
  }
}

interface Meeting {
  one: Case
  replica: Replica
  proxy: FaultProxy
  prefix: string
  fault: Fault
  release: Release
  n: number
  times: number
}

/** One attempt with a fault, and the steps after it. Returns whether there was a command for the fault. */
async function meet(t: Test, name: string, meeting: Meeting): Promise<boolean> {
  const { one, replica, proxy, prefix, fault, release, n, times } = meeting
  const history = new History()
  const scene = sceneOf(redis, prefix, { history, client: one.client, server: replica })
  const { client } = scene
  // Changes are told again: what is read from now on is kept, and is no command of the attempt.
  await forget(replica, `${prefix}client:`, one.client)
  const attempt = await one.prepare(scene)
  await forget(replica, `${prefix}client:`, one.client)

  const way = { request: history.newRequest() }
  proxy.arm(fault, n, times)
  const first = await attempt(replica, way)
  const { hit } = proxy
  proxy.disarm()
  if (release === 'before the next attempt') proxy.release()
  const what = `${name} (${hit.join(', ')})`
  t.ok(
    succeeded(first) || first.outcome.status === 503,
    `${what}: 503 or success, not ${first.outcome.status}`,
  )
  const tryAgain = () => client.untilAnswered(() => attempt(replica, way))
  const last = succeeded(first) ? first : await tryAgain()
  proxy.release()
  await until('storage answers', async () => (await fetch(`${replica.address}/actuator/health/readiness`)).ok)
  t.ok(succeeded(last), `${what}: the client goes on, not ${last.outcome.status} ${last.outcome.error ?? ''}`)
  if (succeeded(last)) await one.afterwards(t, what, last, scene)
  t.strictSame(check(history).map(describe), [], what)
  return hit.length > 0
}

/** Removes a client record from the replica's cache, so that reading it is one of the commands. */
async function forget({ changed }: Replica, clients: string, client_id: string) {
  const heard = changed.length
  await redis.hset(clients + client_id, 'client_name', `Client ${heard}`)
  await until('the record is forgotten', () => changed.includes(client_id, heard))
}
