// The end of a session: what it leaves behind, also if it is interrupted.

import { EventEmitter } from 'node:events'
import t, { type Test } from 'tap'
import { type ClientDefinition, formatClient } from '../../../../src/clients/record/client-record.ts'
import type { Context } from '../../../../src/context.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { newFamilyId, newSid, newToken } from '../../../../src/core/token-string.ts'
import { newCookieValue, sessionIdOf } from '../../../../src/sessions/browser.ts'
import { endSession } from '../../../../src/sessions/end-session.ts'
import type { LogoutNotice } from '../../../../src/sessions/logout-queue.ts'
import { claimLogouts } from '../../../../src/sessions/logout-queue.ts'
import type { SessionRecord } from '../../../../src/sessions/session-record.ts'
import { changeSession, createSession } from '../../../../src/sessions/session-store.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { redeemCode } from '../../../../src/tokens/token-families.ts'
import { courierContext, keptLog } from '../../../support/logout/relying-party.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { observed } from '../../../support/observed.ts'
import { createClient, saveCode } from '../../../support/records.ts'
import { CLIENTS } from '../../../support/service.ts'

const HEARS = { ...CLIENTS.app, backchannel_logout_uri: 'https://rp.example.com/out' }
const PARTIES: ClientDefinition[] = [
  { ...HEARS, client_id: 'hears' },
  { ...HEARS, client_id: 'late' },
  { ...HEARS, client_id: 'disabled', disabled: true },
  { ...HEARS, client_id: 'masked', subject_type: 'pairwise', sector_identifier: 'rp.example.com' },
  { ...CLIENTS.app, client_id: 'deaf' },
]

const HELD_BY_HEARS = { client_id: 'hears', joined_at: 1_795_000_000_000 }

const session: SessionRecord = {
  sid: newSid(),
  username: 'alice',
  sub: 'sub-of-alice',
  auth_time: 1,
  amr: 'pwd',
  acr: '1',
  started_at: 1000,
  ends_at: Date.now() + 3_600_000,
  clients: new Set([...PARTIES.slice(0, 1), ...PARTIES.slice(2)].map(({ client_id }) => client_id)),
  families: new Map(),
}

/** A context on a storage that fails when `fails` returns true, and a session in it. */
async function prepare(
  t: Test,
  storage: Storage,
  options = { pairwise_salt: 'a salt of sixteen characters' },
) {
  for (const client of PARTIES) await createClient(storage, client.client_id, formatClient(client))
  const calls: string[] = []
  const hook = { before: async (_call: string) => {} }
  const watched = observed(storage, async (call, run) => {
    if (call === 'read client') return run()
    await hook.before(call)
    calls.push(call)
    return run()
  })
  const { log, lines } = keptLog()
  const part = await courierContext(t, watched, log, options)
  const logouts = new EventEmitter<{ queued: [] }>()
  let woken = 0
  logouts.on('queued', () => woken++)
  const context = { ...part, logouts } as unknown as Context
  const cookie = newCookieValue()
  const grants = [newFamilyId(), newFamilyId()] as const
  const held = { ...session, families: new Map(grants.map((grant) => [grant, HELD_BY_HEARS])) }
  await createSession(storage, sessionIdOf(cookie), held, 3600)
  calls.length = 0
  return { context, cookie, grants, calls, hook, lines, held, woken: () => woken }
}

const code = {
  client_id: 'hears',
  redirect_uri: 'x',
  scope: 'openid',
  subject: 's',
  auth_time: 1,
  code_challenge: 'c',
}

/** Whether a code of this grant can be redeemed. */
async function canBeRedeemed(storage: Storage, grant: string): Promise<boolean> {
  const token = newToken(grant)
  await saveCode(storage, token, code, 60)
  const { outcome } = await redeemCode(storage, token, {
    client_id: code.client_id,
    redirect_uri: code.redirect_uri,
    code_challenge: code.code_challenge,
    operation: newFamilyId(),
    access_token: newToken(grant),
    refresh_token: newToken(grant),
    access_token_ttl: 60,
    refresh_token_ttl: 60,
  })
  return outcome === 'ok'
}

