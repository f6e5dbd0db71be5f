// In a Cluster the list of a record may be on another node. While only that node fails, the request fails; afterwards the
// repair lists what was written, and what ended leaves its list.

import t from 'tap'
import { newToken } from '../../../../../../src/core/token-string.ts'
import { readListedSessions } from '../../../../../../src/sessions/listed-sessions.ts'
import { sessionLists } from '../../../../../../src/sessions/session-lists.ts'
import { createSession, takeSession } from '../../../../../../src/sessions/session-store.ts'
import { fitIndexes } from '../../../../../../src/storage/indexes.ts'
import { write } from '../../../../../../src/storage/records.ts'
import { slotOf } from '../../../../../../src/storage/redis/slot.ts'
import { DEVICE } from '../../../../../../src/tokens/device-record.ts'
import { grantListings } from '../../../../../../src/tokens/grant-listings.ts'
import { grantLists } from '../../../../../../src/tokens/grant-lists.ts'
import { grantsOf, readListedGrants, unlistGrant } from '../../../../../../src/tokens/listed-grants.ts'
import { session } from '../../../../../support/contract/session-contract.ts'
import { patient } from '../../../../../support/patient.ts'
import type { RedisServer } from '../../../../../support/redis-server.ts'
import { working } from '../../../../../support/storage/redis/connection/cluster-support.ts'
import { PREFIX, unavailable, writable } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

interface Fault {
  /** Returns what mends it. */
  readonly fail: (node: RedisServer) => Promise<() => unknown>
  /** Whether a command runs late; otherwise it is refused, unless it removes something. */
  readonly is_late: boolean
}

const FAULTS: Record<string, Fault> = {
  'does not answer': {
    async fail({ pid }) {
      process.kill(pid, 'SIGSTOP')
      return () => process.kill(pid, 'SIGCONT')
    },
    is_late: true,
  },
  'has full memory': {
    async fail({ cli }) {
      await cli('CONFIG', 'SET', 'maxmemory', '1')
      return () => cli('CONFIG', 'SET', 'maxmemory', '0')
    },
    is_late: false,
  },
}

for (const [fault, { fail, is_late }] of Object.entries(FAULTS)) {
  t.test(`the node of a list ${fault}`, async (t) => {
    const { storage, masters } = await working(t)
    const [of_list, of_record] = masters
    if (of_list === undefined || of_record === undefined) throw new TypeError()
    const calm = patient(storage)
    /** The first of some names whose key is on a node. `hashedOf`: what Redis computes the slot of. */
    const on = (node: RedisServer, hashedOf: (name: string) => string, nameOf: (i: number) => string) => {
      for (let i = 0; ; i++) {
        const slot = slotOf(hashedOf(nameOf(i)))
        if (masters.indexOf(node) === (slot < 5461 ? 0 : slot < 10923 ? 1 : 2)) return nameOf(i)
      }
    }
    const keyOf = (start: string) => (name: string) => `${PREFIX}${start}:${name}`
    const during = async (call: () => Promise<unknown>, is_refused = true) => {
      const mend = await fail(of_list)
      if (is_refused) await unavailable(t, { call })
      else await call()
      await mend()
      await writable(storage)
    }
    const whileRemoving = (call: () => Promise<unknown>) => during(call, is_late)
    const repair = () =>
      until('the repair has ended', () =>
        fitIndexes(storage, [sessionLists(storage), grantLists(storage, Date.now)]).then(
          () => true,
          () => false,
        ),
      )

    await t.test('of the sessions of a user', async (t) => {
      const username = on(of_list, keyOf('sessions-of'), (i) => `user-${i}`)
      const id = on(of_record, keyOf('session'), (i) => `session-${i}`)
      const holder = { username, user: undefined }
      const ids = async () =>
        (await readListedSessions(calm, holder, { limit: 10 })).sessions.map((listed) => listed.id)
      await during(() => createSession(storage, id, session({ username }), 60))
      if (!is_late) t.strictSame(await ids(), [], 'it is written, but in no list')
      await repair()
      t.strictSame(await ids(), [id])
      await takeSession(calm, id)
      await whileRemoving(() => storage.lists.remove({ list: 'sessions-of', owner: username }, id))
      t.strictSame(await ids(), [])
      t.equal(await calm.lists.count({ list: 'sessions-of', owner: username }), 0, 'nothing stays')
    })

    await t.test('of what somebody else finds: nothing is written without its entry', async (t) => {
      const owner = on(of_list, keyOf('grants-of-user'), (i) => `person-${i}`)
      const family = on(of_record, String, (i) => `device-${String(i).padStart(9, '0')}`)
      const [device, code, answered] = [newToken(family), newToken(family), newToken(family)]
      const lists = [{ list: 'grants-of-user', owner, id: 'entry', until: Date.now() + 60_000 }] as const
      const hash = { status: 'pending', client_id: 'app' }
      await calm.records.put(write(DEVICE, device, hash, 60), write(DEVICE, answered, hash, 60))
      await during(() => storage.records.change(DEVICE, device, { set: { status: 'active' }, lists }))
      t.equal((await calm.records.read(DEVICE, device))?.hash.status, 'pending', 'not allowed')
      await during(() => storage.records.create(write(DEVICE, code, hash, 60, [...lists])))
      t.equal(await calm.records.read(DEVICE, code), undefined, 'not created')
      await during(() => storage.records.take(DEVICE, answered, write(DEVICE, code, hash, 60, [...lists])))
      t.equal((await calm.records.read(DEVICE, answered))?.hash.status, 'pending', 'not taken')
    })

    await t.test('of the grants of a user', async (t) => {
      const username = on(of_list, keyOf('grants-of-user'), (i) => `user-${i}`)
      const client_id = on(of_record, keyOf('grants-of-client'), (i) => `app-${i}`)
      const family = on(of_record, String, (i) => `family-${String(i).padStart(9, '0')}`)
      const started_at = Date.now()
      const token = newToken(family)
      const families = (owner: Parameters<typeof grantsOf>[0]) =>
        readListedGrants({ storage: calm, now: Date.now }, grantsOf(owner), { limit: 10 })
      const user = {
        subject: 'sub',
        fields: { username, started_at: String(started_at) },
        lists: grantListings({ family, client_id, username, started_at }, 600),
      }
      await during(() =>
        storage.families.grantOnce({
          token,
          is_jwt: false,
          single_uses: [],
          client_id,
          scope: '',
          access_token_ttl: 600,
          user,
        }),
      )
      if (!is_late) t.equal((await families({ username })).grants.length, 0, 'it is not in this list')
      await repair()
      for (const owner of [{ username }, { client_id }])
        t.match(await families(owner), { grants: [{ family }] })
      const [grant] = (await families({ username })).grants
      t.equal(await calm.families.revokeFamily(family), 'ok')
      await whileRemoving(() => unlistGrant({ storage }, grant ?? { family, started_at, record: {} }))
      for (const owner of [{ username }, { client_id }]) {
        t.equal((await families(owner)).grants.length, 0)
        t.equal(await calm.lists.count(grantsOf(owner)), 0, 'nothing stays')
      }
    })
  })
}
