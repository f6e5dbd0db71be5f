// A list as a file: all of its pages, up to a bound, with the filters that it has.
import t from 'tap'
import type { Desk } from '../../../../src/console/desk.ts'
import { beginExport, CONSOLE_EXPORTS } from '../../../../src/console/export.ts'

const MAX_ROWS = 10_000
const PER_PAGE = 190
const PEOPLE = CONSOLE_EXPORTS.find(({ path }) => path === '/export/people.csv')

/** A desk with so many people, and what it was asked. */
function deskWith(count: number) {
  const asked: Record<string, string>[] = []
  const ask = async (_name: string, { query }: { query: Record<string, string> }) => {
    asked.push(query)
    const from = Number(query.cursor ?? 0)
    // A page may have fewer items than its limit.
    const to = Math.min(count, from + PER_PAGE)
    const items = Array.from({ length: to - from }, (_, i) => ({ username: `u${from + i}`, state: 'active' }))
    return { body: { items, ...(to < count && { next: String(to) }) }, version: '' }
  }
  return { desk: { ask } as unknown as Desk, asked }
}

async function linesOf(desk: Desk, query: Record<string, string> = {}) {
  if (PEOPLE === undefined) throw new Error('there is no list of people')
  let text = ''
  for await (const part of await beginExport(desk, PEOPLE, query)) text += part
  return text.split('\r\n').slice(1, -1)
}

t.test('a file has each row once, and ends with the list', async (t) => {
  const { desk } = deskWith(450)
  const lines = await linesOf(desk)
  t.equal(lines.length, 450)
  t.equal(new Set(lines).size, 450)
})

t.test('a file has at most 10,000 rows, and no more is read for it', async (t) => {
  const { desk, asked } = deskWith(MAX_ROWS + 150)
  const lines = await linesOf(desk)
  t.equal(lines.length, MAX_ROWS)
  t.equal(asked.length, Math.ceil(MAX_ROWS / PER_PAGE))
})

t.test('the filters of the list count, and nothing else that an address has', async (t) => {
  const { desk, asked } = deskWith(1)
  await linesOf(desk, { q: 'a', limit: '1', cursor: '5', admin: 'true' })
  t.same(asked, [{ q: 'a', limit: '200', cursor: undefined }])
})
