// What people end of their own: the sessions of other browsers, and the access of an application. A mark refuses it at once; a
// server ends it one by one, also if the process ended in between.
import { EventEmitter } from 'node:events'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { countEndings, queueEnding } from '../../../../src/logout/endings-queue.ts'
import { endApplication } from '../../../../src/self-service/own-applications.ts'
import { allOwnSessions, endOtherSessions } from '../../../../src/self-service/own-sessions.ts'
import { createSession } from '../../../../src/sessions/session-store.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { recordOf } from '../../../../src/storage/records.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { grantListings } from '../../../../src/tokens/grant-listings.ts'
import { isEnded } from '../../../../src/tokens/token-account.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { RELYING_PARTIES } from '../../../support/accounts.ts'
import { onRedis } from '../../../support/matrix.ts'
import { createClient, createUser } from '../../../support/records.ts'
import { callsIn } from '../../../support/redis-calls.ts'

import { requestUrl } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { codeRequest } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asDeparture } from '../../../support/visitor.ts'

function onBoth(name: string, run: (t: Test, storage: Storage) => Promise<void>): void {
  t.test(name, (t) => run(t, new MemoryStorage()))
  onRedis(t, name, (t, { storage }) => run(t, storage))
}

async function start(t: Test, storage: Storage) {
  const service = await scene(t, { storage, now: Date.now })
  const { redmint, visitor, afterPassword, token } = service
  const user = await redmint.accounts.find('alice')
  if (user === undefined) throw new Error('no alice')
  const alice = visitor()
  /** Leaves with a code for an application. */
  const allow = async (client_id: string) =>
    asDeparture(await alice.open(requestUrl({ client_id, prompt: '' })))
  asDeparture(await afterPassword(alice))
  return {
    ...service,
    user,
    addSession: (sid: string, started_at: number) =>
      createSession(
        storage,
        sid.padEnd(43, 'x'),
        {
          ...{ sid, username: 'alice', sub: user.sub, amr: 'pwd', acr: '1', started_at },
          ...{ auth_time: Math.floor(started_at / 1000), ends_at: started_at + 7_200_000 },
          ...{ clients: new Set<string>(), families: new Map() },
        },
        36_000,
      ),
    codeFor: async (client_id: string) => (await allow(client_id)).told.get('code') ?? '',
    redeem: async (code: string, client_id = 'own') => (await token(codeRequest(code, { client_id }))).status,
    sids: async () => (await allOwnSessions(redmint, user)).map(({ session }) => session.sid),
    done: () => until('it is done', async () => (await countEndings(storage)) === 0),
  }
}

onBoth('all sessions but one end, however many there are, and none that begins later', async (t, storage) => {
  const { redmint, user, addSession, sids, done } = await start(t, storage)
  const [own = ''] = await sids()
  const [{ session } = { session: undefined }] = await allOwnSessions(redmint, user)
  if (session === undefined) throw new Error('no session')
  const at = redmint.now()
  for (let i = 0; i < 220; i++) await addSession(`other-${i}`, at - 1000)
  await endOtherSessions(redmint, user, session)
  await done()
  t.strictSame(await sids(), [own])

  await addSession('before', at - 1000)
  await addSession('after', at + 60_000)
  await queueEnding(storage, { what: 'other_sessions', username: 'alice', sid: own, before: at })
  redmint.endings.emit('queued')
  await done()
  t.strictSame(new Set(await sids()), new Set([own, 'after']), 'an ending that somebody left behind')
})

onBoth('access ends with codes that are under way, and nothing that begins later', async (t, storage) => {
  const { redmint, user, codeFor, redeem, done } = await start(t, storage)
  const other = { ...RELYING_PARTIES.own, client_id: 'other' }
  await createClient(storage, 'other', formatClient(other))
  const [code, of_other] = [await codeFor('own'), await codeFor('other')]
  await endApplication(redmint, user, 'own')
  await done()
  t.equal(await redeem(code), 400)
  t.equal(await redeem(of_other, 'other'), 200, 'what another application was allowed stays')

  const before = redmint.now()
  await until('the clock moved', () => redmint.now() > before)
  const later = await codeFor('own')
  await queueEnding(storage, { what: 'access', username: 'alice', client_id: 'own', before })
  redmint.endings.emit('queued')
  await done()
  t.equal(await redeem(later), 200, 'what was allowed since stays')
})

onRedis(
  t,
  'each takes as many commands for 1,000 as for one, and all is refused at once',
  async (t, place) => {
    const { storage, server } = place
    const redis = new Redis(server.url)
    t.teardown(() => redis.disconnect())
    // No server that would end one by one.
    const context = {
      storage,
      settings: {},
      log: SILENT,
      now: Date.now,
      report: () => {},
      clients: { find: async (client_id: string) => ({ client_id }) },
      logouts: new EventEmitter(),
      endings: new EventEmitter(),
    } as unknown as Parameters<typeof endOtherSessions>[0] & Parameters<typeof endApplication>[0]
    const costs = async (count: number) => {
      const username = `user-${count}`
      await createUser(storage, username, { sub: username })
      const user = recordOf(await storage.records.read(USER, username))
      if (user === undefined) throw new Error('no user')
      const at = Date.now() - 1000
      for (let i = 0; i <= count; i++) {
        const times = { started_at: at - i, auth_time: 1, ends_at: at + 7_200_000 }
        const joined = { clients: new Set<string>(), families: new Map() }
        const session = { sid: `${i}`, username, sub: username, amr: 'pwd', acr: '1', ...times, ...joined }
        await createSession(storage, `${username}-${i}`.padEnd(43, 'x'), session, 36_000)
        const family = `${count}-${i}`.padStart(16, 'f')
        await storage.lists.add(...grantListings({ family, client_id: 'app', username, started_at: at }, 600))
      }
      const calls = await callsIn(redis)
      await endOtherSessions(context, user, { sid: '0', started_at: at })
      const sessions = (await callsIn(redis)) - calls
      await endApplication(context, user, 'app')
      const access = (await callsIn(redis)) - calls - sessions
      const now = recordOf(await storage.records.read(USER, username))
      t.strictSame(
        (await allOwnSessions(context, now ?? user)).map(({ session }) => session.sid),
        ['0'],
        'one is left',
      )
      t.ok(now && isEnded(now, 'app', { started_at: String(at) }), 'no access is left')
      return { sessions, access }
    }
    t.strictSame(await costs(1000), await costs(1))
  },
)
