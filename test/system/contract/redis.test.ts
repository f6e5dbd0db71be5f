import t from 'tap'
import { startRedis } from '../../support/redis-server.ts'
import { onRedis } from './on-redis.ts'
import { redisContract } from './redis-contract.ts'
import { storageContract } from './storage-contract.ts'

const redis = await startRedis(t)
const make = onRedis({ kind: 'single', url: redis.url }, [redis])

await storageContract(t, make)
await redisContract(t, make)
