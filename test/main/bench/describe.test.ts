// The pages of a run name a commit, so a run sees whether its files are those of it.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { changedFiles, commitOf } from '../../../bench/describe.ts'

t.test('a changed working tree is seen, but for what a run writes', async (t) => {
  const clone = t.testdir({ 'a.ts': 'a', docs: { 'performance.md': 'old', 'other.md': 'old' } })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: clone,
      stdio: 'ignore',
    })
  git('init')
  git('add', '.')
  git('commit', '-m', 'first')
  t.match(commitOf(clone), /^[0-9a-f]{9,}$/)
  writeFileSync(`${clone}/docs/performance.md`, 'new')
  t.same(changedFiles(clone), [])
  writeFileSync(`${clone}/docs/other.md`, 'new')
  t.match(changedFiles(clone), [/other\.md$/])
  t.match(commitOf(clone), /, changed$/)
  git('checkout', 'docs/other.md')
  writeFileSync(`${clone}/b.ts`, 'new')
  t.match(changedFiles(clone), [/b\.ts$/], 'a file that git does not know')
})
