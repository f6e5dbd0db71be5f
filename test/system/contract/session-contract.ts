// The contract of sessions.

import type { Test } from 'tap'
import type { SessionRecord } from '../../../src/sessions/session-record.ts'
import {
  createSession,
  joinSession,
  sessionsOf,
  takeSession,
  useSession,
} from '../../../src/sessions/session-store.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { type Make, pass, type Subject } from './subject.ts'

const ID = 'qL8R4QIcQ_ZsRqOAbeRfcZhilN_MksRtDaErMA_DKuE'
const HOUR = 3600

/** A session that ends after so many seconds. */
export function session(change: Partial<SessionRecord> = {}, lasts = HOUR): SessionRecord {
  return {
    sid: 'session-of-alice',
    username: 'alice',
    sub: '248289761001',
    auth_time: 1_795_000_000,
    amr: 'pwd',
    acr: 'urn:example:password',
    ends_at: Date.now() + lasts * 1000,
    clients: new Map(),
    grants: new Map(),
    ...change,
  }
}

export async function sessionContract(t: Test, make: Make): Promise<void> {
  await t.test('a session is read as it was written, only with its exact id', async (t) => {
    const { storage } = await make(t)
    for (const record of [
      session(),
      session({
        clients: new Map([
          ['app', 'openid'],
          ['web', ''],
        ]),
        grants: new Map([['grant', 'app']]),
      }),
      session({ username: '__proto__', sub: 'a:b {x}', amr: 'pwd otp', acr: 'é 🗝', auth_time: 0 }),
    ]) {
      t.equal(await useSession(storage, ID, HOUR), undefined)
      await createSession(storage, ID, record, HOUR)
      t.strictSame(await useSession(storage, ID, HOUR), record)
      t.strictSame(await useSession(storage, ID, HOUR), record, 'reading it again')
      for (const other of ['', '*', ID.slice(1), `${ID} `, ID.toLowerCase()]) {
        t.equal(await useSession(storage, other, HOUR), undefined, other)
        t.equal(await takeSession(storage, other), undefined, other)
      }
      t.strictSame(await takeSession(storage, ID), record)
    }
  })

  await t.test('an unused session expires after its idle lifetime', async (t) => {
    const subject = await make(t)
    await createSession(subject.storage, ID, session(), 0.2)
    await pass(subject, 0.3, async () => (await joinSession(subject.storage, ID, 'app', '')) === 'missing')
    t.equal(await useSession(subject.storage, ID, HOUR), undefined)
    t.equal(await takeSession(subject.storage, ID), undefined)
  })

  await t.test('each use extends a session by the idle lifetime', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    await createSession(storage, ID, session(), 100)
    await within(t, subject, 100)
    await joinSession(storage, ID, 'app', 'openid', 'grant')
    await within(t, subject, 100)
    await useSession(storage, ID, 1000)
    await within(t, subject, 1000)
    await useSession(storage, ID, 50)
    await within(t, subject, 50)
  })

  await t.test('a session ends at its ends_at, however much it is used', async (t) => {
    const subject = await make(t)
    await createSession(subject.storage, ID, session({}, 600), HOUR)
    await within(t, subject, 600)
    await useSession(subject.storage, ID, HOUR)
    await within(t, subject, 600)
    await createSession(subject.storage, 'over', session({}, -1), HOUR)
    t.equal(
      await useSession(subject.storage, 'over', HOUR),
      undefined,
      'a session after its ends_at is not found',
    )
    t.equal(await joinSession(subject.storage, 'over', 'app', ''), 'missing')
  })

  await t.test('joining records the client, its latest scope, and every grant', async (t) => {
    const { storage } = await make(t)
    const record = session()
    await createSession(storage, ID, record, HOUR)
    t.equal(await joinSession(storage, ID, 'app', 'openid'), 'ok')
    t.equal(await joinSession(storage, ID, 'app', 'openid email'), 'ok', 'the latest scope is kept')
    t.equal(await joinSession(storage, ID, 'web', '', 'one'), 'ok')
    t.equal(await joinSession(storage, ID, 'web', '', 'two'), 'ok', 'every grant is kept')
    const names = ['__proto__', 'constructor', 'client:app', 'grant:one', 'a:b c', '{x} é 🗝']
    for (const name of names) t.equal(await joinSession(storage, ID, name, `scope of ${name}`), 'ok')
    t.strictSame(await useSession(storage, ID, HOUR), {
      ...record,
      clients: new Map([
        ['app', 'openid email'],
        ['web', ''],
        ...names.map((name) => [name, `scope of ${name}`] as const),
      ]),
      grants: new Map([
        ['one', 'web'],
        ['two', 'web'],
      ]),
    })
  })

  await t.test('an ended session is not restored', async (t) => {
    const { storage, redis } = await make(t)
    t.equal(await joinSession(storage, ID, 'app', 'openid', 'grant'), 'missing')
    await createSession(storage, ID, session(), HOUR)
    await takeSession(storage, ID)
    t.equal(await joinSession(storage, ID, 'app', 'openid', 'grant'), 'missing')
    t.equal(await useSession(storage, ID, HOUR), undefined)
    t.equal(await takeSession(storage, ID), undefined)
    const keys = redis === undefined ? [] : await keysOf(redis)
    t.strictSame(
      keys.filter((key) => key.startsWith('session:')),
      [],
    )
  })

  await t.test('of concurrent attempts to end a session only one gets its record', async (t) => {
    const { storage } = await make(t)
    for (let round = 0; round < 5; round += 1) {
      const record = session({ sid: `round ${round}` })
      await createSession(storage, ID, record, HOUR)
      const answers = await Promise.all(Array.from({ length: 20 }, () => takeSession(storage, ID)))
      t.strictSame(
        answers.filter((answer) => answer !== undefined),
        [record],
      )
    }
  })

  await t.test(
    'a client that joins while the session ends is refused, or is in the returned record',
    async (t) => {
      const { storage } = await make(t)
      await createSession(storage, ID, session(), HOUR)
      const join = (i: number) => joinSession(storage, ID, `app-${i}`, 'openid', `grant-${i}`)
      const before = Array.from({ length: 10 }, (_, i) => join(i))
      const ended = takeSession(storage, ID)
      const after = Array.from({ length: 10 }, (_, i) => join(10 + i))
      const outcomes = await Promise.all([...before, ...after])
      const joined = outcomes.flatMap((outcome, i) => (outcome === 'ok' ? [i] : []))
      const { clients, grants } = (await ended) ?? session()
      t.strictSame(new Set(clients.keys()), new Set(joined.map((i) => `app-${i}`)))
      t.strictSame(new Set(grants.keys()), new Set(joined.map((i) => `grant-${i}`)))
      t.equal(await useSession(storage, ID, HOUR), undefined)
    },
  )

  await t.test('the sessions of a user are found by sub or username, and no others', async (t) => {
    const { storage } = await make(t)
    const found = async (subject: string, username: string) => {
      const ids: string[] = []
      for await (const id of sessionsOf(storage, { subject, username })) ids.push(id)
      return ids.sort()
    }
    t.strictSame(await found('1', 'alice'), [])
    await createSession(storage, 'one', session({ sub: '1', username: 'alice' }), HOUR)
    await createSession(storage, 'two', session({ sub: '1', username: 'alice before' }), HOUR)
    await createSession(storage, 'three', session({ sub: '2', username: 'alice' }), HOUR)
    await createSession(storage, 'four', session({ sub: '3', username: 'bob' }), HOUR)
    t.strictSame(await found('1', 'alice'), ['one', 'three', 'two'])
    t.strictSame(await found('', 'alice'), ['one', 'three'])
    t.strictSame(await found('', ''), [], 'an empty name matches nothing')
    await takeSession(storage, 'one')
    t.strictSame(await found('1', 'nobody'), ['two'])
  })

  await t.test('returned values are copies', async (t) => {
    const { storage } = await make(t)
    const clients = new Map([['app', 'openid']])
    const record = session({ clients })
    await createSession(storage, ID, record, HOUR)
    clients.set('web', 'openid')
    const { clients: read } = (await useSession(storage, ID, HOUR)) ?? record
    ;(read as Map<string, string>).set('web', 'openid')
    t.strictSame((await useSession(storage, ID, HOUR))?.clients, new Map([['app', 'openid']]))
  })

  await t.test('a malformed session is not found', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) return
    const key = `${redis.prefix}session:${ID}`
    const spoil = [
      ...['sid', 'username', 'sub', 'auth_time', 'amr', 'acr', 'ends_at'].map((field) => [
        'HDEL',
        key,
        field,
      ]),
      ['HSET', key, 'auth_time', 'yesterday'],
      ['HSET', key, 'ends_at', 'never'],
      ['HSET', key, 'ends_at', String(Date.now() - 1000)],
    ]
    for (const step of spoil) {
      await createSession(storage, ID, session(), HOUR)
      await redis.cli(...step)
      t.equal(await useSession(storage, ID, HOUR), undefined, step.join(' '))
      t.ok((await expiryOf(redis, `session:${ID}`)) > 0, 'it keeps its expiry')
      await takeSession(storage, ID)
      t.equal(await redis.cli('EXISTS', key), '0', 'it can be ended')
    }
  })
}

/** Asserts that the session still exists, and expires in so many seconds. */
async function within(t: Test, subject: Subject, seconds: number): Promise<void> {
  const { storage, redis, advance } = subject
  if (redis !== undefined) {
    const left = (await expiryOf(redis, `session:${ID}`)) - Date.now()
    t.ok(Math.abs(left - seconds * 1000) < 25_000, `${left} ms of ${seconds} s left`)
    return
  }
  // A clock that can be moved ahead and back.
  advance?.(seconds - 1)
  t.equal(await joinSession(storage, ID, 'looked at', ''), 'ok', `found after ${seconds} s`)
  advance?.(2)
  t.equal(await joinSession(storage, ID, 'looked at', ''), 'missing', 'not found later')
  advance?.(-1 - seconds)
}
