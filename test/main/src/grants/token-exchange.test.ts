import { decodeJwt } from 'jose'
import { TOKEN_TYPE } from '../../../../src/core/token-types.ts'
import { BILLING, exchangeAs, MAIL, ORDERS, signInFor, startChain } from '../../../support/exchange.ts'
import { forEachService } from '../../../support/lifecycle.ts'
import { changeClient } from '../../../support/records.ts'
import { basic } from '../../../support/service.ts'

const BOTH = ['memory', 'redis'] as const

forEachService(
  'an API gets a token to act for the person of the token that it got',
  async (t, start, _place, format) => {
    const service = await startChain(start)
    const { access_token } = await signInFor(service, ORDERS)
    const { status, json } = await exchangeAs(service, 'orders', access_token)
    t.match(
      { status, json },
      {
        status: 200,
        json: {
          issued_token_type: TOKEN_TYPE.access_token,
          token_type: 'Bearer',
          expires_in: 300,
          scope: 'api.read api.write',
          refresh_token: undefined,
          id_token: undefined,
        },
      },
    )
    const act = { sub: 'orders', client_id: 'orders' }
    const derived = String(json.access_token)
    const seen = await service.introspect('gateway', derived)
    t.match(seen.json, { active: true, sub: 'alice', client_id: 'orders', aud: BILLING, act })
    t.type(seen.json.auth_time, 'number')
    if (format === 'jwt')
      t.match(decodeJwt(derived), { sub: 'alice', client_id: 'orders', act, aud: BILLING })

    const next = await exchangeAs(service, 'billing', derived, { resource: MAIL })
    t.match(next, { status: 200, json: { scope: 'api.read' } })
    t.match((await service.introspect('gateway', String(next.json.access_token))).json, {
      active: true,
      act: { sub: 'billing', client_id: 'billing', act },
    })
  },
  undefined,
  BOTH,
)

forEachService(
  'a derived token ends with the token that it came from, and not the other way',
  async (t, start) => {
    const service = await startChain(start)
    const { access_token } = await signInFor(service, ORDERS)
    const first = String((await exchangeAs(service, 'orders', access_token)).json.access_token)
    const other = String((await exchangeAs(service, 'orders', access_token)).json.access_token)
    const second = String((await exchangeAs(service, 'billing', first, { resource: MAIL })).json.access_token)
    const active = async (...tokens: string[]) =>
      Promise.all(tokens.map(async (one) => (await service.introspect('gateway', one)).json.active))
    t.strictSame(await active(access_token, first, second, other), [true, true, true, true])
    await service.post('/oauth2/revoke', { token: first }, basic('billing'))
    t.strictSame(
      await active(access_token, first, second, other),
      [true, true, true, true],
      'of another client',
    )
    await service.post('/oauth2/revoke', { token: first }, basic('orders'))
    t.strictSame(await active(access_token, first, second, other), [true, false, false, true])
    t.match(await exchangeAs(service, 'billing', first, { resource: MAIL }), { status: 400 })
    await service.revoke('web', access_token)
    t.strictSame(await active(access_token, first, second, other), [false, false, false, false])
    t.match(await exchangeAs(service, 'orders', access_token), {
      status: 400,
      json: { error: 'invalid_request' },
    })
  },
  undefined,
  BOTH,
)

forEachService('only who is tied to a token may exchange it', async (t, start) => {
  const service = await startChain(start)
  const { access_token } = await signInFor(service, ORDERS)
  t.match((await exchangeAs(service, 'billing', access_token)).json, { error: 'invalid_request' })
  await changeClient(service.storage, 'orders', { set: {}, unset: ['exchange_mode'] })
  t.match((await exchangeAs(service, 'orders', access_token)).json, { error: 'unauthorized_client' })
})
