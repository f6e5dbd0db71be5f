// Lockouts: who sees them, what lifting one changes, and what no stranger can do to the list (review M3, M4).
import t from 'tap'
import { type Limit, liftLimit, listLimits, unlockUser } from '../../../../src/admin/limits.ts'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { findDevice } from '../../../../src/device/find-device.ts'
import type { SignInCaller } from '../../../../src/interaction/sign-in.ts'
import { countByAddress } from '../../../../src/limits/address-limit.ts'
import { MAX_LOCKOUTS, noteLockout } from '../../../../src/limits/lockouts.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { ALICE, AWAY, HOME, openDesk } from '../../../support/interaction/desk.ts'
import { createUser } from '../../../support/records.ts'
import { APP, startRegistration } from '../../../support/registration.ts'

const LIMIT = { sign_in_failures: 3, sign_in_window: 600 }
const WRONG = { username: 'alice', password: 'wrong horse battery' }
const THROTTLED = { outcome: 'throttled' }
const from = (number: number): SignInCaller => ({
  address: `203.0.113.${number}`,
  browser_id: String(number).padStart(43, 'x'),
})

async function open() {
  const desk = await openDesk(LIMIT)
  const events: SecurityEvent[] = []
  const report = (event: SecurityEvent) => events.push(event)
  const context = { storage: desk.memory, report, now: () => desk.clock.now }
  return {
    ...desk,
    events,
    fail: async (times: number, caller: SignInCaller, username = 'alice') => {
      for (let i = 0; i < times; i += 1) await desk.attempt({ ...WRONG, username }, caller)
    },
    limits: () => listLimits(context),
    lift: (id: string) => liftLimit(context, id),
    unlock: () => unlockUser(context, 'alice', 'a-1'),
  }
}

const seen = (limits: readonly Limit[]) =>
  limits.map(({ counter, username, address }) => [counter, username, address]).sort()

t.test('M3: a lockout is listed from the first refusal until its window ends', async (t) => {
  const { fail, limits, clock } = await open()
  await fail(3, HOME)
  t.strictSame(await limits(), [], 'nobody is refused yet')
  clock.now += 100_000
  await fail(3, HOME)
  const [limit, ...others] = await limits()
  t.strictSame(others, [], 'further refusals make no further one')
  const until = new Date(clock.now + 500_000).toISOString()
  const { id = '', ...rest } = limit ?? {}
  t.strictSame(rest, {
    kind: 'user',
    counter: 'sign_in_user_at_address',
    username: 'alice',
    address: HOME.address,
    until,
  })
  t.match(id, /^[0-9a-f]{16}$/)
  clock.now += 500_000
  t.strictSame(await limits(), [])
})

t.test('M3: lifting one lifts that one only, once, as an event', async (t) => {
  const { fail, limits, lift, attempt, events } = await open()
  await fail(4, HOME)
  await fail(4, AWAY)
  t.strictSame(
    seen(await limits()),
    [
      ['sign_in_user_at_address', 'alice', HOME.address],
      ['sign_in_user_at_address', 'alice', AWAY.address],
    ].sort(),
  )
  const { id = '' } = (await limits()).find(({ address }) => address === HOME.address) ?? {}
  const outcomes = await Promise.allSettled([lift(id), lift(id)])
  t.ok(outcomes.some(({ status }) => status === 'fulfilled'))
  t.match((await attempt(ALICE)).result, { outcome: 'ok' })
  t.match((await attempt(ALICE, AWAY)).result, THROTTLED)
  t.strictSame(seen(await limits()), [['sign_in_user_at_address', 'alice', AWAY.address]])
  t.match(events, [{ event: 'lockout_lifted', kind: 'user', username: 'alice', address: HOME.address }])
  t.equal(events.length, 1)
  await t.rejects(lift(id), { code: 'not_found' })
})

