// The contract of sessions.

import type { Test } from 'tap'
import {
  type JoinedFamily,
  SESSION,
  type SessionRecord,
  SIGNED_IN,
} from '../../../src/sessions/session-record.ts'
import {
  changeSession,
  createSession,
  familiesOf,
  renewSession,
  takeSession,
  useSession,
  useSessionAlone,
  useSessionFor,
} from '../../../src/sessions/session-store.ts'
import type { RecordStore } from '../../../src/storage/storage.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { type Make, pass, type Subject } from './subject.ts'

const ID = 'qL8R4QIcQ_ZsRqOAbeRfcZhilN_MksRtDaErMA_DKuE'
const HOUR = 3600
const NOW = 1_795_000_000_000

/** Adds a client to a session, and a family. */
function join(storage: RecordStore, id: string, client_id: string, family?: string) {
  const families: [string, JoinedFamily][] =
    family === undefined ? [] : [[family, { client_id, joined_at: NOW }]]
  return changeSession(storage, id, { clients: [client_id], families })
}

/** A session that ends after so many seconds. */
export function session(change: Partial<SessionRecord> = {}, lasts = HOUR): SessionRecord {
  return {
    sid: 'session-of-alice',
    username: 'alice',
    sub: '248289761001',
    auth_time: 1_795_000_000,
    amr: 'pwd',
    acr: 'urn:example:password',
    started_at: NOW,
    ends_at: Date.now() + lasts * 1000,
    clients: new Set(),
    families: new Map(),
    ...change,
  }
}

