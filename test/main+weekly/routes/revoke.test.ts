import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { ACCEPTED, accepts, dead, failing, inUse, refused, unavailable } from '../../support/expect.ts'
import { type ClientName, forEachService, tokensOf } from '../../support/lifecycle.ts'
import { type Answer, basic } from '../../support/service.ts'

const CLIENTS: ClientName[] = ['app', 'web', 'fixed']
const REVOKED = { api: 401, userinfo: 401, active: false }

/** The response to every token, valid or not (RFC 7009 §2.2). */
function done(t: Test, { status, text, headers }: Answer, message: string): void {
  t.strictSame([status, text], [200, ''], message)
  t.equal(headers['cache-control'], 'no-store')
}

forEachService('revoking an access token affects only that token', async (t, start) => {
  const service = await start()
  for (const client of CLIENTS) {
    const first = await service.signIn(client)
    const second = tokensOf(await service.refresh(client, first.refresh_token))
    done(t, await service.revoke(client, first.access_token), 'an access token')
    t.strictSame(await accepts(service, first.access_token), REVOKED)
    t.strictSame(
      await accepts(service, second.access_token),
      ACCEPTED,
      'other tokens of the family stay valid',
    )
    done(t, await service.revoke(client, first.access_token), 'once more')
    t.strictSame(await accepts(service, first.access_token), REVOKED)
    const third = tokensOf(await service.refresh(client, second.refresh_token))
    t.strictSame(await accepts(service, third.access_token), ACCEPTED)
    t.strictSame(await accepts(service, first.access_token), REVOKED, 'it cannot be restored')
  }
})

forEachService('revoking a refresh token, spent or not, revokes its family', async (t, start) => {
  const service = await start()
  const bystander = await service.signIn()
  for (const client of CLIENTS) {
    for (const which of [0, 1]) {
      const first = await service.signIn(client)
      const second = tokensOf(await service.refresh(client, first.refresh_token))
      const family = [first, second]
      done(t, await service.revoke(client, family[which]?.refresh_token ?? ''), 'a refresh token')
      await dead(t, service, family, client)
      for (const { refresh_token } of family) {
        refused(t, await service.refresh(client, refresh_token), 'also in the retry window')
      }
      done(t, await service.revoke(client, second.refresh_token), 'once more')
    }
  }
  t.strictSame(await accepts(service, bystander.access_token), ACCEPTED, 'other families are not affected')
  t.strictSame(await inUse(service, [bystander.refresh_token]), [bystander.refresh_token])
})

forEachService('a client can revoke the access token it got for itself', async (t, start) => {
  const service = await start()
  for (const client of ['service', 'web'] as ClientName[]) {
    const [token, other] = [await service.clientToken(client), await service.clientToken(client)]
    done(t, await service.revoke(client, token), client)
    t.match(await accepts(service, token), { api: 401, active: false })
    t.match(await accepts(service, other), { api: 200, active: true }, 'no other token is affected')
  }
})

forEachService('token_type_hint does not change the result', async (t, start) => {
  const service = await start()
  for (const token_type_hint of ['access_token', 'refresh_token', 'no such type', '']) {
    for (const type of ['access_token', 'refresh_token'] as const) {
      const tokens = await service.signIn()
      done(t, await service.revoke('app', tokens[type], { token_type_hint }), `${type} as ${token_type_hint}`)
      if (type === 'refresh_token') await dead(t, service, [tokens], token_type_hint)
      else t.strictSame(await accepts(service, tokens.access_token), REVOKED)
    }
  }
})

forEachService('tokens of other clients and unknown tokens get 200 and are not changed', async (t, start) => {
  const service = await start()
  const { revoke, signIn } = service
  const tokens = await signIn('web')
  const own = await service.clientToken('service')
  for (const other of ['app', 'fixed', 'public-fixed', 'gateway', 'service'] as ClientName[]) {
    for (const token of [tokens.access_token, tokens.refresh_token, tokens.id_token]) {
      done(t, await revoke(other, token), `${other}, foreign`)
    }
    if (other !== 'service') done(t, await revoke(other, own), `${other}, foreign`)
  }
  const unknown = [newToken(newFamilyId()), newToken(tokens.access_token.slice(0, 16)), 'x', '*', '__proto__']
  const [header = '', payload = ''] = tokens.id_token.split('.')
  for (const token of [...unknown, `${header}.${payload}.`, 'a.b.c', tokens.id_token, 'x'.repeat(5000)]) {
    done(t, await revoke('web', token), token.slice(0, 20))
  }
  t.strictSame(await accepts(service, tokens.access_token), ACCEPTED)
  t.match(await accepts(service, own), { api: 200, active: true })
  t.strictSame(await inUse(service, [tokens.refresh_token]), [tokens.refresh_token])
  t.equal((await service.refresh('web', tokens.refresh_token)).status, 200)
})

forEachService('a code cannot be revoked', async (t, start) => {
  const service = await start()
  const code = await service.codeFor('app')
  done(t, await service.revoke('app', code), 'a code')
  t.equal((await service.redeem('app', code)).status, 200, 'it can still be redeemed')
})

forEachService('malformed and unauthenticated requests are refused and change nothing', async (t, start) => {
  const service = await start()
  const { post } = service
  const { access_token, refresh_token } = await service.signIn('web')
  for (const form of [{}, { token: '' }, { token_type_hint: 'access_token' }]) {
    const { status, json } = await post('/oauth2/revoke', form as Record<string, string>, basic('web'))
    t.strictSame([status, json.error], [400, 'invalid_request'])
  }
  for (const token of [access_token, refresh_token, 'unknown']) {
    for (const [who, fields, headers] of [
      ['nobody', {}, {}],
      ['an unknown client', { client_id: 'nobody' }, {}],
      ['a wrong secret', {}, basic('web', 'wrong')],
      ['a wrong secret in the body', { client_id: 'web', client_secret: 'wrong' }, {}],
      ['a confidential client without its secret', { client_id: 'web' }, {}],
      ['a public client with a secret', { client_id: 'app', client_secret: 'x' }, {}],
    ] as const) {
      const { status, json } = await post('/oauth2/revoke', { token, ...fields }, headers)
      t.strictSame([status, json.error], [401, 'invalid_client'], who)
    }
    const both = await post('/oauth2/revoke', { token, client_id: 'web', client_secret: 'x' }, basic('web'))
    t.strictSame([both.status, both.json.error], [400, 'invalid_request'], 'two authentication methods')
  }
  t.equal((await service.get(`/oauth2/revoke?token=${access_token}`, basic('web'))).status, 405)
  t.strictSame(await accepts(service, access_token), ACCEPTED)
  t.strictSame(await inUse(service, [refresh_token]), [refresh_token])
})

forEachService('a storage fault is 503, never 200', async (t, start, place) => {
  const control = failing(place.open(t))
  const service = await start({ storage: control.storage })
  const tokens = await service.signIn()
  for (const fault of ['before', 'after'] as const) {
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      control.fault = fault
      unavailable(t, await service.revoke('app', token), fault)
      delete control.fault
    }
    if (fault === 'before') t.strictSame(await accepts(service, tokens.access_token), ACCEPTED, 'not revoked')
  }
  done(t, await service.revoke('app', tokens.refresh_token), 'the retry')
  await dead(t, service, [tokens], 'revoked after the retry')
})
