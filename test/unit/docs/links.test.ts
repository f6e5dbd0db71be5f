import { access, readdir } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { VERSION } from '../../../src/core/version.ts'
import { codeIn, readText } from '../../support/markdown.ts'

const FOLDERS = ['bench', 'deploy', 'docs', 'test']

async function listPages(): Promise<string[]> {
  const below = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(folder, { recursive: true })).map((name) => join(folder, name)),
    ),
  )
  return [...(await readdir('.')), ...below.flat()].filter(
    (name) => name.endsWith('.md') && !name.includes('node_modules'),
  )
}

/** The anchors of a page's headings, as GitHub generates them. */
function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm)]
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

t.test('links between pages have a target', async (t) => {
  const pages = await listPages()
  t.ok(pages.length > 10)
  for (const page of pages) {
    const text = (await readText(page)).replace(/^```.*?^```$/gms, '')
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : normalize(join(dirname(page), path))
      await t.resolves(access(file), `${page}: ${target}`)
      if (anchor !== undefined) t.ok(anchorsOf(await readText(file)).includes(anchor), `${page}: ${target}`)
    }
  }
})

t.test('every page in docs/ is linked from another', async (t) => {
  const pages = await listPages()
  for (const page of pages.filter((name) => /^docs[/\\][\w-]+\.md$/.test(name))) {
    const name = page.slice('docs/'.length)
    const others = await Promise.all(pages.filter((other) => other !== page).map(readText))
    t.ok(
      others.some((text) => text.includes(`${name})`) || text.includes(`${name}#`)),
      page,
    )
  }
})

t.test('the version is the same everywhere', async (t) => {
  for (const file of ['package.json', 'package-lock.json', 'docs/openapi.json']) {
    const { version, info } = JSON.parse(await readText(file))
    t.equal(version ?? info.version, VERSION, file)
  }
})

t.test('every npm script in a page exists', async (t) => {
  const { scripts } = JSON.parse(await readText('package.json'))
  const bench = JSON.parse(await readText('bench/package.json')).scripts
  for (const page of await listPages()) {
    const text = await readText(page)
    const commands = [...codeIn(text), ...text.split('\n')].join('\n')
    for (const [, name = ''] of commands.matchAll(/\bnpm (?:run )?(start|test|(?<=run )[\w:-]+)/g)) {
      t.ok(scripts[name], `${page}: ${name}`)
    }
    for (const [, name = ''] of commands.matchAll(/\bnpm --prefix bench run (\w+)/g)) {
      t.ok(bench[name], `${page}: ${name} of bench`)
    }
  }
})
