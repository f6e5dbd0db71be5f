import { hash } from 'node:crypto'
import t from 'tap'
import { type SignInCaller, signIn } from '../../../../src/interaction/sign-in.ts'
import type { SignInMethod } from '../../../../src/interaction/sign-in-method.ts'
import { COUNTERS_OF_SITE } from '../../../../src/limits/networks.ts'
import type { RecordStore } from '../../../../src/storage/storage.ts'
import { ALICE, AWAY, CHEAP, HOME, openDesk, PASSWORD } from '../../../support/interaction/desk.ts'
import { changeUser, removeUser } from '../../../support/records.ts'

type Desk = Awaited<ReturnType<typeof openDesk>>

const LIMIT = { sign_in_failures: 3, sign_in_window: 600 }
const WRONG = { username: 'alice', password: 'wrong horse battery' }
const FAILED = { outcome: 'failed' }
const THROTTLED = { outcome: 'throttled', retry_after: 600 }
const from = (number: number): SignInCaller => ({
  address: `203.0.113.${number}`,
  browser_id: String(number).padStart(43, 'x'),
})

t.test(
  'after the allowed failures of a user and an address, no password is verified until the window ends',
  async (t) => {
    for (const username of ['alice', 'nobody', 'a:b', '']) {
      const { attempt, clock } = await openDesk(LIMIT)
      const form = { ...WRONG, username }
      for (let count = 0; count < 3; count += 1) t.match((await attempt(form)).result, FAILED)
      for (let count = 0; count < 3; count += 1) {
        const { result, asked } = await attempt(form)
        t.match(result, THROTTLED, username)
        t.notOk(asked.includes('verify') || asked.includes('hash'))
      }
      clock.now += 599_001
      t.match((await attempt({ ...form, password: PASSWORD })).result, { ...THROTTLED, retry_after: 1 })
      clock.now += 1000
      const { result } = await attempt({ ...form, password: PASSWORD })
      t.equal(result.outcome, username === 'alice' ? 'ok' : 'failed')
    }
  },
)

t.test('another address and another user have counters of their own', async (t) => {
  const { attempt } = await openDesk(LIMIT)
  for (let count = 0; count < 4; count += 1) await attempt(WRONG)
  t.match((await attempt(ALICE)).result, THROTTLED)
  t.match((await attempt({ ...WRONG, username: 'bob' })).result, FAILED)
  t.match((await attempt(ALICE, AWAY)).result, { outcome: 'ok' })
  t.match((await attempt(ALICE, { ...from(5), address: HOME.address })).result, THROTTLED, 'another browser')
})

t.test('concurrent guesses cannot exceed the limit', async (t) => {
  const { attempt, calls } = await openDesk(LIMIT)
  const results = await Promise.all(Array.from({ length: 40 }, () => attempt(WRONG)))
  t.equal(results.filter(({ result }) => result.outcome === 'failed').length, 3)
  t.equal(results.filter(({ result }) => result.outcome === 'throttled').length, 37)
  t.equal(calls.filter((call) => call === 'verify').length, 3)
})

t.test('a successful sign-in is not counted', async (t) => {
  const { attempt } = await openDesk(LIMIT)
  for (let count = 0; count < 50; count += 1) {
    t.match((await attempt(ALICE, { ...AWAY, browser_id: from(count).browser_id })).result, { outcome: 'ok' })
  }
})

t.test('one address may fail ten times as often for all users together', async (t) => {
  const { attempt } = await openDesk(LIMIT)
  for (let count = 0; count < 30; count += 1) {
    t.match((await attempt({ ...WRONG, username: `user-${count}` })).result, FAILED)
  }
  const { result, asked } = await attempt({ ...WRONG, username: 'user-30' })
  t.match(result, THROTTLED)
  t.strictSame(
    asked.filter((call) => !call.startsWith('read')),
    ['findBrowser', 'countFailures of 3', 'put lockouts'],
    'a throttled address is listed as a lockout',
  )
  t.match((await attempt(ALICE)).result, THROTTLED)
  t.match((await attempt(ALICE, AWAY)).result, { outcome: 'ok' })
})

