// Each kind of Redis outage fails as StorageUnavailable within a second, and storage recovers by itself.

import t, { type Test } from 'tap'
import { SILENT } from '../../../../../../src/core/log.ts'
import { newFamilyId, newToken } from '../../../../../../src/core/token-string.ts'
import { answerOnce } from '../../../../../../src/interaction/answered.ts'
import { useOnce } from '../../../../../../src/interaction/use-once.ts'
import { claimLogouts, queueLogouts } from '../../../../../../src/sessions/logout-queue.ts'
import {
  changeSession,
  createSession,
  takeSession,
  useSession,
} from '../../../../../../src/sessions/session-store.ts'
import { StorageUnavailable } from '../../../../../../src/storage/errors.ts'
import { evidenceTag } from '../../../../../../src/storage/evidence.ts'
import type { Storage } from '../../../../../../src/storage/storage.ts'
import { redeemCode } from '../../../../../../src/tokens/token-families.ts'
import { USER } from '../../../../../../src/users/user-kind.ts'
import { pendingOf } from '../../../../../support/contract/answered-contract.ts'
import { EVIDENCE } from '../../../../../support/contract/evidence-contract.ts'
import { refreshing } from '../../../../../support/contract/family.ts'
import { NOTICE } from '../../../../../support/contract/logout-contract.ts'
import { session } from '../../../../../support/contract/session-contract.ts'
import { attempt, CODE, collect, issueCode, readToken } from '../../../../../support/contract/subject.ts'
import { useRefreshToken } from '../../../../../support/contract/use-refresh-token.ts'
import {
  changeClient,
  createClient,
  createUser,
  listClients,
  readClient,
  readConsent,
  removeClient,
} from '../../../../../support/records.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import { startProxy } from '../../../../../support/storage/redis/connection/proxy.ts'
import { openAt, shown, unavailable, writable } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

/** Calls about one token: those that write, and those that only read. */
function someCalls(storage: Storage) {
  const grant = newFamilyId()
  const code = newToken(grant)
  const redemption = attempt(grant, 'one')
  const reads = {
    findToken: () => storage.families.findToken(code),
    readClient: () => readClient(storage, 'app'),
    listClients: () => collect(listClients(storage)),
    readSigningKeys: () => storage.signing_keys.read(),
    useSession: () => useSession(storage, 'id', 60),
    readConsent: () => readConsent(storage, 'alice', 'app'),
  }
  const writes = {
    probe: () => storage.probe(),
    saveClientToken: () => storage.families.saveClientToken({ token: code, client_id: 'app', scope: '' }, 60),
    createClient: () => createClient(storage, 'app', { client_name: 'App' }),
  }
  const uncertain = {
    redeemCode: () => redeemCode(storage, code, redemption),
    revokeToken: () => storage.families.revokeToken(code),
    removeClient: () => removeClient(storage, 'app'),
    endSession: () => takeSession(storage, 'id'),
    answerOnce: () => answerOnce({ storage, now: Date.now }, pendingOf(grant)),
  }
  const secrets = [code, redemption.access_token, redemption.refresh_token].map((token) => token.slice(17))
  return { reads, writes, all: { ...reads, ...writes, ...uncertain }, secrets }
}

/** Stops this process for longer than a command waits for its reply. */
function standStill() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
}

/** A working storage on a Redis of its own, and its log. */
async function working(t: Test) {
  const redis = await startRedis(t)
  const opened = openAt(t, redis.url)
  await writable(opened.storage)
  return { redis, ...opened, calls: someCalls(opened.storage) }
}

/** Checks that storage recovers by itself, and that the log reports the outage once and shows no secret. */
async function recovered(t: Test, { storage, lines, calls }: Awaited<ReturnType<typeof working>>) {
  await writable(storage)
  const { code, attempt } = await issueCode(storage)
  t.match(await redeemCode(storage, code, attempt('one')), { outcome: 'ok' })
  const texts = lines.map(({ message }) => message)
  for (const text of new Set(texts.filter((line) => line.includes('is away')))) {
    t.equal(texts.filter((line) => line === text).length, 1, `logged once: ${text}`)
  }
  for (const secret of calls.secrets) t.notOk(shown(lines).includes(secret), 'the log holds no secret')
}

