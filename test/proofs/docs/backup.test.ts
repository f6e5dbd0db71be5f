// Runs the commands of docs/backup.md, but for the port: copies of a running Redis, restored into an empty one.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { blocks, readText, section } from '../../support/markdown.ts'
import { paste, REDMINT } from '../../support/paste.ts'
import { freePort } from '../../support/process.ts'
import { startRedis } from '../../support/redis-server.ts'

const PAGE = await readText('docs/backup.md')
const commands = (heading: string) => blocks(section(PAGE, heading), 'sh').join('\n')

const ENVIRONMENT = { ISSUER: 'https://auth.example.com', NODE_ENV: 'production', LOG_LEVEL: 'warn' }

/** Follows a section: a user is in the copy, one who is added since is not, and the mark is set. */
async function follow(t: Test, heading: string, args: readonly string[] = []) {
  const redis = await startRedis(t, { args })
  const folder = t.testdir({})
  t.teardown(async () => {
    const pid = await readFile(join(folder, 'restored', 'redis.pid'), 'utf8').catch(() => '')
    if (pid !== '') process.kill(Number(pid), 'SIGKILL')
  })
  const port = String(await freePort())
  const [copy = '', restore = '', ...more] = blocks(section(PAGE, heading), 'sh')
  t.strictSame([copy === '', restore === '', more.length], [false, false, 0])
  const [, REDIS_DIR = ''] = (await redis.cli('CONFIG', 'GET', 'dir')).split('\n')
  const add = (name: string) => `REDIS_URL=${redis.url} redmint user add ${name} < /dev/null`
  const here = (text: string) => text.replace(/\b6390\b/g, port)
  const shell = await paste(
    t,
    [
      ...[REDMINT, `cd '${folder}'`, add('alice'), copy, add('bob'), here(restore)],
      ...[here(commands('After a restore')), `REDIS_URL=redis://127.0.0.1:${port} redmint user list --json`],
      `redis-cli -p ${port} GET no-such-key`,
    ].join('\n'),
    { ...ENVIRONMENT, REDIS_URL: redis.url, REDIS_DIR: REDIS_DIR.trim() },
  )
  const { code } = await shell.ended
  t.equal(code, 0, shell.stderr)
  t.match(shell.stdout, /The restore mark is /)
  t.match(shell.stdout, /"username": ?"alice"/)
  t.notMatch(shell.stdout, /"username": ?"bob"/)
  return { redis, port, shell }
}

t.test('a file is copied and restored', async (t) => {
  const { shell } = await follow(t, 'A file')
  t.match(shell.stdout, /RDB looks OK/)
})

t.test('the append-only log is copied and restored', async (t) => {
  await follow(t, 'The append-only log', ['--appendonly', 'yes'])
})
