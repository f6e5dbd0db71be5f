// A replica loses its Redis in the middle of a request, and the balancer sends the retry to
// another one, whose Redis is available.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { type Case, codeExchange, refresh } from '../../../support/proof/fault-cases.ts'
import { FAULTS, FaultProxy } from '../../../support/proof/fault-proxy.ts'
import { grantOf, History, succeeded } from '../../../support/proof/history.ts'
import { check, describe } from '../../../support/proof/history-check.ts'
import { startReplica } from '../../../support/proof/replica.ts'
import { sceneOf } from '../../../support/proof/scene.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { useTestKeys } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

t.jobs = 8

const { port, url } = await startRedis(t)
const redis = new Redis(url)
t.teardown(() => redis.disconnect())
await useTestKeys(new MemoryStorage())
let opened = 0

/** Two replicas, one with a fault; `heals` says whether the fault is over when the client retries. */
async function play(t: Test, one: Case, fault: (typeof FAULTS)[number], heals: boolean) {
  const proxy = await FaultProxy.open(t, port)
  opened += 1
  const prefix = `proof-${opened}:`
  const troubled = await startReplica(t, 'troubled', { url: proxy.url, prefix })
  const other = await startReplica(t, 'other', { url, prefix })
  const history = new History()
  const scene = sceneOf(redis, prefix, { history, client: one.client, server: other })
  const { client } = scene
  const attempt = await one.prepare({ ...scene, server: troubled })

  const way = { request: history.newRequest() }
  proxy.arm(fault, 1, Number.POSITIVE_INFINITY)
  const first = await attempt(troubled, way)
  t.equal(first.outcome.status, 503)
  if (heals) proxy.disarm()
  proxy.release()
  // A code is spent once: before the withdrawal, another attempt would be a replay. On a slow machine a read of the
  // client record may meet the fault, and then nothing has been spent.
  const wasSent = fault !== 'READONLY' && proxy.hit.flat().some((word) => word.startsWith(`${prefix}code:`))
  if (first.action.kind === 'redeem' && wasSent) {
    const marks = `${prefix}withdrawn:{${grantOf(first.action.code)}}.*`
    await until('the first attempt is taken back', async () => (await redis.keys(marks)).length > 0)
  }
  const last = await client.untilAnswered(() => attempt(other, way))
  t.ok(succeeded(last), `the client goes on, not ${last.outcome.status} ${last.outcome.error ?? ''}`)
  proxy.disarm()
  proxy.release()
  // Nothing runs before the withdrawal of the first replica; the response must be the same.
  if (last.action.kind === 'refresh') await client.untilAnswered(() => attempt(troubled, way))
  if (succeeded(last)) await one.afterwards(t, fault, last, scene)
  t.strictSame(check(history).map(describe), [])
}

for (const fault of FAULTS) {
  for (const one of [
    ...[codeExchange('app', 1), codeExchange('jwt-app', 0), refresh('app')],
    ...[codeExchange('fapi', 1), refresh('fapi')],
  ]) {
    t.test(`${fault}: ${one.name}`, { buffered: true }, (t) => play(t, one, fault, true))
  }
  // A refresh token that was just spent works at any replica, even if the first one stays down.
  t.test(`${fault} for longer: refresh`, { buffered: true }, (t) => play(t, refresh('web'), fault, false))
}
