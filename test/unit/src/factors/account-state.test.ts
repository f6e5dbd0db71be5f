// The digest of an account, which ends what was bound to it before.
import t from 'tap'
import type { Hash } from '../../../../src/core/record-hash.ts'
import { accountState } from '../../../../src/factors/account-state.ts'
import { parseUser } from '../../../../src/users/user-record.ts'

const ALICE: Hash = { sub: 'a', password_hash: '$argon2id$1', email: 'a@example.org', email_verified: 'true' }

const stateWith = (fields: Hash, generation = 0) => {
  const parsed = parseUser('alice', { ...ALICE, ...fields })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return accountState(parsed.record, { generation })
}

/** What changes an account, by a field of its record: by hand, so that no generation counts up with it. */
const CHANGES: readonly Hash[] = [
  { sub: 'b' },
  { password_hash: '$argon2id$2' },
  { password_hash: '' },
  { email: 'b@example.org' },
  { email_verified: 'false' },
  { disabled: 'true' },
  { generation: '1' },
  { admin: 'redmint:read' },
  { admin: 'redmint:read redmint:write' },
  { linked_subjects: 'https://accounts.example.org#1' },
  { linked_subjects: 'https://accounts.example.org#1 https://accounts.example.org#2' },
  { 'claim:groups': '["staff"]' },
  { 'claim:groups': '["staff","admins"]' },
]

t.test('each change of an account is another state', (t) => {
  const states = [stateWith({}), stateWith({}, 1), ...CHANGES.map((change) => stateWith(change))]
  for (const [i, state] of states.entries()) t.equal(states.indexOf(state), i, JSON.stringify(CHANGES[i - 2]))
  t.end()
})

t.test('what says nothing of ways in and rights changes nothing', (t) => {
  for (const fields of [{ name: 'Alice' }, { sessions_end_before: '9000000000000' }, { groups_from: '' }])
    t.equal(stateWith(fields), stateWith({}), JSON.stringify(fields))
  t.end()
})