t.test('M3: unlocking a user lifts no limit of an address', async (t) => {
  const { fail, limits, unlock, attempt, events } = await open()
  // An attacker: ten users at one address, then alice.
  for (let user = 0; user < 10; user += 1) await fail(3, AWAY, `user-${user}`)
  await fail(1, AWAY)
  // And others, until the counter of alice is full at every address.
  for (let other = 0; other < 10; other += 1) await fail(3, from(other))
  await fail(1, HOME)
  t.match((await attempt(ALICE)).result, { ...THROTTLED, limit: 'user' })
  t.match((await attempt(ALICE, AWAY)).result, { ...THROTTLED, limit: 'address' })
  t.strictSame(seen(await limits()), [
    ['sign_in_address', undefined, AWAY.address],
    ['sign_in_user', 'alice', undefined],
  ])
  const lifted = await unlock()
  t.strictSame(seen(lifted), [['sign_in_user', 'alice', undefined]])
  t.match((await attempt(ALICE)).result, { outcome: 'ok' })
  t.match((await attempt(ALICE, AWAY)).result, { ...THROTTLED, limit: 'address' }, 'the attacker stays out')
  t.strictSame(seen(await limits()), [['sign_in_address', undefined, AWAY.address]])
  t.match(events, [{ event: 'lockout_lifted', counter: 'sign_in_user', username: 'alice' }])
  t.strictSame(await unlock(), [])
  t.equal(events.length, 1, 'nothing was lifted')
})

t.test('M3: unlocking a user forgets failures that are no lockout yet', async (t) => {
  const { fail, limits, unlock, attempt } = await open()
  for (let address = 0; address < 10; address += 1) await fail(3, from(address))
  t.strictSame(await limits(), [])
  t.strictSame(await unlock(), [])
  t.match((await attempt(WRONG)).result, { outcome: 'failed' }, 'and not throttled')
})

t.test('M3: the own browser of a user, and wrong user codes, are unlocked, too', async (t) => {
  const { fail, limits, unlock, attempt, context, memory, events } = await open()
  t.match((await attempt(ALICE)).result, { outcome: 'ok' })
  await fail(4, HOME)
  const user = { username: 'alice', sub: 'a-1' }
  const enter = () =>
    findDevice(
      { ...context, storage: memory, report: (event) => events.push(event), refused() {} },
      'BBBB',
      user,
      '192.0.2.9',
    )
  for (let i = 0; i < 4; i += 1) await enter()
  t.strictSame((await limits()).map(({ counter }) => counter).sort(), [
    'sign_in_known_browser',
    'user_code_user',
  ])
  await unlock()
  t.match((await attempt(ALICE)).result, { outcome: 'ok' })
  t.match(await enter(), { outcome: 'unknown' })
})

t.test('M3: a name that no user has is not shown, and costs the same', async (t) => {
  const { attempt, limits } = await open()
  const calls = async (username: string) => {
    const asked = []
    for (let i = 0; i < 5; i += 1) asked.push((await attempt({ ...WRONG, username }, from(1))).asked)
    return asked
  }
  t.strictSame(await calls('alice'), await calls('hunter2'))
  const listed = await limits()
  t.strictSame(seen(listed).length, 2)
  t.notMatch(JSON.stringify(listed), /hunter2/)
  t.match(
    listed.find(({ username }) => username === undefined),
    { kind: 'user', counter: 'sign_in_user_at_address' },
  )
})

t.test('M3: strangers cannot make the list longer, or push users out of it', async (t) => {
  const { fail, limits, memory } = await open()
  await fail(4, HOME)
  for (let i = 0; i < MAX_LOCKOUTS + 20; i += 1) {
    const address = `10.0.${Math.floor(i / 256)}.${i % 256}`
    const place = (name: string) => ({ group: 'sign-in' as const, name: `${name}${i}` })
    await noteLockout(memory, place('address'), { counter: 'sign_in_address', address }, 600_000)
    await noteLockout(memory, place('user'), { counter: 'sign_in_user_at_address', address }, 600_000)
    await noteLockout(
      memory,
      { group: 'client', name: `c${i}` },
      { counter: 'client_auth', address },
      600_000,
    )
  }
  const listed = await limits()
  t.equal(listed.length, 2 * MAX_LOCKOUTS + 1, 'addresses, unknown names, and alice')
  t.equal(listed.filter(({ username }) => username === 'alice').length, 1)
})

