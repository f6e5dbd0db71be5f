import t from 'tap'
import { onRedis } from '../../../support/contract/on-redis.ts'
import { redisContract } from '../../../support/contract/redis-contract.ts'
import { storageContract } from '../../../support/contract/storage-contract.ts'
import { startRedis } from '../../../support/redis-server.ts'

const redis = await startRedis(t)
const make = onRedis({ kind: 'single', url: redis.url }, [redis])

await storageContract(t, make)
await redisContract(t, make)
