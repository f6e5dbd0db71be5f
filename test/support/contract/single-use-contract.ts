// The contract of what a request is made with once, such as the assertion of its client and a DPoP proof: it is used up in
// the step that does the work, and nothing happens if one was used before.

import type { Test } from 'tap'
import type { FamilyId } from '../../../src/core/ids.ts'
import type { Hash } from '../../../src/core/record-hash.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import type { SingleUse } from '../../../src/storage/single-use.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { refreshing, sameState, signIn, spentBy, stateOf } from './family.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { CODE, issueCode, type Make, pass } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const PUSHED = { name: 'pushed', slot: 'family' } as const

function use(kind: SingleUse['kind'], ttl = 60): SingleUse {
  return { kind, id: newToken(newFamilyId()), ttl }
}

/** A proof with an id of the family that it comes with, as all have in a Cluster. */
function proofOf(family: FamilyId, ttl = 60): SingleUse {
  return { kind: 'proof', id: newToken(family), ttl }
}

const used = (kind: SingleUse['kind']) => ({ outcome: 'used', kind })

/** Whether an id can still be used; it is used up then. */
async function isUnused({ families }: Storage, single_use: SingleUse): Promise<boolean> {
  return (await families.useOnce([single_use], CODE.client_id)) === 'ok'
}

