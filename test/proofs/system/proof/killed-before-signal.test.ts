// E10: a receiver is told of what happened also if the server is killed with the answer: another one tells it.
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { KNOWN_FOR, receiversOf } from '../../../../src/tokens/receiver-listing.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { claimsOf, startRelyingParty, status } from '../../../support/logout/relying-party.ts'
import { startServer } from '../../../support/process.ts'
import { RECEIVERS } from '../../../support/receivers.ts'
import { createClient, createUser } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { CLIENTS, SECRET } from '../../../support/service.ts'
import { openAt } from '../../../support/storage/redis/support.ts'
import { until } from '../../../support/until.ts'

const ISSUER = 'http://localhost:3999'
const KILLED = 4

t.test('E10: what happened before kill -9 is told by another server', async (t) => {
  const [redis, endpoint] = [await startRedis(t), await startRelyingParty(t, status(202))]
  const environment = {
    REDIS_URL: redis.url,
    ISSUER,
    DEMO: 'false',
    AUDIT: 'on',
    ADMIN_API: 'on',
    SHARED_SIGNALS: 'on',
    BACKCHANNEL_ALLOW_PRIVATE: 'true',
  }
  const { storage } = openAt(t, redis.url)
  const [payroll] = RECEIVERS
  if (payroll === undefined) throw new Error('there is no receiver')
  const operator = {
    ...CLIENTS.service,
    client_id: 'operator',
    allowed_scopes: ['redmint:write', 'redmint:read'],
  }
  for (const client of [payroll, operator])
    await createClient(storage, client.client_id, formatClient(client))
  await createUser(storage, 'alice', { sub: 'sub-of-alice' })
  await indexUser(storage, 'alice')
  await storage.lists.add({ ...receiversOf('sub-of-alice'), id: 'payroll', until: Date.now() + KNOWN_FOR })

  const tokenAt = async (address: string, client_id: string, form: Record<string, string>) => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id,
      client_secret: SECRET,
      ...form,
    })
    const answer = await fetch(`${address}/oauth2/token`, { method: 'POST', body })
    return String(((await answer.json()) as Record<string, unknown>).access_token)
  }
  const post = async (url: string, token: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status
  }
  for (let i = 0; i < KILLED; i++) {
    const server = await startServer(t, environment)
    if (i === 0) {
      const token = await tokenAt(server.address, 'payroll', { scope: 'ssf.manage' })
      const delivery = { method: 'urn:ietf:rfc:8935', endpoint_url: endpoint.uri }
      t.equal(await post(`${server.address}/ssf/stream`, token, { delivery }), 201)
    }
    const form = { scope: 'redmint:write', resource: `${ISSUER}/admin/v1` }
    const token = await tokenAt(server.address, 'operator', form)
    t.equal(await post(`${server.address}/admin/v1/users/alice/end`, token, {}), 200)
    process.kill(server.pid, 'SIGKILL')
  }
  await startServer(t, environment)
  const told = () => new Set(endpoint.posted.map(({ body }) => claimsOf(body).jti))
  await until('all are told', () => told().size === KILLED)
})
