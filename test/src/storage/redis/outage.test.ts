// Redis trouble of every kind: told as such within a second, and over when the trouble is over.
import t, { type Test } from 'tap'
import { newGrantId, newToken } from '../../../../src/core/token-string.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'
import { refreshing } from '../../../system/contract/family.ts'
import { NOTICE } from '../../../system/contract/logout-contract.ts'
import { PENDING } from '../../../system/contract/pending-contract.ts'
import { session } from '../../../system/contract/session-contract.ts'
import { attempt, CODE, collect, issueCode, readToken } from '../../../system/contract/subject.ts'
import { startProxy } from './proxy.ts'
import { openAt, shown, unavailable, writable } from './support.ts'

const TOKEN = { type: 'access_token', client_id: 'app', subject: '', scope: '' } as const

/** Calls that write and calls that only read, about one token. */
function someCalls(storage: Storage) {
  const grant = newGrantId()
  const code = newToken(grant)
  const redemption = attempt(grant, 'one')
  const reads = {
    findToken: () => storage.findToken(code),
    readClient: () => storage.readClient('app'),
    listClients: () => collect(storage.listClients()),
    readSigningKeys: () => storage.readSigningKeys(),
    useSession: () => storage.useSession('id', 60),
    readPending: () => storage.readPending(code),
    readConsent: () => storage.readConsent('alice', 'app'),
  }
  const writes = {
    probe: () => storage.probe(),
    saveToken: () => storage.saveToken(code, TOKEN, 60),
    createClient: () => storage.createClient('app', { client_name: 'App' }),
  }
  const uncertain = {
    redeemCode: () => storage.redeemCode(code, redemption),
    revokeToken: () => storage.revokeToken(code),
    removeClient: () => storage.removeClient('app'),
    endSession: () => storage.endSession('id'),
    finishPending: () => storage.finishPending(code),
  }
  const secrets = [code, redemption.access_token, redemption.refresh_token].map((token) => token.slice(17))
  return { reads, writes, all: { ...reads, ...writes, ...uncertain }, secrets }
}

/** A storage that works, on a Redis of its own, and what it logs. */
async function working(t: Test) {
  const redis = await startRedis(t)
  const opened = openAt(t, redis.url)
  await writable(opened.storage)
  return { redis, ...opened, calls: someCalls(opened.storage) }
}

/** Checks that storage works again, by itself, and that the log told of the trouble once and of no secret. */
async function recovered(t: Test, { storage, lines, calls }: Awaited<ReturnType<typeof working>>) {
  await writable(storage)
  const { code, attempt } = await issueCode(storage)
  t.match(await storage.redeemCode(code, attempt('one')), { outcome: 'ok' })
  const texts = lines.map(({ message }) => message)
  for (const text of new Set(texts.filter((line) => line.includes('is away')))) {
    t.equal(texts.filter((line) => line === text).length, 1, `said once: ${text}`)
  }
  for (const secret of calls.secrets) t.notOk(shown(lines).includes(secret), 'the log holds no secret')
}

t.test('nobody listens, from the start', async (t) => {
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
    `warn Redis at 127.0.0.1:${redis.port} is away: no connection (ECONNREFUSED).`,
    `info Redis at 127.0.0.1:${redis.port} is connected.`,
  ])
})

t.test('the server is killed, twice', async (t) => {
  const state = await working(t)
  const { redis, storage, lines, calls } = state
  for (let round = 0; round < 2; round += 1) {
    lines.length = 0
    await redis.stop()
    await unavailable(t, calls.all, calls.secrets)
    await redis.restart()
    await recovered(t, state)
  }
  t.equal(await storage.createClient('app', { client_name: 'App' }), 'ok')
})

t.test('the server hangs', async (t) => {
  const state = await working(t)
  const { redis, calls, texts } = state
  const { pid } = redis
  process.kill(pid, 'SIGSTOP')
  await Promise.all(
    Object.entries(calls.all).map(([name, call]) => unavailable(t, { [name]: call }, calls.secrets)),
  )
  await unavailable(t, calls.all, calls.secrets)
  t.match(texts().at(1), /^warn .* is away: no answer in time\.$/)
  process.kill(pid, 'SIGCONT')
  await recovered(t, state)
})