t.test('one user may fail ten times as often from all addresses together', async (t) => {
  const { attempt } = await openDesk(LIMIT)
  for (let count = 0; count < 30; count += 1) {
    t.match((await attempt(WRONG, from(count % 10))).result, FAILED)
  }
  t.match((await attempt(ALICE, from(99))).result, THROTTLED)
  t.match((await attempt({ ...WRONG, username: 'bob' }, from(99))).result, FAILED)
})

t.test('one address alone cannot exhaust the counter of a user for all addresses', async (t) => {
  const { attempt } = await openDesk(LIMIT)
  for (let count = 0; count < 100; count += 1) await attempt(WRONG, AWAY)
  t.match((await attempt(ALICE, from(1))).result, { outcome: 'ok' })
  t.match(
    (await attempt({ ...ALICE, username: 'bob' }, AWAY)).result,
    FAILED,
    'nor the counter of the address',
  )
})

t.test(
  'no number of made-up names and addresses refuses somebody else, or gives guesses at an account',
  async (t) => {
    const { attempt, memory } = await openDesk(LIMIT)
    const flood = async () => {
      for (const group of ['sign-in-address', 'sign-in'] as const) {
        for (let number = 0; number < 20_000; number += 1) {
          const name = hash('sha256', `${group} ${number}`, 'hex')
          await memory.counters.countFailure(group, name, 600_000)
        }
      }
    }
    await flood()
    t.match((await attempt(ALICE, AWAY)).result, { outcome: 'ok' }, 'in a new browser')
    let judged = 0
    for (let round = 0; round < 2; round += 1) {
      for (let number = 0; number < 40; number += 1) {
        const { result } = await attempt(WRONG, from(number))
        if (result.outcome === 'failed') judged += 1
      }
      await flood()
    }
    t.equal(judged, 30, 'those of an account are not pushed out')
    t.match((await attempt(ALICE, AWAY)).result, { outcome: 'ok' }, 'and the known browser is free')
  },
)

t.test('one address alone cannot exhaust an account, whatever names it makes up beside', async (t) => {
  const { attempt, memory } = await openDesk(LIMIT)
  let judged = 0
  for (let round = 0; round < 6; round += 1) {
    if ((await attempt(WRONG, from(7))).result.outcome === 'failed') judged += 1
    // So many that a counter which just began gives way to others.
    for (let number = 0; number < 8000; number += 1) {
      const name = hash('sha256', `${round} ${number}`, 'hex')
      await memory.counters.countFailure('sign-in', name, 600_000)
    }
  }
  t.equal(judged, 3)
  t.match((await attempt(ALICE, AWAY)).result, { outcome: 'ok' }, 'she signs in in a new browser')
})

t.test('the IPv6 networks of one site share a few counters', async (t) => {
  const { attempt } = await openDesk({ ...LIMIT, sign_in_failures: 1 })
  let judged = 0
  for (let network = 0; network < 150; network += 1) {
    const caller = { ...from(network), address: `2001:db8:7:${network.toString(16)}::` }
    const { result } = await attempt({ ...WRONG, username: `user-${network}` }, caller)
    if (result.outcome === 'failed') judged += 1
  }
  t.ok(judged <= COUNTERS_OF_SITE * 10, `${judged}, not as many as it has networks`)
})

