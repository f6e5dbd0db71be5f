import t from 'tap'
import { MinuteBudget } from '../../../../src/limits/minute-budget.ts'

t.test('so many of a name and of all pass in a minute, also after the clock was set back', async (t) => {
  let now = 10_000_000
  const budget = new MinuteBudget({ per_name: 2, in_all: 3 }, () => now)
  const taken = (...names: string[]) => names.map((name) => budget.take(name))
  t.strictSame(taken('a', 'a', 'a', 'b', 'b', 'c'), [true, true, false, true, false, false])
  now += 59_999
  t.strictSame(taken('d'), [false])
  now += 1
  t.strictSame(taken('a'), [true])
  now -= 3_600_000
  t.strictSame(taken('a', 'a', 'a'), [true, true, false], 'a minute that ends in an hour is over')
})
