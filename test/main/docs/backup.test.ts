// The page about backups says of each kind of record what a restore makes of it.
import t from 'tap'
import { EVENTS } from '../../../src/core/events.ts'
import { codeIn, readText, section, tableRows } from '../../support/markdown.ts'

const PAGE = await readText('docs/backup.md')
const firstCells = (heading: string) =>
  tableRows(section(PAGE, heading)).flatMap(([cell = '']) => codeIn(cell))

t.test('the page says of each kind of record what a restore makes of it, once', async (t) => {
  const [table = ''] = section(await readText('docs/keyspace.md'), 'Keys').split('\n### ')
  const keys = tableRows(table).flatMap(([cell = '']) => codeIn(cell))
  const kinds = [...new Set(keys.map((key) => key.split(':')[0] ?? ''))]
  t.ok(kinds.length > 50)
  t.strictSame(firstCells('What a copy brings back').sort(), kinds.sort())
})

t.test('what is to be done again is told by events that there are', async (t) => {
  const events = firstCells('What has to be done again')
  t.ok(events.length > 20)
  for (const event of events) t.ok(Object.hasOwn(EVENTS, event), event)
})
