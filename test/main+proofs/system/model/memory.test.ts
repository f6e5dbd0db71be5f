import t from 'tap'
import { modelHolds } from '../../../support/model/property.ts'
import { inMemory } from '../../../support/model/world.ts'
import { PROOFS } from '../../../support/suite.ts'

await modelHolds(t, inMemory, { runs: PROOFS ? 2500 : 300, seconds: 10 })
