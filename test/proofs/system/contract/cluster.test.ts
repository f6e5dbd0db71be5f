import t from 'tap'
import { onRedis } from '../../../support/contract/on-redis.ts'
import { redisContract } from '../../../support/contract/redis-contract.ts'
import { storageContract } from '../../../support/contract/storage-contract.ts'
import { startCluster } from '../../../support/redis-server.ts'

const { masters } = await startCluster(t, { replicas: 1 })
const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
const make = onRedis({ kind: 'cluster', nodes }, masters)

await storageContract(t, make)
await redisContract(t, make)
