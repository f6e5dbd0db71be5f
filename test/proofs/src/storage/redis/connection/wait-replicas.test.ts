// REDIS_WAIT_REPLICAS: a write succeeds only if enough Redis replicas have it.

import t, { type Test } from 'tap'
import { readConfig } from '../../../../../../src/config/config.ts'
import type { RedisLocation } from '../../../../../../src/config/redis-location.ts'
import { newFamilyId, newToken } from '../../../../../../src/core/token-string.ts'
import { answerOnce } from '../../../../../../src/interaction/answered.ts'
import { openStorage } from '../../../../../../src/service/open-storage.ts'
import { queueLogouts } from '../../../../../../src/sessions/logout-queue.ts'
import { changeSession, createSession, takeSession } from '../../../../../../src/sessions/session-store.ts'
import type { Storage } from '../../../../../../src/storage/storage.ts'
import { redeemCode } from '../../../../../../src/tokens/token-families.ts'
import { pendingOf } from '../../../../../support/contract/answered-contract.ts'
import { NOTICE } from '../../../../../support/contract/logout-contract.ts'
import { SILENT } from '../../../../../support/contract/redis-subject.ts'
import { session } from '../../../../../support/contract/session-contract.ts'
import { CODE, issueCode, newRefreshToken, readToken } from '../../../../../support/contract/subject.ts'
import { useRefreshToken } from '../../../../../support/contract/use-refresh-token.ts'
import {
  createClient,
  issueClientToken,
  readClient,
  saveCode,
  saveRevokedToken,
} from '../../../../../support/records.ts'
import {
  type RedisServer,
  startCluster,
  startRedis,
  startReplica,
  startSentinel,
} from '../../../../../support/redis-server.ts'
import { open, unavailable, writable } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

const FEWER = { message: 'fewer replicas than REDIS_WAIT_REPLICAS have it' }
const TOKEN = { type: 'access_token', client_id: 'app', subject: '', scope: '' } as const

/** A kind of Redis, and its replicas. */
interface Place {
  location: RedisLocation
  replicas: readonly RedisServer[]
}

const PLACES: Record<string, (t: Test) => Promise<Place>> = {
  async 'one master'(t) {
    const master = await startRedis(t, { args: ['--repl-diskless-sync-delay', '0'] })
    return { location: { kind: 'single', url: master.url }, replicas: [await startReplica(t, master)] }
  },
  async Sentinel(t) {
    const { name, watchers, replicas } = await startSentinel(t)
    const sentinels = watchers.map(({ port }) => ({ host: '127.0.0.1', port }))
    return { location: { kind: 'sentinel', sentinels, name }, replicas }
  },
  async Cluster(t) {
    const { masters, replicas } = await startCluster(t, { replicas: 1 })
    const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
    return { location: { kind: 'cluster', nodes }, replicas }
  },
}

/** So many writes reach each of three masters: each one has a random slot. */
const WRITES = 32

/** Waits until the writes to every master are replicated. */
async function replicated(storage: Storage): Promise<void> {
  await writable(storage)
  await until('the replicas have all writes', async () => {
    try {
      for (let i = 0; i < WRITES; i++) await issueClientToken(storage)
      return true
    } catch {
      return false
    }
  })
}

function refreshing(grant: string, client_id: string) {
  return {
    client_id,
    allowed_scopes: CODE.scope,
    operation: newToken(grant),
    access_token: newToken(grant),
    access_token_ttl: 900,
    successor: newRefreshToken(grant),
    retry_window: 30,
  }
}

for (const [kind, start] of Object.entries(PLACES)) {
  t.test(`${kind}: a write that the replicas do not have fails`, async (t) => {
    const { location, replicas } = await start(t)
    const { storage } = open(t, location, 1)
    await replicated(storage)
    const { code, grant, attempt } = await issueCode(storage)
    const family = await issueCode(storage)
    const first = family.attempt('one')
    t.match(await redeemCode(storage, family.code, first), { outcome: 'ok' })
    const before = await storage.families.findToken(first.refresh_token)
    const asked = newFamilyId()
    const pending = pendingOf(asked)
    const answer = { code: newToken(asked), record: CODE, ttl: 60 }
    await createSession(storage, 'kept', session(), 60)

    for (const { pid } of replicas) process.kill(pid, 'SIGSTOP')
    const late = attempt('late')
    const refused = {
      redeemCode: () => redeemCode(storage, code, late),
      refresh: () => useRefreshToken(storage, first.refresh_token, refreshing(family.grant, CODE.client_id)),
      saveClientToken: () => issueClientToken(storage),
      saveCode: () => saveCode(storage, newToken(newFamilyId()), CODE, 60),
      saveRevokedToken: () =>
        saveRevokedToken(storage, newToken(newFamilyId()), TOKEN, new Date(Date.now() + 60_000)),
      revokeToken: () => storage.families.revokeToken(first.access_token),
      endGrant: () => storage.families.endFamily(newFamilyId(), 60),
      createSession: () => createSession(storage, 'new', session(), 60),
      joinSession: () => changeSession(storage, 'kept', { clients: ['app'] }),
      endSession: () => takeSession(storage, 'kept'),
      answerOnce: () => answerOnce({ storage, now: Date.now }, pending, answer),
      queueLogouts: () => queueLogouts(storage, [NOTICE]),
    }
    for (const [name, call] of Object.entries(refused)) await unavailable(t, { [name]: call })
    await Promise.all(
      Object.entries(refused).map(async ([name, call]) => {
        t.match(await call().catch((error: unknown) => error), FEWER, name)
      }),
    )
    const many = Array.from({ length: 8 }, () => unavailable(t, { saveClientToken: refused.saveClientToken }))
    await Promise.all(many)

    t.equal(await storage.families.findFamily(grant), undefined, 'the redemption is withdrawn')
    t.equal(await storage.families.findToken(late.access_token), undefined)
    t.strictSame(await storage.families.findToken(first.refresh_token), before, 'the refresh is withdrawn')

    for (const { pid } of replicas) process.kill(pid, 'SIGCONT')
    await replicated(storage)
    t.match(await redeemCode(storage, code, attempt('again')), { outcome: 'ok' }, 'the code was not spent')
    const again = refreshing(family.grant, CODE.client_id)
    t.match(
      await useRefreshToken(storage, first.refresh_token, again),
      { outcome: 'ok' },
      'the refresh token was not spent',
    )
    t.match(await readToken(storage, again.successor), { revoked: false })
    t.equal(await storage.families.revokeFamily(grant), 'ok')
  })
}

