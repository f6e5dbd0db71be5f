// Every kept input keeps the property of its target: inputs that once broke it, and one for each rule that is checked.
import { readdir } from 'node:fs/promises'
import t from 'tap'
import { corpusOf } from '../../support/fuzz/corpus.ts'
import { TARGETS } from '../../support/fuzz/targets.ts'

t.test('every target has a corpus, and every corpus a target', async (t) => {
  const files = await readdir(new URL('../../support/fuzz/corpus/', import.meta.url))
  t.same(files.sort(), TARGETS.map(({ name }) => `${name}.json`).sort())
})

for (const { name, check } of TARGETS) {
  t.test(name, async (t) => {
    const corpus = Object.entries(await corpusOf(name))
    t.ok(corpus.length > 0)
    for (const [title, input] of corpus) await t.resolves(async () => check(input), title)
  })
}
