import t from 'tap'
import { modelHolds } from '../../../support/model/property.ts'
import { onRedis } from '../../../support/model/world.ts'
import { startRedis } from '../../../support/redis-server.ts'

const { url } = await startRedis(t)
const { make, end } = await onRedis(url)
t.teardown(end)

await modelHolds(t, make, { runs: 800, seconds: 12 })
