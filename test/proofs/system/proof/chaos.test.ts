// A short run of `npm run chaos`.
import { randomInt } from 'node:crypto'
import t from 'tap'
import { runChaos } from '../../../support/proof/chaos/run.ts'
import { summarize, tally } from '../../../support/proof/chaos/summary.ts'
import { succeeded } from '../../../support/proof/history.ts'

t.test('no rule is violated while replicas and Redis fail under load', async (t) => {
  const seed = Number(process.env.CHAOS_SEED ?? randomInt(1, 2 ** 31))
  t.comment(`seed ${seed}`)
  const settings = {
    storage: 'standalone',
    seconds: 12,
    every: 1,
    actors: 4,
    hashed: false,
    wait_replicas: 0,
    down_after: 4000,
    seed,
  } as const
  const result = await runChaos(t, settings, (fault) => t.comment(fault))
  t.comment(`\n${summarize(tally(result))}`)
  t.same(result.violations, [])
  t.ok(result.episodes.length > 1, 'something was broken')
  const successes = result.episodes.flatMap(({ entries }) => entries.filter(succeeded))
  t.ok(successes.length > 100, `and clients got what they wanted ${successes.length} times`)
})
