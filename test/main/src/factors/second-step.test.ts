// The functions of the second step, on memory, and on Redis with two replicas.
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import type { Hash } from '../../../../src/core/record-hash.ts'
import { changeFactors, findFactors } from '../../../../src/factors/change-factors.ts'
import { type CodeContext, checkSecondStep, MAX_FAILURES } from '../../../../src/factors/check-second-step.ts'
import { FACTORS, passkeyField } from '../../../../src/factors/factors-record.ts'
import { readRecoveryCode } from '../../../../src/factors/recovery-codes.ts'
import {
  beginTotp,
  begunTotp,
  confirmTotp,
  newRecoveryCodes,
  removeTotp,
  type SecondStepContext,
} from '../../../../src/factors/totp.ts'
import { Sealer } from '../../../../src/keys/sealer.ts'
import { StoredKeyError } from '../../../../src/keys/wrap.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Kind } from '../../../../src/storage/records.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { appCode, wrongCode } from '../../../support/authenticator.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'
import { createUser } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'

const STEP_MS = 30_000
const NOW = 1_800_000_000_000

const redis = await startRedis(t)

/** The record of the key that seals secrets, whatever it has. */
const ANY_KEY: Kind<Hash> = {
  name: 'factor-key',
  format: (record) => record,
  parse: (record) => ({ ok: true, record }),
}

/** Sets up an app, with its present code. */
async function setUpOf(replica: SecondStepContext, username: string) {
  const { begun, key } = await beginTotp(replica, username)
  return confirmTotp(replica, username, begun, appCode(key, replica.now()))
}

/** Two replicas with one clock. */
async function replicas(t: Test, on: 'memory' | 'redis') {
  const clock = { now: NOW }
  const events: SecurityEvent[] = []
  const memory = new MemoryStorage()
  const prefix = `${randomUUID()}:`
  const keys = { notBefore: 0 }
  const start = async (): Promise<CodeContext & { storage: Storage; sealer: Sealer }> => {
    const storage =
      on === 'memory' ? memory : openRedis({ kind: 'single', url: redis.url }, new RedisKeys(prefix), SILENT)
    if (on === 'redis') t.teardown(() => storage.close())
    const settings: SecondStepContext['settings'] = { service_name: 'redmint' }
    const now = () => clock.now
    const sealer = new Sealer({ store: storage.sealing_keys, settings, log: SILENT, now })
    t.teardown(() => sealer.close())
    await sealer.reload()
    return { storage, settings, sealer, keys, now, report: (event) => void events.push(event) }
  }
  const [one, other] = [await start(), await start()]
  for (const username of ['alice', 'bob']) await createUser(one.storage, username, { sub: `sub-${username}` })
  /** The app of a user after it was set up; its code of this step is used up. */
  const setUp = async (username = 'alice') => {
    const { begun, key } = await beginTotp(one, username)
    t.equal(await confirmTotp(one, username, begun, appCode(key, clock.now)), 'confirmed')
    return { key, code: (steps = 0) => appCode(key, clock.now + steps * STEP_MS) }
  }
  return { one, other, clock, keys, events, setUp }
}

