import * as argon2 from '@node-rs/argon2'
import t from 'tap'
import type { Parameters } from '../../../../src/core/parameters.ts'
import { password } from '../../../../src/interaction/password-method.ts'
import { methodFaults } from '../../../../src/interaction/sign-in-method.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import type { Change } from '../../../../src/storage/records.ts'
import { randomHash } from '../../../../src/users/password-hash.ts'
import {
  ALICE,
  AWAY,
  attemptSignIn,
  CHEAP,
  HOME,
  openDesk,
  PASSWORD,
  STARTED,
} from '../../../support/interaction/desk.ts'
import { changeUser, createUser, readUser, removeUser } from '../../../support/records.ts'

const FAILED = { outcome: 'failed' }
// The account and the counters, without the calls that follow a success.
const LOOKED_UP = ['read user', 'read sign-in-name', 'read user']
const COUNTED = ['findBrowser', 'countFailures of 3']
const ASKED = [...LOOKED_UP, ...COUNTED, 'verify']
// The name as it was typed and in lower case.
const ASKED_IN_OTHER_CASE = ['read user', ...ASKED]

t.test('the right password returns the user and the session', async (t) => {
  const { attempt, password_hash } = await openDesk()
  const { result, asked } = await attempt(ALICE)
  const user = {
    username: 'alice',
    sub: 'a-1',
    password_hash,
    claims: { name: 'Alice' },
    disabled: false,
    demo: false,
    custom_claims: {},
    generation: 0,
  }
  t.strictSame(result, { outcome: 'ok', user, amr: ['pwd'], acr: '1', session: STARTED })
  t.strictSame(asked.slice(0, ASKED.length), ASKED)
  for (const username of [' alice', 'alice ', '\u00A0alice\u3000']) {
    t.match((await attempt({ ...ALICE, username })).result, { outcome: 'ok' }, JSON.stringify(username))
  }
  t.match((await attempt({ ...ALICE, method: 'pwd' })).result, { outcome: 'ok' })
  t.match((await attempt({ ...ALICE, method: 'none' })).result, { outcome: 'ok' }, 'an unknown method')
})

t.test('all failures have the same result and make the same calls', async (t) => {
  const { attempt, memory, password_hash, logged } = await openDesk({ sign_in_failures: 100 })
  await createUser(memory, 'disabled', { sub: 'd', password_hash, disabled: 'true' })
  await createUser(memory, 'hashless', { sub: 'h' })
  await createUser(memory, 'empty', { sub: 'e', password_hash: '' })
  await createUser(memory, 'spoiled', { sub: 's', password_hash: `${password_hash}!` })
  await createUser(memory, 'plain', { sub: 'p', password_hash: PASSWORD })
  await createUser(memory, 'malformed', { sub: 'not a sub', password_hash })
  await createUser(memory, 'undecided', { sub: 'u', password_hash, disabled: 'maybe' })
  const forms: Parameters[] = [
    { username: 'nobody', password: PASSWORD },
    { username: 'alice', password: 'wrong horse battery' },
    { username: 'alice' },
    { username: 'alice', password: `${PASSWORD} ` },
    { username: 'alice', password: 'x'.repeat(60_000) },
    { username: 'nobody@example.com', password: PASSWORD },
    { username: '__proto__', password: PASSWORD },
    ...['disabled', 'hashless', 'empty', 'spoiled', 'plain', 'malformed', 'undecided'].map((username) => ({
      username,
      password: PASSWORD,
    })),
    { username: 'hashless' },
    { username: 'nobody' },
  ]
  for (const form of forms) {
    const { result, asked } = await attempt(form)
    t.match(result, FAILED, JSON.stringify(form).slice(0, 80))
    t.strictSame(asked, ASKED)
  }
  for (const username of ['Nobody', 'Alice', 'Disabled', 'Malformed', 'Nobody@Example.com']) {
    const { result, asked } = await attempt({ username, password: 'wrong horse battery' })
    t.match(result, FAILED, username)
    t.strictSame(asked, ASKED_IN_OTHER_CASE)
  }
  const impossible: Parameters[] = [
    {},
    { password: PASSWORD },
    { username: '   ', password: PASSWORD },
    { username: 'a:b', password: PASSWORD },
    { username: 'al ice', password: PASSWORD },
    { username: '{alice}', password: PASSWORD },
    { username: 'a'.repeat(256), password: PASSWORD },
  ]
  for (const form of impossible) {
    const { result, asked } = await attempt(form)
    t.match(result, FAILED, JSON.stringify(form).slice(0, 80))
    t.strictSame(asked, [...COUNTED, 'verify'], 'a name that no record can have is not looked up')
  }
  const log = JSON.stringify(logged)
  t.match(log, /"username":"malformed","field":"sub"/)
  t.match(log, /"username":"undecided","field":"disabled"/)
  t.match(log, /"username":"spoiled","field":"password_hash"/)
  t.notMatch(log, /argon2id\$|horse/)
})

