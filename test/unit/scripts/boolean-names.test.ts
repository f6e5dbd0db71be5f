import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

// Not what Node and ioredis name.
const PREFIX = '(?!isTTY|isSettled)(?:is|has|needs|can|was|must|may|does|should)'

/** A local or a member that is a boolean, in the spelling of functions. */
const PATTERNS = [
  // What compares, combines, negates or tests, and is no function.
  new RegExp(
    `(?:const|let) (${PREFIX}[A-Z]\\w*) = (?!.*=>)(?=.*(?:[=!]==|&&|\\|\\||= !|\\.(?:has|includes|test|some|every)\\())`,
  ),
  new RegExp(`\\b(${PREFIX}[A-Z]\\w*)\\??: boolean\\b`),
]

const misspelled = (line: string) => PATTERNS.some((pattern) => pattern.test(line))

t.test('a boolean is written is_so, a function that returns one isSo', async (t) => {
  const found: string[] = []
  for (const folder of ['src', 'plugins', 'routes', 'cli', 'workers']) {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const lines = readFileSync(join(folder, file), 'utf8').split('\n')
      found.push(...lines.filter(misspelled).map((line) => `${folder}/${file}: ${line.trim()}`))
    }
  }
  t.strictSame(found, [])
})

t.test('what counts as a boolean', async (t) => {
  for (const line of ['const isOld = a === b', 'let hasOne = ids.has(id)', 'readonly isLate: boolean']) {
    t.ok(misspelled(line), line)
  }
  for (const line of [
    'const is_old = a === b',
    'const isOld = (at: number) => at === 0',
    'isLive(at): boolean',
  ]) {
    t.notOk(misspelled(line), line)
  }
})