t.test('no server at the start makes storage unavailable until there is one', async (t) => {
  const redis = await startRedis(t)
  await redis.stop()
  const { storage, lines, texts } = openAt(t, redis.url)
  const calls = someCalls(storage)
  await unavailable(t, { probe: () => storage.probe() })
  await unavailable(t, calls.all, calls.secrets)
  await t.rejects(storage.probe(), { message: 'no connection (ECONNREFUSED)' })
  await redis.restart()
  await recovered(t, { redis, storage, lines, texts, calls })
  t.strictSame(texts(), [
    `warn Redis at 127.0.0.1:${redis.port} is away: no connection (ECONNREFUSED). Nothing listens there: start Redis, or correct REDIS_URL.`,
    `info Redis at 127.0.0.1:${redis.port} is connected.`,
  ])
})

t.test('storage recovers after the server was killed, twice', async (t) => {
  const state = await working(t)
  const { redis, storage, lines, calls } = state
  for (let round = 0; round < 2; round += 1) {
    lines.length = 0
    await redis.stop()
    await unavailable(t, calls.all, calls.secrets)
    await redis.restart()
    await recovered(t, state)
  }
  t.equal(await createClient(storage, 'app', { client_name: 'App' }), 'ok')
})

t.test('a suspended server makes storage unavailable', async (t) => {
  const state = await working(t)
  const { redis, calls, texts } = state
  const { pid } = redis
  process.kill(pid, 'SIGSTOP')
  await Promise.all(
    Object.entries(calls.all).map(([name, call]) => unavailable(t, { [name]: call }, calls.secrets)),
  )
  await unavailable(t, calls.all, calls.secrets)
  t.match(texts().at(1), /^warn .* is away: no answer in time\. It hangs/)
  process.kill(pid, 'SIGCONT')
  await recovered(t, state)
})

t.test('a process that stood still gets the replies that came meanwhile', async (t) => {
  const { calls, texts } = await working(t)
  const told = texts().length
  const asked = Object.values({ ...calls.reads, ...calls.writes }).map((call) => call())
  // The commands leave at the end of this turn of the event loop.
  await new Promise(setImmediate)
  standStill()
  await Promise.all(asked)
  t.equal(texts().length, told, 'no outage is logged')
})

t.test('a new connection that hangs before its server is known is replaced', async (t) => {
  const redis = await startRedis(t)
  const proxy = await startProxy(t, redis, /\r\ninfo\r\n/i)
  // The first INFO is the one of the driver.
  proxy.treat(['pass', 'hang'])
  const { storage } = openAt(t, proxy.url)
  await writable(storage)
  t.equal(await readClient(storage, 'app'), undefined)
})

t.test('CLIENT PAUSE makes storage unavailable', async (t) => {
  const state = await working(t)
  await state.redis.cli('CLIENT', 'PAUSE', '2500', 'ALL')
  const { all, secrets } = state.calls
  await Promise.all(Object.entries(all).map(([name, call]) => unavailable(t, { [name]: call }, secrets)))
  await recovered(t, state)
})

const CONDITIONS: Record<string, { cause: string[]; cure: string[] }> = {
  READONLY: { cause: ['REPLICAOF', '127.0.0.1', '1'], cure: ['REPLICAOF', 'NO', 'ONE'] },
  OOM: { cause: ['CONFIG', 'SET', 'maxmemory', '1'], cure: ['CONFIG', 'SET', 'maxmemory', '0'] },
  NOREPLICAS: {
    cause: ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
    cure: ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
  },
}

