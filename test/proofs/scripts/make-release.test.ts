import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { INTERFACE, makeRelease } from '../../../scripts/make-release.ts'

const DESCRIPTIONS = ['docs/openapi.json', 'docs/admin-openapi.json']

const chart = (version: string) => `apiVersion: v2\nversion: ${version}\nappVersion: ${version}\n`
const image = (version: string) => `images:\n  - name: redmint\n    newTag: ${version}\n`
const compose = (version: string) =>
  `services:\n  redmint:\n    image: ghcr.io/redmint/redmint:${version}\n  redis:\n    image: redis:8-alpine\n`
const DEPLOYED = {
  'deploy/compose.yaml': compose,
  'deploy/helm/redmint/Chart.yaml': chart,
  'deploy/kubernetes/kustomization.yaml': image,
  'deploy/kubernetes-apply/kustomization.yaml': image,
}

const SCRIPT = fileURLToPath(new URL('../../../scripts/release.ts', import.meta.url))
const TSX = import.meta.resolve('tsx')
const RELIED_ON = { reasons: ['client_unknown'] }
const DATE = new Date('2027-03-04T23:59:59Z')
const CHANGELOG = `# Changelog

## Unreleased

- A feature.
  # 42 is not a comment.

## 0.1.0 - 2026-01-02

- The beginning.
`

/** A repository with these versions, independent of the git configuration of the user. */
function makeRepository(t: Test, changelog = CHANGELOG, version = '0.1.0') {
  const folder = t.testdir({ 'CHANGELOG.md': changelog })
  const write = (file: string, json: object) =>
    writeFileSync(join(folder, file), `${JSON.stringify(json, null, 2)}\n`)
  write('package.json', { name: 'redmint', version, exports: {} })
  write('package-lock.json', {
    version,
    lockfileVersion: 3,
    packages: { '': { version }, a: { version: '7.0.0' } },
  })
  mkdirSync(join(folder, 'docs'))
  for (const file of DESCRIPTIONS)
    write(file, { openapi: '3.1.0', info: { title: 'redmint', version }, paths: {} })
  for (const [file, text] of Object.entries(DEPLOYED)) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    writeFileSync(join(folder, file), text(version))
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trimEnd()
  git('init', '--quiet')
  for (const [name, value] of [
    ['user.name', 'Test'],
    ['user.email', 'test@example.com'],
    ['commit.gpgSign', 'false'],
    ['tag.gpgSign', 'false'],
    ['core.hooksPath', 'none'],
  ] as const) {
    git('config', name, value)
  }
  git('add', '.')
  git('commit', '--quiet', '--message', 'Begin')
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  return { folder, git, read }
}

t.test('a release sets the version in every file and creates a commit and an annotated tag', async (t) => {
  const { folder, git, read } = makeRepository(t)
  t.equal(makeRelease(folder, '0.2.0', DATE, RELIED_ON), 'v0.2.0')

  t.equal(
    read('CHANGELOG.md'),
    CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0 - 2027-03-04\n'),
  )
  t.match(JSON.parse(read('package.json')), { name: 'redmint', version: '0.2.0', exports: {} })
  t.match(JSON.parse(read('package-lock.json')), {
    version: '0.2.0',
    packages: { '': { version: '0.2.0' }, a: { version: '7.0.0' } },
  })
  for (const file of DESCRIPTIONS)
    t.match(JSON.parse(read(file)), { openapi: '3.1.0', info: { version: '0.2.0' } })
  for (const [file, text] of Object.entries(DEPLOYED)) t.equal(read(file), text('0.2.0'), file)
  t.strictSame(JSON.parse(read(INTERFACE)), RELIED_ON)
  t.match(read('package.json'), /^\{\n {2}"name".*\}\n$/s, 'as npm writes it')

  t.equal(git('status', '--porcelain'), '')
  t.equal(git('log', '--format=%s'), 'Release 0.2.0\nBegin')
  t.equal(git('cat-file', '-t', 'v0.2.0'), 'tag', 'annotated')
  t.equal(git('rev-parse', 'v0.2.0^{commit}'), git('rev-parse', 'HEAD'))
  t.equal(
    git('tag', '--list', '--format=%(contents)', 'v0.2.0').trimEnd(),
    'redmint 0.2.0\n\n- A feature.\n  # 42 is not a comment.',
  )
})

