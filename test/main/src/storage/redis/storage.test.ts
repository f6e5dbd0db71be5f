import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { CLIENT } from '../../../../../src/clients/record/client-kind.ts'
import { newFamilyId, newToken } from '../../../../../src/core/token-string.ts'
import { StorageUnavailable } from '../../../../../src/storage/errors.ts'
import { redeemCode } from '../../../../../src/tokens/token-families.ts'
import { USER } from '../../../../../src/users/user-kind.ts'
import { signInCalls } from '../../../../support/contract/calls.ts'
import { attempt, CODE, collect, issueCode, readToken } from '../../../../support/contract/subject.ts'
import {
  changeClient,
  createClient,
  createUser,
  isWatching,
  listClients,
  readClient,
  readUser,
  removeClient,
  removeUser,
  saveCode,
  watchClients,
} from '../../../../support/records.ts'
import { type RedisServer, startRedis } from '../../../../support/redis-server.ts'
import { openAt, PREFIX, shown, writable } from '../../../../support/storage/redis/support.ts'
import { until } from '../../../../support/until.ts'

const OWN_TOKEN = { client_id: 'app', scope: '' }

t.test('every call is one command, and those that keep a list in order take a few more', async (t) => {
  const redis = await startRedis(t)
  const { storage } = openAt(t, redis.url)
  await writable(storage)
  const monitor = await startMonitor(t, redis)
  const { grant, code } = await issueCode(storage)
  const first = attempt(grant, 'one')
  const token = newToken(newFamilyId())
  const calls: Record<string, () => Promise<unknown>> = {
    probe: () => storage.probe(),
    createClient: () => createClient(storage, 'app', { client_name: 'App' }),
    readClient: () => readClient(storage, 'app'),
    changeClient: () => changeClient(storage, 'app', { set: { a: '1' }, unset: ['b'] }),
    createUser: () => createUser(storage, 'alice', { sub: 'alice' }),
    readUser: () => readUser(storage, 'alice'),
    listPage: () => storage.records.page(USER, { limit: 10 }),
    saveCode: () => saveCode(storage, newToken(newFamilyId()), CODE, 60),
    redeemCode: () => redeemCode(storage, code, first),
    'redeemCode again': () => redeemCode(storage, code, first),
    'redeemCode replayed': () => redeemCode(storage, code, attempt(grant, 'two')),
    saveClientToken: () => storage.families.saveClientToken({ token, ...OWN_TOKEN }, 900),
    findToken: () => storage.families.findToken(token),
    revokeToken: () => storage.families.revokeToken(token),
    revokeGrant: () => storage.families.revokeFamily(grant),
    findGrant: () => storage.families.findFamily(grant),
    readSigningKeys: () => storage.signing_keys.read(),
    replaceSigningKeys: () => storage.signing_keys.replace({}, { kid: 'key' }),
    ...signInCalls(storage),
    removeClient: () => removeClient(storage, 'app'),
    removeUser: () => removeUser(storage, 'alice'),
  }
  const listed = { createClient: 2, createUser: 2, removeClient: 3, removeUser: 3, listPage: 2 }
  const expected: Record<string, number> = listed
  for (const round of ['first', 'second']) {
    for (const [name, call] of Object.entries(calls)) {
      const { length, 0: command } = await monitor(call)
      t.equal(length, expected[name] ?? 1, `${name} in the ${round} round: ${command}`)
    }
  }
  for (const call of [
    () => storage.families.findToken('no token string'),
    () => storage.families.endFamily('no grant', 60),
  ]) {
    t.strictSame(await monitor(call), [], 'a key that cannot exist is not looked up')
  }
})

t.test('records are listed with SCAN, never with KEYS', async (t) => {
  const redis = await startRedis(t)
  const { storage } = openAt(t, redis.url)
  await writable(storage)
  const monitor = await startMonitor(t, redis)
  await createClient(storage, 'one', { client_name: 'One' })
  await createClient(storage, 'two', { client_name: 'Two' })
  const commands = await monitor(() => collect(listClients(storage)))
  t.strictSame(commands.sort(), ['hgetall', 'hgetall', 'scan'])
})

t.test('of replicas on one Redis only one redeems a code', async (t) => {
  const redis = await startRedis(t)
  const storages = [1, 2, 3].map(() => openAt(t, redis.url).storage)
  await Promise.all(storages.map(writable))
  const [storage] = storages
  if (storage === undefined) throw new TypeError()
  const { code, attempt } = await issueCode(storage)
  const attempts = Array.from({ length: 48 }, (_, i) => attempt(`operation ${i}`))
  const results = await Promise.all(
    attempts.map((redemption, i) => redeemCode(storages[i % 3] ?? storage, code, redemption)),
  )
  t.equal(results.filter((result) => result?.outcome === 'ok').length, 1)
  t.equal(results.filter((result) => result?.outcome === 'replayed').length, 47)
  const winner = attempts[results.findIndex((result) => result?.outcome === 'ok')]
  t.match(await readToken(storage, winner?.access_token ?? ''), { revoked: true })
})

