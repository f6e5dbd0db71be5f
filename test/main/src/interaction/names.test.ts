// The names by which a user signs in: the username and a verified e-mail address, in any case.
import t from 'tap'
import type { Hash } from '../../../../src/core/record-hash.ts'
import { registerDemo } from '../../../../src/demo/demo-records.ts'
import { DEMO_PASSWORD } from '../../../../src/demo/demo-user.ts'
import { addSignInName, indexUser } from '../../../../src/users/sign-in-names.ts'
import { ALICE, AWAY, HOME, openDesk, PASSWORD } from '../../../support/interaction/desk.ts'
import { changeUser, createUser, removeUser } from '../../../support/records.ts'
import { OTHER_CASE, SAME_CASE, STORED } from '../../../support/spellings.ts'

const ADDRESS = { email: 'Alice@Example.com', email_verified: 'true' }

/** A desk with alice, who has a verified address, and further users with the same password. */
async function openDeskWith(users: Record<string, Hash> = {}, failures = 1000) {
  const desk = await openDesk({ sign_in_failures: failures })
  const { memory, password_hash } = desk
  await changeUser(memory, 'alice', { set: ADDRESS })
  await indexUser(memory, 'alice')
  for (const [index, [username, fields]] of Object.entries(users).entries()) {
    await createUser(memory, username, { sub: `sub-${index}`, password_hash, ...fields })
    await indexUser(memory, username)
  }
  return {
    ...desk,
    /** Who signs in by a name with the right password; undefined if nobody does. */
    async who(username: string) {
      const { result } = await desk.attempt({ username, password: PASSWORD })
      return result.outcome === 'ok' ? result.user.username : undefined
    },
  }
}

t.test('a user signs in by the username or the verified e-mail address, in any case', async (t) => {
  const { who } = await openDeskWith({ 'Jörg.Müller': {}, 'bob@example.org': {} })
  for (const name of ['alice', 'Alice', 'ALICE', 'alice@example.com', ' ALICE@example.COM ']) {
    t.equal(await who(name), 'alice', name)
  }
  for (const name of ['Jörg.Müller', 'jörg.müller', 'JÖRG.MÜLLER']) t.equal(await who(name), 'Jörg.Müller')
  t.equal(await who('Bob@Example.org'), 'bob@example.org', 'a username that is an address')
  for (const name of ['alice@example.org', 'alice@', '@example.com', 'Alice Example']) {
    t.equal(await who(name), undefined, name)
  }
})

t.test('a user signs in by each spelling of a name, and all of them count together', async (t) => {
  const spellings = Object.entries({ ...SAME_CASE, ...OTHER_CASE })
  const byUsername = await openDeskWith({ [STORED]: {} })
  const byAddress = await openDeskWith({ bob: { email: STORED, email_verified: 'true' } })
  const typedFirst = await openDeskWith({
    carol: { email: 'ＪＯＳÉ.kim@example.com', email_verified: 'true' },
  })
  for (const [what, typed] of spellings) {
    t.equal(await byUsername.who(typed), STORED, what)
    t.equal(await byAddress.who(typed), 'bob', `${what}, as an address`)
    t.equal(await typedFirst.who(typed), 'carol', `${what}, and the claim has another one`)
  }
  for (const users of [{ [STORED]: {} }, {}]) {
    const { attempt } = await openDeskWith(users, spellings.length - 1)
    const outcomes = []
    for (const [, username] of spellings)
      outcomes.push((await attempt({ username, password: 'x' })).result.outcome)
    t.equal(outcomes.pop(), 'throttled')
    t.ok(outcomes.every((outcome) => outcome === 'failed'))
  }
})

t.test('an address counts only while the record has it, verified', async (t) => {
  const changes: [what: string, change: { set: Hash; unset?: string[] }][] = [
    ['not verified', { set: { email_verified: 'false' } }],
    ['of unknown state', { set: {}, unset: ['email_verified'] }],
    ['removed', { set: {}, unset: ['email'] }],
    ['another one', { set: { email: 'alice@example.net' } }],
  ]
  for (const [what, change] of changes) {
    const { memory, who } = await openDeskWith()
    t.equal(await who('alice@example.com'), 'alice')
    // As redis-cli does it: the index is not changed.
    await changeUser(memory, 'alice', change)
    t.equal(await who('alice@example.com'), undefined, what)
    t.equal(await who('alice@example.net'), undefined, 'an address that is not in the index')
    t.equal(await who('alice'), 'alice', 'the username works without the index')
  }
  const { memory, who } = await openDeskWith()
  await removeUser(memory, 'alice')
  t.equal(await who('alice@example.com'), undefined, 'the user was removed')
})

