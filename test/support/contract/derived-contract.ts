// The contract of derived tokens (RFC 8693): when one is written, and what is in its record.

import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import {
  type Derivation,
  MAX_DERIVATIONS,
  MAX_DERIVED,
  type ProvenToken,
} from '../../../src/storage/derivation.ts'
import type { SingleUse } from '../../../src/storage/single-use.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { issueClientToken, saveRevokedToken } from '../records.ts'
import { ACTOR, AUDIENCE, chainOf, derive, deriving, jwt, opaque, signInToDerive, told } from './deriving.ts'
import { addAccessToken, endOf, liveOf, sameState, signIn, stateOf } from './family.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { CODE, type Make, pass } from './subject.ts'

const secretOf = ({ token }: ProvenToken) => token.slice(17)

export async function derivedContract(t: Test, make: Make): Promise<void> {
  await t.test('a derived token is one of its family, and says what it came from', async (t) => {
    const { storage, redis } = await make(t)
    const { grant, subject } = await signInToDerive(storage)
    const confirmation = { jkt: 'thumbprint' }
    const first = deriving(subject, { confirmation })
    t.equal(await storage.families.deriveToken(first), 'ok')
    const record = await storage.families.findToken(first.token)
    t.match(record, {
      jti: first.token,
      type: 'access_token',
      subject: CODE.subject,
      client_id: ACTOR,
      scope: 'api.read',
      audience: AUDIENCE,
      revoked: 'false',
      jkt: 'thumbprint',
      act: first.fields.act,
    })
    const { family } = await storage.families.findTokenAndFamily(first.token)
    t.match(family, { status: 'active', client_id: CODE.client_id }, 'the family is that of the sign-in')
    if (redis !== undefined) {
      for (const key of await keysOf(redis)) {
        if (key.startsWith('probe:')) continue
        t.ok((await expiryOf(redis, key)) > Date.now(), `${key} ends`)
      }
      const left = (await expiryOf(redis, `derived-tokens:{${grant}}`)) - Date.parse(record?.expires_at ?? '')
      t.ok(Math.abs(left) <= 500, 'those of the family end with the last one')
    } else t.equal(record?.derived_from, secretOf(subject), 'by their secret parts')

    const second = await derive(storage, opaque(first.token), { is_jwt: true })
    t.match(await storage.families.findToken(second.token), { type: 'access_jwt', client_id: ACTOR })
    const origins = (await storage.families.findToken(second.token))?.derived_from?.split(' ')
    t.equal(origins?.length, 2, 'the nearest one first')
    t.equal(origins?.[1], record?.derived_from)
  })

  await t.test('a derivation that is sent again is the same one', async (t) => {
    const { storage } = await make(t)
    const { grant, subject } = await signInToDerive(storage)
    const proof: SingleUse = { kind: 'proof', id: newToken(grant), ttl: 60 }
    const derivation = deriving(subject, { single_uses: [proof] })
    t.equal(await storage.families.deriveToken(derivation, told('derived')), 'ok')
    const before = await storage.families.findToken(derivation.token)
    t.equal(await storage.families.deriveToken(derivation, told('derived')), 'ok')
    t.strictSame(await storage.families.findToken(derivation.token), before)
    t.equal((await storage.families.readDerived(grant)).length, 1)
    await storage.trail.collect()
    t.strictSame(
      (await storage.trail.read({ limit: 9 })).map(({ text }) => text),
      ['derived'],
    )
    await storage.families.revokeToken(subject.token)
    await storage.families.deriveToken(derivation)
    t.strictSame(await liveOf(storage, [derivation.token]), [], 'what ended stays so')
  })

  await t.test('nothing is derived from what is not live, and nothing changes', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const family = await signIn(storage)
    const { grant, code, refresh_token, access_token } = family
    const revoked = await addAccessToken(storage, refresh_token)
    await storage.families.revokeToken(revoked)
    const over = newToken(grant)
    await saveRevokedToken(storage, over, { ...REVOKED, client_id: 'app' }, new Date(Date.now() + 60_000))
    const other = await signIn(storage)
    const alone = await issueClientToken(storage)
    const a_jwt = await derive(storage, opaque(access_token), { is_jwt: true })
    const ended = await signIn(storage)
    const of_ended = await derive(storage, opaque(ended.access_token))
    await storage.families.revokeFamily(ended.grant)
    const none: Record<string, ProvenToken> = {
      'a revoked token': opaque(revoked),
      'a revoked JWT': jwt(over),
      'an unknown token': opaque(newToken(grant)),
      'a token of no family': opaque(newToken(newFamilyId())),
      'a JWT of no family': jwt(newToken(newFamilyId())),
      'a token of a client': opaque(alone),
      'a refresh token': opaque(refresh_token),
      'a refresh token as a JWT': jwt(refresh_token),
      'a code': opaque(code),
      'an opaque token as a JWT': jwt(access_token),
      'the record of a JWT': opaque(a_jwt.token),
      'a token of an ended family': opaque(ended.access_token),
      'a JWT of an ended family': jwt(newToken(ended.grant)),
      'a derived token of an ended family': of_ended,
      'no token string': opaque('token'),
    }
    const proof = { kind: 'proof', id: newToken(grant), ttl: 60 } as const
    const before = await stateOf(subject, family, access_token, refresh_token)
    for (const [name, one] of Object.entries(none)) {
      const derivation = deriving(one, { single_uses: [proof] })
      t.equal(await storage.families.deriveToken(derivation, told(name)), 'ended', name)
      t.equal(await storage.families.findToken(derivation.token), undefined)
    }
    const foreign = deriving(opaque(access_token), { token: newToken(other.grant) })
    await t.rejects(storage.families.deriveToken(foreign), TypeError, 'into another family')
    sameState(t, await stateOf(subject, family, access_token, refresh_token), before, 'nothing changed')
    t.equal((await storage.families.readDerived(grant)).length, 1)
    await storage.trail.collect()
    t.strictSame(await storage.trail.read({ limit: 9 }), [], 'nothing is told')
    t.equal(await storage.families.useOnce([proof], 'app'), 'ok', 'no proof is used up')
  })

  await t.test('a derived token ends no later than an opaque one that it came from', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { refresh_token } = await signIn(storage)
    const short = opaque(await addAccessToken(storage, refresh_token, 100))
    const chain = await chainOf(storage, short, MAX_DERIVATIONS)
    const ends = await Promise.all(chain.map(({ token }) => endOf(storage, token)))
    for (const [depth, end] of ends.entries()) {
      t.ok(end <= (ends[0] ?? 0) + 1, `T3: at depth ${depth}, ${end - (ends[0] ?? 0)} ms later`)
      t.ok(end >= (ends[0] ?? 0) - 1000, 'nor earlier')
    }
    const long = await derive(storage, short, { access_token_ttl: 20 })
    t.ok((await endOf(storage, long.token)) < (ends[0] ?? 0) - 70_000, 'and no later than it is to')
    const of_jwt = await derive(storage, jwt(newToken(refresh_token.slice(0, 16))))
    const left = (await endOf(storage, of_jwt.token)) - Date.now()
    t.ok(left > 290_000 && left <= 301_000, 'of a JWT its caller knows the end')
  })

  await t.test('T11: from four tokens, one from the other, and from no more', async (t) => {
    const { storage } = await make(t)
    const { grant, subject } = await signInToDerive(storage)
    for (const first of [subject, jwt(newToken(grant))]) {
      const chain = await chainOf(storage, first, MAX_DERIVATIONS)
      const one_more = deriving(chain.at(-1) ?? first)
      t.equal(await storage.families.deriveToken(one_more), 'depth')
      t.equal(await storage.families.findToken(one_more.token), undefined)
      t.equal((await storage.families.findToken(chain.at(-1)?.token ?? ''))?.revoked, 'false')
    }
  })

  await t.test('T18: a family has a hundred live derived tokens, however many are asked for', async (t) => {
    const { storage } = await make(t)
    const { grant, subject: from } = await signInToDerive(storage)
    const all = Array.from({ length: MAX_DERIVED + 20 }, () => deriving(from))
    const outcomes = await Promise.all(all.map((one) => storage.families.deriveToken(one)))
    t.equal(outcomes.filter((outcome) => outcome === 'ok').length, MAX_DERIVED)
    t.equal(outcomes.filter((outcome) => outcome === 'many').length, 20)
    const written = await liveOf(
      storage,
      all.map(({ token }) => token),
    )
    t.equal(written.length, MAX_DERIVED)
    const again = all.filter((_, i) => outcomes[i] === 'ok').slice(0, 1)
    for (const one of again) t.equal(await storage.families.deriveToken(one), 'ok', 'sent again')
    t.equal((await storage.families.readDerived(grant)).length, MAX_DERIVED)
    // Otherwise who exchanges and revokes in turn would leave records without end.
    for (const token of written.slice(0, 3)) await storage.families.revokeToken(token)
    t.equal(await storage.families.deriveToken(deriving(from)), 'many', 'what is revoked keeps its place')
  })

  await t.test('T18: a derived token that ended gives its place to another one', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { subject: from } = await signInToDerive(storage)
    const most = Array.from({ length: MAX_DERIVED - 1 }, () => storage.families.deriveToken(deriving(from)))
    t.strictSame(new Set(await Promise.all(most)), new Set(['ok']))
    const soon = deriving(from, { access_token_ttl: 0.5 })
    t.equal(await storage.families.deriveToken(soon), 'ok')
    t.equal(await storage.families.deriveToken(deriving(from)), 'many')
    await pass(subject, 1, async () => (await storage.families.findToken(soon.token)) === undefined)
    t.equal(await storage.families.deriveToken(deriving(from)), 'ok')
    t.equal(await storage.families.deriveToken(deriving(from)), 'many')
  })

  await t.test('what may be used once is used up by the derivation that succeeds', async (t) => {
    const { storage } = await make(t)
    const { grant, subject } = await signInToDerive(storage)
    const proof: SingleUse = { kind: 'proof', id: newToken(grant), ttl: 60 }
    const single_uses = [proof]
    const all = Array.from({ length: 10 }, () => deriving(subject, { single_uses }))
    const outcomes = await Promise.all(all.map((one) => storage.families.deriveToken(one)))
    t.equal(outcomes.filter((outcome) => outcome === 'ok').length, 1)
    t.equal(outcomes.filter((outcome) => isUsed(outcome)).length, 9)
    t.equal((await storage.families.readDerived(grant)).length, 1)
    const assertion: SingleUse = { kind: 'assertion', id: newToken(newFamilyId()), ttl: 60 }
    await storage.families.useOnce([assertion], 'app')
    t.strictSame(await storage.families.deriveToken(deriving(subject, { single_uses: [assertion] })), {
      outcome: 'used',
      kind: 'assertion',
    })
  })

  await t.test('derived tokens are read with what they came from, and none can be used', async (t) => {
    const { storage } = await make(t)
    const { grant, subject } = await signInToDerive(storage)
    t.strictSame(await storage.families.readDerived(grant), [])
    t.strictSame(await storage.families.readDerived(newFamilyId()), [])
    t.strictSame(await storage.families.readDerived('no family'), [])
    const given = (access_token_ttl: number): Partial<Derivation> => ({ access_token_ttl })
    const one = await derive(storage, subject, given(300))
    const two = await derive(storage, one, given(200))
    await derive(storage, two, { ...given(100), is_jwt: true })
    await derive(storage, jwt(newToken(grant)), given(250))
    const found = await storage.families.readDerived(grant)
    t.strictSame(
      found.map(({ place, origins }) => [place, origins]),
      [
        [0, [1, 3]],
        [1, [3]],
        [2, []],
        [3, []],
      ],
    )
    for (const { record } of found) {
      t.match(record, {
        client_id: ACTOR,
        scope: 'api.read',
        audience: AUDIENCE,
        revoked: 'false',
        act: String,
      })
      t.strictSame([record.jti, record.derived_from], [undefined, undefined], 'nothing that could be used')
    }
    t.strictSame(
      found.map(({ record }) => record.type),
      ['access_jwt', 'access_token', 'access_token', 'access_token'],
    )
    await storage.families.revokeToken(one.token)
    const left = await storage.families.readDerived(grant)
    t.strictSame(
      left.map(({ origins }) => origins),
      [[]],
      'those that ended are not among them',
    )
    await storage.families.revokeFamily(grant)
    t.strictSame(await storage.families.readDerived(grant), [])
  })
}

const REVOKED = { type: 'access_token', subject: 'alice', scope: 'openid' } as const

function isUsed(outcome: Awaited<ReturnType<Storage['families']['deriveToken']>>): boolean {
  return typeof outcome === 'object' && outcome.kind === 'proof'
}
