import tap from 'tap'
import { type RedisServer, startRedis } from './redis-server.ts'

let running: Promise<RedisServer> | undefined

/** The one Redis that the tests of a file share; it ends with the file. */
export function redisOfFile(): Promise<RedisServer> {
  if (running === undefined) {
    running = startRedis(tap)
    // The next file of this process starts its own.
    tap.teardown(() => {
      running = undefined
    })
  }
  return running
}