t.test('a user can sign in with a known browser, whatever others do at the same address', async (t) => {
  const { attempt } = await openDesk(LIMIT)
  t.match((await attempt(ALICE)).result, { outcome: 'ok' })
  const neighbour = { address: HOME.address, browser_id: AWAY.browser_id }
  for (let count = 0; count < 40; count += 1) {
    await attempt({ ...WRONG, username: `user-${count}` }, neighbour)
    await attempt(WRONG, neighbour)
    await attempt(WRONG, from(count % 20))
  }
  t.match((await attempt(ALICE, neighbour)).result, THROTTLED)
  t.match((await attempt(ALICE, from(99))).result, THROTTLED)
  for (let count = 0; count < 5; count += 1) t.match((await attempt(ALICE)).result, { outcome: 'ok' })
  const elsewhere = { address: '2001:db8::', browser_id: HOME.browser_id }
  t.match((await attempt(ALICE, elsewhere)).result, { outcome: 'ok' }, 'from another address')
})

t.test('a known browser has its own counter, for its own user, for 90 days', async (t) => {
  const { attempt, clock } = await openDesk(LIMIT)
  t.match((await attempt(ALICE)).result, { outcome: 'ok' })
  for (let count = 0; count < 3; count += 1) t.match((await attempt(WRONG)).result, FAILED)
  t.match((await attempt(ALICE)).result, THROTTLED)
  t.match((await attempt(ALICE, { ...AWAY, address: HOME.address })).result, { outcome: 'ok' })
  t.strictSame((await attempt({ ...WRONG, username: 'bob' })).asked.slice(3, 5), [
    'findBrowser',
    'countFailures of 3',
  ])
  clock.now += 90 * 86_400_000 - 1
  t.ok((await attempt(WRONG)).asked.includes('countFailures of 1'))
  clock.now += 2
  t.ok((await attempt(WRONG)).asked.includes('countFailures of 3'))
})

t.test('a browser is known only while the password is the same', async (t) => {
  const changes: [what: string, change: (desk: Desk) => Promise<unknown>][] = [
    [
      'by the command or by hand',
      async ({ memory, passwords }) => setHash(memory, await passwords.hash('new')),
    ],
    [
      'the password was removed',
      ({ memory }) => changeUser(memory, 'alice', { set: {}, unset: ['password_hash'] }),
    ],
    [
      'the username belongs to another sub',
      ({ memory }) => changeUser(memory, 'alice', { set: { sub: 'b-2' } }),
    ],
    ['the user was removed', ({ memory }) => removeUser(memory, 'alice')],
  ]
  for (const [what, change] of changes) {
    const desk = await openDesk(LIMIT)
    const browsers = [1, 2, 3, 4].map((number) => ({ ...from(number), address: AWAY.address }))
    for (const browser of browsers) t.match((await desk.attempt(ALICE, browser)).result, { outcome: 'ok' })
    await change(desk)
    const guesses = []
    for (const browser of browsers) {
      for (let count = 0; count < 5; count += 1) guesses.push((await desk.attempt(WRONG, browser)).result)
    }
    const judged = guesses.filter(({ outcome }) => outcome === 'failed')
    t.equal(judged.length, 3, `${what}: all of them together have the budget of one address`)
  }
})

t.test('at most five browsers of a user have counters of their own, the newest', async (t) => {
  const { attempt, clock } = await openDesk(LIMIT)
  for (let number = 0; number < 26; number += 1) {
    clock.now += 1
    t.match((await attempt(ALICE, from(number))).result, { outcome: 'ok' })
  }
  let judged = 0
  for (let number = 0; number < 26; number += 1) {
    for (let count = 0; count < 5; count += 1) {
      const { result } = await attempt(WRONG, { ...from(number), address: AWAY.address })
      if (result.outcome === 'failed') judged += 1
    }
  }
  t.equal(judged, 5 * 3 + 3, 'and all others have one for their address')
})

t.test('a browser that gets a new id at sign-in is known by it, and by it only', async (t) => {
  const { attempt } = await openDesk(LIMIT)
  const renewed = { ...HOME, browser_id: from(1).browser_id }
  t.match((await attempt(ALICE, { ...HOME, next_browser_id: renewed.browser_id })).result, { outcome: 'ok' })
  const counted = async (caller: SignInCaller) =>
    (await attempt(WRONG, caller)).asked.find((call) => call.startsWith('countFailures'))
  t.equal(await counted(renewed), 'countFailures of 1')
  t.equal(await counted(HOME), 'countFailures of 3')
})

