// Groups that a provider said, by the record of a user.
import t from 'tap'
import type { Hash } from '../../../../src/core/record-hash.ts'
import { accountState } from '../../../../src/factors/account-state.ts'
import { formatProvider, parseProvider } from '../../../../src/providers/provider-record.ts'
import { groupFields } from '../../../../src/providers/take-over.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { asOf, formatProvided } from '../../../../src/users/provided-groups.ts'
import { refreshUser } from '../../../../src/users/refresh-user.ts'
import { parseUser } from '../../../../src/users/user-record.ts'
import { createUser, readUser } from '../../../support/records.ts'

const LINK = 'https://accounts.example.org#1'
const UNTIL = 1_800_000_000_000
const OF_PROVIDER = { provider: 'acme', claim: 'groups', groups: ['staff'], link: LINK, until: UNTIL }

const userWith = (more: Hash = {}) => {
  const parsed = parseUser('alice', {
    sub: 'a',
    linked_subjects: LINK,
    ...formatProvided(OF_PROVIDER),
    ...more,
  })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.record
}
const groupsAt = (user: ReturnType<typeof userWith>, now: number) => asOf(user, now).custom_claims.groups

t.test('they count until their end, and while the link is there', (t) => {
  t.strictSame(groupsAt(userWith(), UNTIL - 1), ['staff'])
  t.equal(groupsAt(userWith(), UNTIL), undefined)
  t.match(asOf(userWith(), UNTIL), { lapsed: { provider: 'acme', is_linked: true } })
  const unlinked = userWith({ linked_subjects: 'https://accounts.example.org#2' })
  t.equal(groupsAt(unlinked, UNTIL - 1), undefined)
  t.match(asOf(unlinked, 0), { lapsed: { is_linked: false } })
  t.strictSame(groupsAt(userWith({ 'claim:groups': '["other"]' }), UNTIL), ['other'], 'of somebody else')
  t.strictSame(groupsAt(userWith({ managed_by: 'people.yaml' }), UNTIL), ['staff'], 'of a file')
  t.equal(userWith({ 'claim:roles': '[1]' }).custom_claims.groups === undefined, false)
  t.end()
})

t.test('their end changes no account', (t) => {
  const user = userWith({ 'claim:a': '1', 'claim:z': '2' })
  const state = (now: number) => accountState(asOf(user, now), { generation: 0 })
  t.equal(state(UNTIL), state(UNTIL - 1))
  t.not(state(UNTIL), accountState({ ...user, custom_claims: {} }, { generation: 0 }))
  t.end()
})

t.test('what says where they are from must be whole', (t) => {
  for (const groups_from of ['', 'soon acme groups x y', '1 acme groups x', `1 acme groups x ${LINK} more`])
    t.equal(parseUser('alice', { sub: 'a', groups_from }).ok, groups_from === '', groups_from)
  t.end()
})

t.test('groups that another system says are its own, also if they are the same', async (t) => {
  const storage = new MemoryStorage()
  await createUser(storage, 'alice', { sub: 'a', linked_subjects: LINK, ...formatProvided(OF_PROVIDER) })
  const hash = (await readUser(storage, 'alice')) ?? {}
  await refreshUser(
    { storage, report() {} },
    { user: userWith(), hash },
    { set: { 'claim:groups': '["staff"]' } },
  )
  t.equal((await readUser(storage, 'alice'))?.groups_from, undefined)
})

t.test('they last a week by default, and not each sign-in moves the end', (t) => {
  const definition = { provider: 'acme', issuer: 'https://accounts.example.org', client_id: 'redmint' }
  const parsed = parseProvider('acme', formatProvider(definition))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const upstream = { link: LINK, email: undefined, profile: {}, groups: ['staff'], seen: {} }
  const untilAt = (now: number) => {
    const fields = groupFields(
      { settings: { groups_claim: 'groups' }, now: () => now },
      parsed.record,
      upstream,
    )
    return Number(fields?.groups_from?.split(' ')[0]) - now
  }
  const week = 604_800_000
  const start = week * 3000
  t.equal(untilAt(start), week)
  t.equal(untilAt(start + 60_000), week - 60_000)
  t.equal(untilAt(start + week / 20), week)
  t.end()
})
