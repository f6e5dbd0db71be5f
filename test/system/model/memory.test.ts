import t from 'tap'
import { modelHolds } from './property.ts'
import { inMemory } from './world.ts'

await modelHolds(t, inMemory, { runs: 2500, seconds: 10 })
