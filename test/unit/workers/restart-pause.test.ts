import t from 'tap'
import { RestartPause } from '../../../workers/primary.ts'

const MINUTE = 60_000

t.test('a worker is replaced at once, and later and later while its successors end soon', async (t) => {
  const pauses = new RestartPause()
  const lives = [MINUTE, 0, 10, MINUTE - 1, 0, 0, 0, 0, MINUTE, 5]
  t.same(
    lives.map((lived) => pauses.after(lived)),
    [0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 0, 1000],
  )
  t.equal(new RestartPause().after(1), 0, 'the first end after the start')
})
