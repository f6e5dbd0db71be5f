import t from 'tap'
import { changedList } from '../../../cli/list-flags.ts'

t.test('entries are added once, and removed, and the others keep their order', async (t) => {
  const change = { name: 'redirect_uris', added: ['c', 'a'], removed: ['b'] }
  t.same(changedList(['a', 'b', 'd'], change), ['a', 'd', 'c'])
  t.same(changedList(undefined, { ...change, removed: [] }), ['c', 'a'])
})

t.test('what is not in the list cannot be removed, and what is no list cannot be changed', async (t) => {
  const change = { name: 'redirect_uris', added: [], removed: ['x'] }
  t.throws(() => changedList(['a'], change), /redirect_uris has no "x": it is a\./)
  t.throws(() => changedList(undefined, change), /it is empty\./)
  t.throws(() => changedList('everybody', change), /redirect_uris is "everybody", which is no list/)
})