const queued = async (storage: Storage): Promise<LogoutNotice[]> =>
  claimLogouts({ queue: storage.queue, log: SILENT }, 100, 60)

forEachStorage(
  t,
  'every client with a backchannel_logout_uri is notified, and the grants end',
  async (t, makeStorage) => {
    const { storage } = await makeStorage()
    const { context, cookie, grants, calls, lines, held, woken } = await prepare(t, storage)
    t.strictSame(await endSession(context, cookie), held)
    t.strictSame(calls.at(-1), 'remove session', 'the session goes last')
    t.equal(woken(), 1)
    const notices = await queued(storage)
    t.strictSame(notices.map(({ client_id }) => client_id).sort(), ['hears', 'masked'])
    t.equal(new Set(notices.map(({ id }) => id)).size, 2)
    const [hears, masked] = notices.sort((one, other) => (one.client_id < other.client_id ? -1 : 1))
    t.match(hears, { sid: session.sid, attempts: 0 })
    t.match(masked, { sid: /^[\w-]{43}$/, attempts: 0 })
    t.not(masked?.sid, session.sid, 'as this client knows the session')
    const subs = new Map(notices.map(({ client_id, sub }) => [client_id, sub]))
    t.equal(subs.get('hears'), 'sub-of-alice')
    t.match(subs.get('masked'), /^[\w-]{43}$/, 'as this client knows the user')
    for (const grant of grants) t.equal(await canBeRedeemed(storage, grant), false)
    t.equal(await canBeRedeemed(storage, newFamilyId()), true, 'another grant is not touched')
    t.strictSame(lines, [])
    t.equal(await endSession(context, cookie), undefined, 'it ends once')
    t.equal(await endSession(context, newCookieValue()), undefined)
    t.strictSame(await queued(storage), [])
  },
)

forEachStorage(t, 'after an interruption, the next attempt completes the logout', async (t, makeStorage) => {
  for (const step of ['read session', 'endFamily', 'add', 'remove session']) {
    const { storage } = await makeStorage()
    const { context, cookie, grants, hook } = await prepare(t, storage)
    hook.before = async (call) => {
      if (call === step) throw new StorageUnavailable('away')
    }
    await t.rejects(endSession(context, cookie), StorageUnavailable, step)
    hook.before = async () => {}
    t.ok(await endSession(context, cookie), `${step}: the session is still there`)
    const told = (await queued(storage)).map(({ client_id }) => client_id)
    t.strictSame([...new Set(told)].sort(), ['hears', 'masked'], step)
    for (const grant of grants) t.equal(await canBeRedeemed(storage, grant), false, step)
  }
})

forEachStorage(
  t,
  'a client that joins the session at the same time is notified too',
  async (t, makeStorage) => {
    const { storage } = await makeStorage()
    const { context, cookie, hook } = await prepare(t, storage)
    const grant = newFamilyId()
    hook.before = async (call) => {
      if (call !== 'remove session') return
      const late = { clients: ['late'], families: [[grant, { client_id: 'late', joined_at: 1 }]] as const }
      t.equal(await changeSession(storage, sessionIdOf(cookie), late), 'ok')
    }
    t.ok(await endSession(context, cookie))
    const told = (await queued(storage)).map(({ client_id }) => client_id)
    t.strictSame(told.sort(), ['hears', 'late', 'masked'], 'each of them once')
    t.equal(await canBeRedeemed(storage, grant), false)
    t.equal(await changeSession(storage, sessionIdOf(cookie), { clients: ['late'] }), 'missing')
  },
)

t.test('a client without a subject for the user does not prevent the logout', async (t) => {
  const storage = new MemoryStorage()
  const { context, cookie, lines } = await prepare(t, storage, {} as { pairwise_salt: string })
  t.ok(await endSession(context, cookie))
  t.strictSame(
    (await queued(storage)).map(({ client_id }) => client_id),
    ['hears'],
  )
  t.match(lines, [{ level: 'warn', details: { client_id: 'masked' } }])
})
