// The endpoint of WebFinger: src/service/webfinger.test.ts has which queries get an answer.
import t from 'tap'
import { storeUsers } from '../../support/accounts.ts'
import { startService } from '../../support/service.ts'

const PATH = '/.well-known/webfinger'
const asking = (resource: string) => `${PATH}?resource=${encodeURIComponent(resource)}`

t.test('it is at the root of the host, for any origin, as JRD (RFC 7033 §5 and §10.2)', async (t) => {
  for (const issuer of ['https://example.com', 'https://example.com/auth']) {
    const { fastify, get, request } = await startService(t, { issuer, webfinger_hosts: ['example.com'] })
    const { status, headers, json } = await get(asking('acct:alice@example.com'), {
      origin: 'https://app.example',
    })
    t.equal(status, 200)
    t.match(headers, {
      'content-type': 'application/jrd+json',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
    })
    t.same(json, {
      subject: 'acct:alice@example.com',
      links: [{ rel: 'http://openid.net/specs/connect/1.0/issuer', href: issuer }],
    })
    const refused = await get(PATH)
    t.match(refused, { status: 400, json: { error: 'invalid_request' } })
    const unknown = await get(asking('acct:alice@other.example'))
    t.match(unknown, { status: 404, json: { error: 'not_found' } })
    for (const answer of [refused, unknown]) t.equal(answer.headers['access-control-allow-origin'], '*')
    t.equal((await fastify.inject({ method: 'HEAD', url: asking('acct:alice@example.com') })).statusCode, 200)
    t.equal((await request({ method: 'POST', url: PATH })).status, 405)
  }
})

t.test('a user who exists and one who does not look the same', async (t) => {
  const { get, storage } = await startService(t, { webfinger_hosts: ['example.com'] })
  await storeUsers(storage)
  const answerFor = async (name: string) => {
    const { headers, text } = await get(asking(`acct:${name}@example.com`))
    const { date: _, 'x-request-id': _id, ...others } = headers
    return JSON.stringify([others, text]).replaceAll(name, '…')
  }
  t.equal(await answerFor('alice'), await answerFor('carol'))
})

t.test('without hosts there is no WebFinger', async (t) => {
  const { get } = await startService(t)
  t.equal((await get(asking('acct:alice@example.com'))).status, 404)
  t.notOk(JSON.stringify((await get('/openapi.json')).json).includes('webfinger'))
})
