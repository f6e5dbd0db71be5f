// The command in its own process, on a real Redis.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { parseClient } from '../../../src/clients/record/client-record.ts'
import { type CommandResult, createCli, parsed } from '../../support/cli/run-cli.ts'
import { nodeArgs } from '../../support/process.ts'
import { startRedis } from '../../support/redis-server.ts'
import { redisStorage } from '../../support/redis-storage.ts'
import { untilAnswers } from '../../support/until.ts'

const CLI = nodeArgs('cli.ts')
const MANY = 2000

function start(REDIS_URL: string, args: readonly string[]) {
  return spawn(process.execPath, [...CLI, ...args], {
    env: { PATH: process.env.PATH, REDIS_URL, LOG_LEVEL: 'warn' },
  })
}

async function redmint(REDIS_URL: string, args: readonly string[], input = ''): Promise<CommandResult> {
  const child = start(REDIS_URL, args)
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}

t.test('the command on a real Redis', async (t) => {
  const redis = await startRedis(t)
  const { url } = redis

  await t.test('the server accepts a client that the command registered', async (t) => {
    const added = await redmint(url, ['client', 'add', 'web', '--redirect-uri', 'https://a.example/cb'])
    t.strictSame([added.code, added.stderr], [0, ''])
    const secret = /client_secret {2}(\S+)/.exec(added.stdout)?.[1] ?? ''
    const lines = (await redis.cli('HGETALL', 'redmint:client:web')).split('\n')
    const hash = Object.fromEntries(lines.flatMap((field, i) => (i % 2 ? [] : [[field, lines[i + 1] ?? '']])))
    t.match(parseClient('web', hash), {
      ok: true,
      record: {
        client_id: 'web',
        client_secret_hash: createHash('sha256').update(secret).digest('base64'),
        grant_types: ['authorization_code'],
      },
    })
    t.equal(await redis.cli('TTL', 'redmint:client:web'), '-1')
  })

  await t.test('a command waits for a Redis that is slow', async (t) => {
    await redis.cli('CLIENT', 'PAUSE', '4000', 'WRITE')
    t.match(await redmint(url, ['client', 'update', 'web', '--name', 'Web']), { code: 0, stderr: '' })
  })

  await t.test('exit code 1: a negative result', async (t) => {
    const again = await redmint(url, ['client', 'add', 'web', '--json'])
    t.strictSame([again.code, again.stdout], [1, ''])
    t.match(JSON.parse(again.stderr), { error: /already/ })
    await redis.cli('SET', 'redmint:client:odd', 'no hash')
    const odd = await redmint(url, ['client', 'show', 'odd'])
    t.match(odd, { code: 1, stderr: /a value that redmint did not write/ })
    t.notMatch(odd.stderr, /^ +at /m)
  })

  await t.test('exit code 2: usage and configuration', async (t) => {
    t.match(await redmint('', ['client', 'list']), { code: 2, stderr: /set REDIS_URL/ })
    const broken = await redmint('redis://a:b:c/x', ['client', 'list'])
    t.match(broken, { code: 2, stderr: /^ {2}REDIS_URL is not a valid URL: .*\n$/m })
    const odd = await redmint('redis://localhost/x', ['client', 'list'])
    t.match(odd, { code: 2, stderr: /^ {2}REDIS_URL must end with the port.*\n$/m })
  })

  await t.test('a token written by hand, and keys', async (t) => {
    const storage = redisStorage(t, { url })
    await untilAnswers(storage)
    const cli = createCli({ storage })
    const token = `${'g'.repeat(16)}.${'s'.repeat(43)}`
    const key = `redmint:token:{${'g'.repeat(16)}}.${'s'.repeat(43)}`
    const fields = `jti ${token} type access_token client_id web revoked false expires_at 2020-01-01T00:00:00Z`
    await redis.cli('HSET', key, ...fields.split(' '))
    const inspected = await cli.redmint(['token', 'inspect', token])
    t.match(inspected, { code: 1, stdout: /^Not accepted: it expired at 2020-01-01T00:00:00.000Z/ })
    t.equal((await cli.redmint(['token', 'revoke', token])).code, 0)
    t.equal(await redis.cli('HGET', key, 'revoked'), 'true')
    t.match(await cli.redmint(['keys', 'rotate']), { code: 1, stderr: /no signing keys yet/ })
  })

  await t.test('thousands of clients in one file, and a reader that closes the pipe early', async (t) => {
    const clients = Array.from({ length: MANY }, (_, index) => ({
      client_id: `c${index}`,
      is_public: false,
      grant_types: ['client_credentials'],
    }))
    const imported = await redmint(url, ['client', 'import', '-', '--json'], JSON.stringify(clients))
    t.match(parsed(imported), { total: MANY, created: MANY })
    t.equal(await redis.cli('DBSIZE'), String(MANY + 5))

    const child = start(url, ['client', 'import', '-', '--skip-existing', '--json'])
    child.stdin.end(JSON.stringify([...clients, { ...clients[0], client_id: 'last' }]))
    child.stdout.once('data', () => child.stdout.destroy())
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    t.strictSame([code, stderr], [0, ''])
    t.equal(await redis.cli('HGET', 'redmint:client:last', 'client_id'), 'last')
  })

  await t.test('exit code 3: the output cannot be written', async (t) => {
    const full = await open('/dev/full', 'w')
    const addUnseen = async (client_id: string, ...flags: string[]) => {
      const child = spawn(process.execPath, [...CLI, 'client', 'add', client_id, ...flags], {
        env: { PATH: process.env.PATH, REDIS_URL: url, LOG_LEVEL: 'warn' },
        stdio: ['ignore', full.fd, 'pipe'],
      })
      const [stderr, [code]] = await Promise.all([
        text(child.stderr ?? new PassThrough()),
        once(child, 'exit'),
      ])
      t.equal(code, 3)
      t.equal(await redis.cli('HGET', `redmint:client:${client_id}`, 'client_id'), client_id, 'is added')
      return stderr
    }
    const lost = /^The output cannot be written \(ENOSPC\)\. .*rotate-secret\.$/
    t.match((await addUnseen('unseen')).trimEnd(), lost)
    const { error, ...more } = JSON.parse(await addUnseen('unseen-json', '--json'))
    t.match(error, lost)
    t.same(more, {})
    await full.close()
  })

  await t.test('exit code 3: storage does not answer', async (t) => {
    await redis.stop()
    const child = start(url, ['client', 'list', '--json'])
    const exit = once(child, 'exit')
    const [stderr] = await Promise.all([text(child.stderr), text(child.stdout)])
    t.match(JSON.parse(stderr), {
      error:
        /^Storage cannot be used: Redis at 127\.0\.0\.1:\d+ is away: .*ECONNREFUSED\)\.\nNothing listens there: .*REDIS_URL/,
    })
    t.strictSame(await exit, [3, null])
  })
})