export async function singleUseContract(t: Test, make: Make): Promise<void> {
  await t.test('a code is redeemed only with what was not used before', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const issued = await issueCode(storage)
    const assertion = use('assertion')
    await storage.families.useOnce([assertion], CODE.client_id)
    const before = await stateOf(subject, issued)
    const proof = proofOf(issued.grant)
    const replay = { ...issued.attempt('replay'), single_uses: [proof, assertion] }
    t.strictSame(await redeemCode(storage, issued.code, replay), used('assertion'))
    sameState(t, await stateOf(subject, issued), before, 'nothing changed')
    t.ok(await isUnused(storage, proof), 'the other one is not used up')
    const fresh = { ...issued.attempt('fresh'), single_uses: [use('assertion'), proofOf(issued.grant)] }
    for (const attempt of ['the first', 'sent again']) {
      t.match(await redeemCode(storage, issued.code, fresh), { outcome: 'ok' }, attempt)
    }
    for (const one of fresh.single_uses) t.notOk(await isUnused(storage, one), `${one.kind} is used up`)
  })

  await t.test('an attempt that fails leaves nothing of a proof', async (t) => {
    const { storage } = await make(t)
    const { code, grant, attempt } = await issueCode(storage)
    const failing = (operation: string) => ({ ...attempt(operation), single_uses: [proofOf(grant)] })
    const wrong = { ...failing('wrong'), client_id: 'other' }
    t.match(await redeemCode(storage, code, wrong), { outcome: 'mismatch' })
    const unknown = failing('unknown')
    t.match(await redeemCode(storage, newToken(grant), unknown), { outcome: 'missing' })
    const stranger = await signIn(storage)
    const refused = { ...refreshing(stranger.grant, 'other'), client_id: 'other' }
    const others = { ...refused, single_uses: [proofOf(stranger.grant)] }
    t.match(await useRefreshToken(storage, stranger.refresh_token, others), { outcome: 'mismatch' })
    for (const { single_uses } of [wrong, unknown, others]) {
      for (const proof of single_uses) t.ok(await isUnused(storage, proof))
    }
  })

  await t.test('a retry of a refresh needs what was not used before', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token } = await signIn(storage)
    const first = { ...refreshing(grant, 'first'), single_uses: [proofOf(grant)] }
    t.match(await useRefreshToken(storage, refresh_token, first), { outcome: 'ok' })
    const copied = { ...refreshing(grant, 'copied'), single_uses: first.single_uses }
    t.strictSame(await useRefreshToken(storage, refresh_token, copied), used('proof'))
    const retry = { ...refreshing(grant, 'retry'), single_uses: [proofOf(grant)] }
    t.strictSame(await useRefreshToken(storage, refresh_token, retry), spentBy(first))
  })

  await t.test('of concurrent redemptions with one assertion one succeeds', async (t) => {
    const { storage } = await make(t)
    const single_uses = [use('assertion')]
    const issued = await Promise.all(Array.from({ length: 10 }, () => issueCode(storage)))
    const results = await Promise.all(
      issued.map(({ code, attempt }, i) => redeemCode(storage, code, { ...attempt(`${i}`), single_uses })),
    )
    t.equal(results.filter(({ outcome }) => outcome === 'ok').length, 1)
    t.equal(results.filter(({ outcome }) => outcome === 'used').length, 9)
  })

  await t.test('a refresh token is used only with what was not used before', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const family = await signIn(storage)
    const single_uses = [use('assertion'), use('proof')]
    const [first = use('proof')] = single_uses
    await storage.families.useOnce([first], CODE.client_id)
    const tokens = [family.refresh_token]
    const before = await stateOf(subject, family, ...tokens)
    const replay = { ...refreshing(family.grant, 'replay'), single_uses }
    t.strictSame(await useRefreshToken(storage, family.refresh_token, replay), used('assertion'))
    sameState(t, await stateOf(subject, family, ...tokens), before, 'nothing changed')
    const fresh = {
      ...refreshing(family.grant, 'fresh'),
      single_uses: [use('assertion'), proofOf(family.grant)],
    }
    for (const attempt of ['the first', 'sent again']) {
      t.match(await useRefreshToken(storage, family.refresh_token, fresh), { outcome: 'ok' }, attempt)
    }
    for (const one of fresh.single_uses) t.notOk(await isUnused(storage, one))
  })

  await t.test('a JWT without a record is granted once for all that is used', async (t) => {
    const { storage } = await make(t)
    const assertion = use('assertion')
    const family = assertion.id.slice(0, 16)
    const single_uses = [assertion, proofOf(family)]
    const token = () => newToken(family)
    const grant = { is_jwt: true, client_id: 'ci', scope: '', access_token_ttl: 60 }
    const granted = { ...grant, token: token(), single_uses }
    t.equal(await storage.families.grantOnce(granted), 'ok')
    t.equal(await storage.families.grantOnce(granted), 'ok', 'sent again')
    const replay = { ...granted, token: token(), single_uses: single_uses.slice(0, 1) }
    t.strictSame(await storage.families.grantOnce(replay), used('assertion'))
    t.equal(await storage.families.findToken(granted.token), undefined)
    for (const one of single_uses) t.notOk(await isUnused(storage, one))
  })

  await t.test('a record is written once with what is used', async (t) => {
    const { storage } = await make(t)
    const { families, records } = storage
    const assertion = use('assertion')
    const record = (value: string) => ({
      kind: PUSHED,
      id: newToken(assertion.id.slice(0, 16)),
      hash: { value },
      ttl: 60,
    })
    const reader = { ...PUSHED, parse: () => ({ ok: true, record: {} }) as const }
    const [one, two] = [record('one'), record('two')]
    t.equal(await families.useOnce([assertion, use('proof')], 'app', one), 'ok')
    t.strictSame(await families.useOnce([assertion], 'app', two), used('assertion'))
    t.match(await records.read(reader, one.id), { hash: { value: 'one' } })
    t.equal(await records.read(reader, two.id), undefined)
    t.equal(await families.useOnce([], 'app', two), 'ok', 'with nothing to use up')
    t.match(await records.read(reader, two.id), { hash: { value: 'two' } })
  })

  await t.test('nothing is used up for what cannot be written', async (t) => {
    const { storage } = await make(t)
    const { families } = storage
    const [before, fresh] = [use('assertion'), use('assertion')]
    await families.useOnce([before], 'app')
    const record = (id: string, hash: Hash) => ({ kind: PUSHED, id, hash, ttl: 60 })
    const id = newToken(fresh.id.slice(0, 16))
    await t.rejects(families.useOnce([fresh], 'app', record('x', { value: 'one' })), TypeError)
    await t.rejects(families.useOnce([fresh], 'app', record(id, {})), TypeError)
    await t.rejects(families.useOnce([], 'app'), TypeError)
    for (const malformed of [
      [{ ...fresh, id: 'x' }, fresh],
      [before, { ...fresh, id: 'x' }],
    ])
      await t.rejects(families.useOnce(malformed, 'app'), TypeError)
    t.ok(await isUnused(storage, fresh))
  })

  await t.test('an assertion and a proof with the same id are two', async (t) => {
    const { families } = (await make(t)).storage
    const { id, ttl } = use('proof')
    t.equal(await families.useOnce([{ kind: 'assertion', id, ttl }], 'app'), 'ok')
    t.equal(await families.useOnce([{ kind: 'proof', id, ttl }], 'app'), 'ok')
  })

  await t.test('what was used is forgotten when it cannot be presented any more', async (t) => {
    const subject = await make(t)
    const { storage, redis } = subject
    const [proof, assertion] = [use('proof', 0.2), use('assertion', 0.2)]
    const { code, attempt } = await issueCode(storage)
    await storage.families.useOnce([proof], 'app')
    t.match(await redeemCode(storage, code, { ...attempt('one'), single_uses: [assertion] }), {
      outcome: 'ok',
    })
    if (redis) for (const key of await keysOf(redis)) t.not(await expiryOf(redis, key), -1, key)
    await pass(subject, 0.3, () => isUnused(storage, { ...proof, ttl: 60 }))
    await pass(subject, 0, () => isUnused(storage, { ...assertion, ttl: 60 }))
  })
}
