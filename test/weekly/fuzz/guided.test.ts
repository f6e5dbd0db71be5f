// The search guided by coverage, for every target. It begins the same way each time, so that a change is not refused for
// what another run would not have found; `npm run fuzz` has a new seed each time, and searches for longer.
import t from 'tap'
import { corpusOf } from '../../support/fuzz/corpus.ts'
import { explore, isOwnCode } from '../../support/fuzz/explore.ts'
import { TARGETS } from '../../support/fuzz/targets.ts'

const SEED = 1
const INPUTS = 4000

for (const target of TARGETS) {
  t.test(target.name, async (t) => {
    const corpus = Object.values(await corpusOf(target.name))
    const search = { seed: SEED, corpus, effort: { inputs: INPUTS }, isWatched: isOwnCode }
    const { tried, broken } = await explore(target, search)
    t.equal(broken, undefined, `after ${tried} inputs`)
    t.ok(tried >= INPUTS)
  })
}