t.test('a name of several users signs in only who typed the username as it is stored', async (t) => {
  const { who, memory } = await openDeskWith({
    Alice: {},
    bob: { email: 'office@example.com', email_verified: 'true' },
    carol: { email: 'OFFICE@example.com', email_verified: 'true' },
    dave: { email: 'erin', email_verified: 'true' },
    erin: {},
  })
  t.strictSame([await who('alice'), await who('Alice')], ['alice', 'Alice'], 'each by the own spelling')
  t.equal(await who('ALICE'), undefined, 'usernames that differ in case only')
  t.equal(await who('office@example.com'), undefined, 'an address of two users')
  t.equal(await who('erin'), 'erin', 'an address that is the username of another user')
  t.equal(await who('Erin'), undefined)
  await removeUser(memory, 'carol')
  t.equal(await who('office@example.com'), undefined, 'nor before the index is repaired')
})

t.test('guesses under all names of a user count together', async (t) => {
  const { attempt } = await openDeskWith({ bob: {} }, 3)
  const names = ['alice', 'Alice', 'alice@example.com', 'ALICE@example.com', 'ALICE', 'alice']
  const outcomes = []
  for (const username of names) outcomes.push((await attempt({ username, password: 'x' })).result.outcome)
  t.strictSame(outcomes, ['failed', 'failed', 'failed', 'throttled', 'throttled', 'throttled'])
  t.match((await attempt({ ...ALICE, username: 'bob' })).result, { outcome: 'ok' }, 'another user')
  const unknown = []
  for (const username of ['nobody', 'Nobody', 'NOBODY', 'nobody']) {
    unknown.push((await attempt({ username, password: 'x' }, AWAY)).result.outcome)
  }
  t.strictSame(unknown, ['failed', 'failed', 'failed', 'throttled'], 'so do those of nobody, in any case')
})

t.test('a browser is known under all names of its user', async (t) => {
  const { attempt } = await openDeskWith()
  t.match((await attempt({ ...ALICE, username: 'Alice@example.com' }, HOME)).result, { outcome: 'ok' })
  for (const username of ['alice', 'ALICE', 'alice@example.com']) {
    const { asked } = await attempt({ username, password: 'x' }, HOME)
    t.ok(asked.includes('countFailures of 1'), username)
  }
})

t.test('what is asked of storage depends on what was typed, not on what there is', async (t) => {
  const { attempt, memory, password_hash } = await openDeskWith({
    'Jo@example.com': {},
    bob: { email: 'office@example.com', email_verified: 'true' },
    carol: { email: 'office@example.com', email_verified: 'true' },
    disabled: { email: 'off@example.com', email_verified: 'true', disabled: 'true' },
  })
  await createUser(memory, 'malformed@example.com', { sub: 'not a sub', password_hash })
  await addSignInName(memory, 'stale@example.com', 'removed')
  const addresses = ['alice', 'jo', 'office', 'off', 'malformed', 'stale', 'nobody']
  const asked = async (username: string) => {
    const { result, asked } = await attempt({ username, password: 'wrong horse battery' })
    t.match(result, { outcome: 'failed' }, username)
    return asked
  }
  const inLowerCase = await asked('nobody.at.all@example.com')
  t.strictSame(inLowerCase.slice(0, 3), ['read user', 'read sign-in-name', 'read user'])
  const inOtherCase = await asked('Nobody.At.All@example.com')
  t.equal(inOtherCase.length, inLowerCase.length + 1)
  for (const name of addresses) {
    t.strictSame(await asked(`${name}@example.com`), inLowerCase)
    t.strictSame(await asked(`${name}@Example.com`), inOtherCase)
  }
})

t.test('the user of demo mode signs in by the e-mail address', async (t) => {
  const { attempt, memory, context } = await openDesk({ demo: 'public' })
  await removeUser(memory, 'alice')
  await registerDemo({ ...context, storage: memory })
  const { result } = await attempt({ username: 'Alice@example.com', password: DEMO_PASSWORD })
  t.match(result, { outcome: 'ok', user: { username: 'alice' } })
})