t.test('a key of a wrong Redis type is an error, not an outage', async (t) => {
  const redis = await startRedis(t)
  const { storage } = openAt(t, redis.url)
  await writable(storage)
  const token = newToken(newFamilyId())
  const key = `${PREFIX}token:{${token.slice(0, 16)}}${token.slice(16)}`
  await redis.cli('SET', `${PREFIX}client:app`, 'text')
  await redis.cli('SET', key, 'text')
  const signingIn = { ...signInCalls(storage) }
  for (const name of ['session:id', 'consent:alice:app', 'logouts', 'failures:name']) {
    await redis.cli('SET', `${PREFIX}${name}`, 'text')
  }
  for (const [name, kind] of Object.entries({
    createSession: 'session',
    useSession: 'session',
    joinSession: 'session',
    endSession: 'session',
    readConsent: 'consent',
    saveConsent: 'consent',
    queueLogouts: 'logouts',
    claimLogouts: 'logouts',
    finishLogout: 'logouts',
    putOffLogout: 'logouts',
  })) {
    const error = await signingIn[name as 'useSession']().catch((reason: unknown) => reason)
    t.match(error, { message: `Redis answered WRONGTYPE about ${kind}` }, name)
    t.notOk(error instanceof StorageUnavailable)
  }
  t.strictSame(await redis.cli('GET', `${PREFIX}session:id`), 'text', 'the key is left unchanged')
  for (const call of [
    () => readClient(storage, 'app'),
    () => changeClient(storage, 'app', { set: { a: '1' }, unset: [] }),
    () => storage.families.findToken(token),
    () => storage.families.revokeToken(token),
    () => storage.families.saveClientToken({ token, ...OWN_TOKEN }, 60),
  ]) {
    const error = await call().catch((reason: unknown) => reason)
    t.match(error, {
      message: /^Redis answered WRONGTYPE about (client|token|token, (grant, )?grant-tokens): look/,
    })
    t.notOk(error instanceof StorageUnavailable)
    t.notOk(shown(error).includes(token.slice(17)))
  }
  t.strictSame(await collect(listClients(storage)), [], 'lists skip the key')
  t.strictSame(await collect(storage.records.scan(CLIENT)), [])
  const misfits: string[] = []
  t.strictSame(await collect(storage.records.list(CLIENT, (id) => misfits.push(id))), [])
  t.strictSame(misfits, ['app'], 'or tell of it')
  await createClient(storage, 'other', { client_name: 'Other' })
  t.equal((await collect(listClients(storage))).length, 1)
})

t.test('calls right after opening wait for the connection', async (t) => {
  const redis = await startRedis(t)
  const { storage, texts } = openAt(t, redis.url)
  t.equal(await createClient(storage, 'app', { client_name: 'App' }), 'ok')
  t.strictSame(texts(), [`info Redis at 127.0.0.1:${redis.port} is connected.`])
})

t.test('connects through a Unix domain socket', async (t) => {
  const path = join(await mkdtemp(join(tmpdir(), 'redmint-socket-')), 'redis.sock')
  t.teardown(() => rm(dirname(path), { recursive: true }))
  await startRedis(t, { args: ['--unixsocket', path] })
  const { storage } = openAt(t, `unix://${path}`)
  watchClients(storage, { changed() {}, allChanged() {} })
  t.equal(await createClient(storage, 'app', { client_name: 'App' }), 'ok')
  await until('changes are reported', () => isWatching(storage))
})

t.test('close leaves no connection open', async (t) => {
  const redis = await startRedis(t)
  const { storage } = openAt(t, redis.url)
  watchClients(storage, { changed() {}, allChanged() {} })
  await until('changes are reported', () => isWatching(storage))
  await storage.probe()
  t.match(await redis.cli('CLIENT', 'LIST'), /name=redmint .*\n(.*\n)*.*name=redmint-watch /)
  await storage.close()
  t.notOk(isWatching(storage))
  await until('both connections are closed', async () => !/redmint/.test(await redis.cli('CLIENT', 'LIST')))
  await storage.close()
})

t.test('a process exits by itself after it closed its storage', async (t) => {
  const redis = await startRedis(t)
  for (const url of [redis.url, 'redis://127.0.0.1:1']) {
    const program = `
      import { RedisKeys } from './src/storage/redis/keys.ts'
      import { openRedis } from './src/storage/redis/storage.ts'
      const log = { info() {}, warn() {}, error() {} }
      const storage = openRedis({ kind: 'single', url: '${url}' }, new RedisKeys('redmint:'), log)
      storage.changes.watch({ name: 'client' }, { changed() {}, allChanged() {} })
      await storage.probe().catch(() => {})
      await storage.close()`
    const args = ['--import=tsx', '--input-type=module', '--eval', program]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    t.equal(await new Promise((resolve) => child.once('exit', resolve)), 0, url)
  }
})

/** Collects the commands that clients send during a call; commands that scripts run are not counted. */
async function startMonitor(t: Test, redis: RedisServer) {
  const client = new Redis(redis.url)
  const monitor = await client.monitor()
  t.teardown(() => {
    monitor.disconnect()
    client.disconnect()
  })
  let seen: string[][] = []
  monitor.on('monitor', (_time, command: string[], source: string) => {
    if (source !== 'lua') seen.push(command)
  })
  const marked = async (text: string) => {
    await client.echo(text)
    await until('MONITOR has reported all commands', () => seen.some(([, argument]) => argument === text))
    return seen.findIndex(([, argument]) => argument === text)
  }
  return async (call: () => Promise<unknown>): Promise<string[]> => {
    seen = []
    const first = await marked('before')
    await call()
    return seen.slice(first + 1, await marked('after')).map(([name = '']) => name)
  }
}
