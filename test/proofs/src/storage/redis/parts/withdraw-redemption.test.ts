// A redemption whose reply was lost is either confirmed or withdrawn completely.

import t from 'tap'
import { StorageUnavailable } from '../../../../../../src/storage/errors.ts'
import type { Storage } from '../../../../../../src/storage/storage.ts'
import type { CodeRedemption } from '../../../../../../src/tokens/token-families.ts'
import { redeemCode } from '../../../../../../src/tokens/token-families.ts'
import { liveOf, sameState, stateOf } from '../../../../../support/contract/family.ts'
import { CODE, issueCode } from '../../../../../support/contract/subject.ts'
import { saveCode } from '../../../../../support/records.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import {
  HELD,
  secretsOf,
  twoReplicas,
  UNHEARD,
} from '../../../../../support/storage/redis/parts/withdraw-support.ts'
import {
  open,
  openAt,
  PREFIX,
  shown,
  startSwitch,
  unavailable,
  writable,
} from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

const OK = { outcome: 'ok', code: CODE } as const
const server = await startRedis(t)

/** A code, the first attempt to redeem it, and a reader of its complete state. */
async function prepare(subject: Awaited<ReturnType<typeof twoReplicas>>, ttl = 60) {
  const { grant, code, attempt } = await issueCode(subject.other, CODE, ttl)
  const [first, second] = [attempt('first'), attempt('second')]
  const tokens = [first, second].flatMap((one) => [one.refresh_token, one.access_token])
  const state = () => stateOf({ storage: subject.other, redis: subject.redis }, { grant, code }, ...tokens)
  const redeem = (redemption: CodeRedemption) => (storage: Storage) => redeemCode(storage, code, redemption)
  const secrets = secretsOf(code, ...tokens)
  return { grant, code, attempt, first, second, tokens, state, redeem, secrets, operation: 'first' }
}
const tokensOf = ({ refresh_token, access_token }: { refresh_token: string; access_token: string }) => [
  refresh_token,
  access_token,
]

t.test('a redemption whose reply was lost once is sent again and confirmed', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, mark, operations } = subject
  const { grant, first, state, redeem, tokens } = await prepare(subject)
  const before = operations()
  proxy.treat(['lose'])
  t.strictSame(await redeem(first)(storage), OK)
  t.equal(operations() - before, 2, 'sent twice')
  t.strictSame(await liveOf(storage, tokens), tokensOf(first))
  t.equal(await mark(grant, 'first'), -2, 'not withdrawn')
  const told = await state()
  t.strictSame(await redeem(first)(storage), OK)
  sameState(t, await state(), told, 'another repetition changes nothing')
})

t.test('a redemption whose reply was lost twice is withdrawn: the code can be redeemed again', async (t) => {
  const subject = await twoReplicas(t, server)
  const { storage, other, mark, unheard } = subject
  const prepared = await prepare(subject)
  const { grant, first, second, state, redeem, tokens } = prepared
  const before = await state()
  await unheard(prepared, redeem(first), async () => {
    t.strictSame(await liveOf(other, tokens), tokensOf(first), 'Redis ran the redemption')
  })
  sameState(t, await state(), before, 'no token, no grant record, the original expiry of the code')
  const left = await mark(grant, 'first')
  t.ok(left > 0 && left <= 600_000, 'the withdrawal mark expires')
  await t.rejects(redeem(first)(other), StorageUnavailable, 'a repetition of the withdrawn attempt fails')
  sameState(t, await state(), before, 'the repetition changes nothing')
  t.strictSame(await redeem(second)(storage), OK, 'a new attempt succeeds')
  t.strictSame(await liveOf(other, tokens), tokensOf(second))
  const done = await state()
  await t.rejects(redeem(first)(other), StorageUnavailable)
  sameState(t, await state(), done, 'the withdrawn attempt does not count as a replay')
  t.strictSame(
    await redeem(prepared.attempt('third'))(storage),
    { outcome: 'replayed' },
    'any other attempt is a replay',
  )
})

t.test('a redemption is withdrawn after a lost connection is restored', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, other, withdrawn } = subject
  const { grant, first, second, state, redeem, tokens, secrets } = await prepare(subject)
  const before = await state()
  proxy.treat(['lose'], 'refuse')
  await unavailable(t, { redeem: () => redeem(first)(storage) }, secrets)
  t.strictSame(await liveOf(other, tokens), tokensOf(first))
  proxy.treat([])
  await withdrawn(grant, 'first')
  sameState(t, await state(), before, 'withdrawn after reconnecting')
  t.strictSame(await redeem(second)(storage), OK)
})

