// Suite: proofs
import t from 'tap'
import { startSentinel } from '../../support/redis-server.ts'
import { onRedis } from './on-redis.ts'
import { redisContract } from './redis-contract.ts'
import { storageContract } from './storage-contract.ts'

const { name, watchers, master } = await startSentinel(t)
const sentinels = watchers.map(({ port }) => ({ host: '127.0.0.1', port }))
const make = onRedis({ kind: 'sentinel', sentinels, name }, [master])

await storageContract(t, make)
await redisContract(t, make)
