// docs/specification.md has the lines of sections 2 to 9, and names files and tests that exist.
import t from 'tap'
import { codeIn, readText, section, tableRows } from '../../support/markdown.ts'
import { namedTests, problemOf } from '../../support/named-tests.ts'

const PAGE = await readText('docs/specification.md')
const SECTIONS = [
  '2. Resources and their fields',
  '3. States and transitions',
  '4. Endpoints',
  '5. Authentication',
  '6. Events',
  '7. Errors',
  '8. Limits',
  '9. Versioning',
]
const FILE = /^[\w/-]+\.ts$/

t.test('each line says where it is done, and names a test', async (t) => {
  for (const title of SECTIONS) {
    const [heading, ...rows] = tableRows(section(PAGE, title))
    t.same(heading, ['line', 'where', 'tests'], title)
    t.ok(rows.length > 0, title)
    for (const [line = '', where = '', tests = ''] of rows) {
      t.ok(codeIn(where).some((code) => FILE.test(code)) || /\]\(.+\.md\)/.test(where), line)
      t.ok(namedTests(`| ${tests} |`).length > 0, line)
    }
  }
})

t.test('each named file exists', async (t) => {
  const files = codeIn(PAGE).filter((code) => FILE.test(code))
  t.ok(files.length > 40)
  for (const file of new Set(files)) t.ok((await readText(file)).length > 0, file)
})

t.test('each named test exists', async (t) => {
  for (const test of namedTests(PAGE)) t.equal(await problemOf(test), undefined)
})
