// Suite: proofs
import t from 'tap'
import { startCluster } from '../../support/redis-server.ts'
import { onRedis } from './on-redis.ts'
import { redisContract } from './redis-contract.ts'
import { storageContract } from './storage-contract.ts'

const { masters } = await startCluster(t, { replicas: 1 })
const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
const make = onRedis({ kind: 'cluster', nodes }, masters)

await storageContract(t, make)
await redisContract(t, make)
