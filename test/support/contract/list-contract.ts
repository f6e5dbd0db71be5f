// The contract of lists: what is in them together with which record, how they are paged, and when an entry is dropped.

import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { saveConsent } from '../../../src/interaction/consent.ts'
import { createSession } from '../../../src/sessions/session-store.ts'
import { LIST_NAMES, type Listing, type ListKey } from '../../../src/storage/lists.ts'
import { write } from '../../../src/storage/records.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { CODE as CODES } from '../../../src/tokens/code-record.ts'
import { DEVICE } from '../../../src/tokens/device-record.ts'
import { grantListings } from '../../../src/tokens/grant-listings.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { until } from '../until.ts'
import { expiryOf } from './redis-subject.ts'
import { session } from './session-contract.ts'
import { CODE, collect, type Make, pass } from './subject.ts'

const OF_ALICE: ListKey = { list: 'grants-of-user', owner: 'alice' }
const OF_APP: ListKey = { list: 'grants-of-client', owner: 'app' }

const entry = (id: string, until = Date.now() + 60_000, key = OF_ALICE): Listing => ({ ...key, id, until })

/** All ids of a list, in pages of `limit`. */
async function* pages({ lists }: Storage, key: ListKey, limit: number): AsyncGenerator<string> {
  let after: string | undefined
  do {
    const page = await lists.page(key, { after, limit })
    for (const { id } of page.entries) yield id
    after = page.next
  } while (after !== undefined)
}
const idsOf = (storage: Storage, key: ListKey = OF_ALICE) => collect(pages(storage, key, 100))

