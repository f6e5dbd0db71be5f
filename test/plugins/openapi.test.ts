import { readFile } from 'node:fs/promises'
import t from 'tap'
import { ISSUER, startService } from '../support/service.ts'

t.test('docs/openapi.json is what the service says of itself', async (t) => {
  const committed = JSON.parse(await readFile(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))
  const { get } = await startService(t, { demo: false })
  t.same((await get('/openapi.json')).json, committed, 'renew it with npm run openapi')
})

t.test('the description names every endpoint, and its base is the issuer', async (t) => {
  const { get } = await startService(t, { demo: false })
  const { json } = await get('/openapi.json')
  t.same(json.servers, [{ url: ISSUER }])
  t.strictSame(Object.keys(json.paths as object).sort(), [
    '/.well-known/jwks.json',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/actuator/health/liveness',
    '/actuator/health/readiness',
    '/actuator/info',
    '/actuator/prometheus',
    '/api/resource',
    '/health',
    '/oauth2/authorize',
    '/oauth2/interaction',
    '/oauth2/introspect',
    '/oauth2/logout',
    '/oauth2/revoke',
    '/oauth2/token',
    '/userinfo',
  ])
})

t.test('a page renders the description in demo mode, and only there', async (t) => {
  const demo = await startService(t, { demo: true })
  const page = await demo.get('/docs/')
  t.equal(page.status, 200)
  t.match(String(page.headers['content-type']), 'text/html')
  t.match(page.text, 'swagger-ui')
  const plain = await startService(t, { demo: false })
  t.equal((await plain.get('/docs/')).status, 404)
})
