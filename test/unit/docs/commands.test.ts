// Somebody who pastes the commands of a page does what a test does.
import { access } from 'node:fs/promises'
import t from 'tap'
import { NOT_RUN, pagesWithCommands, RUN_BY, RUN_HERE } from '../../support/docs-commands.ts'
import { readText } from '../../support/markdown.ts'

t.test('each page with commands is run by a test, or it is said why not', async (t) => {
  const named = [RUN_HERE, RUN_BY, NOT_RUN].flatMap((table) => Object.keys(table))
  t.strictSame(named.sort(), await pagesWithCommands(), 'support/docs-commands.ts names each once')
})

t.test('the test of a page reads the page', async (t) => {
  for (const [page, test] of Object.entries(RUN_BY)) {
    const text = await readText(test)
    const [, name = ''] = /([^/]+)\.md$/.exec(page) ?? []
    const words = name === 'README' ? [page, page.split('/').at(-2) ?? page] : [`${name}.md`, `'${name}'`]
    // It reads all pages, or the page is read by what it imports.
    const reads = [...words, "readdir('docs')", `${name}-page`].some((word) => text.includes(word))
    t.ok(reads, `${test} follows ${page}`)
  }
})

t.test('what a reason names exists', async (t) => {
  for (const reason of Object.values(NOT_RUN))
    for (const [path] of reason.matchAll(/\btest\/[\w./-]+/g)) await access(path)
  t.pass('each is there')
})
