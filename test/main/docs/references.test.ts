// Comments and documents refer to RFCs and to files of the repository, not to documents that a reader cannot open.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { readText } from '../../support/markdown.ts'

const FOLDERS = [
  'bench',
  'cli',
  'deploy',
  'docs',
  'exports',
  'plugins',
  'routes',
  'scripts',
  'src',
  'test',
  'workers',
]
const TEXT = /\.(cfg|js|json|lua|md|mjs|sh|ts|ya?ml)$/

// A number or section of a document that is not in the repository, such as the ones a plan or a specification has.
const DANGLING = [
  /\bspec(ification)?s? §?\d/i,
  /\bpromises? \d/i,
  /\b(design|spec|vision|house)\.md\b/,
  /\bissue #?\d/i,
]

const OWN_NAME = 'test/main/docs/references.test.ts'

async function listFiles(): Promise<string[]> {
  const below = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(folder, { recursive: true })).map((name) => join(folder, name)),
    ),
  )
  return [...(await readdir('.')), ...below.flat()].filter(
    (name) => TEXT.test(name) && !name.includes('node_modules') && name !== OWN_NAME,
  )
}

t.test('no file refers to a document outside the repository', async (t) => {
  const files = await listFiles()
  t.ok(files.length > 400, `${files.length} files`)
  for (const file of files) {
    const lines = (await readText(file)).split('\n')
    const found = lines.flatMap((line, index) =>
      DANGLING.some((pattern) => pattern.test(line)) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
    )
    if (found.length > 0) t.fail(found.join('\n'))
  }
  t.ok(
    DANGLING.every((pattern) =>
      ['spec 4.2', 'Promises 2', 'design.md', 'issue 9'].some((text) => pattern.test(text)),
    ),
  )
})
