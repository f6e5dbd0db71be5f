// What `npm run docs` makes of the marks in a page. That the pages are up to date is a step of `npm run check`.
import t from 'tap'
import { makePage, type Page, table } from '../../../scripts/docs/page.ts'

const PARTS = { list: ({ path }: Page) => `$& of ${path}` }
const page = (...lines: string[]) => `${lines.join('\n')}\n`

t.test('a part is made anew, and the rest of the page stays', async (t) => {
  const old = page('# A', '<!-- npm run docs writes: list -->', 'old', '<!-- end -->', 'rest $&')
  const made = await makePage({ path: 'a.md', text: old }, PARTS)
  t.equal(
    made,
    page('# A', '<!-- npm run docs writes: list -->', '', '$& of a.md', '', '<!-- end -->', 'rest $&'),
  )
  t.equal(await makePage({ path: 'a.md', text: made }, PARTS), made)
})

t.test('a mark that is wrong names its page', async (t) => {
  const [begin, end] = ['<!-- npm run docs writes: list -->', '<!-- end -->']
  await t.rejects(makePage({ path: 'a.md', text: page('<!-- npm run docs writes: lst -->', end) }, PARTS), {
    message: /a\.md.*lst/,
  })
  for (const lines of [
    [begin, 'old'],
    ['old', end],
    [begin, 'a', begin, 'b', end],
    [begin, 'a', end, end],
  ]) {
    await t.rejects(
      makePage({ path: 'a.md', text: page(...lines) }, PARTS),
      { message: /^a\.md: / },
      lines.join(' '),
    )
  }
})

t.test('a cell may have the character that separates cells', (t) => {
  t.equal(table(['a', 'b'], [['x|y', 'z']]), '| a | b |\n|---|---|\n| x\\|y | z |')
  t.end()
})
