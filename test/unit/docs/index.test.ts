// A reader finds each page, and learns from its first lines what it answers.
import { readdir } from 'node:fs/promises'
import t from 'tap'
import { readText } from '../../support/markdown.ts'

const PAGES = (await readdir('docs', { recursive: true }))
  .filter(
    (name) =>
      name.endsWith('.md') &&
      !name.includes('node_modules') &&
      !/^decisions\/\d/.test(name) &&
      name !== 'README.md',
  )
  .sort()

t.test('the index of docs/ has each page', async (t) => {
  const index = await readText('docs/README.md')
  const linked = new Set([...index.matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => target))
  t.ok(PAGES.length > 15)
  for (const page of PAGES) t.ok(linked.has(page), page)
})

t.test('each page says under its title what it answers', async (t) => {
  for (const page of PAGES) {
    const [title = '', empty, first = ''] = (await readText(`docs/${page}`)).split('\n')
    t.match(title, /^# /, page)
    t.equal(empty, '', page)
    t.match(first, /^[\p{L}`[]/u, page)
  }
})
