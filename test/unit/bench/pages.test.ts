// docs/performance.md and docs/capacity.md say what the last whole run says: `npm --prefix bench run figures` writes them, and `npm --prefix bench run report`
// again where a text has changed.
import t from 'tap'
import { filesOf, lastFigures, PAGES, partsOf } from '../../../bench/report.ts'
import { ROWS } from '../../../bench/rows.ts'
import { readText } from '../../support/markdown.ts'

const figures = lastFigures()
const texts = new Map(
  await Promise.all(PAGES.map(async (page): Promise<[string, string]> => [page, await readText(page)])),
)

t.test('the pages and the plots are made of the figures', async (t) => {
  const read = (path: string) => texts.get(path) ?? ''
  for (const [path, text] of Object.entries(filesOf(figures, read)))
    t.ok((await readText(path)) === text, path)
})

t.test('a whole run has every row', async (t) => {
  if (figures)
    t.same(
      figures.rows.map(({ name }) => name),
      ROWS.map(({ name }) => name),
    )
  for (const [page, parts] of Object.entries(partsOf(figures)))
    for (const [name, text] of Object.entries(parts)) t.not(text.trim(), '', `${page}: ${name}`)
})

const MONTHS = 'January|February|March|April|May|June|July|August|September|October|November|December'
const DATE = new RegExp(`\\b20\\d\\d-\\d\\d-\\d\\d|\\b\\d{1,2}\\.? (?:${MONTHS})\\b|\\b(?:${MONTHS}) \\d`)
const COMMIT = /\bcommit [0-9a-f]{7,}|\bRenewed\b|\bload average [\d(]|\bload average of \d/

t.test('no part of the pages has another date or commit than the machine part', async (t) => {
  const machine = partsOf(figures)[PAGES[0]].machine
  for (const [page, text] of texts) {
    const parts = [...text.matchAll(/<!-- (\w+) -->(.*?)<!-- \/\1 -->/gs)].map(([, name, part]) => ({
      name,
      part,
    }))
    t.same(
      parts.flatMap(({ name, part }) => (name === 'machine' ? part?.trim() : [])),
      [machine],
      page,
    )
    // `npm --prefix bench run scale` is a measurement of its own, and its part says so.
    const rest = text.replace(/<!-- (machine|scale) -->.*?<!-- \/\1 -->/gs, '')
    t.notMatch(rest, DATE, page)
    t.notMatch(rest, COMMIT, page)
  }
  const named: string[] = []
  JSON.stringify(figures ?? {}, (key, value) => {
    if (['date', 'commit', 'load'].includes(key)) named.push(key)
    return value
  })
  t.ok(named.length <= 3, 'nor has a part of the figures')
})
