import { Redis } from 'ioredis'
import type { RedisLocation } from '../../../config/redis-location.ts'
import { StorageUnavailable } from '../../errors.ts'
import { quiet } from './driver.ts'
import { connectReason, reasonOf } from './errors.ts'
import { access, DRIVER_OPTIONS, endpoint, type RedisEndpoint } from './options.ts'
import { Sentinels } from './sentinels.ts'

/**
 * Returns why Redis cannot be used, as it says to a new connection; undefined: it can. The driver keeps the reason to
 * itself if a Cluster cannot be opened, and a command may fail before the reason is known.
 */
export async function findTrouble(location: RedisLocation): Promise<string | undefined> {
  if (location.kind === 'single') return troubleAt(endpoint(location))
  if (location.kind === 'cluster') {
    const tried = location.nodes.map((node) => troubleAt({ ...node, ...access(location) }, askForSlots))
    const troubles = await Promise.all(tried)
    return troubles.includes(undefined) ? undefined : troubles[0]
  }
  const sentinels = new Sentinels(location)
  try {
    const { host, port } = await sentinels.master()
    return await troubleAt({ host, port, ...access(location) })
  } catch (error) {
    return reasonOf(error)
  } finally {
    await sentinels.close()
  }
}

/** Connects to a server. @param ask the command that shows whether it can be used */
async function troubleAt(options: RedisEndpoint, ask = (redis: Redis): Promise<unknown> => redis.ping()) {
  const redis = quiet(
    new Redis({ ...DRIVER_OPTIONS, ...options, lazyConnect: true, retryStrategy: () => null }),
  )
  let failure: unknown
  redis.on('error', (error) => {
    failure ??= error
  })
  try {
    await redis.connect()
    await ask(redis)
    return failure === undefined ? undefined : reasonOf(failure)
  } catch (error) {
    if (error instanceof StorageUnavailable || isReply(error)) return reasonOf(failure ?? error)
    return connectReason(redis, failure)
  } finally {
    redis.disconnect()
  }
}

async function askForSlots(redis: Redis): Promise<void> {
  const slots = await redis.cluster('SLOTS')
  if (slots.length === 0) throw new StorageUnavailable('the Cluster has no slots')
}

function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError'
}
