// Suite: test, proofs
import t from 'tap'
import { PROOFS } from '../../support/suite.ts'
import { modelHolds } from './property.ts'
import { inMemory } from './world.ts'

await modelHolds(t, inMemory, { runs: PROOFS ? 2500 : 300, seconds: 10 })
