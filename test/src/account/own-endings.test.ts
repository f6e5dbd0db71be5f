// What people end of their own: the sessions of other browsers, and the access of an application. The first part ends at once;
// a server does the rest, also if the process ended in between.
import t, { type Test } from 'tap'
import { endApplication } from '../../../src/account/own-applications.ts'
import { allOwnSessions, endOtherSessions } from '../../../src/account/own-sessions.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { countEndings, queueEnding } from '../../../src/logout/endings.ts'
import { createSession } from '../../../src/sessions/session-store.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { RELYING_PARTIES } from '../../support/accounts.ts'
import { onRedis } from '../../support/matrix.ts'
import { createClient } from '../../support/records.ts'
import { codeRequest } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { asDeparture } from '../../support/visitor.ts'
import { requestUrl } from '../authorize/people.ts'
import { startWithApps } from '../factors/people.ts'

function onBoth(name: string, run: (t: Test, storage: Storage) => Promise<void>): void {
  t.test(name, (t) => run(t, new MemoryStorage()))
  onRedis(t, name, (t, { storage }) => run(t, storage))
}

async function start(t: Test, storage: Storage) {
  const service = await startWithApps(t, { storage, now: Date.now })
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
  const at = redmint.now()
  for (let i = 0; i < 220; i++) await addSession(`other-${i}`, at - 1000)
  await endOtherSessions(redmint, user, own)
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
