// The contract of resources (RFC 8707): a token is for those of its grant that the request names, and nothing is spent
// before that is checked.

import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { age, refreshing, sameState, stateOf, staying } from './family.ts'
import { CODE, issueCode, type Make, readToken } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const ONE = 'https://one.example/api'
const TWO = 'https://two.example/'
const OF_GRANT = `${ONE} ${TWO}`
const FOR_ONE = { resource: ONE, audience: 'https://one.example/API', scopes: ['api.read'] }
const NOT_GRANTED = ['', 'https://one.example', `${ONE} https://three.example`, `${OF_GRANT} x`, `${ONE}/`]

export async function targetContract(t: Test, make: Make): Promise<void> {
  await t.test('a code for resources is redeemed only for some of them, and not spent before', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const issued = await issueCode(storage, { ...CODE, resource: OF_GRANT })
    const before = await stateOf(subject, issued)
    for (const resource of NOT_GRANTED) {
      const wrong = { ...issued.attempt('wrong'), target: { resource, audience: 'x' } }
      const target = { outcome: 'target', resource: OF_GRANT } as const
      t.strictSame(await redeemCode(storage, issued.code, wrong), target, resource)
    }
    sameState(t, await stateOf(subject, issued), before, 'nothing changed')
    const right = { ...issued.attempt('right'), target: FOR_ONE }
    for (const attempt of ['the first', 'sent again']) {
      t.match(await redeemCode(storage, issued.code, right), { outcome: 'ok' }, attempt)
    }
    t.match(await readToken(storage, right.access_token), {
      audience: ['https://one.example/API'],
      scope: 'api.read',
    })
    t.match(await readToken(storage, right.refresh_token), { audience: undefined, scope: CODE.scope })
    t.match(await storage.families.findFamily(issued.grant), { resource: OF_GRANT, scope: CODE.scope })
  })

  await t.test('an access token for a resource without scopes has none', async (t) => {
    const { storage } = await make(t)
    const { code, attempt } = await issueCode(storage, { ...CODE, resource: ONE })
    const unscoped = { ...attempt('one'), target: { ...FOR_ONE, scopes: [] } }
    t.match(await redeemCode(storage, code, unscoped), { outcome: 'ok' })
    t.match(await readToken(storage, unscoped.access_token), { scope: '' })
  })

  await t.test('a replay with the wrong resource is a replay', async (t) => {
    const { storage } = await make(t)
    const { code, grant, attempt } = await issueCode(storage, { ...CODE, resource: ONE })
    await redeemCode(storage, code, { ...attempt('one'), target: FOR_ONE })
    t.strictSame(await redeemCode(storage, code, attempt('two')), { outcome: 'replayed' })
    t.match(await storage.families.findFamily(grant), { status: 'revoked' })
  })

  await t.test('a code for no resource is redeemed for none', async (t) => {
    const { storage } = await make(t)
    const { code, attempt } = await issueCode(storage)
    t.strictSame(await redeemCode(storage, code, { ...attempt('one'), target: FOR_ONE }), {
      outcome: 'target',
      resource: '',
    })
    const unaimed = { ...attempt('two'), target: { resource: '', audience: '' } }
    t.match(await redeemCode(storage, code, unaimed), { outcome: 'ok' })
    t.match(await readToken(storage, unaimed.access_token), { audience: undefined, scope: CODE.scope })
  })

  await t.test('each refresh is for some resources of the grant', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    for (const form of [<R extends object>(refresh: R) => refresh, staying]) {
      const issued = await issueCode(storage, { ...CODE, resource: OF_GRANT })
      const { grant } = issued
      const first = { ...issued.attempt('redeem'), target: FOR_ONE }
      await redeemCode(storage, issued.code, first)
      const state = () => stateOf(subject, issued, first.access_token, first.refresh_token)
      const before = await state()
      for (const resource of NOT_GRANTED) {
        const wrong = form({ ...refreshing(grant, 'wrong'), target: { resource, audience: 'x' } })
        t.strictSame(
          await useRefreshToken(storage, first.refresh_token, wrong),
          { outcome: 'target', resource: OF_GRANT },
          resource,
        )
      }
      sameState(t, await state(), before, 'nothing changed')
      const right = { ...refreshing(grant, 'right'), target: { resource: TWO, audience: 'two' } }
      t.match(await useRefreshToken(storage, first.refresh_token, form(right)), { outcome: 'ok' })
      t.match(await readToken(storage, right.access_token), { audience: ['two'], scope: CODE.scope })
    }
  })

  await t.test('a retry for another resource changes nothing', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const issued = await issueCode(storage, { ...CODE, resource: OF_GRANT })
    const { grant } = issued
    const first = { ...issued.attempt('redeem'), target: FOR_ONE }
    await redeemCode(storage, issued.code, first)
    const target = { resource: ONE, audience: '' }
    const spending = { ...refreshing(grant, 'spending'), target }
    await useRefreshToken(storage, first.refresh_token, spending)
    const state = () => stateOf(subject, issued, first.refresh_token, spending.successor)
    const before = await state()
    const other = { ...refreshing(grant, 'other'), target: { resource: TWO, audience: '' } }
    t.strictSame(await useRefreshToken(storage, first.refresh_token, other), {
      outcome: 'target',
      resource: ONE,
    })
    sameState(t, await state(), before, 'nothing changed')
    const retry = { ...refreshing(grant, 'retry'), target }
    t.match(await useRefreshToken(storage, first.refresh_token, retry), {
      outcome: 'ok',
      spent: { operation: 'spending' },
    })
    await age(subject, first.refresh_token, 60)
    t.strictSame(
      await useRefreshToken(storage, first.refresh_token, { ...other, operation: 'late' }),
      { outcome: 'reused' },
      'after the window it is reuse, whatever it is for',
    )
  })

  await t.test('the token of a client has its audience', async (t) => {
    const { storage } = await make(t)
    for (const [audience, expected] of [
      ['https://one.example', ['https://one.example']],
      ['one two', ['one', 'two']],
      ['', undefined],
      [undefined, undefined],
    ] as const) {
      const own = { token: newToken(newFamilyId()), client_id: 'app', scope: 'api.read' }
      await storage.families.saveClientToken(audience === undefined ? own : { ...own, audience }, 60)
      t.strictSame((await readToken(storage, own.token))?.audience, expected)
    }
  })
}
