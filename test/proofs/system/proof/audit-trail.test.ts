// There is never a change without its entry of the audit trail, nor an entry without its change, whatever fails between them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t from 'tap'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { FAULTS, FaultProxy } from '../../../support/proof/fault-proxy.ts'
import { makeStep, prepareStep, TOLD_STEPS, unfitSteps } from '../../../support/proof/told-steps.ts'
import { startRedis, startSentinel } from '../../../support/redis-server.ts'
import { open, openAt, PREFIX, writable } from '../../../support/storage/redis/support.ts'
import { until } from '../../../support/until.ts'

const NAMES = Object.keys(TOLD_STEPS)
const unavailable = (error: unknown) => {
  if (!(error instanceof StorageUnavailable)) throw error
}

for (const fault of FAULTS) {
  t.test(`an answer that is lost: ${fault}`, async (t) => {
    const redis = await startRedis(t)
    const proxy = await FaultProxy.open(t, redis.port)
    const { storage } = openAt(t, proxy.url)
    const { storage: direct } = openAt(t, redis.url)
    const steps = new Map<string, string>()
    for (const name of NAMES) {
      await writable(storage)
      await prepareStep(direct, name, name)
      steps.set(name, name)
      proxy.arm(fault, 1)
      await makeStep(storage, name, name).catch(unavailable)
      proxy.disarm()
      proxy.release()
    }
    // What was held runs before a later command of its connection, or with the close of it.
    await writable(storage)
    await until('the step that was held has run, or never will', async () => {
      const unfit = await unfitSteps(direct, steps)
      return unfit.length === 0
    })
    t.strictSame(await unfitSteps(direct, steps), [])
  })
}

t.test('a process that is killed', async (t) => {
  const redis = await startRedis(t)
  const { storage } = openAt(t, redis.url)
  const steps = new Map<string, string>()
  const path = new URL('../../../support/proof/told-writer.ts', import.meta.url).pathname
  for (const run of ['a', 'b', 'c', 'd', 'e']) {
    const args = ['--import=./scripts/typescript.mjs', path, redis.url, PREFIX, run]
    const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(writer, 'exit')
    const before = steps.size
    for await (const line of createInterface({ input: writer.stdout })) {
      const [name = '', id = ''] = line.split(' ')
      steps.set(id, name)
      if (steps.size - before === 500) writer.kill('SIGKILL')
    }
    await exited
  }
  t.ok(steps.size >= 2500)
  t.strictSame(await unfitSteps(storage, steps), [])
})

t.test('a Redis that is full', async (t) => {
  const redis = await startRedis(t)
  const { storage } = openAt(t, redis.url)
  const steps = new Map<string, string>()
  for (const name of NAMES) await prepareStep(storage, name, name)
  await redis.cli('CONFIG', 'SET', 'maxmemory', '1')
  await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  let refused = 0
  for (const name of NAMES) {
    steps.set(name, name)
    await makeStep(storage, name, name).catch((error: unknown) => {
      unavailable(error)
      refused += 1
    })
  }
  t.ok(refused > 0)
  await redis.cli('CONFIG', 'SET', 'maxmemory', '0')
  t.strictSame(await unfitSteps(storage, steps), [])
})

t.test('a failover by Sentinels in the middle', async (t) => {
  const { name, watchers } = await startSentinel(t)
  const sentinels = watchers.map(({ port }) => ({ host: '127.0.0.1', port }))
  const { storage } = open(t, { kind: 'sentinel', sentinels, name })
  await writable(storage)
  const steps = new Map<string, string>()
  const plain = NAMES.filter((step) => TOLD_STEPS[step]?.prepare === undefined)
  let failed = 0
  let i = 0
  const makeSome = async () => {
    await Promise.all(
      plain.map(async (step) => {
        const id = `${step}${i}`
        steps.set(id, step)
        await makeStep(storage, step, id).catch((error: unknown) => {
          unavailable(error)
          failed += 1
        })
      }),
    )
    i += 1
  }
  for (let round = 0; round < 50; round++) await makeSome()
  await until('the Sentinel agrees', async () => {
    const agreed = await watchers[0]?.cli('SENTINEL', 'FAILOVER', name).then(
      () => true,
      () => false,
    )
    await makeSome()
    return agreed === true
  })
  await until('a step fails', async () => {
    await makeSome()
    return failed > 0
  })
  await writable(storage)
  for (let round = 0; round < 50; round++) await makeSome()
  t.strictSame(await unfitSteps(storage, steps), [])
})
