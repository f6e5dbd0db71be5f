import { readFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { DESCRIBED } from '../../../scripts/described-settings.ts'
import { ISSUER, startService } from '../../support/service.ts'

const ALL = { ...DESCRIBED, demo: false } as const

t.test('docs/openapi.json is the description that the service generates', async (t) => {
  const committed = JSON.parse(await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'))
  const { get } = await startService(t, ALL)
  t.same((await get('/openapi.json')).json, committed, 'update it with npm run openapi')
})

t.test('the description contains every endpoint, and its server is the issuer', async (t) => {
  const { get } = await startService(t, ALL)
  const { json } = await get('/openapi.json')
  t.same(json.servers, [{ url: ISSUER }])
  t.strictSame(Object.keys(json.paths as object).sort(), [
    '/.well-known/jwks.json',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/api',
    '/.well-known/openid-configuration',
    '/.well-known/ssf-configuration',
    '/.well-known/webfinger',
    '/account',
    '/actuator/health',
    '/actuator/health/liveness',
    '/actuator/health/readiness',
    '/actuator/info',
    '/actuator/prometheus',
    '/api/resource',
    '/asked',
    '/device',
    '/health',
    '/oauth2/authorize',
    '/oauth2/bc-authorize',
    '/oauth2/device_authorization',
    '/oauth2/global-token-revocation',
    '/oauth2/interaction',
    '/oauth2/introspect',
    '/oauth2/language',
    '/oauth2/logout',
    '/oauth2/par',
    '/oauth2/register',
    '/oauth2/register/{client_id}',
    '/oauth2/revoke',
    '/oauth2/token',
    '/reset-password',
    '/signals',
    '/signals/{provider}',
    '/ssf/poll/{stream_id}',
    '/ssf/status',
    '/ssf/stream',
    '/ssf/subjects/add',
    '/ssf/subjects/remove',
    '/ssf/verify',
    '/status',
    '/status/{list}',
    '/userinfo',
    '/welcome',
  ])
})

interface Operation {
  operationId?: string
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>
}

/** All operations of the description, by method and path. */
async function operationsOf(t: Test): Promise<[name: string, operation: Operation][]> {
  const { get } = await startService(t, ALL)
  const { paths } = (await get('/openapi.json')).json as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  )
}

t.test('every operation has a unique operationId', async (t) => {
  const operations = await operationsOf(t)
  for (const [name, { operationId }] of operations) t.match(operationId, /^[a-z][A-Za-z]+$/, name)
  t.equal(new Set(operations.map(([, { operationId }]) => operationId)).size, operations.length)
})

t.test('every JSON body is a named schema', async (t) => {
  const { get } = await startService(t, ALL)
  const { components } = (await get('/openapi.json')).json as { components: { schemas: object } }
  const names = Object.keys(components.schemas)
  const used = (await operationsOf(t)).flatMap(([name, { responses }]) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) => {
      const [, { schema } = {}] = Object.entries(content).find(([type]) => type.endsWith('json')) ?? []
      if (schema === undefined) return []
      t.strictSame(Object.keys(schema), ['$ref'], `${name} ${status}`)
      return [String(schema.$ref).replace('#/components/schemas/', '')]
    }),
  )
  t.strictSame([...new Set(used)].sort(), names.sort())
})

t.test('a page shows the description in demo mode only', async (t) => {
  const demo = await startService(t, { demo: 'public' })
  const page = await demo.get('/docs/')
  t.equal(page.status, 200)
  t.match(String(page.headers['content-type']), 'text/html')
  t.match(page.text, 'swagger-ui')
  const plain = await startService(t, ALL)
  t.equal((await plain.get('/docs/')).status, 404)
})

const HOST = 'https://example.com'

t.test('with a path of the issuer, the addresses of the description are complete', async (t) => {
  for (const proxy_strips_path of [false, true]) {
    const { get } = await startService(t, { ...ALL, issuer: `${HOST}/auth`, proxy_strips_path })
    const { servers, paths } = (await get('/openapi.json')).json
    t.same(servers, [{ url: HOST }])
    const operations = Object.keys(paths as object)
    for (const path of [
      '/.well-known/oauth-authorization-server/auth',
      '/.well-known/oauth-protected-resource/auth/api',
      '/.well-known/ssf-configuration/auth',
      '/.well-known/webfinger',
      '/auth/.well-known/openid-configuration',
      '/auth/oauth2/register/{client_id}',
      '/auth/api/resource',
    ]) {
      t.ok(operations.includes(path), path)
    }
    t.equal(operations.length, 42)
  }
})
