import t from 'tap'
import { startRedis } from '../../support/redis-server.ts'
import { redisContract } from './redis-contract.ts'
import { onRedis } from './redis-subject.ts'
import { storageContract } from './storage-contract.ts'

const redis = await startRedis(t)
const make = onRedis({ kind: 'single', url: redis.url }, [redis])

await storageContract(t, make)
await redisContract(t, make)
