// The threat model and the tables of clauses name tests that exist, and each row that holds names one.
import { readdir } from 'node:fs/promises'
import t from 'tap'
import { readText, section, tableRows } from '../../support/markdown.ts'
import { namedTests, problemOf } from '../../support/named-tests.ts'

const FOLDER = 'docs/security'
const THREATS = 'docs/threat-model.md'
/** What the second column of a table of clauses says. */
const STATES = ['yes', 'partly', 'no', 'client', 'operator']

const tables = (await readdir(FOLDER)).map((name) => `${FOLDER}/${name}`)

t.test('each named test exists', async (t) => {
  for (const page of [...tables, THREATS]) {
    const named = namedTests(await readText(page))
    t.ok(named.length > 5, page)
    for (const test of named) t.equal(await problemOf(test), undefined, page)
  }
})

for (const page of tables) {
  t.test(`${page}: each row has a state, and a test if something holds`, async (t) => {
    const [heading, ...rows] = tableRows(await readText(page))
    t.same(heading, ['clause', 'holds', 'what redmint does', 'tests'])
    t.ok(rows.length > 8)
    for (const row of rows) {
      const [clause = '', state = '', text = '', tests = ''] = row
      t.equal(row.length, 4, clause)
      t.ok(STATES.includes(state), `${clause}: ${state}`)
      t.ok(text.length > 20, clause)
      if (state === 'yes' || state === 'partly') t.ok(namedTests(`| ${tests} |`).length > 0, clause)
    }
  })
}

t.test('each threat that is met has a promise or a test, and each other one a reason', async (t) => {
  const page = await readText(THREATS)
  const [heading, ...rows] = tableRows(section(page, 'What holds'))
  t.same(heading, ['threat', 'what stops it', 'held by'])
  t.ok(rows.length > 30)
  for (const [threat = '', , held = ''] of rows) t.match(held, /promises\.md#|^`test\//, threat)

  const [, ...sections] = page.split(/^### /m)
  t.ok(sections.length > 5)
  for (const text of sections) {
    const title = text.slice(0, text.indexOf('\n'))
    t.ok(/^- `test\//m.test(text) || /^Not met: /m.test(text), title)
  }
})
