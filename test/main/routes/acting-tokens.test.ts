// The server's own APIs take no tokens with which somebody acts for a user.
import t from 'tap'
import { OPERATIONS } from '../../../src/admin/operations.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { actingTokens } from '../../support/acting-token.ts'
import { ADMIN, createAdministrator, startAdmin } from '../../support/admin.ts'
import { forEachService } from '../../support/lifecycle.ts'
import { createClient } from '../../support/records.ts'
import { bearer, CLIENTS } from '../../support/service.ts'

const AGENT = { ...CLIENTS.service, client_id: 'agent' }
const REFUSED = {
  status: 401,
  headers: { 'www-authenticate': /error="invalid_token", error_description="[^"]*acts for a user/ },
}
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, 'x')

/** An operation of a description of an API. */
interface Described {
  readonly security?: readonly object[]
}

forEachService('T22: no route that takes an access token takes one of an actor', async (t, start) => {
  const service = await start()
  const { storage, get, request } = service
  await createClient(storage, AGENT.client_id, formatClient(AGENT))
  const { access_token } = await service.signIn('web', 'openid api.read')
  const wanted = { client_id: 'agent', scope: 'openid api.read', audience: '' }
  const tokens = await actingTokens(service, access_token, wanted)
  const { paths } = (await get('/openapi.json')).json as { paths: Record<string, Record<string, Described>> }
  const guarded = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security = [] }]) =>
      // Those of registrations have tokens of their own.
      security.some((way) => 'bearer' in way) && !path.startsWith('/oauth2/register')
        ? [{ method: method.toUpperCase() as 'GET', url: filled(path) }]
        : [],
    ),
  )
  t.match(
    guarded.map(({ method, url }) => `${method} ${url}`),
    ['GET /userinfo', 'POST /userinfo', 'GET /api/resource'],
  )
  for (const route of guarded) {
    const send = (token: string) => request({ ...route, headers: bearer(token) })
    t.equal((await send(access_token)).status, 200, `${route.method} ${route.url}`)
    for (const [format, token] of Object.entries(tokens))
      t.match(await send(token), REFUSED, `${route.method} ${route.url}, ${format}`)
  }
  for (const token of Object.values(tokens))
    t.match((await service.introspect('gateway', token)).json, { active: true }, 'it is live')
})

t.test('T22: no operation of the admin API takes a token of an actor', async (t) => {
  const service = await startAdmin(t)
  const { storage, call, tokenFor } = service
  await createAdministrator(storage, 'olga', 'redmint:read redmint:write')
  await createClient(storage, AGENT.client_id, formatClient(AGENT))
  const scope = 'redmint:read redmint:write'
  const own = await tokenFor('olga', scope)
  t.equal((await call('GET', '/server', { token: own })).status, 200)
  const tokens = await actingTokens(service, own, {
    ...{ client_id: 'agent', scope, audience: ADMIN },
  })
  for (const [format, token] of Object.entries(tokens))
    for (const { method, path } of Object.values(OPERATIONS))
      t.match(await call(method, filled(path), { token }), REFUSED, `${method} ${path}, ${format}`)
})