t.test(
  'an address that registers too often is listed, and registers again when that is lifted',
  async (t) => {
    const { register, storage } = await startRegistration(t, { client_registrations_per_address: 1 })
    const context = { storage, report: () => {}, now: Date.now }
    const statuses = async () => [(await register(APP)).status, (await register(APP)).status]
    t.strictSame(await statuses(), [201, 429])
    const [limit, ...others] = await listLimits(context)
    t.strictSame(others, [])
    t.match(limit, { kind: 'address', counter: 'registration', address: '192.0.2.1' })
    await liftLimit(context, limit?.id ?? '')
    t.strictSame(await statuses(), [201, 429])
  },
)

t.test('addresses that push or ask for devices too often are listed, and can be lifted', async (t) => {
  const { memory, limits, lift } = await open()
  for (const group of ['device', 'pushed'] as const) {
    const ask = () => countByAddress(memory, '192.0.2.1', { group, max: 2, window: 60 })
    for (let i = 0; i < 3; i += 1) await ask()
    const [limit, ...others] = await limits()
    t.strictSame(others, [])
    t.match(limit, {
      kind: 'address',
      counter: group === 'device' ? 'device' : 'pushing',
      address: '192.0.2.1',
    })
    await lift(limit?.id ?? '')
    t.equal(await ask(), undefined)
  }
})

t.test('M4: a password that an operator sets lets the user in at once', async (t) => {
  const { memory, attempt, limits } = await openLocked()
  t.match((await attempt(ALICE)).result, THROTTLED)
  const { redmint } = createCli({ storage: memory, environment: { REDIS_URL: 'redis://127.0.0.1:1' } })
  const next = 'another horse battery'
  const set = await redmint(['user', 'set-password', 'alice', '--password-stdin'], next)
  t.equal(set.code, 0, set.stderr)
  t.match((await attempt({ ...ALICE, password: next })).result, { outcome: 'ok' })
  t.strictSame(await limits(), [])
})

async function openLocked() {
  const desk = await open()
  await desk.fail(4, HOME)
  return desk
}

t.test('the command lists and lifts', async (t) => {
  const { memory, attempt, clock } = await openLocked()
  await createUser(memory, 'bob', { sub: 'b-1' })
  const { redmint } = createCli({ storage: memory, now: () => clock.now })
  const { stdout } = await redmint(['limits'])
  t.match(
    stdout,
    /^ID +KIND +WHOM +COUNTER +UNTIL\n.* user +alice at 192\.0\.2\.1 +sign_in_user_at_address +/,
  )
  const { limits } = parsed<{ limits: Limit[] }>(await redmint(['limits', '--json']))
  t.match(await redmint(['limits', 'list', '--json']), { stdout: JSON.stringify({ limits }) })
  t.match(await redmint(['limits', 'lift', 'nothing']), { code: 1, stderr: /There is no lockout "nothing"/ })
  t.match(await redmint(['user', 'unlock', 'bob']), { code: 0, stdout: /was not locked out/ })
  t.match(await redmint(['user', 'unlock', 'nobody']), { code: 1 })
  t.match((await attempt(ALICE)).result, THROTTLED)
  const lifted = await redmint(['limits', 'lift', limits[0]?.id ?? '', '--json'])
  t.match(parsed(lifted), { lifted: limits })
  t.match((await attempt(ALICE)).result, { outcome: 'ok' })
  t.match(await redmint(['limits']), { stdout: /Nobody is locked out/ })
})
