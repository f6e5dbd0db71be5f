// Makes the parts and pictures of docs/ that stand in the code: `npm run docs` writes them, `npm run docs -- --check` compares them.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { chainPicture } from './docs/chain-picture.ts'
import { makePage, markOf, type Page } from './docs/page.ts'
import { PARTS } from './docs/parts.ts'

const isCheck = process.argv.includes('--check')
const problems: string[] = []
const names = (await readdir('docs', { recursive: true }))
  .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
  .sort()
const pages: Page[] = await Promise.all(
  names.map(async (name) => ({ path: `docs/${name}`, text: await readFile(`docs/${name}`, 'utf8') })),
)
for (const page of pages) {
  const made = await makePage(page, PARTS)
  if (made === page.text) continue
  if (isCheck) problems.push(`${page.path} is not as the code has it: run npm run docs`)
  else await writeFile(page.path, made)
}
const pictures = { 'docs/images/acting-chain.svg': chainPicture() }
for (const [path, made] of Object.entries(pictures)) {
  if (made === (await readFile(path, 'utf8').catch(() => undefined))) continue
  if (isCheck) problems.push(`${path} is not as the code has it: run npm run docs`)
  else await writeFile(path, made)
}
for (const part of Object.keys(PARTS)) {
  if (!pages.some(({ text }) => text.includes(markOf(part)))) problems.push(`no page has ${markOf(part)}`)
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
}