export async function listContract(t: Test, make: Make): Promise<void> {
  await t.test('an entry is written with its record, whichever call writes that', async (t) => {
    const { storage } = await make(t)
    const { records, families } = storage
    const of = (id: string) => [entry(id), entry(id, undefined, OF_APP)]
    const code = () => newToken(newFamilyId())
    await records.put(write(CODES, code(), CODE, 60, of('put')))
    await records.create(write(CODES, code(), CODE, 60, of('create')))
    const taken = code()
    await records.put(write(CODES, taken, CODE, 60))
    const successor = newToken(taken.slice(0, 16))
    await records.take(CODES, taken, write(CODES, successor, CODE, 60, of('take')))
    await records.change(CODES, successor, { set: { nonce: 'n' }, lists: of('change') })
    for (const is_jwt of [true, false]) {
      const token = code()
      const once = [{ kind: 'assertion', id: newToken(token.slice(0, 16)), ttl: 60 }] as const
      const user = { subject: 'alice', fields: {}, lists: of(`grant ${is_jwt}`) }
      await families.grantOnce({
        token,
        is_jwt,
        single_uses: once,
        client_id: 'app',
        scope: '',
        access_token_ttl: 60,
        user,
      })
    }
    const all = ['put', 'create', 'take', 'change', 'grant true', 'grant false']
    t.same(new Set(await idsOf(storage)), new Set(all))
    t.same(new Set(await idsOf(storage, OF_APP)), new Set(all))
    t.equal((await records.read(CODES, successor))?.hash.nonce, 'n')
  })

  await t.test('the entries of a code end with it, and with its family once it is redeemed', async (t) => {
    const { storage } = await make(t)
    const now = Date.now()
    const attempts = { access_token_ttl: 900, refresh_token_ttl: 3600 }
    const redeemed: Record<string, [with_refresh: boolean, lasts: number]> = {
      'with a refresh token': [true, 3_600_000 + 86_400_000],
      'without one': [false, 900_000],
    }
    for (const [how, [with_refresh, lasts]] of Object.entries(redeemed)) {
      const family = newFamilyId()
      const code = newToken(family)
      const record = { ...CODE, username: 'alice', started_at: String(now) }
      const began = { family, client_id: 'app', username: 'alice', started_at: now }
      await storage.records.put(write(CODES, code, record, 60, grantListings(began, 60)))
      const untilIn = async (key: ListKey) => {
        const { entries } = await storage.lists.page(key, { limit: 100 })
        return entries.find(({ id }) => id === `${family}:${now}`)?.until ?? 0
      }
      for (const key of [OF_ALICE, OF_APP])
        t.equal(await untilIn(key), now + 120_000, `${how}: it ends soon after the code`)
      const tokens = { access_token: newToken(family), refresh_token: newToken(family) }
      const { redirect_uri, code_challenge } = CODE
      const binding = { client_id: 'app', redirect_uri, code_challenge }
      const { refresh_token, ...without } = tokens
      const redemption = { ...binding, ...attempts, ...(with_refresh ? tokens : without), operation: how }
      t.match(await redeemCode(storage, code, redemption), { outcome: 'ok' })
      // A Cluster moves them right after the answer.
      for (const key of [OF_ALICE, OF_APP])
        await until(`${how}: it lasts as long as the family`, async () => (await untilIn(key)) >= now + lasts)
      t.ok((await untilIn(OF_APP)) < Date.now() + lasts + 60_000, `${how}: and no longer`)
    }
  })

  await t.test('a call that writes nothing adds nothing', async (t) => {
    const subject = await make(t)
    const { records } = subject.storage
    const code = newToken(newFamilyId())
    await records.put(write(CODES, code, CODE, 60))
    const again = write(CODES, code, CODE, 60, [entry('again')])
    t.equal(await records.create(again), 'exists')
    const device = { expected: { status: 'pending' }, set: { status: 'active' }, lists: [entry('changed')] }
    t.equal(await records.change(DEVICE, code, device), 'missing')
    const other = newToken(code.slice(0, 16))
    t.equal(await records.take(CODES, other, again), undefined)
    // A Cluster writes the entry by a command of its own: it has no record then, and does no harm.
    const nodes = await subject.redis?.all('PING')
    if (nodes === undefined || nodes.length === 1) t.strictSame(await idsOf(subject.storage), [])
  })

  await t.test('a session and a consent are in the lists of their users', async (t) => {
    const { storage } = await make(t)
    await createSession(storage, 'one', session(), 60)
    await createSession(storage, 'two', session({}, 7200), 60)
    await createSession(storage, 'of bob', session({ username: 'bob' }), 60)
    t.strictSame(await idsOf(storage, { list: 'sessions-of', owner: 'alice' }), ['two', 'one'])
    await saveConsent({ storage, now: Date.now }, { sub: 'a:{é}', client_id: 'my app', scope: '' }, 60)
    t.strictSame(await idsOf(storage, { list: 'consents-of', owner: 'a:{é}' }), ['my app'])
    t.strictSame(await idsOf(storage, { list: 'consents-of', owner: 'a' }), [])
  })

  await t.test('pages lose and repeat nothing, also where many entries have the same end', async (t) => {
    const { storage } = await make(t)
    const now = Date.now() + 60_000
    const names = Array.from({ length: 57 }, (_, i) => `é ${String(i).padStart(2, '0')}`)
    await storage.lists.add(...names.map((id, i) => entry(id, now + Math.floor(i / 19))))
    await storage.lists.add(entry(names[3] ?? '', now))
    t.equal(await storage.lists.count(OF_ALICE), 57, 'an entry that is added again is one')
    const sorted = [...names].reverse()
    for (const limit of [1, 2, 18, 19, 20, 56, 57, 58]) {
      t.strictSame(await collect(pages(storage, OF_ALICE, limit)), sorted, `in pages of ${limit}`)
    }
    const seen: string[] = []
    for await (const id of pages(storage, OF_ALICE, 5)) {
      seen.push(id)
      // What was read goes, and others come.
      await storage.lists.remove(OF_ALICE, id)
      await storage.lists.add(entry(`new ${seen.length}`, now + 100))
    }
    t.strictSame(seen, sorted, 'while the list changes')
    await t.rejects(storage.lists.page(OF_ALICE, { after: 'x', limit: 1 }), TypeError)
  })

  await t.test('an entry that was removed is gone, and the others stay', async (t) => {
    const { storage } = await make(t)
    await storage.lists.add(entry('one'), entry('two'), entry('one', undefined, OF_APP))
    await storage.lists.remove(OF_ALICE)
    t.strictSame(await storage.lists.among(OF_ALICE, ['three', 'two', 'one']), ['two', 'one'])
    t.strictSame(await storage.lists.among(OF_APP, ['two', 'one']), ['one'])
    t.strictSame(await storage.lists.among(OF_ALICE, []), [])
    await storage.lists.remove(OF_ALICE, 'one', 'other')
    t.strictSame(await idsOf(storage), ['two'])
    t.strictSame(await storage.lists.among(OF_ALICE, ['one', 'two']), ['two'])
    t.strictSame(await idsOf(storage, OF_APP), ['one'])
    await storage.lists.remove(OF_ALICE, 'two')
    t.equal(await storage.lists.count(OF_ALICE), 0)
  })

  await t.test('a list expires with its last entry, and writes drop what is over', async (t) => {
    const subject = await make(t)
    const { storage, redis } = subject
    const soon = Date.now() + 200
    for (const i of Array(105).keys()) await storage.lists.add(entry(`short ${i}`, soon))
    // A multiple of eight.
    const until = (Math.floor(Date.now() / 1000) + 60) * 1000
    await storage.lists.add(entry('long', until))
    if (redis !== undefined) {
      const hour = 3_600_000
      const expiry = () => expiryOf(redis, 'grants-of-user:alice')
      const later = until + 2 * hour
      await storage.lists.add(entry('longer', later))
      t.equal(await expiry(), later + hour, 'an hour after its last entry')
      await storage.lists.add(entry('longer', later + hour - 5000), entry('short', soon))
      t.equal(await expiry(), later + hour, 'few writes extend it')
      await storage.lists.remove(OF_ALICE, 'longer', 'short')
    }
    await pass(subject, 0.3, async () => Date.now() > soon + 5)
    await storage.lists.add(entry('first', until))
    t.ok((await storage.lists.count(OF_ALICE)) <= 7, 'a write drops a number of them that is bounded')
    await storage.lists.add(entry('second', until))
    t.equal(await storage.lists.count(OF_ALICE), 3)
  })

  await t.test('each list has its own key', async (t) => {
    const { storage } = await make(t)
    for (const list of LIST_NAMES) await storage.lists.add(entry(list, undefined, { list, owner: 'x' }))
    for (const list of LIST_NAMES) t.strictSame(await idsOf(storage, { list, owner: 'x' }), [list])
  })
}
