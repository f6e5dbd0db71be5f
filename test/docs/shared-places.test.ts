// Suite: unit
// docs/shared-places.md has a row for each group of counters, with its room.
import t from 'tap'
import { FAILURE_GROUPS } from '../../src/storage/counters.ts'
import { readText } from '../support/markdown.ts'

t.test('each group of counters has a row, with what becomes of a name that finds no room', async (t) => {
  const page = await readText('docs/shared-places.md')
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (own|passing|shared) \|/gm)].map(([, name, room]) => [
    name,
    room,
  ])
  t.strictSame(rows.sort(), Object.entries(FAILURE_GROUPS).sort())
})
