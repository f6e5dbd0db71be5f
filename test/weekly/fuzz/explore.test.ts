// The guided search finds bugs that lie behind several checks; without guidance, as many inputs do not find them.
import t from 'tap'
import { explore } from '../../support/fuzz/explore.ts'
import { PLANTED } from '../../support/fuzz/planted.ts'

const INPUTS = 200_000

for (const { name, ...target } of PLANTED) {
  t.test(name, async (t) => {
    const search = { seed: 7, corpus: ['a=1'], effort: { inputs: INPUTS } }
    const guided = await explore(target, {
      ...search,
      isWatched: (url) => /\/fuzz\/planted\.[jt]s$/.test(url),
    })
    t.match(guided.broken?.error, { message: name })
    t.comment(`${JSON.stringify(guided.broken?.input)} after ${guided.tried} inputs`)
    const blind = await explore(target, { ...search, isWatched: () => false })
    t.equal(blind.broken, undefined, 'blind search does not find it')
    t.ok(blind.tried >= INPUTS)
  })
}