for (const [condition, { cause, cure }] of Object.entries(CONDITIONS)) {
  t.test(`${condition}: a write that Redis refuses changes nothing`, async (t) => {
    const state = await working(t)
    const { redis, storage, calls } = state
    const { grant, code, attempt } = await issueCode(storage)
    const spent = await issueCode(storage)
    const first = spent.attempt('one')
    await redeemCode(storage, spent.code, first)
    await createClient(storage, 'old', { client_name: 'Old' })
    const late = attempt('late')
    const asked = newFamilyId()
    const pending = pendingOf(asked)
    const answer = { code: newToken(asked), record: CODE, ttl: 60 }
    await createSession(storage, 'kept', session(), 60)
    const proof = { ...EVIDENCE, ends_at: Date.now() + 60_000 }
    const [tag, other] = [evidenceTag(proof.account), evidenceTag('somebody else')]
    await storage.evidence.give('kept', proof)

    await redis.cli(...cause)
    // With a full memory these calls still succeed, because they need no more of it.
    const signingIn = {
      endSession: () => takeSession(storage, 'kept'),
      'use an unknown session': () => useSession(storage, 'unknown', 60),
      'join an unknown session': () => changeSession(storage, 'unknown', { clients: ['app'] }),
      'end an unknown session': () => takeSession(storage, 'unknown'),
    }
    if (condition !== 'OOM') await unavailable(t, signingIn)
    // A record that this node does not know may exist elsewhere.
    await unavailable(t, {
      'read a proof': () => storage.evidence.read(tag, 'kept'),
      'read an unknown proof': () => storage.evidence.read(other, 'unknown'),
      'take a proof': () => storage.evidence.take(tag, 'kept', proof),
      'take a proof for something else': () => storage.evidence.take(tag, 'kept', { ...proof, step: 'x' }),
      'take an unknown proof': () => storage.evidence.take(other, 'unknown', proof),
      'redeem an unknown code': () => redeemCode(storage, newToken(grant), late),
      'refresh with an unknown token': () =>
        useRefreshToken(storage, newToken(grant), refreshing(grant, 'one')),
      'redeem for another client': () => redeemCode(storage, code, { ...late, client_id: 'other' }),
      'refresh for another client': () =>
        useRefreshToken(storage, first.refresh_token, {
          ...refreshing(spent.grant, 'one'),
          client_id: 'other',
        }),
      'revoke an unknown token': () => storage.families.revokeToken(newToken(grant)),
      'revoke an unknown grant': () => storage.families.revokeFamily(newFamilyId()),
    })
    await unavailable(
      t,
      {
        ...calls.writes,
        redeemCode: () => redeemCode(storage, code, late),
        replay: () => redeemCode(storage, spent.code, spent.attempt('two')),
        revokeGrant: () => storage.families.revokeFamily(spent.grant),
        endGrant: () => storage.families.endFamily(spent.grant, 60),
        'end a grant that does not exist yet': () => storage.families.endFamily(grant, 60),
        createSession: () => createSession(storage, 'new', session(), 60),
        joinSession: () => changeSession(storage, 'kept', { clients: ['app'] }),
        answerOnce: () => answerOnce({ storage, now: Date.now }, pending, answer),
        queueLogouts: () => queueLogouts(storage, [NOTICE]),
        claimLogouts: () => claimLogouts({ queue: storage.queue, log: SILENT }, 1, 60),
        revokeToken: () => storage.families.revokeToken(first.access_token),
        changeClient: () => changeClient(storage, 'old', { set: { client_name: 'New' }, unset: [] }),
      },
      [...calls.secrets, code.slice(17), late.access_token.slice(17)],
    )
    await redis.cli(...cure)
    await writable(storage)
    t.equal(await storage.families.findFamily(grant), undefined)
    t.match(await useSession(storage, 'kept', 60), { clients: new Set() })
    t.equal(await answerOnce({ storage, now: Date.now }, pending, answer), 'ok', 'it was not answered')
    t.strictSame(await claimLogouts({ queue: storage.queue, log: SILENT }, 1, 60), [])
    t.match(await readToken(storage, first.access_token), { revoked: false })
    t.strictSame(await readClient(storage, 'old'), { client_name: 'Old' })
    t.match(await redeemCode(storage, code, late), { outcome: 'ok' }, 'the code was not spent')
    t.equal(await storage.evidence.take(tag, 'kept', proof), 'taken', 'nor was the proof')
    await recovered(t, state)
  })
}

t.test('MASTERDOWN: a replica that lost its master is unavailable', async (t) => {
  const state = await working(t)
  const { redis, calls } = state
  await redis.cli('CONFIG', 'SET', 'replica-serve-stale-data', 'no')
  await redis.cli('REPLICAOF', '127.0.0.1', '1')
  await unavailable(t, { ...calls.reads, ...calls.writes }, calls.secrets)
  await redis.cli('REPLICAOF', 'NO', 'ONE')
  await recovered(t, state)
})

