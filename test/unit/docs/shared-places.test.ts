// docs/shared-places.md has a row for each place in storage that has a name in the code.
import t from 'tap'
import { BOUNDED_LIST_NAMES } from '../../../src/storage/bounded-lists.ts'
import { FAILURE_GROUPS } from '../../../src/storage/counters.ts'
import { LIST_NAMES } from '../../../src/storage/lists.ts'
import { QUEUE_NAMES } from '../../../src/storage/queue.ts'
import { readText } from '../../support/markdown.ts'

const page = await readText('docs/shared-places.md')

/** The cells of the rows under a heading, without the head of the table. */
function rowsUnder(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [text = ''] = section.split('\n## ')
  const rows = text.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(1).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const namesUnder = (...headings: string[]) =>
  headings.flatMap(rowsUnder).map(([name = '']) => /^`([^`]+)`$/.exec(name)?.[1])

t.test('each group of counters has a row, with what becomes of a name that finds no room', async (t) => {
  const rows = rowsUnder('Counters of failures').map(([name = '', room]) => [name.replaceAll('`', ''), room])
  t.strictSame(rows.sort(), Object.entries(FAILURE_GROUPS).sort())
})

t.test(
  'each list and queue has a row, and so has each bounded list, or one of what is not met',
  async (t) => {
    t.strictSame(namesUnder('Lists').sort(), [...LIST_NAMES].sort())
    t.strictSame(namesUnder('Queues').sort(), [...QUEUE_NAMES].sort())
    const not_met = namesUnder('Not met').filter((name) => name?.startsWith('lockouts:'))
    t.strictSame([...namesUnder('Bounded lists'), ...not_met].sort(), [...BOUNDED_LIST_NAMES].sort())
  },
)

t.test('each row says who writes, what it holds, what goes first, and what is lost', async (t) => {
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)
  for (const heading of headings.filter((one) => one !== 'Counters of failures')) {
    const rows = rowsUnder(heading)
    t.ok(rows.length > 0, heading)
    for (const cells of rows) t.ok(cells.length === 5 && cells.every((cell) => cell !== ''), cells.join())
  }
})
