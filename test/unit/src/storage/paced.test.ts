// Long work leaves Redis at least half of the time.
import t from 'tap'
import { paced } from '../../../../src/storage/paced.ts'

t.test('after each step as long a rest as it took, within bounds', async (t) => {
  let clock = 0
  const rests: number[] = []
  const pace = {
    now: () => clock,
    async rest(milliseconds: number) {
      rests.push(milliseconds)
      clock += milliseconds
    },
  }
  async function* steps() {
    for (const took of [1, 40, 300, 30_000]) {
      clock += took
      yield took
    }
  }
  const done: number[] = []
  for await (const step of paced(steps(), undefined, pace)) {
    done.push(step)
    // What is done with a step counts as well.
    if (step === 40) clock += 10
  }
  t.strictSame(done, [1, 40, 300, 30_000])
  t.strictSame(rests, [5, 50, 300, 1000])
})

t.test('who closes waits for no rest', async (t) => {
  const closing = new AbortController()
  async function* endless() {
    for (;;) yield 1
  }
  const work = async () => {
    for await (const _ of paced(endless(), closing.signal)) closing.abort()
  }
  await t.rejects(work(), { name: 'AbortError' })
})