for (const on of ['memory', 'redis'] as const) {
  t.test(on, async (t) => {
    t.test(
      'C1 a code counts in its step and in those beside it, once, and none from before it does',
      async (t) => {
        const { one, clock, setUp } = await replicas(t, on)
        const { code, key } = await setUp()
        t.equal(await checkSecondStep(one, 'alice', code()), 'used', 'the one that confirmed the app')
        t.equal(await checkSecondStep(one, 'alice', code(-1)), 'used')
        t.equal(await checkSecondStep(one, 'alice', code(2)), 'wrong')
        t.equal(await checkSecondStep(one, 'alice', code(1)), 'right')
        t.equal(await checkSecondStep(one, 'alice', code(1)), 'used')
        t.equal(await checkSecondStep(one, 'alice', code()), 'used')
        clock.now += 3 * STEP_MS
        t.equal(await checkSecondStep(one, 'alice', code(-2)), 'wrong')
        t.equal(
          await checkSecondStep(one, 'alice', code(-1).replace(/(...)/, '$1 ')),
          'right',
          'with a space',
        )
        t.equal(await checkSecondStep(one, 'alice', code(-1)), 'used')
        for (const odd of ['', '12345', '1234567', 'abcdef', '１２３４５６', `${wrongCode(key, clock.now)}x`])
          t.equal(await checkSecondStep(one, 'alice', odd), 'wrong', odd)
      },
    )

    t.test('C1 after a restore no code counts that may have been used before it', async (t) => {
      const { one, clock, keys, setUp } = await replicas(t, on)
      const { code } = await setUp()
      clock.now += 2 * STEP_MS
      keys.notBefore = clock.now / 1000
      t.equal(await checkSecondStep(one, 'alice', code(-1)), 'used', 'of a step that began before the mark')
      keys.notBefore += 1
      t.equal(await checkSecondStep(one, 'alice', code()), 'used', 'the mark is in the middle of the step')
      t.equal(
        await checkSecondStep(one, 'alice', code(1)),
        'used',
        'an app that is ahead had it before the mark',
      )
      clock.now += STEP_MS
      t.equal(await checkSecondStep(one, 'alice', code(1)), 'right')
    })

    t.test('C1 on two replicas at once one code counts once', async (t) => {
      const { one, other, clock, setUp } = await replicas(t, on)
      const { code } = await setUp()
      for (let round = 0; round < 5; round++) {
        clock.now += STEP_MS
        const places = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? one : other))
        const results = await Promise.all(places.map((place) => checkSecondStep(place, 'alice', code())))
        t.strictSame(results.sort(), ['right', ...Array(9).fill('used')])
      }
    })

    t.test('C2 a new secret starts a new memory, and ends the one before', async (t) => {
      const { one, clock, setUp } = await replicas(t, on)
      const old = await setUp()
      clock.now += 100 * STEP_MS
      t.equal(await checkSecondStep(one, 'alice', old.code(1)), 'right')
      const before = (await findFactors(one, 'alice')).factors
      clock.now -= 50 * STEP_MS
      const { code } = await setUp()
      t.equal(
        await checkSecondStep(one, 'alice', code(1)),
        'right',
        'earlier than the last one of the old secret',
      )
      t.equal(await checkSecondStep(one, 'alice', old.code(1)), 'wrong')
      t.equal((await findFactors(one, 'alice')).factors.generation, before.generation + 1)
    })

    t.test('what happens is told once, and what does not is not', async (t) => {
      const { one, clock, events, setUp } = await replicas(t, on)
      const told = () => events.splice(0).map(({ event }) => event)
      t.equal(await checkSecondStep(one, 'alice', '123456'), 'wrong', 'there is no app')
      t.equal(await removeTotp(one, 'alice'), false)
      t.equal(await newRecoveryCodes(one, 'alice'), undefined)
      t.strictSame(told(), [])
      const { key, code } = await setUp()
      const [recovery = '', unused = ''] = (await newRecoveryCodes(one, 'alice')) ?? []
      t.strictSame(told(), ['second_step_added', 'recovery_codes_made'])
      clock.now += STEP_MS
      t.equal(await checkSecondStep(one, 'alice', wrongCode(key, clock.now)), 'wrong')
      t.equal(await checkSecondStep(one, 'alice', code()), 'right')
      t.equal(
        await checkSecondStep(one, 'alice', unused.replace(/.$/, unused.endsWith('0') ? '1' : '0')),
        'wrong',
      )
      t.strictSame(told(), [], 'a code of the app, and wrong ones')
      t.equal(await checkSecondStep(one, 'alice', recovery), 'right')
      t.strictSame(events.splice(0), [{ event: 'recovery_code_used', username: 'alice', left: 9 }])
      t.equal(await checkSecondStep(one, 'alice', recovery), 'used')
      t.equal(await removeTotp(one, 'alice'), true)
      t.strictSame(told(), ['second_step_removed'])
      t.equal(await removeTotp(one, 'alice'), false)
      t.strictSame(told(), [])
    })

    t.test(
      'C4 after a hundred wrong codes in all none of the app counts, whoever guesses at once',
      async (t) => {
        const { one, other, clock, events, setUp } = await replicas(t, on)
        const { key, code } = await setUp()
        const [recovery = ''] = (await newRecoveryCodes(one, 'alice')) ?? []
        clock.now += STEP_MS
        const wrong = wrongCode(key, clock.now)
        for (let i = 0; i < 4; i++) t.equal(await checkSecondStep(one, 'alice', wrong), 'wrong')
        t.equal(await checkSecondStep(one, 'alice', code(), 3), 'right')
        const { totp } = (await findFactors(one, 'alice')).factors
        t.equal(totp?.failures, 1, 'a right code takes back those of its sign-in, and no others')
        clock.now += STEP_MS
        const guesses = Array.from({ length: MAX_FAILURES + 20 }, (_, i) =>
          checkSecondStep(i % 2 === 0 ? one : other, 'alice', wrong),
        )
        const results = await Promise.all(guesses)
        t.equal(results.filter((result) => result === 'wrong').length, MAX_FAILURES - 1)
        t.equal(results.filter((result) => result === 'too_many').length, 21)
        t.equal(await checkSecondStep(one, 'alice', code()), 'too_many')
        const limited = { event: 'second_step_limited', username: 'alice' }
        t.strictSame(
          events.filter(({ event }) => event === limited.event),
          [limited],
        )
        t.equal(await checkSecondStep(one, 'alice', recovery), 'right', 'the way out')
        await setUp()
        t.equal((await findFactors(one, 'alice')).factors.totp?.failures, 0)
      },
    )

    t.test('C5 recovery codes have 120 bits, and storage has only their digests', async (t) => {
      const { one, setUp } = await replicas(t, on)
      t.equal(
        await newRecoveryCodes(one, 'alice'),
        undefined,
        'without a second step there is nothing to recover',
      )
      await setUp()
      const codes = (await newRecoveryCodes(one, 'alice')) ?? []
      t.equal(new Set(codes).size, 10)
      for (const code of codes) t.match(code, /^([0-9A-HJKMNP-TV-Z]{6}-){3}[0-9A-HJKMNP-TV-Z]{6}$/)
      const stored = JSON.stringify((await one.storage.records.read(FACTORS, 'alice'))?.hash)
      for (const code of codes) {
        t.notMatch(stored, code)
        t.notMatch(stored, readRecoveryCode(code))
      }
    })

    t.test(
      'C6 one sign-in spends at most one recovery code, and each counts once on two replicas',
      async (t) => {
        const { one, other, events, setUp } = await replicas(t, on)
        await setUp()
        const [first = '', second = ''] = (await newRecoveryCodes(one, 'alice')) ?? []
        const tries = [one, other, one, other].map((place) => checkSecondStep(place, 'alice', first))
        t.strictSame((await Promise.all(tries)).sort(), ['right', 'used', 'used', 'used'])
        t.equal((await findFactors(one, 'alice')).factors.recovery?.digests.length, 9)
        const both = [checkSecondStep(one, 'alice', second), checkSecondStep(other, 'alice', first)]
        t.strictSame(await Promise.all(both), ['right', 'used'])
        t.match(
          events.filter(({ event }) => event === 'recovery_code_used'),
          [{ left: 9 }, { left: 8 }],
        )
        t.equal(await checkSecondStep(one, 'bob', first), 'wrong', 'those of another account')
      },
    )

    t.test('C7 case, spaces, dashes and look-alikes are forgiven', async (t) => {
      const { one, setUp } = await replicas(t, on)
      await setUp()
      const codes = (await newRecoveryCodes(one, 'alice')) ?? []
      const typed = [
        (code: string) => code.toLowerCase(),
        (code: string) => code.replaceAll('-', ''),
        (code: string) => ` ${[...code.replaceAll('-', ' – ')].join(' ')} `,
        (code: string) => code.replaceAll('1', 'l').replaceAll('0', 'o').replaceAll('V', 'u'),
        (code: string) => code.replaceAll('1', 'I'),
      ]
      for (const [i, as] of typed.entries())
        t.equal(await checkSecondStep(one, 'alice', as(codes[i] ?? '')), 'right', as(codes[i] ?? ''))
      t.equal(readRecoveryCode('oOiI-lLuU-0123-4567-89ab-cdef'), '00111' + '1VV0123456789ABCDEF')
      t.equal(readRecoveryCode('123456'), undefined)
    })

    t.test('C8 a new set ends the old one, also while a code of it is used', async (t) => {
      const { one, other, setUp } = await replicas(t, on)
      await setUp()
      const [old = ''] = (await newRecoveryCodes(one, 'alice')) ?? []
      const [, result] = await Promise.all([
        newRecoveryCodes(one, 'alice'),
        checkSecondStep(other, 'alice', old),
      ])
      t.ok(['right', 'wrong'].includes(result))
      t.equal((await findFactors(one, 'alice')).factors.recovery?.digests.length, 10)
      t.equal(await checkSecondStep(one, 'alice', old), 'wrong')
    })

    t.test(
      'C9 the secret is sealed at rest, for one account, and lasts longer than other sealed values',
      async (t) => {
        const { one, other, clock, setUp } = await replicas(t, on)
        const { key, code } = await setUp()
        const found = await one.storage.records.read(FACTORS, 'alice')
        t.notMatch(JSON.stringify(found?.hash), key.replaceAll(' ', ''))
        await one.storage.records.put({ kind: FACTORS, id: 'mallory', hash: found?.hash ?? {} })
        clock.now += 400 * 86_400_000
        t.equal(await checkSecondStep(one, 'mallory', code()), 'wrong', 'the record of another one')
        await other.sealer.reload()
        t.equal(await checkSecondStep(other, 'alice', code()), 'right')
      },
    )

    t.test('C9 without its key no code counts, and a malformed key counts none as wrong', async (t) => {
      const { one, other, setUp } = await replicas(t, 'redis')
      const { code } = await setUp()
      const failures = async () => (await findFactors(one, 'alice')).factors.totp?.failures
      const { private_jwk = '' } = (await one.storage.records.read(ANY_KEY, 'totp'))?.hash ?? {}
      await one.storage.records.change(ANY_KEY, 'totp', { set: {}, unset: ['private_jwk'] })
      for (const act of [() => checkSecondStep(other, 'alice', code(1)), () => setUpOf(other, 'bob')])
        await t.rejects(act(), { message: /^The record factor-key:totp is malformed/ })
      t.equal(await failures(), 0)
      await one.storage.records.change(ANY_KEY, 'totp', { set: { private_jwk } })
      const lost = await one.storage.records.take(ANY_KEY, 'totp')
      t.ok(lost)
      t.equal(
        await checkSecondStep(other, 'alice', code(1)),
        'wrong',
        'it was sealed with the one that is gone',
      )
      await setUpOf(other, 'bob')
      t.equal(await checkSecondStep(other, 'alice', code(1)), 'wrong', 'and not with another one')
    })

    t.test('C10 each change of a factor has its generation', async (t) => {
      const { one, setUp } = await replicas(t, on)
      const generation = async () => (await findFactors(one, 'alice')).factors.generation
      t.equal(await generation(), 0)
      const { code } = await setUp()
      t.equal(await generation(), 1)
      await newRecoveryCodes(one, 'alice')
      t.equal(await generation(), 2)
      t.equal(await checkSecondStep(one, 'alice', code(1)), 'right')
      t.equal(await generation(), 2, 'a code changes nothing')
      t.ok(await removeTotp(one, 'alice'))
      t.equal(await generation(), 3)
      t.notOk(await removeTotp(one, 'alice'))
      t.equal(await generation(), 3)
      t.match((await findFactors(one, 'alice')).factors, { totp: undefined, recovery: undefined })
    })

    t.test('changes at once are all made', async (t) => {
      const { one, other } = await replicas(t, on)
      const add = (place: SecondStepContext, id: string) =>
        changeFactors(place, 'alice', (factors) => ({
          ...factors,
          passkeys: new Map([...factors.passkeys, [id, { name: id } as never]]),
        }))
      await Promise.all(['a', 'b', 'c', 'd'].map((id, i) => add(i % 2 ? one : other, id)))
      const found = await findFactors(one, 'alice')
      t.equal(found.factors.generation, 4)
      t.strictSame(
        Object.keys(found.hash).sort(),
        ['a', 'b', 'c', 'd'].map(passkeyField).concat('generation').sort(),
      )
    })
  })
}