t.test('an operation that reaches Redis after its withdrawal changes nothing', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, other, withdrawn } = subject
  for (const when of [
    'before the next attempt',
    'after the next attempt',
    'after an attempt by another replica',
  ]) {
    const { grant, first, second, state, redeem, tokens, secrets } = await prepare(subject)
    const before = await state()
    proxy.treat(HELD)
    await unavailable(t, { redeem: () => redeem(first)(storage) }, secrets)
    await withdrawn(grant, 'first')
    sameState(t, await state(), before, 'the operation did not run')
    const late = async () => {
      const before = await state()
      await proxy.deliver()
      sameState(t, await state(), before, `no effect ${when}`)
    }
    if (when === 'before the next attempt') await late()
    t.strictSame(await redeem(second)(when.includes('replica') ? other : storage), OK)
    if (when !== 'before the next attempt') await late()
    t.strictSame(await liveOf(other, tokens), tokensOf(second))
  }
})

t.test('a withdrawal does not undo the redemption by another replica', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, other, withdrawn } = subject
  const { grant, first, second, state, redeem, tokens, secrets } = await prepare(subject)
  proxy.treat(['drop', 'drop'], 'drop')
  await unavailable(t, { redeem: () => redeem(first)(storage) }, secrets)
  t.strictSame(await redeem(second)(other), OK)
  const before = await state()
  proxy.treat([])
  await withdrawn(grant, 'first')
  sameState(t, await state(), before, 'only the first attempt is withdrawn')
  t.strictSame(await liveOf(other, tokens), tokensOf(second))
})

for (const [how, revoke] of Object.entries({
  'a replay': async (storage, { code, attempt }) =>
    t.strictSame(await redeemCode(storage, code, attempt('replay')), { outcome: 'replayed' }),
  'a revocation': async (storage, { grant }) => t.equal(await storage.families.revokeFamily(grant), 'ok'),
  'a revoked refresh token': async (storage, { first }) =>
    t.equal(await storage.families.revokeToken(first.refresh_token), 'ok'),
} satisfies Record<
  string,
  (storage: Storage, prepared: Awaited<ReturnType<typeof prepare>>) => Promise<unknown>
>)) {
  t.test(`a withdrawal does not undo ${how} that happened in between`, async (t) => {
    const subject = await twoReplicas(t, server)
    const { storage, other, unheard } = subject
    const prepared = await prepare(subject)
    const { grant, first, second, state, redeem, tokens } = prepared
    let revoked: Awaited<ReturnType<typeof state>> | undefined
    await unheard(prepared, redeem(first), async (other) => {
      await revoke(other, prepared)
      revoked = await state()
    })
    if (revoked) sameState(t, await state(), revoked, 'the withdrawal changes nothing')
    t.match(await other.families.findFamily(grant), { status: 'revoked' })
    t.match(await other.families.findToken(first.refresh_token), { revoked: 'true' })
    t.strictSame(await redeem(second)(storage), { outcome: 'replayed' })
    t.strictSame(await liveOf(other, tokens), [])
  })
}

t.test('a withdrawal does not restore a code that has expired', async (t) => {
  const subject = await twoReplicas(t, server)
  const { storage, other, unheard } = subject
  const prepared = await prepare(subject, 2)
  // It expires after the code that is withdrawn.
  const clock = await prepare(subject, 2)
  const { first, second, redeem, tokens } = prepared
  const ended = async () =>
    (await clock.redeem({ ...clock.first, client_id: 'x' })(other)).outcome === 'missing'
  await unheard(prepared, redeem(first), () => until('the code has expired', ended))
  t.strictSame(await redeem(second)(storage), { outcome: 'missing' })
  t.strictSame(await liveOf(other, tokens), [])
})

t.test('the withdrawal mark of a code that was not spent expires with the code', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, redis, mark, withdrawn } = subject
  const { grant, first, second, redeem, secrets } = await prepare(subject, 2)
  proxy.treat(['drop', 'drop'])
  await unavailable(t, { redeem: () => redeem(first)(storage) }, secrets)
  await withdrawn(grant, 'first')
  t.ok((await mark(grant, 'first')) <= 2000)
  const left = () => redis.cli('--scan', '--pattern', `*{${grant}}*`)
  await until('no key remains', async () => (await left()) === '')
  t.strictSame(await redeem(second)(storage), { outcome: 'missing' })
})

t.test('operations sent after a failed one wait until it is withdrawn', async (t) => {
  const subject = await twoReplicas(t, server)
  const { storage, operations, mark, unheard } = subject
  const prepared = await prepare(subject)
  const bystander = await prepare(subject)
  const { grant, first, second, redeem, secrets } = prepared
  await unheard(prepared, redeem(first), async () => {
    const before = operations()
    await unavailable(t, { redeem: () => redeem(second)(storage) }, secrets)
    t.equal(operations(), before, 'the next attempt was not sent')
  })
  t.equal(await mark(grant, 'second'), -2, 'nothing to withdraw')
  t.strictSame(await redeem(second)(storage), OK)
  t.strictSame(await bystander.redeem(bystander.first)(storage), OK)
})

