// The contract of the refreshed scope: never more than was granted, and for this access token only.

import type { Test } from 'tap'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { refreshing, sameState, signIn, stateOf, staying } from './family.ts'
import { CODE, issueCode, type Make, readToken } from './subject.ts'
import { answeredBy, type RefreshAttempt, useRefreshToken } from './use-refresh-token.ts'

export async function refreshScopeContract(t: Test, make: Make): Promise<void> {
  await t.test(
    'the granted scope is the allowed part of the request, in its order, without duplicates',
    async (t) => {
      const { storage } = await make(t)
      const all = 'openid api.read api.write'
      for (const [asked, allowed_scopes, scope] of [
        [undefined, all, 'openid api.read'],
        ['', all, 'openid api.read'],
        [' ', all, 'openid api.read'],
        ['api.read', all, 'api.read'],
        ['api.read openid', all, 'api.read openid'],
        ['  api.read  openid ', all, 'api.read openid'],
        ['api.read api.read', all, 'api.read'],
        [undefined, 'api.write api.read', 'api.read'],
        ['openid api.read', 'api.read', 'api.read'],
        ['openid', 'api.read', ''],
        [undefined, '', ''],
        [undefined, 'api', ''],
      ] as const) {
        for (const form of [(refresh: RefreshAttempt) => refresh, staying]) {
          const { grant, refresh_token } = await signIn(storage)
          const attempt = { ...refreshing(grant, 'one'), allowed_scopes }
          const refresh = form(asked === undefined ? attempt : { ...attempt, scope: asked })
          const name = `"${asked ?? 'nothing'}" of "${allowed_scopes}"`
          t.match(await useRefreshToken(storage, refresh_token, refresh), { outcome: 'ok', scope }, name)
          t.equal((await readToken(storage, attempt.access_token))?.scope, scope, `${name}, in the record`)
        }
      }
    },
  )

  await t.test('only spaces separate scope names', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token } = await signIn(storage)
    for (const divider of ['\u00a0', '\u2003', ',', '\ufeff']) {
      const scope = CODE.scope.replace(' ', divider)
      t.strictSame(
        await useRefreshToken(storage, refresh_token, { ...refreshing(grant, 'one'), scope }),
        { outcome: 'scope' },
        `U+${divider.codePointAt(0)?.toString(16)}`,
      )
    }
  })

  await t.test('a token without the scope that it needs is missing, whatever else is wrong', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token } = await signIn(storage)
    const needing = { ...refreshing(grant, 'one'), refresh_scope: 'offline_access' }
    const target = { resource: 'https://api.example.com/', audience: 'https://api.example.com/' }
    for (const wrong of [{}, { target }, { scope: 'other' }]) {
      t.strictSame(await useRefreshToken(storage, refresh_token, { ...needing, ...wrong }), {
        outcome: 'missing',
      })
    }
  })

  await t.test('a narrowed scope applies to this access token only', async (t) => {
    const { storage } = await make(t)
    const { grant, refresh_token } = await signIn(storage)
    const first = { ...refreshing(grant, 'one'), scope: 'api.read', allowed_scopes: 'api.read' }
    await useRefreshToken(storage, refresh_token, first)
    t.match(await readToken(storage, first.access_token), { scope: 'api.read' })
    t.match(await readToken(storage, first.successor), { scope: CODE.scope })
    t.match(await storage.families.findFamily(grant), { scope: CODE.scope })
    const second = refreshing(grant, 'two')
    t.match(
      await useRefreshToken(storage, first.successor, second),
      { scope: CODE.scope },
      'the full scope is granted again',
    )
    t.match(await readToken(storage, second.access_token), { scope: CODE.scope })
  })

  await t.test('a retry that asks for another scope is refused and changes nothing', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    for (const [scope, same, others] of [
      [undefined, ['api.read openid', CODE.scope], ['api.read']],
      ['api.read', ['api.read', ' api.read'], ['openid', 'openid api.read', undefined]],
    ] as const) {
      const family = await signIn(storage)
      const { grant, refresh_token } = family
      const asking = (operation: string, scope: string | undefined) =>
        scope === undefined ? refreshing(grant, operation) : { ...refreshing(grant, operation), scope }
      const first = asking('one', scope)
      const answer = await useRefreshToken(storage, refresh_token, first)
      const state = () => stateOf(subject, family, refresh_token, first.access_token, first.successor)
      const before = await state()
      for (const other of others) {
        const refused = await useRefreshToken(storage, refresh_token, asking('two', other))
        t.strictSame(refused, { outcome: 'scope' }, `${other} after ${scope}`)
      }
      const narrowed = { ...asking('two', scope), allowed_scopes: 'openid' }
      t.strictSame(await useRefreshToken(storage, refresh_token, narrowed), { outcome: 'scope' })
      sameState(t, await state(), before, 'nothing changed')
      for (const again of same) {
        t.strictSame(await useRefreshToken(storage, refresh_token, asking('three', again)), answer)
      }
    }
  })

  await t.test('every value is returned unchanged', async (t) => {
    const { storage } = await make(t)
    for (const record of [
      { ...CODE, scope: '', auth_time: 0 },
      { ...CODE, client_id: '__proto__', subject: 'constructor', scope: '__proto__ toString' },
      { ...CODE, client_id: 'a\0b {x} é 🗝', subject: '"x" \\' },
    ]) {
      const { grant, code, attempt } = await issueCode(storage, record)
      const first = attempt('redeem')
      await redeemCode(storage, code, first)
      const { client_id, subject, scope, auth_time } = record
      const bound = { client_id, allowed_scopes: scope }
      const refresh = { ...refreshing(grant, 'é {1}'), ...bound }
      t.strictSame(await useRefreshToken(storage, first.refresh_token, refresh), {
        outcome: 'ok',
        sign_in: { subject, auth_time },
        scope,
        spent: { operation: 'é {1}', answered: answeredBy('é {1}') },
      })
      for (const token of [refresh.access_token, refresh.successor]) {
        t.match(await readToken(storage, token), { client_id, subject, scope, revoked: false })
      }
      t.match(await useRefreshToken(storage, refresh.successor, { ...refreshing(grant, 'next'), ...bound }), {
        outcome: 'ok',
      })
    }
  })
}
