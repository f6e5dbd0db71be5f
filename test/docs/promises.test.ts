// docs/promises.md names tests that exist, and its table of Redis commands is the one that a test asserts.
import t from 'tap'
import { readText, tableRows } from '../support/markdown.ts'

const PAGE = await readText('docs/promises.md')
const COSTS = 'test/system/round-trips.test.ts'

const [, ...sections] = PAGE.split(/^### /m)
const NAMED = [...PAGE.matchAll(/^- `(test\/[^`]+)`: (.+)$/gm)].map(([, file = '', title = '']) => ({
  file,
  title,
}))

/** The string literals and table keys of a source text; the titles of its tests are among them. */
function titlesIn(source: string): Set<string> {
  const code = source.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')
  const quoted = code.matchAll(
    /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\\n])*)`|^ +(\w+): \{/gm,
  )
  const texts = [...quoted].map((match) => match.slice(1).find((text) => text !== undefined) ?? '')
  // What a title takes from a variable is an ellipsis in the page, and left out at the ends.
  return new Set(texts.map((text) => text.replace(/\$\{[^}]*\}/g, '…').replace(/^[…:, ]+|[…:, ]+$/g, '')))
}

t.test('each promise names a test', async (t) => {
  t.ok(sections.length > 20)
  for (const section of sections) t.match(section, /^- `test\//m, section.slice(0, section.indexOf('\n')))
})

t.test('each named test exists', async (t) => {
  for (const { file, title } of NAMED) {
    const titles = titlesIn(await readText(file))
    // A renamed test is found among them.
    t.ok(titles.has(title), `${file}: ${title}`, {
      candidates: [...titles].filter((text) => text.includes(' ')),
    })
  }
})

t.test('the table of Redis commands is what the test asserts', async (t) => {
  const documented = tableRows(PAGE).slice(1)
  const source = await readText(COSTS)
  const asserted = [...source.matchAll(/endpoint: '([^']+)',\s*opaque: (\d+),\s*jwt: (\d+)/g)]
  t.equal(asserted.length, [...source.matchAll(/endpoint: '/g)].length, 'every row was read')
  t.same(
    documented,
    asserted.map(([, ...row]) => row),
  )
})
