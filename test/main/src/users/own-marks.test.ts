// What a person ended on the account page is refused by marks in the user record, whatever is in lists.
import t from 'tap'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { recordOf } from '../../../../src/storage/records.ts'
import { isEnded } from '../../../../src/tokens/token-account.ts'
import {
  accessEndedBefore,
  isMarkedSession,
  MAX_ENDED_ACCESS,
  markAccess,
  markOthers,
} from '../../../../src/users/own-marks.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { parseUser, type User } from '../../../../src/users/user-record.ts'
import { changeUser, createUser } from '../../../support/records.ts'

function user(fields: Record<string, string>): User {
  const parsed = parseUser('alice', { sub: 'sub-of-alice', ...fields })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.record
}

t.test('all sessions but one are refused, until a later mark', (t) => {
  const marks = user(markOthers(2000, 1000))
  t.notOk(isMarkedSession(1000, marks), 'the one that stays')
  for (const started_at of [999, 1001, 1999, Number.NaN])
    t.ok(isMarkedSession(started_at, marks), `${started_at}`)
  t.notOk(isMarkedSession(2000, marks), 'one that began later')
  t.ok(isMarkedSession(1000, { ...marks, sessions_end_before: 3000 }), 'ended by an operator')
  t.notOk(isMarkedSession(1000, {}), 'no mark')
  const own = { sid: 'a', started_at: '1500', session_started_at: '1000' }
  t.notOk(isEnded(marks, 'app', own), 'what was granted in it stays')
  t.ok(isEnded(marks, 'app', { ...own, session_started_at: '1001' }))
  t.ok(isEnded(marks, 'app', { sid: 'a', started_at: '1500' }), 'it does not say when its session started')
  t.end()
})

t.test('the access of a client ends with what was granted before', async (t) => {
  const { records } = new MemoryStorage()
  await createUser({ records }, 'alice', { sub: 'sub-of-alice' })
  const alice = async () => recordOf(await records.read(USER, 'alice')) as User
  const end = (client_id: string, before: number) =>
    markAccess({ records }, { username: 'alice', client_id }, before)
  await end('app', 2000)
  await end('an app: 1', 3000)
  const granted = (started_at: number) => ({ sid: 'a', started_at: String(started_at) })
  t.ok(isEnded(await alice(), 'app', granted(1999)))
  t.notOk(isEnded(await alice(), 'app', granted(2000)))
  t.ok(isEnded(await alice(), 'an app: 1', granted(2999)))
  t.notOk(isEnded(await alice(), 'pp', granted(1)), 'an id that another one ends with')
  await end('app', 4000)
  t.equal(accessEndedBefore(await alice(), 'app'), 4000)
  for (let i = 1; i < MAX_ENDED_ACCESS; i++) await end(`other-${i}`, 5000)
  t.equal((await alice()).access_ended?.length, MAX_ENDED_ACCESS)
  t.equal(accessEndedBefore(await alice(), 'app'), 4000, 'it was ended after the others')
  t.equal(accessEndedBefore(await alice(), 'an app: 1'), undefined)
  await markAccess({ records }, { username: 'nobody', client_id: 'app' }, 1)
  await changeUser({ records } as never, 'alice', { set: { access_ended: 'odd' } })
  t.notOk((await records.read(USER, 'alice'))?.ok, 'a malformed mark lets nobody in')
})
