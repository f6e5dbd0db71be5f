// The contract of the ends of derived tokens (RFC 8693): they end with all that they came from, and nothing else does.

import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { MAX_DERIVATIONS, MAX_ENDED_ACTORS, type ProvenToken } from '../../../src/storage/derivation.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { issueClientToken, saveRevokedToken } from '../records.ts'
import { ACTOR, chainOf, derive, deriving, jwt, opaque, signInToDerive, told } from './deriving.ts'
import { liveOf, refreshing } from './family.ts'
import { CODE, type Make } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const JWT = { type: 'access_token', client_id: 'app', subject: 'alice', scope: 'openid' } as const
const namesOf = (tokens: readonly ProvenToken[]) => tokens.map(({ token }) => token)
const inAMinute = () => new Date(Date.now() + 60_000)

export async function derivedEndContract(t: Test, make: Make): Promise<void> {
  await t.test('what was derived from a token ends with it, and nothing else', async (t) => {
    const { storage } = await make(t)
    for (let ended = 0; ended <= MAX_DERIVATIONS; ended++) {
      const { subject, refresh_token } = await signInToDerive(storage)
      const chain = await chainOf(storage, subject, MAX_DERIVATIONS)
      const sibling = await derive(storage, subject)
      const one = chain[ended]?.token ?? ''
      t.equal(await storage.families.revokeToken(one), 'ok')
      const expected = [...chain.slice(0, ended), ...(ended === 0 ? [] : [sibling])]
      const live = await liveOf(storage, [...namesOf(chain), sibling.token])
      t.strictSame(live, namesOf(expected), `T10: the token at depth ${ended}`)
      t.strictSame(await liveOf(storage, [refresh_token]), [refresh_token], 'the family lives on')
      for (const dead of chain.slice(ended))
        t.equal(await storage.families.deriveToken(deriving(dead)), 'ended', 'nothing is derived from it')
      t.equal(await storage.families.revokeToken(one), 'again')
    }
  })

  await t.test('the exchanger can revoke what it derived, and no other token', async (t) => {
    const { storage } = await make(t)
    const { subject } = await signInToDerive(storage)
    const derived = await derive(storage, subject)
    t.equal(await storage.families.revokeToken(subject.token, ACTOR), 'mismatch')
    t.equal(await storage.families.revokeToken(derived.token, CODE.client_id), 'mismatch')
    t.equal(await storage.families.revokeToken(derived.token, ACTOR), 'ok')
    t.strictSame(await liveOf(storage, [subject.token, derived.token]), [subject.token])
  })

  await t.test('every end of the family ends what was derived', async (t) => {
    const { storage } = await make(t)
    for (const [how, end] of Object.entries({
      'the family': ({ grant }: Signed) => storage.families.revokeFamily(grant),
      'the family, for good': ({ grant }: Signed) => storage.families.endFamily(grant, 60),
      'its refresh token': ({ refresh_token }: Signed) => storage.families.revokeToken(refresh_token),
      'a replay of its code': ({ code, attempt }: Signed) => redeemCode(storage, code, attempt('replay')),
      'a refresh token that was spent': async ({ grant, refresh_token }: Signed) => {
        const first = { ...refreshing(grant, 'one'), retry_window: 0 }
        await useRefreshToken(storage, refresh_token, first)
        return useRefreshToken(storage, refresh_token, { ...refreshing(grant, 'two'), retry_window: 0 })
      },
    })) {
      const signed = await signInToDerive(storage)
      const chain = await chainOf(storage, signed.subject, 2)
      const of_jwt = await derive(storage, jwt(newToken(signed.grant)), { is_jwt: true })
      await end(signed)
      t.strictSame(await liveOf(storage, namesOf([...chain, of_jwt])), [], how)
      t.equal(await storage.families.deriveToken(deriving(signed.subject)), 'ended')
    }
  })

  await t.test('a refresh does not end what was derived before', async (t) => {
    const { storage } = await make(t)
    const { subject, grant, refresh_token } = await signInToDerive(storage)
    const derived = await derive(storage, subject)
    await useRefreshToken(storage, refresh_token, refreshing(grant, 'one'))
    t.strictSame(await liveOf(storage, [derived.token]), [derived.token])
  })

  await t.test('what was derived from a JWT ends with its revocation', async (t) => {
    const { storage } = await make(t)
    const { grant } = await signInToDerive(storage)
    const jti = newToken(grant)
    const first = await derive(storage, jwt(jti), { is_jwt: true })
    const second = await derive(storage, first)
    t.strictSame(await liveOf(storage, namesOf([first, second])), namesOf([first, second]))
    await saveRevokedToken(storage, jti, JWT, inAMinute())
    t.strictSame(await liveOf(storage, namesOf([first, second])), [])
    t.equal(await storage.families.deriveToken(deriving(jwt(jti))), 'ended')
  })

  await t.test('a derived JWT is revoked in its record', async (t) => {
    const { storage } = await make(t)
    const { subject } = await signInToDerive(storage)
    const first = await derive(storage, subject, { is_jwt: true })
    const second = await derive(storage, first)
    const record = await storage.families.findToken(first.token)
    const { families } = storage
    const revoked = { token: first.token, fields: { ...JWT } }
    t.equal(await families.saveRevokedToken(revoked, inAMinute(), told('revoked')), 'ok')
    t.strictSame(await families.findToken(first.token), { ...record, revoked: 'true' }, 'the rest stays')
    t.strictSame(await liveOf(storage, namesOf([subject, first, second])), [subject.token])
    t.equal(await families.saveRevokedToken(revoked, inAMinute(), told('again')), 'again')
    await storage.trail.collect()
    t.strictSame(
      (await storage.trail.read({ limit: 9 })).map(({ text }) => text),
      ['revoked'],
    )
  })

  await t.test('a token ends with the token of its actor, and so does what is derived from it', async (t) => {
    const { storage } = await make(t)
    const { subject } = await signInToDerive(storage)
    const actor = await issueClientToken(storage, { client_id: ACTOR })
    const first = await derive(storage, subject, { actor_token: opaque(actor) })
    const other_actor = await issueClientToken(storage, { client_id: 'other' })
    const second = await derive(storage, first, { actor_token: opaque(other_actor) })
    const third = await derive(storage, second, { is_jwt: true })
    const all = [first, second, third]
    t.strictSame(await liveOf(storage, namesOf(all)), namesOf(all))
    const seen = async () =>
      Promise.all(
        all.map(async ({ token }) => (await storage.families.findTokenAndFamily(token)).token?.revoked),
      )
    await storage.families.revokeToken(other_actor)
    t.strictSame(await liveOf(storage, namesOf(all)), [first.token])
    t.strictSame(await seen(), ['false', 'true', 'true'])
    await storage.families.revokeToken(actor)
    t.strictSame(await liveOf(storage, namesOf(all)), [])
    t.strictSame(await seen(), ['true', 'true', 'true'])
    t.strictSame(await liveOf(storage, [subject.token]), [subject.token])
  })

  await t.test('a token whose actor had a JWT ends once that is revoked', async (t) => {
    const { storage } = await make(t)
    const { subject } = await signInToDerive(storage)
    const jti = newToken('A'.repeat(16))
    const first = await derive(storage, subject, { actor_token: jwt(jti) })
    t.strictSame(await liveOf(storage, [first.token]), [first.token])
    await saveRevokedToken(storage, jti, { ...JWT, subject: '' }, inAMinute())
    t.strictSame(await liveOf(storage, [first.token]), [])
    const missing = await derive(storage, subject, { actor_token: opaque(newToken('A'.repeat(16))) })
    t.strictSame(await liveOf(storage, [missing.token]), [], 'an actor without a record is not live')
  })

  await t.test('T9: nothing is live after a revocation, whatever was derived meanwhile', async (t) => {
    const { storage } = await make(t)
    const { families } = storage
    for (const [how, end] of Object.entries({
      'the subject token': ({ subject }: Signed) => families.revokeToken(subject.token),
      'the family': ({ grant }: Signed) => families.revokeFamily(grant),
      'the refresh token': ({ refresh_token }: Signed) => families.revokeToken(refresh_token),
    })) {
      const signed = await signInToDerive(storage)
      const half = (is_jwt: boolean) => Array.from({ length: 25 }, () => deriving(signed.subject, { is_jwt }))
      const all = [...half(false), ...half(true)]
      const before = all.slice(0, 30).map((one) => families.deriveToken(one))
      const ended = end(signed)
      const after = all.slice(30).map((one) => families.deriveToken(one))
      t.equal(await ended, 'ok')
      t.strictSame(
        await liveOf(
          storage,
          all.map(({ token }) => token),
        ),
        [],
        `${how}: at once`,
      )
      t.strictSame([...new Set(await Promise.all(after))], ['ended'], how)
      await Promise.all(before)
      t.strictSame(
        await liveOf(
          storage,
          all.map(({ token }) => token),
        ),
        [],
        `${how}: later`,
      )
    }
  })

  await t.test('all that one client acts in is ended at once, and told once', async (t) => {
    const { storage } = await make(t)
    const { grant, subject } = await signInToDerive(storage)
    const acting = (client_id: string, act: object) => ({ client_id, fields: { act: JSON.stringify(act) } })
    const orders = { sub: 'orders', client_id: 'orders' }
    const billing = { sub: 'billing', client_id: 'billing', act: orders }
    const foreign = { sub: 'mail', client_id: 'mail', act: { ...orders, iss: 'https://other.example' } }
    const first = await derive(storage, subject, acting('orders', orders))
    const second = await derive(storage, first, acting('billing', billing))
    const apart = await derive(storage, subject, acting('billing', { sub: 'billing', client_id: 'billing' }))
    const named_elsewhere = await derive(storage, subject, acting('mail', foreign))
    const unread = await derive(storage, subject, { client_id: 'mail', fields: { act: 'no JSON' } })
    const all = [first, second, apart, named_elsewhere, unread]
    t.equal(await storage.families.endDerived(grant, 'nobody'), 0)
    t.equal(await storage.families.endDerived('no family', 'orders', told('none')), 0)
    t.equal(await storage.families.endDerived(grant, 'orders', told('orders')), 2)
    t.strictSame(await liveOf(storage, namesOf(all)), namesOf([apart, named_elsewhere, unread]))
    t.equal(await storage.families.endDerived(grant, 'orders', told('orders again')), 0)
    t.equal(await storage.families.endDerived(grant, 'mail', told('mail')), 2)
    t.strictSame(await liveOf(storage, namesOf(all)), [apart.token])
    t.strictSame(await liveOf(storage, [subject.token]), [subject.token])
    await storage.trail.collect()
    t.strictSame((await storage.trail.read({ limit: 9 })).map(({ text }) => text).toSorted(), [
      'mail',
      'orders',
    ])
  })

  await t.test('whose acting was ended gets no further token of the family, others do', async (t) => {
    const { storage } = await make(t)
    const { grant, subject } = await signInToDerive(storage)
    const other = await signInToDerive(storage)
    const ids = ['orders', 'my orders', ...Array.from({ length: MAX_ENDED_ACTORS - 2 }, (_, i) => `app-${i}`)]
    for (const id of ids) await storage.families.endDerived(grant, id)
    const derived = (client_id: string, from = subject) =>
      storage.families.deriveToken({ ...deriving(from), client_id })
    t.equal(await derived('orders'), 'ended')
    t.equal(await derived('my orders'), 'ended', 'a name with a space is one name')
    t.equal(await derived('my'), 'ok')
    t.equal(await derived('orders', other.subject), 'ok', 'of another sign-in')
    await storage.families.endDerived(grant, 'orders')
    t.equal((await storage.families.findFamily(grant))?.ended_actors?.split(' ').length, MAX_ENDED_ACTORS)
    await storage.families.endDerived(grant, 'last')
    const { ended_actors = '' } = (await storage.families.findFamily(grant)) ?? {}
    t.strictSame(ended_actors.split(' ').length, MAX_ENDED_ACTORS, 'the record does not grow without an end')
    t.equal(await derived('last'), 'ended')
  })

  await t.test('what became of the origins of a token is told without what could be used', async (t) => {
    const { storage } = await make(t)
    const { subject } = await signInToDerive(storage)
    const [, first, second, third] = await chainOf(storage, subject, 3)
    const record = (await storage.families.findToken(third?.token ?? '')) ?? {}
    const states = async () =>
      (await storage.families.readOrigins(third?.token ?? '', record)).origins.map(({ state }) => state)
    t.strictSame(await storage.families.readOrigins(third?.token ?? '', record), {
      origins: [
        { client_id: ACTOR, state: 'live' },
        { client_id: ACTOR, state: 'live' },
        { client_id: CODE.client_id, state: 'live' },
      ],
      actor_tokens: [],
    })
    await storage.families.revokeToken(second?.token ?? '')
    t.strictSame(await states(), ['revoked', 'live', 'live'])
    await storage.families.revokeToken(first?.token ?? '')
    t.strictSame(await states(), ['revoked', 'revoked', 'live'])
    const names = [newToken(newFamilyId()), newToken(newFamilyId())].map((one) => one.slice(17))
    const from_jwt = { derived_from: `${names[0]}.jwt ${names[1]}` }
    t.strictSame((await storage.families.readOrigins(subject.token, from_jwt)).origins, [
      { state: 'live' },
      { state: 'gone' },
    ])
    t.strictSame(await storage.families.readOrigins('no token', from_jwt), { origins: [], actor_tokens: [] })
  })

  await t.test('the grant record says until when a derived token lives', async (t) => {
    const { storage } = await make(t)
    const { grant, subject } = await signInToDerive(storage)
    const until = async () => Number((await storage.families.findFamily(grant))?.acting_until)
    t.notOk((await until()) > 0, 'none was derived')
    const ends = async ({ token }: ProvenToken) =>
      Date.parse((await storage.families.findToken(token))?.expires_at ?? '')
    const long = await derive(storage, subject, { access_token_ttl: 300 })
    t.equal(await until(), await ends(long))
    await derive(storage, subject, { access_token_ttl: 60 })
    t.equal(await until(), await ends(long), 'the last one counts')
  })
}

type Signed = Awaited<ReturnType<typeof signInToDerive>>
