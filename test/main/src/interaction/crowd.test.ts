// Many sign-ins at the same moment: nobody takes the places of others.
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import t from 'tap'
import { OAuthError } from '../../../../src/core/errors.ts'
import type { Parameters } from '../../../../src/core/parameters.ts'
import type { SignInCaller } from '../../../../src/interaction/sign-in.ts'
import { WAITING } from '../../../../src/users/passwords.ts'
import { ALICE, attemptSignIn, CHEAP, openDesk } from '../../../support/interaction/desk.ts'
import { createUser } from '../../../support/records.ts'
import { until } from '../../../support/until.ts'
import { holdArgon2 } from '../../../support/users/held-argon2.ts'

/** A high limit of failures, so that only the queue refuses. */
const CROWDED = { ...CHEAP, argon2_concurrency: 1, sign_in_failures: 1000 }

const from = (network: number, browser = network): SignInCaller => ({
  address: `203.0.113.${network}`,
  browser_id: String(browser).padStart(43, 'x'),
})

/** A desk whose hashes the test ends, and an attempt whose outcome is noted when it has one. */
async function openCrowdedDesk() {
  const held = holdArgon2()
  const desk = await openDesk(CROWDED, held.engine)
  const outcomes = new Map<string, string>()
  let attempts = 0
  return {
    ...desk,
    held,
    outcomes,
    /** Starts an attempt, until it waits or has an outcome. */
    async start(name: string, form: Parameters, caller: SignInCaller) {
      attempts += 1
      void attemptSignIn(desk.context, form, caller).then(
        ({ outcome }) => outcomes.set(name, outcome),
        (error: unknown) => outcomes.set(name, error instanceof OAuthError ? String(error.status) : 'a bug'),
      )
      for (let turn = 0; turn < 5; turn += 1) await turnOfTheLoop()
    },
    /** Ends the oldest hash. */
    async endOne() {
      held.open.shift()?.()
      for (let turn = 0; turn < 5; turn += 1) await turnOfTheLoop()
    },
    async endAll() {
      await until('every attempt has an outcome', () => {
        for (const end of held.open.splice(0)) end()
        return outcomes.size === attempts
      })
    },
    count: (outcome: string) => [...outcomes.values()].filter((each) => each === outcome).length,
  }
}

t.test('attempts for one account from many addresses do not keep others waiting', async (t) => {
  const desk = await openCrowdedDesk()
  const { memory, password_hash, outcomes, start, endOne, endAll } = desk
  await createUser(memory, 'eve', { sub: 'e', password_hash })
  const eve = { username: 'eve', password: 'anything' }
  for (let browser = 0; browser < 30; browser += 1) {
    for (let turn = 0; turn < 4; turn += 1) await start(`eve ${browser} ${turn}`, eve, from(browser, browser))
  }
  t.equal(desk.count('503'), 120 - 1 - WAITING.per_user, 'one is hashed, ten wait, all others are refused')
  for (const [index, user] of ['ann', 'ben', 'cem'].entries()) {
    await createUser(memory, user, { sub: user, password_hash })
    await start(user, { ...ALICE, username: user }, from(100 + index))
  }
  // One of each address: the honest ones have their turn before the second round of anybody.
  for (let ended = 0; ended < 15; ended += 1) await endOne()
  t.strictSame(
    ['ann', 'ben', 'cem'].map((user) => outcomes.get(user)),
    ['ok', 'ok', 'ok'],
  )
  await endAll()
})

t.test('one address with ever new usernames does not keep others waiting', async (t) => {
  const { outcomes, start, endOne, endAll, count } = await openCrowdedDesk()
  for (let number = 0; number < 200; number += 1) {
    await start(`guess ${number}`, { username: `user-${number}`, password: 'x' }, from(1, number))
  }
  t.equal(count('503'), 200 - 1 - WAITING.per_address)
  await start('alice', ALICE, from(2))
  t.equal(outcomes.get('alice'), undefined, 'she waits')
  for (let ended = 0; ended < 3; ended += 1) await endOne()
  t.equal(outcomes.get('alice'), 'ok', 'for one turn of the other address')
  await endAll()
})

t.test('guesses at a user do not take the places of the known browsers of that user', async (t) => {
  const { outcomes, start, endAll, count } = await openCrowdedDesk()
  await start('first', ALICE, from(1))
  await endAll()
  for (let number = 0; number < 60; number += 1) {
    await start(`guess ${number}`, { ...ALICE, password: 'wrong' }, from(2 + number))
  }
  t.equal(count('503'), 60 - 1 - WAITING.per_user)
  await start('a new browser', ALICE, from(99))
  t.equal(outcomes.get('a new browser'), '503')
  await start('alice', ALICE, from(1))
  t.equal(outcomes.get('alice'), undefined, 'she waits')
  await endAll()
  t.equal(outcomes.get('alice'), 'ok')
})

t.test('strangers at any number of sites take no place of a browser that an account knows', async (t) => {
  const { outcomes, start, endOne, endAll, count } = await openCrowdedDesk()
  await start('first', ALICE, from(1))
  await endAll()
  for (let site = 0; site < 20; site += 1)
    for (let number = 0; number < 10; number += 1)
      await start(
        `${site} ${number}`,
        { username: `user-${site}-${number}`, password: 'x' },
        from(100 + site),
      )
  t.equal(count('503'), 200 - 1 - WAITING.all, 'their queue is full')
  await start('a new browser', ALICE, from(99))
  t.equal(outcomes.get('a new browser'), '503', 'also for her, where nobody knows her')
  await start('alice', ALICE, from(1))
  t.equal(outcomes.get('alice'), undefined, 'she waits')
  for (let ended = 0; ended < 3; ended += 1) await endOne()
  t.equal(outcomes.get('alice'), 'ok', 'for a turn or two')
  await endAll()
})
