// Each setting that a page shows with a value has one that the server accepts.
import { readdir } from 'node:fs/promises'
import t from 'tap'
import { ENVIRONMENT } from '../../../src/config/environment.ts'
import { problemsOf } from '../../support/config/problems.ts'
import { readText } from '../../support/markdown.ts'

const NAMES = new Set(Object.keys(ENVIRONMENT.properties))
const SHOWN = /(?<![\w-])([A-Z][A-Z_]+)=('[^']*'|"[^"]*"|[^\s`'"|,;)]+(?:,[^\s`'"|,;)]+)*)/g

/** The settings that a text shows with a value; not those that stand for others, or are made by a command. */
function settingsIn(text: string): [name: string, value: string][] {
  return [...text.matchAll(SHOWN)].flatMap(([, name = '', written = '']) => {
    const value = written.replace(/^(['"])(.*)\1$/, '$2').replace(/[.:]$/, '')
    return NAMES.has(name) && !/[…$<>]/.test(value) ? [[name, value] as [string, string]] : []
  })
}

/** Why the server does not take a value, whatever else is set. */
const faultsOf = (name: string, value: string) =>
  problemsOf({ [name]: value }).filter((problem) => new RegExp(`^${name} (must|has) `).test(problem))

t.test('each value that a page shows is accepted', async (t) => {
  const pages = (await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)
  let count = 0
  for (const page of ['README.md', 'deploy/README.md', ...pages]) {
    for (const [name, value] of settingsIn(await readText(page))) {
      count += 1
      t.same(faultsOf(name, value), [], `${page}: ${name}=${value}`)
    }
  }
  t.ok(count > 60, `${count} are shown`)
})

t.test('a value that is refused is found', async (t) => {
  t.same(settingsIn(`\`SCOPE_CLAIMS='{"groups":["groups"]}'\`, \`FOO=1\``), [
    ['SCOPE_CLAIMS', '{"groups":["groups"]}'],
  ])
  for (const [name, value] of [
    ['SCOPE_CLAIMS', '{"groups":["groups"]}'],
    ['DEMO', 'yes'],
    ['PORT', 'http'],
  ] as const)
    t.equal(faultsOf(name, value).length, 1, name)
})
