// Many users: what a move costs Redis for each of them, and that its memory does not grow with them.
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { Seen } from '../../../../cli/seen.ts'
import { countCommands } from '../../../support/command-counter.ts'
import { ROOT, run, TYPESCRIPT } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'

/** Of 4 KiB each: their file is larger than the memory of the command. */
const USERS = 25_000
const NAME = `Somebody ${'x'.repeat(4000)}`
/**
 * Commands for each user. An import looks twice, by four reads: for the record, the sub, a removed user and a namesake; it
 * holds the name while it looks at that once more, and at the factors, and writes the record, its sub and two lists. An export
 * reads the record and the factors, and here it has to make the list first, because no server keeps it.
 */
const MOST = { import: 16, export: 6 }
/** Commands of a run, however many users there are. */
const ONCE = 200
/**
 * MiB of memory for objects: less than the file of all users, and enough for the command itself. Node takes the room for
 * young objects from it; if that room is as large as by default, it does nothing but collect garbage.
 */
const MEMORY = ['--max-old-space-size=64', '--max-semi-space-size=2']

const HASH =
  '$argon2id$v=19$m=65536,t=3,p=4$LKeunDMsNHRdPHGiIW2vvQ$cAcQgU+xAVB3Sgcj2kCFKVFTNW93262MgV+pyOXYch8'

function fileOfUsers(): string {
  const lines = [JSON.stringify({ redmint_export: 1, exported_at: '2026-01-01T00:00:00Z' })]
  for (let i = 0; i < USERS; i++) {
    const id = `user-${String(i).padStart(6, '0')}`
    const fields = { sub: `sub-${i}`, password_hash: HASH, name: NAME }
    lines.push(JSON.stringify({ kind: 'user', id, fields }))
  }
  lines.push(JSON.stringify({ end: true, counts: { user: USERS } }))
  return `${lines.join('\n')}\n`
}

t.test(`${USERS} users`, { timeout: 900_000 }, async (t) => {
  const redis = await startRedis(t)
  const counter = await countCommands(t, redis.port)
  const file = join(t.testdir({}), 'users.ndjson')
  await writeFile(file, fileOfUsers())
  const redmint = async (...args: string[]) => {
    const environment = { REDIS_URL: counter.url, LOG_LEVEL: 'error' }
    const node = [...MEMORY, TYPESCRIPT, 'cli.ts', ...args]
    const { code } = await run(t, process.execPath, node, environment, ROOT).ended
    return { code, commands: counter.take() }
  }
  const first = await redmint('import', file)
  t.equal(first.code, 0)
  t.ok(
    first.commands.length < USERS * MOST.import + ONCE,
    `${first.commands.length / USERS} commands for each user`,
  )
  t.notOk(first.commands.includes('keys'), 'nothing blocks Redis')
  t.equal((await redis.cli('ZCARD', 'redmint:names:user')).trim(), String(USERS))

  const copy = join(t.testdirName, 'copy.ndjson')
  const exported = await redmint('export', copy)
  t.equal(exported.code, 0)
  t.ok(
    exported.commands.length < USERS * MOST.export + ONCE,
    `${exported.commands.length / USERS} commands for each user`,
  )
  t.notOk(exported.commands.includes('keys'))
  const lines = createInterface({ input: createReadStream(copy) })
  let count = 0
  let before = ''
  for await (const line of lines) {
    const { kind, id } = JSON.parse(line)
    if (kind !== 'user') continue
    count += 1
    if (!(before < id)) t.fail(`${id} comes after ${before}`)
    before = id
  }
  t.equal(count, USERS)

  const again = await redmint('import', copy)
  t.equal(again.code, 0)
  const scripts = again.commands.filter((command) => command === 'evalsha').length
  t.ok(scripts < 20, `a second import writes no record: ${scripts} scripts`)
})

t.test('names are remembered in a few bytes each', (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const held = () => {
    collect()
    return process.memoryUsage().arrayBuffers
  }
  const seen = new Seen()
  const count = 200_000
  const before = held()
  let twice = 0
  for (let i = 0; i < count; i++) if (seen.add(`user ${i}`)) twice += 1
  t.equal(twice, 0)
  t.ok(seen.add('user 0') && seen.add(`user ${count - 1}`))
  t.ok(held() - before < count * 36)
  t.ok(seen.add('user 1'), 'it is still there to be counted')
  t.end()
})
