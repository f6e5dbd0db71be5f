import t from 'tap'
import { modelHolds } from './property.ts'
import { inMemory } from './world.ts'

await modelHolds(t, inMemory, { runs: 3000, seconds: 8 })
