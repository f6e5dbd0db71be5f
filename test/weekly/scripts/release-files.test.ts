// What is published is made of the commit alone: twice, in two folders, the same bytes.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { FILES, makeReleaseFiles } from '../../../scripts/release-files.ts'
import { temporaryFolder } from '../../support/build.ts'
import { ROOT } from '../../support/process.ts'

t.setTimeout(1_800_000)

const folders = [await temporaryFolder(t, 'once'), await temporaryFolder(t, 'twice')]
for (const folder of folders) {
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, folder])
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  makeReleaseFiles(folder)
}
const [once = '', twice = ''] = folders.map((folder) => join(folder, FILES))
const textOf = (name: string) => readFileSync(join(once, name), 'utf8')
const nameOf = (end: string) => readdirSync(once).find((name) => name.endsWith(end)) ?? end

t.test('two builds give the same bytes', async (t) => {
  const names = readdirSync(once)
  t.equal(names.length, 4)
  t.strictSame(readdirSync(twice), names)
  for (const name of names) t.ok(readFileSync(join(once, name)).equals(readFileSync(join(twice, name))), name)
})

t.test('the parts are those of a production install, each with its licence and a digest', async (t) => {
  const { components, metadata } = JSON.parse(textOf(nameOf('.cdx.json')))
  t.equal(metadata.component.name, 'redmint')
  const names: string[] = components.map(({ name }: { name: string }) => name)
  t.ok(names.includes('fastify') && names.includes('ioredis'))
  t.notOk(names.includes('tap') || names.includes('typescript'))
  for (const { name, licenses, hashes } of components) t.ok(licenses?.length && hashes?.length, name)
  const texts = textOf(nameOf('.licenses.txt'))
  for (const name of ['fastify', 'ioredis'])
    t.match(texts, new RegExp(`^${name} \\d.*\\n\\n[\\s\\S]+?license`, 'im'))
  t.notMatch(texts, '(unknown)')
})

t.test('a stranger can compare the digests', async (t) => {
  // As sha256sum reads them.
  const lines = textOf('SHA256SUMS').trimEnd().split('\n')
  t.equal(lines.length, 3)
  for (const line of lines) {
    const [digest = '', name = ''] = line.split('  ')
    t.equal(
      createHash('sha256')
        .update(readFileSync(join(once, name)))
        .digest('hex'),
      digest,
      name,
    )
  }
})
