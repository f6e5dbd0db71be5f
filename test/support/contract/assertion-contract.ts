// The contract of assertions of other issuers: the id of one is spent once, with what it is granted.
import type { Test } from 'tap'
import type { Hash } from '../../../src/core/record-hash.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import type { GrantOnce } from '../../../src/storage/families.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { type Make, pass } from './subject.ts'

const FAMILY_FIELDS = {
  username: 'alice',
  auth_time: '1700000000',
  assertion_issuer: 'https://idp.example.com',
}
const USER = { subject: 'alice', fields: FAMILY_FIELDS }

/** What an assertion is granted, each time with a new token. */
function granting(given: Partial<GrantOnce> = {}) {
  const family = newFamilyId()
  const id = newToken(family)
  return (more: Partial<GrantOnce> = {}): GrantOnce => ({
    token: newToken(family),
    is_jwt: false,
    single_uses: [{ kind: 'assertion', id, ttl: 60 }],
    client_id: 'ci',
    scope: 'api.read',
    access_token_ttl: 900,
    ...given,
    ...more,
  })
}

const USED = { outcome: 'used', kind: 'assertion' }

function idOf({ single_uses: [use] }: GrantOnce): string {
  return use?.id ?? ''
}

export async function assertionContract(t: Test, make: Make): Promise<void> {
  await t.test('the record of a token says who acts with it, and no other record does', async (t) => {
    const { storage } = await make(t)
    const { families } = storage
    const act = JSON.stringify({ sub: 'ci', client_id: 'ci' })
    for (const user of [USER, undefined]) {
      const grant = granting(user && { user })({ act })
      await families.grantOnce(grant)
      const { token, family } = await families.findTokenAndFamily(grant.token)
      t.match(token, { act, subject: user?.subject ?? '' })
      t.equal(family?.act, undefined)
    }
    const plain = granting({ user: USER })()
    await families.grantOnce(plain)
    t.notOk('act' in ((await families.findToken(plain.token)) ?? {}))
  })

  await t.test('of concurrent uses of an assertion one gets its token', async (t) => {
    const { storage } = await make(t)
    const { families } = storage
    for (const is_jwt of [false, true]) {
      const next = granting({ is_jwt })
      const grants = Array.from({ length: 10 }, () => next())
      const outcomes = await Promise.all(grants.map((grant) => families.grantOnce(grant)))
      t.equal(outcomes.filter((outcome) => outcome === 'ok').length, 1)
      for (const [i, { token }] of grants.entries()) {
        const found = await families.findToken(token)
        const isWritten = outcomes[i] === 'ok' && !is_jwt
        t.match(
          found,
          isWritten ? { jti: token, client_id: 'ci', scope: 'api.read', subject: '' } : undefined,
        )
      }
      const [won] = grants.filter((_, i) => outcomes[i] === 'ok')
      t.equal(won && (await families.grantOnce(won)), 'ok', 'the same attempt, sent again')
      t.strictSame(await families.grantOnce(next()), USED)
    }
  })

  await t.test('the id of an assertion is spent for records, too, and the other way round', async (t) => {
    const { storage } = await make(t)
    const grant = granting()()
    const id = idOf(grant)
    const record = {
      kind: { name: 'assertion', slot: 'family' } as const,
      id,
      hash: { used_by: 'x' },
      ttl: 60,
    }
    t.equal(await storage.families.grantOnce(grant), 'ok')
    t.equal(await storage.records.create(record), 'exists')
    const other = granting()()
    t.equal(await storage.records.create({ ...record, id: idOf(other) }), 'ok')
    t.strictSame(await storage.families.grantOnce(other), USED)
  })

  await t.test('an assertion that may be used again gets a token each time', async (t) => {
    const { storage } = await make(t)
    for (let i = 0; i < 3; i += 1) {
      const grant = granting({ single_uses: [] })()
      t.equal(await storage.families.grantOnce(grant), 'ok')
      t.match(await storage.families.findToken(grant.token), { jti: grant.token })
    }
  })

  await t.test('a token for a user has a family, and ends with it', async (t) => {
    const { storage } = await make(t)
    const { families } = storage
    const grant = granting({ user: USER })()
    const family = grant.token.slice(0, 16)
    t.equal(await families.grantOnce(grant), 'ok')
    const facts = { client_id: 'ci', subject: 'alice', scope: 'api.read', status: 'active', ...FAMILY_FIELDS }
    t.strictSame(await families.findFamily(family), facts)
    t.match(await families.findToken(grant.token), { subject: 'alice', revoked: 'false' })
    t.equal(await families.revokeFamily(family), 'ok')
    t.match(await families.findToken(grant.token), { revoked: 'true' })

    const jwt = granting({ user: USER, is_jwt: true })()
    t.equal(await families.grantOnce(jwt), 'ok')
    t.equal(await families.findToken(jwt.token), undefined)
    t.equal(await families.revokeFamily(jwt.token.slice(0, 16)), 'ok')
    t.match(await families.findFamily(jwt.token.slice(0, 16)), { status: 'revoked' })
  })

  await t.test('nothing of an assertion stays', async (t) => {
    const subject = await make(t)
    const { storage, redis } = subject
    const brief = { access_token_ttl: 0.2, user: USER }
    const next = granting(brief)
    const grant = next({ single_uses: [{ kind: 'assertion', id: idOf(next()), ttl: 0.2 }] })
    t.equal(await storage.families.grantOnce(grant), 'ok')
    if (redis) for (const key of await keysOf(redis)) t.not(await expiryOf(redis, key), -1, key)
    await pass(subject, 0.3, async () => (await storage.families.findToken(grant.token)) === undefined)
    t.equal(await storage.families.findFamily(grant.token.slice(0, 16)), undefined)
    t.equal(await storage.families.grantOnce(next()), 'ok', 'the id is forgotten')
  })

  await t.test('an assertion with the jti of an expired one changes nothing of its family', async (t) => {
    const subject = await make(t)
    const { families, records } = subject.storage
    const next = granting({ user: USER })
    const [first, second] = [next(), next({ user: { subject: 'bob', fields: {} } })]
    const brief = { kind: 'assertion', id: idOf(first), ttl: 0.2 } as const
    t.equal(await families.grantOnce({ ...first, single_uses: [brief] }), 'ok')
    const before = await families.findFamily(first.token.slice(0, 16))
    const mark = {
      name: 'assertion',
      slot: 'family',
      parse: (record: Hash) => ({ ok: true as const, record }),
    } as const
    await pass(subject, 0.3, async () => (await records.read(mark, brief.id)) === undefined)
    t.strictSame(await families.grantOnce(second), USED)
    t.strictSame(await families.findFamily(first.token.slice(0, 16)), before)
    t.equal(await families.findToken(second.token), undefined)
  })

  await t.test('a token that is no token string is refused', async (t) => {
    const { families } = (await make(t)).storage
    await t.rejects(families.grantOnce(granting({ token: 'x' })()), TypeError)
  })
}