t.test('the first release may keep the version in package.json', async (t) => {
  const { folder, git, read } = makeRepository(t, '# Changelog\n\n## Unreleased\n\n- All of it.\n')
  t.throws(() => makeRelease(folder, '0.1.0-rc.1', DATE, RELIED_ON), /older than 0\.1\.0/)
  t.equal(makeRelease(folder, '0.1.0', DATE, RELIED_ON), 'v0.1.0')
  t.equal(read('CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2027-03-04\n\n- All of it.\n')
  t.equal(git('log', '-1', '--format=%s'), 'Release 0.1.0')
})

t.test('what prevents a release is reported, and nothing is changed', async (t) => {
  const refuse = (repository: ReturnType<typeof makeRepository>, version: string, message: RegExp) => {
    const { folder, git } = repository
    const before = [git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('tag')]
    t.throws(() => makeRelease(folder, version, DATE, RELIED_ON), { message })
    t.same([git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('tag')], before, String(message))
  }
  const repository = makeRepository(t)
  for (const version of ['', '1', '1.2', 'v1.2.3', '01.2.3', '1.2.3+4', '1.2.3-', '1.2.3 ', '1.2.3\n']) {
    refuse(repository, version, /is not a version such as 1\.2\.3/)
  }
  refuse(repository, '0.0.9', /^0\.0\.9 is older than 0\.1\.0, the version of package\.json\.$/)
  repository.git('tag', 'v0.2.0')
  refuse(repository, '0.2.0', /^The tag v0\.2\.0 exists\.$/)
  writeFileSync(join(repository.folder, 'new.txt'), '')
  refuse(repository, '0.3.0', /^The working tree is not clean:\n\?\? new\.txt$/)

  const nothing = /^CHANGELOG\.md has nothing under "## Unreleased"\.$/
  const [heading = '', released = ''] = CHANGELOG.split('## 0.1.0')
  const empty = `${heading.slice(0, heading.indexOf('- A'))}## 0.1.0${released}`
  refuse(makeRepository(t, empty), '0.2.0', nothing)
  refuse(makeRepository(t, `# Changelog\n\n## 0.1.0${released}`), '0.2.0', nothing)
})

t.test('versions are compared by number; a pre-release is before its release', async (t) => {
  for (const [current, older] of [
    ['0.10.0', '0.9.0'],
    ['1.0.0', '1.0.0-rc.1'],
    ['1.0.0-rc.10', '1.0.0-rc.9'],
    ['2.0.0-rc.1', '1.9.9'],
  ] as const) {
    const ahead = makeRepository(t, CHANGELOG, current)
    t.throws(
      () => makeRelease(ahead.folder, older, DATE, RELIED_ON),
      /is older than/,
      `${older} after ${current}`,
    )
    const behind = makeRepository(t, CHANGELOG, older)
    t.equal(makeRelease(behind.folder, current, DATE, RELIED_ON), `v${current}`)
  }
})

t.test('the script prints what prevents a release and exits with code 1', async (t) => {
  const { folder } = makeRepository(t)
  const release = (...args: string[]) =>
    spawnSync(process.execPath, [`--import=${TSX}`, SCRIPT, ...args], { cwd: folder, encoding: 'utf8' })
  t.match(release(), { status: 1, stdout: '', stderr: /^Usage: npm run release -- <version>/ })
  t.match(release('0.2.0', '0.3.0'), { status: 1, stderr: /^Usage/ })
  t.match(release('0.0.1'), { status: 1, stdout: '', stderr: /^0\.0\.1 is older than 0\.1\.0.*\n$/ })
  t.match(release('0.2.0'), { status: 0, stdout: /^v0\.2\.0 is committed and tagged\./, stderr: '' })
})
