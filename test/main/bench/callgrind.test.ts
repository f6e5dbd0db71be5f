import t from 'tap'
import { instructionsIn } from '../../../bench/callgrind.ts'

t.test('the sum of a file of callgrind is read', async (t) => {
  const file = 'version: 1\nevents: Ir\nfn=(1) main\n16 400\n\ntotals: 217835186\n'
  t.equal(instructionsIn(file), 217_835_186)
  t.equal(instructionsIn('events: Ir\nsummary: 12\n'), 12)
  t.throws(() => instructionsIn('events: Ir\n'), new Error('the file of callgrind has no sum'))
})