t.test('a browser stays known when its sign-in hashes the password anew', async (t) => {
  const { attempt, memory, clock } = await openDesk(LIMIT)
  const { passwords } = await openDesk({ ...CHEAP, argon2_iterations: 2 })
  t.match((await attempt(ALICE, AWAY)).result, { outcome: 'ok' })
  await setHash(memory, await passwords.hash(PASSWORD))
  clock.now += 1
  t.ok((await attempt(ALICE)).asked.includes('hash'))
  const counted = async (caller: SignInCaller) =>
    (await attempt(WRONG, caller)).asked.find((call) => call.startsWith('countFailures'))
  t.equal(await counted(HOME), 'countFailures of 1')
  t.equal(await counted(AWAY), 'countFailures of 3', 'others are known again after their next sign-in')
})

const setHash = (storage: RecordStore, password_hash: string) =>
  changeUser(storage, 'alice', { set: { password_hash } })

t.test('names in storage do not show a username, an address or a browser', async (t) => {
  const { memory, attempt } = await openDesk(LIMIT)
  const names: string[] = []
  const countFailures = memory.counters.countFailures.bind(memory.counters)
  memory.counters.countFailures = (counters, window) => {
    names.push(...counters.map(({ name }) => name))
    return countFailures(counters, window)
  }
  const { rememberBrowser, findBrowser } = memory.counters
  memory.counters.rememberBrowser = (user, browser, limit, signed_in) => {
    names.push(user, browser.name, browser.replaces ?? '')
    t.match(browser.bound_to, /^[\w-]{43}$/)
    return rememberBrowser.call(memory.counters, user, browser, limit, signed_in)
  }
  memory.counters.findBrowser = (user, name) => {
    names.push(user, name)
    return findBrowser.call(memory.counters, user, name)
  }
  await attempt(ALICE)
  await attempt(WRONG)
  t.equal(names.length, 11)
  t.equal(new Set(names).size, 6)
  for (const name of names) t.match(name, /^[0-9a-f]{64}$/)
})

t.test('the full counter is named, and only its first refusal is marked as such', async (t) => {
  const { attempt, clock } = await openDesk(LIMIT)
  const refusals = async (times: number, caller = HOME) => {
    const found = []
    for (let count = 0; count < times; count += 1) found.push((await attempt(WRONG, caller)).result)
    return found.flatMap((result) =>
      result.outcome === 'throttled' ? [[result.limit, result.is_first]] : [],
    )
  }
  t.strictSame(await refusals(6), [
    ['user_at_address', true],
    ['user_at_address', false],
    ['user_at_address', false],
  ])
  clock.now += 601_000
  t.strictSame(await refusals(4), [['user_at_address', true]], 'and again after the window')
  t.match((await attempt(ALICE, AWAY)).result, { outcome: 'ok' })
  t.strictSame(await refusals(4, AWAY), [['known_browser', true]])
})

t.test('guesses at what a method found under several names count together', async (t) => {
  const { context } = await openDesk(LIMIT)
  const directory: SignInMethod = {
    name: 'directory',
    acr_values: ['1'],
    username: ({ answer }) => answer.username,
    async authenticate({ guessesAt }) {
      await guessesAt('cn=kiki', true)
      return { outcome: 'failed', reason: 'wrong_password' }
    },
  }
  const outcomes = []
  for (const username of ['kiki', 'k\u0130ki', 'kik\u0130', 'other', 'kiki']) {
    const attempt = {
      ...{ answer: { username }, return_to: '', request: 'a request', acr_values: [], judged_since: 0 },
    }
    const start = async () => ({ cookie: '', sid: '' })
    outcomes.push((await signIn(context, directory, attempt, HOME, start)).outcome)
  }
  t.strictSame(outcomes, ['failed', 'failed', 'failed', 'throttled', 'throttled'])
})
