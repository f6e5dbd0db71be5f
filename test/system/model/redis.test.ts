// Suite: proofs
import t from 'tap'
import { startRedis } from '../../support/redis-server.ts'
import { modelHolds } from './property.ts'
import { onRedis } from './world.ts'

const { url } = await startRedis(t)
const { make, end } = await onRedis(url)
t.teardown(end)

await modelHolds(t, make, { runs: 800, seconds: 12 })
