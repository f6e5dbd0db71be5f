import t from 'tap'
import { onRedis } from '../../../support/contract/on-redis.ts'
import { redisContract } from '../../../support/contract/redis-contract.ts'
import { storageContract } from '../../../support/contract/storage-contract.ts'
import { startSentinel } from '../../../support/redis-server.ts'

const { name, watchers, master } = await startSentinel(t)
const sentinels = watchers.map(({ port }) => ({ host: '127.0.0.1', port }))
const make = onRedis({ kind: 'sentinel', sentinels, name }, [master])

await storageContract(t, make)
await redisContract(t, make)
