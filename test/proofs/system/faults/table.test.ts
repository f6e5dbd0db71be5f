// The table "When Redis fails" of docs/operations.md: each fault at each endpoint, during and after the fault.
import t from 'tap'
import {
  answeredAll,
  downAndAlive,
  prepare,
  ready,
  refusedAll,
  working,
} from '../../../support/faults/requests.ts'
import { placeOn } from '../../../support/lifecycle.ts'
import { type RedisServer, startRedis } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'

interface Fault {
  args?: string[]
  /** Causes the fault; the returned function ends it. */
  cause(redis: RedisServer): Promise<() => Promise<unknown>>
}

/** A fault that is caused by a setting. */
const setting = (name: string, value: string, cure: string): Fault['cause'] => {
  return async ({ cli }) => {
    await cli('CONFIG', 'SET', name, value)
    return () => cli('CONFIG', 'SET', name, cure)
  }
}

const FAULTS: Record<string, Fault> = {
  down: {
    async cause(redis) {
      await redis.cli('SAVE')
      await redis.stop()
      return () => redis.restart()
    },
  },
  'hung (SIGSTOP)': {
    async cause({ pid }) {
      process.kill(pid, 'SIGSTOP')
      return async () => process.kill(pid, 'SIGCONT')
    },
  },
  'hung (CLIENT PAUSE)': {
    async cause({ cli }) {
      await cli('CLIENT', 'PAUSE', '8000', 'ALL')
      // Redis answers no command before the pause ends.
      return () => cli('PING')
    },
  },
  READONLY: {
    async cause({ cli }) {
      await cli('REPLICAOF', '127.0.0.1', '1')
      return () => cli('REPLICAOF', 'NO', 'ONE')
    },
  },
  OOM: { cause: setting('maxmemory', '1', '0') },
  NOREPLICAS: { cause: setting('min-replicas-to-write', '1', '0') },
  LOADING: {
    // Loading takes half a second per hundred keys, and Redis answers others in between.
    args: ['--key-load-delay', '5000', '--loading-process-events-interval-bytes', '1024'],
    async cause(redis) {
      await redis.cli('EVAL', "for i = 1, 1600 do redis.call('SET', 'filler:' .. i, i) end", '0')
      await redis.cli('SAVE')
      const restarted = redis.restart()
      await until('it loads', () =>
        redis.cli('PING').then(
          () => false,
          (error: Error) => error.message.includes('LOADING'),
        ),
      )
      return () => restarted
    },
  },
  BUSY: {
    args: ['--lua-time-limit', '50'],
    async cause({ cli }) {
      const endless = cli('EVAL', 'while true do end', '0').catch(() => {})
      await until('it is busy', () =>
        cli('PING').then(
          () => false,
          (error: Error) => error.message.includes('BUSY'),
        ),
      )
      return async () => {
        await cli('SCRIPT', 'KILL')
        await endless
      }
    },
  },
}

for (const [name, { args = [], cause }] of Object.entries(FAULTS)) {
  t.test(name, async (t) => {
    const redis = await startRedis(t, { args })
    const service = await working(t, placeOn(redis))
    const requests = await prepare(service)
    const others = await prepare(service)

    const cure = await cause(redis)
    await refusedAll(t, requests, 'at once')
    await downAndAlive(t, service, name)
    await refusedAll(t, requests, 'later')

    await cure()
    await ready(service)
    await answeredAll(t, requests, 'the same requests again')
    await answeredAll(t, others, 'new ones')
  })
}