t.test('the server pauses its clients', async (t) => {
  const state = await working(t)
  await state.redis.cli('CLIENT', 'PAUSE', '2500', 'ALL')
  await unavailable(t, state.calls.all, state.calls.secrets)
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
  t.test(`${condition}: what cannot be written changes nothing`, async (t) => {
    const state = await working(t)
    const { redis, storage, calls } = state
    const { grant, code, attempt } = await issueCode(storage)
    const spent = await issueCode(storage)
    const first = spent.attempt('one')
    await storage.redeemCode(spent.code, first)
    await storage.createClient('old', { client_name: 'Old' })
    const late = attempt('late')
    const pending = newToken(newGrantId())
    await storage.createSession('kept', session(), 60)
    await storage.savePending(pending, PENDING, 60)

    await redis.cli(...cause)
    // What takes nothing more of a memory that is full is done there.
    const signingIn = {
      endSession: () => storage.endSession('kept'),
      'use a session that is unknown': () => storage.useSession('unknown', 60),
      'join a session that is unknown': () => storage.joinSession('unknown', 'app', ''),
      'end a session that is unknown': () => storage.endSession('unknown'),
      'read what is unknown': () => storage.readPending(newToken(grant)),
      'change what is unknown': () => storage.changePending(newToken(grant), {}),
      'finish what is unknown': () => storage.finishPending(newToken(grant)),
    }
    if (condition !== 'OOM') await unavailable(t, signingIn)
    // What is unknown here may be known elsewhere.
    await unavailable(t, {
      'redeem what is unknown': () => storage.redeemCode(newToken(grant), late),
      'refresh what is unknown': () => storage.refresh(newToken(grant), refreshing(grant, 'one')),
      'revoke what is unknown': () => storage.revokeToken(newToken(grant)),
      'revoke a grant that is unknown': () => storage.revokeGrant(newGrantId()),
    })
    await unavailable(
      t,
      {
        ...calls.writes,
        redeemCode: () => storage.redeemCode(code, late),
        replay: () => storage.redeemCode(spent.code, spent.attempt('two')),
        revokeGrant: () => storage.revokeGrant(spent.grant),
        endGrant: () => storage.endGrant(spent.grant, 60),
        'end a grant that is to come': () => storage.endGrant(grant, 60),
        createSession: () => storage.createSession('new', session(), 60),
        joinSession: () => storage.joinSession('kept', 'app', 'openid'),
        changePending: () => storage.changePending(pending, { chosen: 'sid' }),
        finishPending: () =>
          storage.finishPending(pending, { code: newToken(pending.slice(0, 16)), record: CODE, ttl: 60 }),
        queueLogouts: () => storage.queueLogouts([NOTICE]),
        claimLogouts: () => storage.claimLogouts(1, 60),
        revokeToken: () => storage.revokeToken(first.access_token),
        changeClient: () => storage.changeClient('old', { set: { client_name: 'New' }, unset: [] }),
      },
      [...calls.secrets, code.slice(17), late.access_token.slice(17)],
    )
    await redis.cli(...cure)
    await writable(storage)
    t.equal(await storage.findGrant(grant), undefined)
    t.match(await storage.useSession('kept', 60), { clients: new Map() })
    t.strictSame(await storage.readPending(pending), PENDING)
    t.strictSame(await storage.claimLogouts(1, 60), [])
    t.match(await readToken(storage, first.access_token), { revoked: false })
    t.strictSame(await storage.readClient('old'), { client_name: 'Old' })
    t.match(await storage.redeemCode(code, late), { outcome: 'ok' }, 'the code was not spent')
    await recovered(t, state)
  })
}

t.test('MASTERDOWN: a replica that lost its master is not believed', async (t) => {
  const state = await working(t)
  const { redis, calls } = state
  await redis.cli('CONFIG', 'SET', 'replica-serve-stale-data', 'no')
  await redis.cli('REPLICAOF', '127.0.0.1', '1')
  await unavailable(t, { ...calls.reads, ...calls.writes }, calls.secrets)
  await redis.cli('REPLICAOF', 'NO', 'ONE')
  await recovered(t, state)
})

t.test('BUSY: a script that does not end', async (t) => {
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

t.test('a wrong password is named, and not shown', async (t) => {
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
  'the driver sends no command again whose reply is lost; an operation is, and answers the same',
  async (t) => {
    const redis = await startRedis(t)
    const proxy = await startProxy(t, redis)
    const { storage } = openAt(t, proxy.url)
    await writable(storage)
    const { code, attempt } = await issueCode(storage)
    const first = attempt('one')
    await redis.cli('CONFIG', 'RESETSTAT')
    proxy.treat(['lose'])
    const token = newToken(newGrantId())
    await unavailable(t, { saveToken: () => storage.saveToken(token, TOKEN, 60) }, [token.slice(17)])
    await writable(storage)
    t.match(await redis.cli('INFO', 'commandstats'), /cmdstat_eval:calls=1,/)
    t.match(await readToken(storage, token), { revoked: false }, 'though it ran')

    proxy.treat(['lose'])
    t.match(await storage.redeemCode(code, first), { outcome: 'ok' })
    t.match(await readToken(storage, first.access_token), { revoked: false })
    t.match(await storage.redeemCode(code, first), { outcome: 'ok' }, 'and so does the same attempt later')
    t.match(await storage.redeemCode(code, attempt('two')), { outcome: 'replayed' }, 'and no other')
  },
)