t.test('a disabled user takes the time of one without a password, also with the right one', async (t) => {
  const asked: string[] = []
  const { attempt, memory, password_hash } = await openDesk(
    {},
    {
      hash: argon2.hash,
      verify: (hash, password) => {
        asked.push(hash)
        return argon2.verify(hash, password)
      },
    },
  )
  await createUser(memory, 'disabled', { sub: 'd', password_hash, disabled: 'true' })
  t.match((await attempt({ ...ALICE, username: 'disabled' })).result, FAILED)
  t.equal(asked.length, 1)
  t.notOk(asked.includes(password_hash))
})

t.test('why a sign-in failed, and the account if there is one', async (t) => {
  const { attempt, memory, password_hash } = await openDesk()
  await createUser(memory, 'disabled', { sub: 'd', password_hash, disabled: 'true' })
  await createUser(memory, 'hashless', { sub: 'h' })
  const table: [form: Parameters, reason: string, sub?: string][] = [
    [{ username: 'alice', password: 'wrong horse battery' }, 'wrong_password', 'a-1'],
    [{ username: 'nobody', password: PASSWORD }, 'unknown_user'],
    [{ username: PASSWORD }, 'unknown_user'],
    [{ username: 'disabled', password: PASSWORD }, 'disabled_user', 'd'],
    [{ username: 'disabled', password: 'wrong horse battery' }, 'disabled_user', 'd'],
    [{ username: 'hashless', password: PASSWORD }, 'no_password', 'h'],
  ]
  for (const [form, reason, sub] of table) {
    const { result } = await attempt(form)
    if (result.outcome !== 'failed') t.fail(result.outcome)
    else t.strictSame([result.reason, result.user?.sub], [reason, sub], JSON.stringify(form))
  }
})

t.test('only a successful sign-in replaces a hash of another cost', async (t) => {
  const { attempt, memory, passwords } = await openDesk()
  const before = await old()
  const hashOf = async () => (await readUser(memory, 'alice'))?.password_hash
  await changeUser(memory, 'alice', { set: { password_hash: before, disabled: 'true' }, unset: [] })
  t.match((await attempt(ALICE)).result, FAILED)
  t.equal(await hashOf(), before, 'after a failure')
  await changeUser(memory, 'alice', { set: {}, unset: ['disabled'] })
  t.strictSame((await attempt({ ...ALICE, password: 'wrong' })).asked, ASKED)
  t.equal(await hashOf(), before)
  t.match((await attempt(ALICE)).result, { outcome: 'ok' })
  const made = await hashOf()
  t.match(made, /m=8192,t=1,p=1/)
  t.ok(await passwords.verify(PASSWORD, made))
  t.notOk((await attempt(ALICE)).asked.includes('hash'))
  t.equal(await hashOf(), made)
})

t.test('a change of the user record while the password is verified counts', async (t) => {
  const changes: Change[] = [
    { set: { password_hash: randomHash(CHEAP) }, unset: [] },
    { set: {}, unset: ['password_hash'] },
    { set: { disabled: 'true' }, unset: [] },
    { set: { sub: 'not a sub' }, unset: [] },
  ]
  for (const change of changes) {
    const { context, memory, passwords } = await openDesk()
    const verify = passwords.verify.bind(passwords)
    passwords.verify = async (password, hash) => {
      await changeUser(memory, 'alice', change)
      return verify(password, hash)
    }
    t.match(await attemptSignIn(context, ALICE, HOME), FAILED, JSON.stringify(Object.keys(change.set)))
  }
  const { context, memory, passwords } = await openDesk()
  passwords.verify = async () => {
    await removeUser(memory, 'alice')
    return true
  }
  t.match(await attemptSignIn(context, ALICE, HOME), FAILED, 'removed')
})

