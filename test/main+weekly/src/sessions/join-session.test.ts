// The families that end with a session: how many there are, and that none is lost.

import { EventEmitter } from 'node:events'
import t from 'tap'
import { formatClient, parseClient } from '../../../../src/clients/record/client-record.ts'
import { completeSettings } from '../../../../src/config/settings.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { newFamilyId } from '../../../../src/core/token-string.ts'
import { newCookieValue, sessionIdOf } from '../../../../src/sessions/browser.ts'
import { endSession } from '../../../../src/sessions/end-session.ts'
import { joinSession, MAX_FAMILIES } from '../../../../src/sessions/join-session.ts'
import { type NewSession, startSession } from '../../../../src/sessions/session.ts'
import { SESSION } from '../../../../src/sessions/session-record.ts'
import { createSession, useSession, useSessionFor } from '../../../../src/sessions/session-store.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { session } from '../../../support/contract/session-contract.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { observed } from '../../../support/observed.ts'
import { CLIENTS } from '../../../support/service.ts'

const parsed = parseClient(
  'any',
  formatClient({ ...CLIENTS.app, client_id: 'any', backchannel_logout_uri: 'https://a.example/out' }),
)
if (!parsed.ok) throw new Error('the client of this test is malformed')
const LISTENING = parsed.record

/** A session of alice, and requests in her browser. */
async function signedIn(storage: Storage, families = new Map()) {
  let cookie = newCookieValue()
  let now = Date.now()
  const context = {
    storage,
    settings: completeSettings({ issuer: 'https://a.example' }),
    clients: { find: async () => undefined },
    logouts: new EventEmitter<{ queued: [] }>(),
    sessions: new EventEmitter<{ started: [NewSession] }>(),
    log: SILENT,
    now: () => now++,
  }
  await createSession(storage, sessionIdOf(cookie), session({ families }), 3600)
  const read = async () => {
    const id = sessionIdOf(cookie)
    const record = await useSession(storage, id, 3600)
    if (record === undefined) throw new Error('the session has ended')
    return { ...record, id }
  }
  /** The session as a request of this client finds it. */
  const find = async (client_id: string) => {
    const id = sessionIdOf(cookie)
    const found = await useSessionFor(storage, id, 3600, client_id)
    if (found === undefined) throw new Error('the session has ended')
    return { ...found, id }
  }
  const status = async (family: string) => (await storage.families.findFamily(family))?.status
  return {
    context,
    read,
    find,
    /** A request with prompt=none: its family ends with the session. */
    async renew(client_id = 'app') {
      const family = newFamilyId()
      const joined = await joinSession(context, await find(client_id), client_id, family)
      if (joined !== 'ok') throw new Error('the session ended meanwhile')
      return family
    },
    /** Signs alice in once more. */
    async signInAgain() {
      const { username, sub, amr, acr, started_at: judged_since } = await read()
      cookie = (await startSession(context, { session: cookie }, { username, sub, amr, acr, judged_since }))
        .cookie
    },
    logOut: () => endSession(context, cookie),
    status,
    /** Those of these families that were not ended. */
    async live(families: readonly string[]) {
      const statuses = await Promise.all(families.map(status))
      return families.filter((_, i) => statuses[i] !== 'revoked')
    },
  }
}

forEachStorage(t, 'after 5,000 renewals a session is small, and everything works', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const { read, renew, signInAgain, logOut, live } = await signedIn(storage)
  const other = await renew('web')
  const families: string[] = []
  for (let i = 0; i < 5000; i++) families.push(await renew())
  const last = families.slice(-MAX_FAMILIES)
  t.strictSame(await live(families), last, 'the oldest of the client ended')
  t.strictSame(new Set((await read()).families.keys()), new Set([other, ...last]))
  const fields = Object.keys((await storage.records.read(SESSION, (await read()).id))?.hash ?? {})
  t.ok(fields.length <= 11 + 2 + MAX_FAMILIES + 1, `${fields.length} fields`)

  await signInAgain()
  t.strictSame(new Set((await read()).families.keys()), new Set([other, ...last]), 'after another sign-in')
  const latest = await renew()
  t.strictSame(await live([other, ...last, latest]), [other, ...last.slice(1), latest])
  t.ok(await logOut())
  t.strictSame(await live([other, ...last, latest]), [])
})

forEachStorage(t, 'a session that many families joined shrinks, and can be ended', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const families = Array.from({ length: 5000 }, newFamilyId)
  const joined = { client_id: 'app', joined_at: 1 }
  const { read, renew, signInAgain, logOut, live } = await signedIn(
    storage,
    new Map(families.map((family) => [family, joined])),
  )
  await signInAgain()
  t.equal((await read()).families.size, 5000)
  for (let i = 0; i < 50; i++) families.push(await renew())
  const { size } = (await read()).families
  t.ok(size < 4500, `${size} are left`)
  t.strictSame(new Set(await live(families)), new Set((await read()).families.keys()), 'none is lost')
  t.ok(await logOut())
  t.strictSame(await live(families), [])
})

