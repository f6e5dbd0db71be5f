// Suite: test, weekly
import t from 'tap'
import { startRedis } from '../../support/redis-server.ts'
import { PROOFS } from '../../support/suite.ts'
import { modelHolds } from './property.ts'
import { onRedis } from './world.ts'

const { url } = await startRedis(t)
const { make, end } = await onRedis(url)
t.teardown(end)

await modelHolds(t, make, { runs: PROOFS ? 800 : 80, seconds: 12 })
