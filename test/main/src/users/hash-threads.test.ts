import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as argon2 from '@node-rs/argon2'
import t from 'tap'
import { HashThreads } from '../../../../src/users/hash-threads.ts'
import { until } from '../../../support/until.ts'

const CHEAP = { memoryCost: 8192, timeCost: 1, parallelism: 1 }

/** How many threads of this process have a lower priority than others, as proc(5) tells. */
function lowered(): number {
  const nice = readdirSync('/proc/self/task').flatMap((id) => niceOf(id) ?? [])
  return nice.filter((value) => value === Math.min(...nice) + 10).length
}

/** The niceness of a thread; undefined if it ended meanwhile. */
function niceOf(id: string): number | undefined {
  try {
    const [, fields = ''] = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')
    return Number(fields.split(' ')[16])
  } catch {
    return undefined
  }
}

t.test('threads of low priority, one for each hash at the same time, compute the hashes', async (t) => {
  const threads = new HashThreads(60_000)
  t.equal(lowered(), 0)
  const [one, other] = await Promise.all([threads.hash('right', CHEAP), threads.hash('right', CHEAP)])
  t.not(one, other, 'each hash has its own salt')
  t.equal(lowered(), 2)
  t.ok(await argon2.verify(one, 'right'))
  t.notOk(await threads.verify(one, 'wrong'))
  t.ok(await threads.verify(other, 'right'))
  t.equal(lowered(), 2, 'they are used again')
  await t.rejects(threads.verify('no hash', 'right'), { message: /./ })
  t.ok(await threads.verify(one, 'right'), 'an error ends no thread')
})

t.test('a thread ends when it is idle', async (t) => {
  const before = lowered()
  const threads = new HashThreads(1)
  const hash = await threads.hash('right', CHEAP)
  await until('it has ended', () => lowered() === before)
  t.ok(await threads.verify(hash, 'right'), 'the next hash starts another one')
})

t.test('a process waits for its hashes, and not for idle threads', (t) => {
  const program = `
    const { HashThreads } = await import(${JSON.stringify(String(new URL('../../../../src/users/hash-threads.ts', import.meta.url)))})
    console.log(await new HashThreads(600_000).hash('right', ${JSON.stringify(CHEAP)}))`
  const typescript = fileURLToPath(new URL('../../../../scripts/typescript.mjs', import.meta.url))
  const { stdout, stderr, signal } = spawnSync(
    process.execPath,
    ['--import', typescript, '--input-type=module'],
    {
      input: program,
      encoding: 'utf8',
      timeout: 60_000,
    },
  )
  t.match(stdout, /^\$argon2id\$/, stderr)
  t.equal(signal, null, 'it ended by itself')
  t.end()
})