export async function sessionContract(t: Test, make: Make): Promise<void> {
  await t.test('a session is read as it was written, only with its exact id', async (t) => {
    const { storage } = await make(t)
    for (const record of [
      session(),
      session({
        clients: new Set(['app', 'web', 'my app 2']),
        families: new Map([
          ['one', { client_id: 'app', joined_at: NOW }],
          ['two', { client_id: 'my app 2', joined_at: NOW + 1 }],
          ['three', { client_id: 'my app 2', joined_at: 0 }],
        ]),
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

  await t.test('a use is noted to the minute, in a session that says when it was used', async (t) => {
    const { storage } = await make(t)
    const last = async (id: string) => (await storage.records.read(SESSION, id))?.hash.last_used_at
    await createSession(storage, ID, session({ last_used_at: NOW }), HOUR)
    await createSession(storage, 'by hand', session(), HOUR)
    t.equal(await last(ID), String(NOW), 'reading it is no use')
    for (const use of [useSession, useSessionFor]) {
      await storage.records.change(SESSION, ID, { set: { last_used_at: String(NOW) } })
      const before = Date.now()
      await use(storage, ID, HOUR)
      const used = Number(await last(ID))
      t.equal(used % 60_000, 0)
      t.ok(used > before - 60_000 && used <= Date.now())
      await use(storage, 'by hand', HOUR)
      t.equal(await last('by hand'), undefined)
    }
  })

  await t.test('an unused session expires after its idle lifetime', async (t) => {
    const subject = await make(t)
    await createSession(subject.storage, ID, session(), 0.2)
    await pass(subject, 0.3, async () => (await join(subject.storage, ID, 'app')) === 'missing')
    t.equal(await useSession(subject.storage, ID, HOUR), undefined)
    t.equal(await takeSession(subject.storage, ID), undefined)
  })

  await t.test('each use extends a session by the idle lifetime', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    await createSession(storage, ID, session(), 100)
    await within(t, subject, 100)
    await join(storage, ID, 'app', 'grant')
    await within(t, subject, 100)
    await useSession(storage, ID, 1000)
    await within(t, subject, 1000)
    await useSessionFor(storage, ID, 500, 'app')
    await within(t, subject, 500)
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
    t.equal(await join(subject.storage, 'over', 'app'), 'missing')
  })

  await t.test('clients and families are added, and families are removed, in one step', async (t) => {
    const { storage } = await make(t)
    const record = session()
    await createSession(storage, ID, record, HOUR)
    t.equal(await join(storage, ID, 'app'), 'ok')
    t.equal(await join(storage, ID, 'app'), 'ok', 'again')
    t.equal(await join(storage, ID, 'web', 'one'), 'ok')
    t.equal(await join(storage, ID, 'web', 'two'), 'ok', 'every family is kept')
    const names = ['__proto__', 'constructor', 'client:app', 'grant:one', 'a:b c', '{x} é 🗝']
    for (const name of names) t.equal(await join(storage, ID, name), 'ok')
    const three = ['three', { client_id: 'web', joined_at: NOW }] as const
    const change = { clients: [], families: [three], forget: ['one', 'unknown'] }
    t.equal(await changeSession(storage, ID, change), 'ok')
    t.strictSame(await useSession(storage, ID, HOUR), {
      ...record,
      clients: new Set(['app', 'web', ...names]),
      families: new Map([['two', { client_id: 'web', joined_at: NOW }], three]),
    })
  })

  await t.test('a request of a client finds who is signed in, and whether the client joined', async (t) => {
    const { storage } = await make(t)
    const { clients, families, ...signedIn } = session({ clients: new Set(['app', '']) })
    await createSession(storage, ID, { ...signedIn, clients, families }, HOUR)
    t.strictSame(await useSessionFor(storage, ID, HOUR, 'app'), { ...signedIn, has_joined: true })
    for (const other of ['web', 'ap', 'app ', '__proto__', 'grant:one'])
      t.strictSame(await useSessionFor(storage, ID, HOUR, other), { ...signedIn, has_joined: false }, other)
    t.strictSame(await familiesOf(storage, ID), new Map())
    await join(storage, ID, 'web', 'one')
    t.match(await useSessionFor(storage, ID, HOUR, 'web'), { has_joined: true })
    const fields = async (...fields: string[]) =>
      (await storage.records.read(SIGNED_IN, ID, { fields, idle_ttl: HOUR }))?.hash
    t.same(Object.keys((await fields('ends_at')) ?? {}), ['ends_at'], 'also only its end')
    t.same(Object.keys((await fields('sid', 'last_used_at', 'ends_at')) ?? {}).sort(), ['ends_at', 'sid'])
    t.equal(await fields('missing'), undefined, 'its end was not asked for')
    t.strictSame(await familiesOf(storage, ID), new Map([['one', { client_id: 'web', joined_at: NOW }]]))
    await takeSession(storage, ID)
    t.equal(await useSessionFor(storage, ID, HOUR, 'app'), undefined)
    t.equal(await familiesOf(storage, ID), undefined)
  })

  await t.test('a session counts for its secret only, and a wrong one does not extend it', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    await createSession(storage, ID, session({ secret: 'one' }), 100)
    for (const wrong of ['', 'two', 'on', 'one '])
      t.equal(await useSessionFor(storage, ID, HOUR, 'app', wrong), undefined, wrong)
    await within(t, subject, 100)
    t.match(await useSessionFor(storage, ID, 500, 'app', 'one'), { username: 'alice' })
    await within(t, subject, 500)
    await createSession(storage, 'by hand', session(), HOUR)
    t.equal(await useSessionFor(storage, 'by hand', HOUR, 'app', ''), undefined)
  })

  await t.test('a sign-in renews a session: what joined stays, and its earlier secret ends', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const came_from = { upstream_session: 'a digest', upstream_user: 'a person', upstream_at: NOW }
    const seen = { browser: 'a browser', address: '192.0.2.1', ...came_from }
    const first = session({ ...seen, secret: 'one', confirmed_state: 'a state', last_used_at: NOW }, 600)
    await createSession(storage, ID, first, 100)
    await join(storage, ID, 'app', 'a-family')
    const { browser: _, address: __, confirmed_state: ___, ...again } = first
    const next = {
      ...again,
      secret: 'two',
      amr: 'otp',
      auth_time: 1_795_000_100,
      ends_at: first.ends_at + 9e6,
    }
    t.equal(await renewSession(storage, ID, { ...next, sub: 'another' }, HOUR), 'missing')
    t.equal(await renewSession(storage, ID, { ...next, sid: 'another' }, HOUR), 'missing')
    t.ok(await useSessionFor(storage, ID, 100, 'app', 'one'), 'nothing has changed')
    t.equal(await renewSession(storage, ID, next, HOUR), 'ok')
    await within(t, subject, HOUR)
    t.equal(await useSessionFor(storage, ID, HOUR, 'app', 'one'), undefined)
    t.match(await useSessionFor(storage, ID, HOUR, 'app', 'two'), { amr: 'otp', has_joined: true })
    const stored = (await storage.records.read(SESSION, ID))?.hash ?? {}
    t.strictSame(
      ['browser', 'grant:a-family', 'confirmed_at', 'confirmed_by', 'confirmed_state'].map((f) => stored[f]),
      ['a browser', `app ${NOW}`, undefined, undefined, undefined],
    )
    for (const [list, owner] of [
      ['sessions-of', 'alice'],
      ['upstream-sessions', 'a digest'],
      ['upstream-sessions', 'a person'],
    ] as const) {
      const { entries } = await storage.lists.page({ list, owner }, { limit: 9 })
      t.match(entries, [{ id: ID, until: next.ends_at }], list)
    }
    t.match(await useSessionAlone(storage, ID, HOUR), came_from)
    await takeSession(storage, ID)
    t.equal(await renewSession(storage, ID, next, HOUR), 'missing', 'an ended one is not restored')
  })

  await t.test('a session of any size is written, changed, read and ended', async (t) => {
    const { storage } = await make(t)
    const joined = { client_id: 'app', joined_at: NOW }
    const familiesNamed = (kind: string) =>
      new Map(Array.from({ length: 9000 }, (_, i) => [`${kind}${i}`, joined] as const))
    const [first, second] = [familiesNamed('first'), familiesNamed('second')]
    await createSession(storage, ID, session({ families: first }), HOUR)
    t.equal((await useSession(storage, ID, HOUR))?.families.size, 9000)
    t.equal(
      await changeSession(storage, ID, { clients: [], families: second, forget: [...first.keys()] }),
      'ok',
    )
    t.strictSame(new Set((await useSession(storage, ID, HOUR))?.families.keys()), new Set(second.keys()))
    await createSession(storage, ID, session({ families: first }), HOUR)
    t.strictSame(new Set((await takeSession(storage, ID))?.families.keys()), new Set(first.keys()))
  })

  await t.test('the fields of a session, as operators see them', async (t) => {
    const { storage } = await make(t)
    const { ends_at } = session()
    const hash = {
      sid: 's',
      username: 'u',
      sub: 'u',
      auth_time: '1',
      amr: 'pwd',
      acr: '1',
      ends_at: `${ends_at}`,
    }
    await storage.records.put({ kind: SESSION, id: ID, hash, ttl: HOUR })
    await join(storage, ID, 'a client', 'one')
    t.match(await useSession(storage, ID, HOUR), {
      clients: new Set(['a client']),
      families: new Map([['one', { client_id: 'a client', joined_at: NOW }]]),
    })
    t.strictSame((await storage.records.take(SESSION, ID))?.hash, {
      ...hash,
      'client:a client': '',
      'grant:one': `a client ${NOW}`,
    })
  })

  await t.test('an ended session is not restored', async (t) => {
    const { storage, redis } = await make(t)
    t.equal(await join(storage, ID, 'app', 'grant'), 'missing')
    await createSession(storage, ID, session(), HOUR)
    await takeSession(storage, ID)
    t.equal(await join(storage, ID, 'app', 'grant'), 'missing')
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
      const joins = (i: number) => join(storage, ID, `app-${i}`, `grant-${i}`)
      const before = Array.from({ length: 10 }, (_, i) => joins(i))
      const ended = takeSession(storage, ID)
      const after = Array.from({ length: 10 }, (_, i) => joins(10 + i))
      const outcomes = await Promise.all([...before, ...after])
      const joined = outcomes.flatMap((outcome, i) => (outcome === 'ok' ? [i] : []))
      const { clients, families } = (await ended) ?? session()
      t.strictSame(clients, new Set(joined.map((i) => `app-${i}`)))
      t.strictSame(new Set(families.keys()), new Set(joined.map((i) => `grant-${i}`)))
      t.equal(await useSession(storage, ID, HOUR), undefined)
    },
  )

  await t.test('returned values are copies', async (t) => {
    const { storage } = await make(t)
    const clients = new Set(['app'])
    const record = session({ clients })
    await createSession(storage, ID, record, HOUR)
    clients.add('web')
    const { clients: read } = (await useSession(storage, ID, HOUR)) ?? record
    ;(read as Set<string>).add('web')
    t.strictSame((await useSession(storage, ID, HOUR))?.clients, new Set(['app']))
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
      ...['never', 'nan', '-nan', 'inf', '1e400'].map((ends_at) => ['HSET', key, 'ends_at', ends_at]),
      ['HSET', key, 'ends_at', String(Date.now() - 1000)],
    ]
    for (const step of spoil) {
      await createSession(storage, ID, session(), HOUR)
      await redis.cli(...step)
      t.equal(await useSession(storage, ID, HOUR), undefined, step.join(' '))
      t.equal(await useSessionFor(storage, ID, HOUR, 'app'), undefined, step.join(' '))
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
  t.equal(await join(storage, ID, 'looked at'), 'ok', `found after ${seconds} s`)
  advance?.(2)
  t.equal(await join(storage, ID, 'looked at'), 'missing', 'not found later')
  advance?.(-1 - seconds)
}
