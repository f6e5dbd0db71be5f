// What strangers and clients with little rights send again and again: it pushes nothing out of the trail, whatever it is.
import t from 'tap'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { entriesIn } from '../../../support/audited.ts'
import { APP, startRegistration } from '../../../support/registration.ts'
import { basic, bearer, CLIENTS, SECRET } from '../../../support/service.ts'

const TIMES = 30

t.test('each kind of request that anybody can repeat is a few entries, beside the changes', async (t) => {
  const service = await startRegistration(t, { audit: 'on', client_auth_failures: 5 })
  const { fastify, storage, post, send, register, change, pass, now } = service
  const changes = async () => await storage.trail.size()
  const client = (await register(APP)).json
  const before = await changes()
  const repeated: Record<string, () => Promise<unknown>> = {
    'a bearer token at the user information': () =>
      send({ method: 'GET', url: '/userinfo', headers: bearer('x') }),
    'a bearer token at the API': () => send({ method: 'GET', url: '/api/resource', headers: bearer('x') }),
    'a bearer token of a registration': () =>
      send({ method: 'GET', url: '/oauth2/register/self-x', headers: bearer('x') }),
    'an unknown client': () =>
      post('/oauth2/token', { grant_type: 'client_credentials' }, basic('nobody', 'x')),
    'a known client with a wrong secret': () =>
      post('/oauth2/token', { grant_type: 'client_credentials' }, basic('service', 'wrong')),
    'an unknown client at revocation': () => post('/oauth2/revoke', { token: 'x' }, basic('nobody', 'x')),
    'a registration that is changed': () =>
      change(client, { ...APP, client_id: client.client_id, client_name: 'Other' }),
    'a token that is got and revoked': async () => {
      const { json } = await post(
        '/oauth2/token',
        { grant_type: 'client_credentials' },
        basic('web-job', SECRET),
      )
      await post('/oauth2/revoke', { token: String(json.access_token) }, basic('web-job', SECRET))
    },
  }
  await storage.records.create({
    kind: CLIENT,
    id: 'web-job',
    hash: formatClient({ ...CLIENTS.service, client_id: 'web-job' }),
  })
  // The recorder writes when it comes to it: which entries are of which kind is told by their second.
  const began = new Map<string, number>()
  for (const [name, repeat] of Object.entries(repeated)) {
    pass(1)
    began.set(name, now())
    for (let i = 0; i < TIMES; i++) await repeat()
  }
  t.equal(await changes(), before, 'none of it is among the changes')
  await fastify.close()
  const entries = await entriesIn(storage)
  for (const [name, at] of began) {
    const of_name = entries.filter((entry) => Date.parse(entry.at) === at).map(({ event }) => event)
    const most = Math.max(0, ...of_name.map((event) => of_name.filter((other) => other === event).length))
    t.ok(most <= 2, `${name}: of each event, the first and the number of the others`)
    t.ok(of_name.length <= 4, `${name}: ${of_name}`)
  }
  const timesOf = (event: string) =>
    entries
      .filter((entry) => entry.event === event)
      .reduce((sum, { details }) => sum + Number(details?.times ?? 1), 0)
  t.equal(timesOf('bearer_refused'), 3 * TIMES, 'all are counted')
  t.equal(timesOf('client_auth_failed') + timesOf('client_auth_limited'), 3 * TIMES)
  t.equal(timesOf('registration_changed'), TIMES)
  t.equal(timesOf('token_revoked'), TIMES)
  t.ok(entries.length < 30, `${entries.length} entries in all`)
})