forEachStorage(
  t,
  'concurrent renewals lose no family, and their number is bounded',
  async (t, makeStorage) => {
    const { storage } = await makeStorage()
    const { read, renew, live } = await signedIn(storage)
    const CONCURRENT = 30
    const families: string[] = []
    for (let round = 0; round < 20; round++) {
      families.push(...(await Promise.all(Array.from({ length: CONCURRENT }, () => renew()))))
      const kept = (await read()).families
      t.ok(kept.size <= MAX_FAMILIES + 3 * CONCURRENT, `round ${round}: ${kept.size}`)
      t.strictSame(new Set(await live(families)), new Set(kept.keys()))
    }
    for (let i = 0; i < 10; i++) families.push(await renew())
    t.equal((await read()).families.size, MAX_FAMILIES, 'and goes back to what one after the other leaves')
  },
)

forEachStorage(t, 'a family that could not be ended stays in the session', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  let away: string | undefined
  const failing = observed(storage, (call, run) =>
    call === away ? Promise.reject(new StorageUnavailable('away')) : run(),
  )
  const { read, renew, logOut, live } = await signedIn(failing)
  const families: string[] = []
  for (let i = 0; i < MAX_FAMILIES; i++) families.push(await renew())
  for (away of ['endFamily', 'change session']) await t.rejects(renew(), StorageUnavailable, away)
  away = undefined
  t.strictSame(new Set((await read()).families.keys()), new Set(families))
  t.ok(await logOut())
  t.strictSame(await live(families), [])
})

forEachStorage(t, 'ending a large session takes bounded steps', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const clients = new Set(Array.from({ length: 1000 }, (_, i) => `client-${i}`))
  const families = new Map(
    Array.from({ length: 1000 }, () => [newFamilyId(), { client_id: 'app', joined_at: 1 }] as const),
  )
  let running = 0
  let most = 0
  const items: number[] = []
  const counted = observed(storage, async (call, run, args) => {
    if (call === 'add') items.push((args[1] as string[]).length)
    running += 1
    most = Math.max(most, running)
    await null
    const result = await run()
    running -= 1
    return result
  })
  const { context, read } = await signedIn(counted)
  const record = await read()
  const cookie = newCookieValue()
  await createSession(storage, sessionIdOf(cookie), { ...record, clients, families }, 3600)
  const listening = { find: async (client_id: string) => ({ ...LISTENING, client_id }) }
  t.ok(await endSession({ ...context, clients: listening }, cookie))
  t.ok(most <= 20, `${most} calls at a time`)
  t.equal(Math.max(...items), 50, 'notices at a time')
  t.equal(
    items.reduce((sum, count) => sum + count, 0),
    1000,
  )
})

forEachStorage(t, 'a client without a family joins once', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const calls: string[] = []
  const counted = observed(storage, (call, run) => {
    calls.push(call)
    return run()
  })
  const { context, read, find } = await signedIn(counted)
  t.equal(await joinSession(context, await find('app'), 'app'), 'ok')
  t.strictSame((await read()).clients, new Set(['app']))
  const joined = await find('app')
  calls.length = 0
  t.equal(await joinSession(context, joined, 'app'), 'ok')
  t.strictSame(calls, [])
  await storage.records.take(SESSION, joined.id)
  t.equal(await joinSession(context, { ...joined, has_joined: false }, 'web'), 'missing')
  t.equal(await joinSession(context, joined, 'web', newFamilyId()), 'missing')
})

forEachStorage(
  t,
  'a request of before another sign-in joins the session, and ends with it',
  async (t, makeStorage) => {
    const { context, read, find, renew, signInAgain, logOut, live } = await signedIn(
      (await makeStorage()).storage,
    )
    const before = await renew()
    const { sid } = await read()
    const earlier = await find('web')
    await signInAgain()
    const late = newFamilyId()
    t.equal(await joinSession(context, earlier, 'web', late), 'ok')
    t.strictSame((await read()).clients, new Set(['app', 'web']))
    t.strictSame(await live([before, late]), [before, late])
    t.equal((await read()).sid, sid)
    await logOut()
    t.strictSame(await live([before, late]), [])
  },
)

forEachStorage(t, 'a sign-in during a logout starts a session of its own', async (t, makeStorage) => {
  let before: (() => Promise<unknown>) | undefined
  const watched = observed((await makeStorage()).storage, async (call, run) => {
    const first = call === 'change session' ? before : undefined
    if (first !== undefined) before = undefined
    await first?.()
    return run()
  })
  const { read, renew, signInAgain, logOut, live } = await signedIn(watched)
  const family = await renew()
  const { id, sid } = await read()
  before = logOut
  await signInAgain()
  const after = await read()
  t.strictSame([after.clients, after.families], [new Set(), new Map()])
  t.not(after.id, id)
  t.not(after.sid, sid)
  t.strictSame(await live([family]), [])
})