t.test('every write fails if REDIS_WAIT_REPLICAS exceeds the number of replicas', async (t) => {
  const { location } = await (PLACES['one master'] as (typeof PLACES)[string])(t)
  const { storage } = open(t, location, 2)
  await writable(storage)
  await t.rejects(saveCode(storage, newToken(newFamilyId()), CODE, 60), FEWER)
})

t.test('after a 503 a client can retry at once, at another replica of redmint', async (t) => {
  const redis = await startRedis(t)
  const location = { kind: 'single', url: redis.url } as const
  const careful = open(t, location, 1).storage
  const other = open(t, location).storage
  await Promise.all([writable(careful), writable(other)])
  for (let round = 0; round < 2; round += 1) {
    const { code, attempt } = await issueCode(other)
    await redis.cli('CONFIG', 'RESETSTAT')
    await t.rejects(redeemCode(careful, code, attempt('one')), FEWER)
    const stats = (await redis.cli('INFO', 'commandstats')).matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)
    const scripts = [...stats].reduce((sum, [, calls]) => sum + Number(calls), 0)
    t.equal(scripts, 2, 'run once and withdrawn once')
    t.match(await redeemCode(other, code, attempt('two')), { outcome: 'ok' })
  }
})

t.test('REDIS_WAIT_REPLICAS is read from the environment', async (t) => {
  const redis = await startRedis(t)
  const config = readConfig({ REDIS_URL: redis.url, REDIS_WAIT_REPLICAS: '1' })
  const storage = openStorage(config, SILENT)
  t.teardown(() => storage.close())
  await writable(storage)
  await t.rejects(saveCode(storage, newToken(newFamilyId()), CODE, 60), FEWER)
})

t.test('reads, client records and readiness do not wait for replicas', async (t) => {
  const redis = await startRedis(t)
  const { storage } = open(t, { kind: 'single', url: redis.url }, 1)
  await writable(storage)
  const pending = saveCode(storage, newToken(newFamilyId()), CODE, 60).catch((error: Error) => error)
  t.equal(await createClient(storage, 'app', { client_name: 'App' }), 'ok')
  t.strictSame(await readClient(storage, 'app'), { client_name: 'App' })
  t.match(await pending, FEWER)
  const connections = (await redis.cli('CLIENT', 'LIST')).matchAll(/name=redmint .* cmd=(\w+)/g)
  const last = [...connections].map(([, command]) => command)
  t.strictSame(last.sort(), ['hgetall', 'wait'], 'on a connection of their own')
})

t.test('after SCRIPT FLUSH the wait applies to the script that was sent again', async (t) => {
  const { location, replicas } = await (PLACES['one master'] as (typeof PLACES)[string])(t)
  const { storage } = open(t, location, 1)
  await replicated(storage)
  await replicated(storage)
  const master = location.kind === 'single' ? new URL(location.url).port : ''
  const [replica] = replicas
  if (replica === undefined) throw new TypeError()
  await replica.cli('-p', master, 'SCRIPT', 'FLUSH')
  process.kill(replica.pid, 'SIGSTOP')
  const calls = Array.from({ length: 4 }, () => issueClientToken(storage))
  for (const call of calls) await t.rejects(call, FEWER)
  process.kill(replica.pid, 'SIGCONT')
})

t.test('a write fails if its connection is replaced during the wait', async (t) => {
  const { location, replicas } = await (PLACES['one master'] as (typeof PLACES)[string])(t)
  const { storage } = open(t, location, 1)
  await replicated(storage)
  const port = location.kind === 'single' ? new URL(location.url).port : ''
  const [replica] = replicas
  if (replica === undefined) throw new TypeError()
  const { code, attempt } = await issueCode(storage)
  const first = attempt('one')
  process.kill(replica.pid, 'SIGSTOP')
  const redeemed = redeemCode(storage, code, first).catch((error: Error) => error)
  const cli = (...command: string[]) => replica.cli('-p', port, ...command)
  await until('the write waits', async () => / flags=b /.test(await cli('CLIENT', 'LIST')))
  await cli('CLIENT', 'KILL', 'TYPE', 'normal')
  t.match(await redeemed, { name: 'StorageUnavailable' })
  process.kill(replica.pid, 'SIGCONT')
  await replicated(storage)
  t.match(await redeemCode(storage, code, attempt('two')), { outcome: 'ok' }, 'the redemption was withdrawn')
})
