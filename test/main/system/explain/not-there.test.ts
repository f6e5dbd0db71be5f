// What is looked for and is not there is no refusal: whoever looks for something pushes no refusal out of the list.
import t from 'tap'
import { OPERATIONS } from '../../../../src/admin/operations.ts'
import type { Reason } from '../../../../src/core/reasons.ts'
import { startAdmin } from '../../../support/admin.ts'
import { basic, bearer } from '../../../support/service.ts'

t.test('a 404 and a 412 are explained nowhere, at any path and operation', async (t) => {
  const service = await startAdmin(t, { demo: 'public', webfinger_hosts: ['auth.example.com'] })
  const { call, get, post, token: ask, tokenOf, fastify } = service
  const told: Reason[] = []
  fastify.redmint.refusals.on('refused', ({ reason }) => told.push(reason))
  const isNone = (what: string) => t.strictSame(told.splice(0), [], what)
  const { json } = await ask({ grant_type: 'client_credentials' }, basic('service'))
  const own = bearer(String(json.access_token))
  for (const path of [
    '/nothing',
    '/favicon.png',
    '/oauth2/nothing',
    '/.well-known/nothing',
    '/actuator/nothing',
  ])
    t.match(await get(path), { status: 404 }, path)
  t.match(await get('/api/nothing', own), { status: 404 })
  const elsewhere = new URLSearchParams({ resource: 'acct:alice@elsewhere.example' })
  t.match(await get(`/.well-known/webfinger?${elsewhere}`), { status: 404 })
  t.match(await post('/oauth2/revoke', { token: 'nothing' }, basic('service')), { status: 200 })
  t.match(await post('/oauth2/introspect', { token: 'nothing' }, basic('service')), { status: 200 })
  isNone('paths, and what is asked about')

  const token = await tokenOf('redmint:read', 'redmint:write')
  let looked_for = 0
  for (const { method, path, name, needs } of Object.values(OPERATIONS)) {
    const body = ['POST', 'PUT', 'PATCH'].includes(method) && { body: {} }
    const headers = needs?.version === undefined ? {} : { headers: { 'if-match': '"as-it-was"' } }
    const { status } = await call(method, path.replaceAll(/:\w+/g, 'no-such'), { token, ...body, ...headers })
    if (status === 404 || status === 412) {
      looked_for += 1
      isNone(`${name} ${status}`)
    }
    told.length = 0
  }
  t.ok(looked_for > 30, `${looked_for} operations`)
  t.match(await call('GET', '/nothing', { token }), { status: 404 })
  isNone('an unknown path')
})