t.test('what was begun ends with time, with a change of a factor, and is for one account', async (t) => {
  const { one, clock, setUp } = await replicas(t, 'memory')
  const { begun, key, uri } = await beginTotp(one, 'alice')
  t.match(
    uri,
    /^otpauth:\/\/totp\/redmint:alice\?issuer=redmint&secret=[A-Z2-7]{32}&algorithm=SHA1&digits=6&period=30$/,
  )
  t.equal(key.replaceAll(' ', ''), /secret=(\w+)/.exec(uri)?.[1])
  t.strictSame(await begunTotp(one, 'alice', begun), { begun, key, uri })
  t.equal(await begunTotp(one, 'bob', begun), undefined)
  t.equal(await confirmTotp(one, 'alice', begun, wrongCode(key, clock.now)), 'wrong')
  t.equal(await confirmTotp(one, 'bob', begun, appCode(key, clock.now)), 'ended')
  t.equal(await confirmTotp(one, 'alice', 'made.up', appCode(key, clock.now)), 'ended')
  await setUp()
  t.equal(await confirmTotp(one, 'alice', begun, appCode(key, clock.now)), 'ended', 'another one was set up')
  const late = await beginTotp(one, 'bob')
  clock.now += 30 * 60_000
  t.equal(await confirmTotp(one, 'bob', late.begun, appCode(late.key, clock.now)), 'ended')
})

t.test('with KEY_ENCRYPTION_KEY the key of the secrets is wrapped', async (t) => {
  const { one, other, setUp } = await replicas(t, 'redis')
  const wrapped = (byte: number) => ({ key_encryption_key: new Uint8Array(32).fill(byte) })
  Object.assign(one.settings, wrapped(7))
  const { code } = await setUp()
  const key = await one.storage.records.read(
    { name: 'factor-key', parse: () => ({ ok: true, record: {} }) },
    'totp',
  )
  t.strictSame(Object.keys(key?.hash ?? {}).sort(), ['kid', 'private_jwe'])
  Object.assign(other.settings, wrapped(8))
  await t.rejects(checkSecondStep(other, 'alice', code(1)), StoredKeyError)
  Object.assign(other.settings, wrapped(7))
  t.equal(await checkSecondStep(other, 'alice', code(1)), 'right')
})

t.test('a malformed record lets nobody in', async (t) => {
  const { one, setUp } = await replicas(t, 'memory')
  const { code } = await setUp()
  await one.storage.records.change(FACTORS, 'alice', { set: { totp: '{' } })
  await t.rejects(checkSecondStep(one, 'alice', code(1)), /factors of alice are malformed/)
})
