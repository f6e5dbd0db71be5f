// Suite: proofs
// The search guided by coverage, for every target. The seed is new each time; a failure shows the input.
import { randomInt } from 'node:crypto'
import t from 'tap'
import { corpusOf } from './corpus.ts'
import { explore, isOwnCode } from './explore.ts'
import { TARGETS } from './targets.ts'

const SECONDS = 5

for (const target of TARGETS) {
  t.test(target.name, async (t) => {
    const seed = randomInt(1, 2 ** 31)
    const search = { seed, corpus: Object.values(await corpusOf(target.name)), effort: { seconds: SECONDS } }
    const { tried, broken } = await explore(target, { ...search, isWatched: isOwnCode })
    t.equal(broken, undefined, `seed ${seed}, ${tried} inputs`)
    t.ok(tried > 0)
  })
}
