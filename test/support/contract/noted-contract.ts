// The contract of JWTs whose status is in a list: they are noted in the step that writes them, and only then.
import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { NOTED_PER_STEP, type NotedJwt } from '../../../src/storage/noted-jwts.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { ACTOR, deriving, jwt } from './deriving.ts'
import { refreshing, signIn, staying } from './family.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { collect, issueCode, type Make, pass } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

/** What is noted of a JWT of a family. */
function noting(family: string, index: number, more: Partial<NotedJwt> = {}): NotedJwt {
  const of_token = { jti: newToken(family), client_id: 'app', issued_at: 1_795_000_000, is_own: false }
  return { list: 'list', index, ...of_token, ...more }
}

/** All that are noted, by their indexes. */
async function all({ noted_jwts }: Storage): Promise<NotedJwt[]> {
  const parts = await collect(noted_jwts.walk())
  return parts.flat().sort((one, other) => one.index - other.index)
}

export async function notedContract(t: Test, make: Make): Promise<void> {
  await t.test('a redemption notes its JWT, once, and one that is refused notes none', async (t) => {
    const { storage } = await make(t)
    const { grant, code, attempt } = await issueCode(storage)
    const { access_token: _, ...plan } = attempt('one')
    const noted = noting(grant, 7)
    const wrong = { ...plan, redirect_uri: 'https://other.example', noted }
    t.match(await redeemCode(storage, code, wrong), { outcome: 'mismatch' })
    t.strictSame(await all(storage), [])
    for (const time of ['first', 'sent again']) {
      t.match(await redeemCode(storage, code, { ...plan, noted }), { outcome: 'ok' }, time)
      t.strictSame(await all(storage), [noted], time)
    }
    const again = { ...attempt('two'), noted: noting(grant, 8) }
    t.match(await redeemCode(storage, code, again), { outcome: 'replayed' })
    t.strictSame(await all(storage), [noted])
    const [found] = await storage.families.findTokensAndFamilies([noted.jti])
    t.match(found, { token: undefined, family: { status: 'revoked' } })
  })

  await t.test('so does a refresh, with and without rotation', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token } = await signIn(storage)
    const { access_token: _, ...plan } = refreshing(grant, 'one')
    const [first, second, other] = [noting(grant, 1), noting(grant, 2), noting(grant, 3)]
    const mismatch = { ...plan, client_id: 'other', noted: other }
    t.match(await useRefreshToken(storage, refresh_token, mismatch), { outcome: 'mismatch' })
    t.match(await useRefreshToken(storage, refresh_token, staying({ ...plan, noted: first })), {
      outcome: 'ok',
    })
    t.match(await useRefreshToken(storage, refresh_token, { ...plan, noted: second }), { outcome: 'ok' })
    t.strictSame(await all(storage), [first, second])
    const retry = { ...plan, operation: 'two', noted: other }
    t.match(await useRefreshToken(storage, refresh_token, retry), { outcome: 'ok' })
    t.strictSame(await all(storage), [first, second], 'a retry gets the token of the first attempt')
  })

  await t.test('so do assertions and exchanges', async (t) => {
    const { storage } = await make(t)
    const { families } = storage
    const family = newFamilyId()
    const use = { kind: 'assertion', id: newToken(family), ttl: 60 } as const
    const granting = (noted: NotedJwt) => ({
      ...{ token: noted.jti, is_jwt: true, single_uses: [use], client_id: 'app', scope: 'a' },
      ...{ access_token_ttl: 900, noted },
    })
    const user = { subject: 'alice', fields: { username: 'alice' } }
    const lists = [
      { list: 'grants-of-user', owner: 'alice', id: `${family}:1`, until: Date.now() + 60_000 },
    ] as const
    const told = { entries: [{ text: 'entry' }], ttl: 60 }
    const own = noting(family, 1)
    t.equal(await families.grantOnce({ ...granting(own), user: { ...user, lists } }, told), 'ok')
    t.match(await families.grantOnce(granting(noting(family, 2))), { outcome: 'used' })
    t.equal(
      (await storage.lists.page({ list: 'grants-of-user', owner: 'alice' }, { limit: 2 })).entries.length,
      1,
    )
    await storage.trail.collect()
    t.equal(await storage.trail.size(), 1)
    const derived = noting(family, 3, { act: JSON.stringify({ sub: ACTOR }) })
    const derivation = deriving(jwt(own.jti), { token: derived.jti, is_jwt: true, noted: derived })
    t.equal(await families.deriveToken(derivation, told), 'ok')
    await storage.trail.collect()
    t.equal(await storage.trail.size(), 2)
    t.equal(await families.deriveToken({ ...deriving(jwt(derived.jti)), noted: noting(family, 4) }), 'ok')
    await families.revokeFamily(family)
    const late = deriving(jwt(own.jti), { noted: noting(family, 5) })
    t.equal(await families.deriveToken(late), 'ended')
    t.strictSame(
      (await all(storage)).map(({ index }) => index),
      [1, 3, 4],
    )
    const found = await families.findTokensAndFamilies([own.jti, derived.jti])
    t.match(found, [{ token: undefined }, { token: { type: 'access_jwt', revoked: 'true' } }])
    for (const one of found) t.equal(one.family?.status, 'revoked')
  })

  await t.test('a token of a client for itself is noted alone, and a note ends with its token', async (t) => {
    const subject = await make(t)
    const { storage, redis } = subject
    const [short, long] = [1, 2].map((index) => noting(newFamilyId(), index, { is_own: true }))
    if (short === undefined || long === undefined) throw new Error('there are two')
    await storage.noted_jwts.add(short, 1)
    await storage.noted_jwts.add(long, 900)
    t.strictSame(await all(storage), [short, long])
    if (redis !== undefined) {
      const keys = (await keysOf(redis)).filter((key) => key.startsWith('noted-jwts'))
      for (const key of keys) t.ok((await expiryOf(redis, key)) > Date.now(), `${key} ends`)
      t.ok(keys.length > 0)
    }
    await pass(subject, 2, async () => (await all(storage)).length === 1)
    t.strictSame(await all(storage), [long])
  })

  await t.test('what is noted meanwhile, or expires, hides none', async (t) => {
    const { storage } = await make(t)
    const family = newFamilyId()
    const many = Array.from({ length: 2 * NOTED_PER_STEP + 1 }, (_, index) => noting(family, index))
    await Promise.all(many.map((noted) => storage.noted_jwts.add(noted, 900 + (noted.index % 7))))
    const found = new Set<number>()
    for await (const part of storage.noted_jwts.walk()) {
      for (const { index } of part) found.add(index)
      await storage.noted_jwts.add(noting(family, 1000 + found.size), 1000)
      const tokens = await storage.families.findTokensAndFamilies(part.map(({ jti }) => jti))
      t.equal(tokens.length, part.length)
    }
    for (const { index } of many) t.ok(found.has(index), String(index))
  })
}