for (const [how, hours] of [
  ['back during an attempt', -1],
  ['forward after it', 1],
] as const) {
  t.test(`a clock that is set ${how} delays no answer and ends no withdrawal`, async (t) => {
    const subject = await twoReplicas(t, server)
    const { proxy, storage } = subject
    const { first, second, redeem, secrets } = await prepare(subject)
    const { now } = Date
    t.teardown(() => {
      Date.now = now
    })
    const setClock = () => {
      Date.now = () => now() + hours * 3_600_000
    }
    proxy.treat(['lose'], 'refuse')
    const answered = unavailable(t, { redeem: () => redeem(first)(storage) }, secrets)
    if (hours < 0) setClock()
    await answered
    setClock()
    proxy.treat([])
    await writable(storage)
    t.strictSame(await redeem(second)(storage), OK, 'the first attempt was withdrawn')
  })
}

t.test('a withdrawal that cannot succeed is logged, without a secret', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, redis, lines } = subject
  const { grant, first, second, redeem, secrets } = await prepare(subject)
  proxy.treat(UNHEARD, 'drop')
  await unavailable(t, { redeem: () => redeem(first)(storage) }, secrets)
  await redis.cli('SET', `${PREFIX}grant:{${grant}}`, 'text', 'PX', '60000')
  proxy.treat([])
  const errors = () => lines.filter(({ level }) => level === 'error')
  await until('logged', () => errors().length > 0)
  await redis.cli('DEL', `${PREFIX}grant:{${grant}}`)
  t.strictSame(await redeem(second)(storage), { outcome: 'replayed' }, 'the retries stop')
  t.match(errors(), [{ message: 'An operation without an answer could not be withdrawn.' }])
  for (const secret of secrets) t.notOk(shown(lines).includes(secret))
})

t.test('close does not wait without limit', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, other } = subject
  const { first, redeem, secrets, grant, tokens } = await prepare(subject)
  proxy.treat(UNHEARD, 'drop')
  await unavailable(t, { redeem: () => redeem(first)(storage) }, secrets)
  await storage.close()
  proxy.treat([])
  await t.rejects(redeem(first)(storage), StorageUnavailable)
  t.strictSame(await liveOf(other, tokens), tokensOf(first), 'the code stays spent')
  t.match(await other.families.findFamily(grant), { status: 'active' })
})

t.test('close waits for a pending withdrawal', async (t) => {
  const subject = await twoReplicas(t, server)
  const { proxy, storage, mark } = subject
  const { grant, first, redeem, secrets } = await prepare(subject)
  proxy.treat(UNHEARD)
  await unavailable(t, { redeem: () => redeem(first)(storage) }, secrets)
  await storage.close()
  t.ok((await mark(grant, 'first')) > 0)
})

t.test('a Redis server that was suspended and resumed', async (t) => {
  const hanging = await startRedis(t)
  const { storage } = openAt(t, hanging.url)
  await writable(storage)
  for (const round of [1, 2, 3]) {
    const { grant, code, attempt } = await issueCode(storage)
    const [first, second] = [attempt('first'), attempt('second')]
    const ends = Number(await hanging.cli('PTTL', keyOf(code))) + Date.now()
    process.kill(hanging.pid, 'SIGSTOP')
    const secrets = secretsOf(code, first.access_token, first.refresh_token)
    await unavailable(t, { redeemCode: () => redeemCode(storage, code, first) }, secrets)
    process.kill(hanging.pid, 'SIGCONT')
    await writable(storage)
    t.strictSame(await redeemCode(storage, code, second), OK, `round ${round}`)
    t.strictSame(await liveOf(storage, [...tokensOf(first), ...tokensOf(second)]), tokensOf(second))
    t.match(await storage.families.findFamily(grant), { status: 'active' })
    const redeemable_until = Number(await hanging.cli('HGET', keyOf(code), 'redeemable_until'))
    t.ok(Math.abs(redeemable_until - ends) < 1000, 'the code keeps its expiry')
  }
})

const keyOf = (code: string) => `${PREFIX}code:{${code.slice(0, 16)}}${code.slice(16)}`

t.test('a withdrawal is repeated on the server that a failover leads to', async (t) => {
  // The new master has the redemption, and not the withdrawal, which followed it.
  const servers = [await startRedis(t), await startRedis(t)] as const
  const [old, next] = servers
  const place = await startSwitch(t, old)
  const { storage } = open(t, { kind: 'single', url: place.url }, 1)
  const [before, after] = servers.map(({ url }) => openAt(t, url).storage)
  if (before === undefined || after === undefined) throw new TypeError()
  await Promise.all([storage, before, after].map(writable))
  const { code, attempt } = await issueCode(before)
  await saveCode(after, code, CODE, 60)
  const first = attempt('first')
  t.match(await redeemCode(after, code, first), { outcome: 'ok' })
  await t.rejects(redeemCode(storage, code, first), StorageUnavailable, 'no replica confirms it')

  place.to(next)
  await old.cli('CLIENT', 'KILL', 'TYPE', 'normal')
  const status = () => next.cli('HGET', `${PREFIX}code:{${code.slice(0, 16)}}${code.slice(16)}`, 'status')
  await until('the code can be redeemed again', async () => (await status()) === 'active')
  t.match(await redeemCode(after, code, attempt('second')), { outcome: 'ok' })
})
