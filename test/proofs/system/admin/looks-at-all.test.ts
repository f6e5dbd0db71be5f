// What is stored makes no request and no background work dearer: Redis itself says which commands it got, from every operation
// of the admin API and every worker of a server. Only `doctor`, `reindex`, `export` and the daily repair look at all keys.

import { readdir, readFile } from 'node:fs/promises'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { OPERATIONS } from '../../../../src/admin/operations.ts'
import { PollingWorker } from '../../../../src/core/worker.ts'
import { fitIndexes, listOf } from '../../../../src/storage/indexes.ts'
import { LIST_NAMES } from '../../../../src/storage/lists.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { rowOf, setStage } from '../../../support/admin/stage.ts'
import { startAdmin } from '../../../support/admin.ts'
import { type RedisServer, startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { until } from '../../../support/until.ts'

const ALL = Object.values(OPERATIONS)

const PREFIX = 'redmint:'
/** All that runs in the background is on. Nobody listens at these addresses. */
const EVERYTHING = {
  account_page: 'on',
  audit: 'on',
  audit_webhook_url: 'https://127.0.0.1:1/audit',
  audit_webhook_secret: `whsec_${'a'.repeat(44)}`,
  console: 'on',
  explain: { delay: 0 },
  mail_from: 'auth@example.com',
  ask_people: 'on',
  shared_signals: 'on',
  status_lists: 'on',
  sign_in: 'providers',
  sign_up: 'open',
  smtp_url: 'smtp://127.0.0.1:1',
} as const

const LOOKS_AT_KEYS = new Set(['scan', 'keys', 'randomkey'])
/** What grows with what is stored. */
const INDEXES = ['names', 'last-sign-ins', ...LIST_NAMES].map((name) => PREFIX + name)
const READS_WHOLE = new Set(['hgetall', 'hkeys', 'hvals', 'smembers', 'sort', 'hscan', 'sscan', 'zscan'])

/** Whether a command looks at all keys, or at the whole of an index. */
function looksAtAll([name = '', key = '', ...args]: readonly string[]): boolean {
  const command = name.toLowerCase()
  // One step, to learn whether Redis lets the server do it: SCAN 0 MATCH redmint:probe:… COUNT 1.
  if (command === 'scan' && args[1]?.startsWith(`${PREFIX}probe:`) && args.at(-1) === '1') return false
  if (LOOKS_AT_KEYS.has(command)) return true
  if (!INDEXES.some((index) => key === index || key.startsWith(`${index}:`))) return false
  if (READS_WHOLE.has(command)) return true
  const is_part = args.some((arg) => /^limit$/i.test(arg)) || !/^zr(ev)?range/.test(command)
  return !is_part && args[1] === '-1'
}

/** Notes the commands that Redis gets, those of scripts as well. */
async function startMonitor(t: Test, redis: RedisServer) {
  const client = new Redis(redis.url)
  const monitor = await client.monitor()
  t.teardown(() => {
    monitor.disconnect()
    client.disconnect()
  })
  const seen: string[][] = []
  monitor.on('monitor', (_time, command: string[]) => seen.push(command))
  let marks = 0
  /** Returns the commands since the last call. */
  return async (): Promise<string[][]> => {
    marks += 1
    const mark = `mark ${marks}`
    await client.echo(mark)
    const at = () => seen.findIndex(([, argument]) => argument === mark)
    await until('MONITOR has reported all commands', () => at() >= 0)
    return seen.splice(0, at() + 1)
  }
}

/** How many files of `src/` have a worker: each has one, but for what two couriers share. */
async function countWorkers(): Promise<number> {
  let count = 0
  for (const file of await readdir('src', { recursive: true })) {
    if (!file.endsWith('.ts')) continue
    if (
      /^export class (?!NoticeCourier).* extends (PollingWorker|NoticeCourier)\b/m.test(
        await readFile(`src/${file}`, 'utf8'),
      )
    )
      count += 1
  }
  return count
}

t.test('Redis gets no look at all keys by an operation or a worker', async (t) => {
  const redis = await startRedis(t)
  // Before others use Redis: the driver takes no commands of others together with its answer.
  const commandsSince = await startMonitor(t, redis)
  const storage = redisStorage(t, redis, PREFIX)
  const workers = new Set<PollingWorker>()
  const { start } = PollingWorker.prototype
  PollingWorker.prototype.start = function (this: PollingWorker) {
    workers.add(this)
    start.call(this)
  }
  t.teardown(() => {
    PollingWorker.prototype.start = start
  })
  // As in the first minutes after a first start: the repair, which may look, has not begun.
  const index_timing = { delay: 0.01, first_look: 86_400, look: 86_400 }
  const { call, tokenOf } = await startAdmin(t, { ...EVERYTHING, storage, index_timing })
  const running = new Set([...workers].map((worker) => worker.constructor))
  t.equal(running.size, await countWorkers(), 'each worker of src/ runs')

  const found: string[] = []
  let commands = 0
  const note = async (what: string) => {
    const some = await commandsSince()
    commands += some.length
    found.push(...some.filter(looksAtAll).map((command) => `${what}: ${command.join(' ')}`))
  }
  await note('the start')
  for (const operation of ALL) {
    const { method, name, needs } = operation
    const { path, body, refused } = rowOf(operation)
    const token = await tokenOf('redmint:read', 'redmint:write')
    await setStage({ storage })
    const etag = needs?.version ? (await call('GET', path, { token })).headers.etag : undefined
    const headers = etag === undefined ? {} : { 'if-match': String(etag) }
    const { status, text } = await call(method, path, { token, body, headers })
    t.ok(status < 300 || refused !== undefined, `${name}: ${status} ${text}`)
    for (const worker of workers) worker.wake()
    await until('servers have ended what it ends', async () => (await storage.queue.size('endings')) === 0)
    await note(name)
  }
  t.same(found, [])
  t.ok(commands > 10 * ALL.length, `${commands} commands were seen`)

  await fitIndexes(storage, [listOf(storage, USER)])
  t.ok((await commandsSince()).some(looksAtAll), 'a look is seen')
})
