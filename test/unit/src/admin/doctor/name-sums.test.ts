import t from 'tap'
import { NameSums } from '../../../../../src/admin/doctor/name-sums.ts'
import { NamedIds } from '../../../../../src/admin/doctor/named-ids.ts'
import { SumSet } from '../../../../../src/admin/doctor/sum-set.ts'
import { NameCheck } from '../../../../../src/admin/users/name-check.ts'
import type { Hash } from '../../../../../src/core/record-hash.ts'

const USERS: Readonly<Record<string, Hash>> = {
  alice: { sub: 'a', email: 'Alice@example.com', email_verified: 'true' },
  Bob: { sub: 'b' },
  carol: { sub: 'c', email: 'alice@example.com', email_verified: 'true' },
  dave: { sub: 'd', linked_subjects: 'https://idp.example#7' },
  erin: { sub: 'e', email: 'erin@example.com', email_verified: 'false' },
}
const INDEX: Readonly<Record<string, Hash>> = {
  'sub:a': { alice: '1' },
  'sub:b': { Bob: '1' },
  bob: { Bob: '1' },
  'alice@example.com': { alice: '1', carol: '1' },
  'sub:d': { dave: '1' },
  'https://idp.example#7': { dave: '1' },
}
const VARIANTS: Readonly<Record<string, Readonly<Record<string, Hash>>>> = {
  'as it is': {},
  'a name is missing': { bob: {} },
  'one of two users is missing': { 'alice@example.com': { carol: '1' } },
  'an address that is not verified': { 'erin@example.com': { erin: '1' } },
  'a user who is gone': { 'gone@example.com': { gone: '1' } },
  'another user': { 'sub:d': { dave: '1', erin: '1' } },
}

function wrongBySums(index: Readonly<Record<string, Hash>>, users = USERS) {
  const sums = new NameSums()
  for (const [name, hash] of Object.entries(index)) sums.addIndexed(name, hash)
  for (const [username, hash] of Object.entries(users)) sums.addUser(username, hash)
  if (sums.hasLeftOver) for (const [name, hash] of Object.entries(index)) sums.nameLeftOver(name, hash)
  if (sums.hasShared) for (const [username, hash] of Object.entries(users)) sums.nameShared(username, hash)
  return { size: sums.wrong.size, listed: sums.wrong.listed() }
}

t.test('it finds the users that the whole check finds', async (t) => {
  for (const [variant, more] of Object.entries(VARIANTS)) {
    const index = { ...INDEX, ...more }
    const check = new NameCheck()
    for (const [username, hash] of Object.entries(USERS)) check.addUser(username, hash)
    for (const [name, hash] of Object.entries(index)) check.addIndexed(name, hash)
    const wanted = [...new Set(check.findings().map(({ username }) => username))].sort()
    t.strictSame(wrongBySums(index), { size: wanted.length, listed: wanted.join(', ') }, variant)
  }
})

t.test('of users that are well it keeps a number for each name, and no record', async (t) => {
  const sums = new NameSums()
  const users = 2000
  const addressOf = (i: number) => `user-${i}@example.com`
  for (let i = 0; i < users; i += 1) {
    sums.addIndexed(`sub:${i}`, { [`user-${i}`]: '1' })
    sums.addIndexed(addressOf(i), { [`user-${i}`]: '1' })
  }
  for (let i = 0; i < users; i += 1)
    sums.addUser(`user-${i}`, { sub: String(i), email: addressOf(i), email_verified: 'true' })
  t.equal(sums.size, 2 * users, 'a username and an address each; nothing is left of the index')
  t.equal(sums.wrong.size, 0)
})

t.test('ids are counted once, and the first five are named', async (t) => {
  const ids = new NamedIds()
  t.equal(ids.listed(), '')
  for (const id of ['e', 'd', 'e', 'c', 'b', 'a']) ids.add(id)
  t.strictSame([ids.size, ids.listed()], [5, 'a, b, c, d, e'])
  for (const id of ['f', '0']) ids.add(id)
  t.strictSame([ids.size, ids.listed()], [7, '0, a, b, c, d, …'])
})

t.test('a set of sums is as a Set', async (t) => {
  const [sums, wanted] = [new SumSet(), new Set<number>()]
  // Many want the same slot, and many are removed.
  for (let i = 1; i <= 5000; i += 1) {
    const sum = (i * 7919) % 1024 || i
    if (i % 3 === 0) {
      sums.delete(sum)
      wanted.delete(sum)
    } else {
      sums.add(sum)
      wanted.add(sum)
    }
  }
  t.equal(sums.size, wanted.size)
  const differing = Array.from({ length: 6000 }, (_, sum) => sum + 1).filter(
    (sum) => sums.has(sum) !== wanted.has(sum),
  )
  t.strictSame(differing, [])
})