t.test('BUSY: a script that does not end makes storage unavailable', async (t) => {
  const state = await working(t)
  const { redis, calls } = state
  await redis.cli('CONFIG', 'SET', 'lua-time-limit', '50')
  const endless = redis.cli('EVAL', 'while true do end', '0').catch(() => {})
  await until('Redis is busy', () =>
    redis.cli('PING').then(
      () => false,
      () => true,
    ),
  )
  await unavailable(t, calls.all, calls.secrets)
  await redis.cli('SCRIPT', 'KILL')
  await endless
  await recovered(t, state)
})

t.test('a wrong password is reported as WRONGPASS and never shown', async (t) => {
  const redis = await startRedis(t, { args: ['--requirepass', 'right'] })
  const { storage, lines } = openAt(t, redis.url.replace('//', '//:wrong-hush@'))
  await unavailable(t, { probe: () => storage.probe() }, ['hush'])
  await t.rejects(storage.probe(), { message: 'Redis answered WRONGPASS' })
  t.notMatch(shown(lines), 'hush')
  t.notMatch(storage.description, 'hush')
  await redis.cli('-a', 'right', '--no-auth-warning', 'CONFIG', 'SET', 'requirepass', 'wrong-hush')
  await writable(storage)
})

t.test(
  'after a lost reply the driver resends nothing; an operation is repeated with one result',
  async (t) => {
    const redis = await startRedis(t)
    const proxy = await startProxy(t, redis)
    const { storage } = openAt(t, proxy.url)
    await writable(storage)
    const { code, attempt } = await issueCode(storage)
    const first = attempt('one')
    await redis.cli('CONFIG', 'RESETSTAT')
    proxy.treat(['lose'])
    const token = newToken(newFamilyId())
    const saveClientToken = () => storage.families.saveClientToken({ token, client_id: 'app', scope: '' }, 60)
    await unavailable(t, { saveClientToken }, [token.slice(17)])
    await writable(storage)
    t.match(await redis.cli('INFO', 'commandstats'), /cmdstat_hset:calls=1,/)
    t.match(await readToken(storage, token), { revoked: false }, 'the write was executed')

    proxy.treat(['lose'])
    t.match(await redeemCode(storage, code, first), { outcome: 'ok' })
    t.match(await readToken(storage, first.access_token), { revoked: false })
    t.match(
      await redeemCode(storage, code, first),
      { outcome: 'ok' },
      'repeating the same attempt later has the same result',
    )
    t.match(
      await redeemCode(storage, code, attempt('two')),
      { outcome: 'replayed' },
      'another attempt is a replay',
    )
  },
)

// CVE-2026-90997 (Keycloak): what was accepted once was accepted again after an answer that did not arrive.
t.test('what counts once counts at most once, also if the answer to the first use was lost', async (t) => {
  const redis = await startRedis(t)
  const proxy = await startProxy(t, redis, /\r\n(eval(sha)?|set|getdel|del)\r\n/i)
  const { storage } = openAt(t, proxy.url)
  await writable(storage)
  const context = { storage, now: Date.now }
  const tag = evidenceTag('alice')
  const evidence = { purpose: 'p', step: '', browser: '', value: '', account_state: 's' }
  const assertion = { kind: 'assertion', id: newToken(newFamilyId()), ttl: 60 } as const
  const give = async () => {
    const ends_at = Date.now() + 60_000
    await storage.evidence.give('d', { ...evidence, account: 'alice', created_at: ends_at - 60_000, ends_at })
    await createUser(storage, 'alice', { sub: 'a' })
  }
  const ONCE: Readonly<Record<string, () => Promise<boolean>>> = {
    'an answer, a challenge, a round': () => useOnce(context, 'test', 'text', 60),
    'a link, a ceremony': async () => (await storage.evidence.take(tag, 'd', evidence)) === 'taken',
    'a record that is taken': async () => (await storage.records.take(USER, 'alice')) !== undefined,
    'an assertion, a proof': async () => (await storage.families.useOnce([assertion], 'app')) === 'ok',
  }
  await give()
  for (const [what, use] of Object.entries(ONCE)) {
    proxy.treat(['lose'])
    const first = await use().catch((error) => (error instanceof StorageUnavailable ? 'unknown' : error))
    proxy.treat([])
    await writable(storage)
    t.ok(first === true || first === 'unknown', `${what}: ${first}`)
    for (const attempt of ['again', 'once more']) t.equal(await use(), false, `${what}, ${attempt}`)
  }
})
