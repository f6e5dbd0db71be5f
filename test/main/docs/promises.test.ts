// Each promise of docs/promises.md has tests that exist, and the table of Redis commands is the one that a test asserts.
import t from 'tap'
import { suitesOf } from '../../../scripts/suites.ts'
import { readText, tableRows } from '../../support/markdown.ts'
import { namedTests, problemOf } from '../../support/named-tests.ts'

const PROMISES = await readText('docs/promises.md')
const PAGE = await readText('docs/promises-tests.md')
const COSTS = 'test/main/system/round-trips.test.ts'

const [, ...sections] = PAGE.split(/^### /m)
const namesIn = (text: string) => [...text.matchAll(/^### (.*)$/gm)].map(([, name]) => name)
t.test('each promise names a test', async (t) => {
  t.ok(sections.length > 20)
  t.same(namesIn(PAGE), namesIn(PROMISES))
  for (const section of sections) t.match(section, /^- `test\//m, section.slice(0, section.indexOf('\n')))
})

t.test('each promise has a test that runs with every change', async (t) => {
  for (const section of sections) {
    const files = [...section.matchAll(/^- `(test\/[^`]+)`/gm)].map(([, file = '']) => file)
    const runs = (file: string) =>
      !/\.test\.ts$/.test(file) || suitesOf(file).some((suite) => suite !== 'weekly')
    t.ok(files.some(runs), section.slice(0, section.indexOf('\n')))
  }
})

t.test('each named test exists', async (t) => {
  for (const test of namedTests(PAGE)) t.equal(await problemOf(test), undefined)
})

t.test('the table of Redis commands is what the test asserts', async (t) => {
  const documented = tableRows(PAGE)
    .slice(1)
    .flatMap(([opaque, jwt, requests = '']) => requests.split('; ').map((name) => [name, opaque, jwt]))
  const source = await readText(COSTS)
  const asserted = [...source.matchAll(/endpoint: '([^']+)',\s*opaque: (\d+),\s*jwt: (\d+)/g)]
  t.equal(asserted.length, [...source.matchAll(/endpoint: '/g)].length, 'every row was read')
  t.same(documented.sort(), asserted.map(([, ...row]) => row).sort())
})