t.test('after the right password, the commands to storage leave together', async (t) => {
  const { context, calls } = await openDesk()
  const turns: (readonly string[])[] = []
  const proven = await new Promise((resolve) => {
    void attemptSignIn(context, ALICE, HOME, async (proven) => {
      const before = calls.length
      // An answer from Redis takes a turn of the event loop.
      await new Promise(setImmediate)
      turns.push(calls.slice(before).map((call) => call.split(' ')[0] ?? ''))
      resolve(proven)
      return STARTED
    })
  })
  t.strictSame(proven, { username: 'alice', sub: 'a-1', amr: 'pwd', acr: '1', judged_since: 0 })
  t.strictSame(turns, [['forgiveFailures', 'rememberBrowser']])
})

t.test('concurrent sign-ins succeed while the hash is replaced', async (t) => {
  const { context, memory } = await openDesk()
  await changeUser(memory, 'alice', { set: { password_hash: await old() }, unset: [] })
  const results = await Promise.all(Array.from({ length: 8 }, () => attemptSignIn(context, ALICE, HOME)))
  t.strictSame([...new Set(results.map(({ outcome }) => outcome))], ['ok'])
})

t.test('a password that is changed during the rehash is not overwritten', async (t) => {
  const { context, memory, passwords } = await openDesk()
  await changeUser(memory, 'alice', { set: { password_hash: await old() }, unset: [] })
  const changed = randomHash(CHEAP)
  const hash = passwords.hash.bind(passwords)
  passwords.hash = async (password) => {
    await changeUser(memory, 'alice', { set: { password_hash: changed }, unset: [] })
    return hash(password)
  }
  t.match(await attemptSignIn(context, ALICE, HOME), FAILED, 'and the old one signs nobody in')
  t.match(await readUser(memory, 'alice'), { password_hash: changed })
})

t.test('a sign-in succeeds even if the rehash fails', async (t) => {
  const { attempt, memory, logged } = await openDesk()
  const password_hash = await old()
  await changeUser(memory, 'alice', { set: { password_hash }, unset: [] })
  memory.records.change = async () => {
    throw new StorageUnavailable('it is away')
  }
  t.match((await attempt(ALICE)).result, { outcome: 'ok' })
  t.match(await readUser(memory, 'alice'), { password_hash })
  t.match(logged, [[{ username: 'alice' }, /could not be hashed anew/]])
  t.notMatch(JSON.stringify(logged), /argon2id\$|horse/)
})

t.test('an unavailable storage is an error, not a failed sign-in', async (t) => {
  const away = async () => {
    throw new StorageUnavailable('it is away')
  }
  for (const name of ['findBrowser', 'countFailures', 'forgiveFailures', 'rememberBrowser'] as const) {
    const { context, memory } = await openDesk()
    memory.counters[name] = away
    await t.rejects(attemptSignIn(context, ALICE, HOME), StorageUnavailable, name)
  }
  const { context, memory } = await openDesk()
  memory.records.read = away
  await t.rejects(attemptSignIn(context, ALICE, HOME), StorageUnavailable, 'the user is read')
})

t.test('an attempt that could not be judged does not count as failed', async (t) => {
  const { context, memory, attempt } = await openDesk({ sign_in_failures: 2 })
  const read = memory.records.read.bind(memory.records)
  memory.records.read = async () => {
    throw new StorageUnavailable('it is away')
  }
  for (let count = 0; count < 5; count += 1) {
    await t.rejects(attemptSignIn(context, ALICE, AWAY), StorageUnavailable)
  }
  memory.records.read = read
  t.match((await attempt(ALICE, AWAY)).result, { outcome: 'ok' })
})

t.test('what is wrong with the methods of an application', (t) => {
  t.strictSame(methodFaults([password]), [])
  const nameless = { ...password, name: 'A name' }
  t.strictSame(methodFaults([password, password, nameless, { name: 'x', acr_values: [] }]), [
    'has "pwd" twice',
    'has "A name": a name has up to 32 of a-z, 0-9, ".", "_", ":" and "-"',
    'has "x" without acr_values',
    'has "x" without a function username',
    'has "x" without a function authenticate',
  ])
  t.end()
})

async function old(): Promise<string> {
  return (await openDesk({ ...CHEAP, argon2_iterations: 2 })).passwords.hash(PASSWORD)
}
