// A connection to Redis that sends all commands of one turn of the event loop by one socket write.
import { Redis } from 'ioredis'

/** Connects to Redis; the commands of one turn leave together. */
export function corkedRedis(url) {
  const redis = new Redis(url)
  let gathering = false
  const { sendCommand } = redis
  redis.sendCommand = function send(...command) {
    if (!gathering && redis.status === 'ready') {
      gathering = true
      const { stream } = redis
      stream.cork()
      setImmediate(() => {
        gathering = false
        stream.uncork()
      })
    }
    return sendCommand.apply(redis, command)
  }
  return redis
}
