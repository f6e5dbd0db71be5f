// What the client that exchanges must be allowed, and what its actor token limits.
import { TOKEN_TYPE } from '../../../../src/core/token-types.ts'
import { BILLING, exchangeAs, MAIL, ORDERS, signInFor, startChain } from '../../../support/exchange.ts'
import { forEachService, type Lifecycle } from '../../../support/lifecycle.ts'
import { changeClient } from '../../../support/records.ts'
import { basic } from '../../../support/service.ts'

const refused = (description: RegExp) => ({
  status: 400,
  json: { error: 'invalid_request', error_description: description, access_token: undefined },
})

const ownToken = async ({ token }: Lifecycle, client_id: string) =>
  String((await token({ grant_type: 'client_credentials' }, basic(client_id))).json.access_token)

forEachService('a person who may not use the client that acts is not acted for', async (t, start) => {
  const service = await startChain(start)
  const { access_token } = await signInFor(service, ORDERS)
  await changeClient(service.storage, 'orders', { set: { allowed_groups: 'staff' } })
  t.match(await exchangeAs(service, 'orders', access_token), refused(/person .* may not use this client/))
  await changeClient(service.storage, 'orders', {
    set: { required_acr: 'strong' },
    unset: ['allowed_groups'],
  })
  t.match(await exchangeAs(service, 'orders', access_token), refused(/person .* may not use this client/))
  const later = { grants_end_before: String(service.now() + 1000) }
  await changeClient(service.storage, 'orders', { set: later, unset: ['required_acr'] })
  t.match(
    await exchangeAs(service, 'orders', access_token),
    refused(/person .* may not use this client/),
    'all that it had was ended',
  )
})

forEachService(
  'all that a client that acts had is ended with what others derived of it',
  async (t, start) => {
    const service = await startChain(start)
    const { access_token } = await signInFor(service, ORDERS)
    const first = String((await exchangeAs(service, 'orders', access_token)).json.access_token)
    const second = String((await exchangeAs(service, 'billing', first, { resource: MAIL })).json.access_token)
    const later = { grants_end_before: String(service.now() + 1000) }
    await changeClient(service.storage, 'orders', { set: later })
    for (const [token, active] of [
      [access_token, true],
      [first, false],
      [second, false],
    ] as const)
      t.equal((await service.introspect('gateway', token)).json.active, active)
  },
)

forEachService('a derived token ends with the token of its actor, and no later', async (t, start) => {
  const service = await startChain(start)
  const { access_token } = await signInFor(service, ORDERS)
  await changeClient(service.storage, 'orders', { set: { access_token_ttl: '40' } })
  const actor = await ownToken(service, 'orders')
  await changeClient(service.storage, 'orders', { set: {}, unset: ['access_token_ttl'] })
  const given = { actor_token: actor, actor_token_type: TOKEN_TYPE.access_token }
  const { status, json } = await exchangeAs(service, 'orders', access_token, given)
  t.equal(status, 200)
  t.ok(Number(json.expires_in) <= 40)
  const derived = String(json.access_token)
  const further = await exchangeAs(service, 'billing', derived, { resource: MAIL })
  const tokens = [derived, String(further.json.access_token)]
  for (const token of tokens) t.equal((await service.introspect('gateway', token)).json.active, true)
  await service.post('/oauth2/revoke', { token: actor }, basic('orders'))
  for (const token of tokens) t.equal((await service.introspect('gateway', token)).json.active, false)
  t.match(await exchangeAs(service, 'orders', access_token, given), refused(/actor_token/))
})

forEachService('an actor token is one that the client has for itself', async (t, start) => {
  const service = await startChain(start)
  const { access_token } = await signInFor(service, ORDERS)
  const type = { actor_token_type: TOKEN_TYPE.access_token }
  for (const actor_token of [await ownToken(service, 'billing'), access_token, 'x'.repeat(60)])
    t.match(
      await exchangeAs(service, 'orders', access_token, { ...type, actor_token, resource: BILLING }),
      refused(/actor_token/),
    )
})
