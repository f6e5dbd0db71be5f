// What the guard does with the requests that browsers send before the real one (Fetch §3.3.2): they have no credentials.
import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { resourceGuard } from '../../../plugins/resource-server.ts'
import { createResourceServer } from '../../../src/resource-server/create.ts'

const server = createResourceServer({
  issuer: 'https://auth.example.com',
  resource: 'https://api.example.com',
})
const ORIGIN = { origin: 'https://page.example' }
const PREFLIGHT = {
  ...ORIGIN,
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'authorization',
}
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** An API with these plugins, whose guard is that of all routes. Every handler that gets a request says so. */
async function makeApi(t: Test, ...plugins: ((api: FastifyInstance) => unknown)[]) {
  const api = Fastify()
  t.teardown(() => api.close())
  const reached: string[] = []
  for (const plugin of plugins) await plugin(api)
  const handler = async ({ method }: FastifyRequest) => reached.push(method)
  api.get('/reports', handler)
  api.all('/all', handler)
  api.options('/options', handler)
  const options = (url: string, headers: Record<string, string> = PREFLIGHT, payload = '') =>
    api.inject({ method: 'OPTIONS', url, headers, ...(payload !== '' && { payload }) })
  return { api, options, reached }
}

const withCors = async (api: FastifyInstance) => void (await api.register(cors))
const guarded = async (api: FastifyInstance) => {
  await api.register(resourceGuard, { server })
  api.addHook('onRequest', api.protect())
}

t.test('whatever answers preflight requests answers them, before the guard and after it', async (t) => {
  const byHand = (api: FastifyInstance) =>
    api.addHook('onRequest', async ({ method }, reply) => {
      if (method === 'OPTIONS') return reply.status(204).header('access-control-allow-origin', '*').send()
    })
  const twice = (api: FastifyInstance) => api.addHook('onRequest', api.protect({ scopes: ['a'] }))
  const orders = {
    'cors, guard': [withCors, guarded],
    'guard, cors': [guarded, withCors],
    'guard, hook': [guarded, byHand],
    'two guards, cors': [guarded, twice, withCors],
  }
  for (const [name, plugins] of Object.entries(orders)) {
    const { api, options, reached } = await makeApi(t, ...plugins)
    for (const url of ['/reports', '/all']) {
      const answer = await options(url)
      t.equal(answer.statusCode, 204, `${name}: ${url}`)
      t.equal(answer.headers['access-control-allow-origin'], '*', `${name}: ${url}`)
    }
    t.equal((await api.inject({ url: '/reports', headers: ORIGIN })).statusCode, 401, 'the real request')
    t.strictSame(reached, [])
  }
})

t.test('one that nobody answers is refused, and reaches no handler and no parser of bodies', async (t) => {
  let parsed = 0
  const { options, reached } = await makeApi(t, guarded, (api) =>
    api.addContentTypeParser(FORM['content-type'], { parseAs: 'string' }, async () => {
      parsed += 1
    }),
  )
  for (const url of ['/all', '/options', '/nowhere']) {
    for (const headers of [PREFLIGHT, { ...PREFLIGHT, ...FORM }]) {
      const { statusCode, headers: answered, body } = await options(url, headers, 'access_token=x')
      t.match({ statusCode, body }, { statusCode: 401, body: /"unauthorized"/ }, url)
      t.match(answered['www-authenticate'], /^Bearer resource_metadata=.*, DPoP /)
    }
  }
  t.strictSame(reached, [])
  t.equal(parsed, 0)
})

t.test('a request that is none is checked at once', async (t) => {
  const seen: string[] = []
  const { api, reached } = await makeApi(t, guarded, (api) =>
    api.addHook('onRequest', async ({ method }) => void seen.push(method)),
  )
  const requests = [
    { method: 'GET', headers: PREFLIGHT },
    { method: 'OPTIONS', headers: {} },
    { method: 'OPTIONS', headers: ORIGIN },
    { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } },
    { method: 'OPTIONS', headers: { ...PREFLIGHT, authorization: 'Bearer x' } },
  ] as const
  for (const request of requests)
    t.equal((await api.inject({ ...request, url: '/all' })).statusCode, 401, JSON.stringify(request))
  t.strictSame([seen, reached], [[], []])
})

t.test('where nothing would end the wait, there is none', async (t) => {
  const api = Fastify()
  t.teardown(() => api.close())
  const scopes: FastifyInstance[] = []
  await api.register(async (scope) => void scopes.push(scope))
  const [earlier] = scopes
  await api.register(async (scope) => {
    await scope.register(resourceGuard, { server })
    scopes.push(scope)
  })
  const hook = scopes[1]?.protect()
  const late = scopes[1]?.protect()
  if (earlier === undefined || hook === undefined || late === undefined) throw new Error('no scope')
  const handler = async () => 'reached'
  earlier.all('/earlier', { onRequest: hook }, handler)
  api.all('/parent', { onRequest: hook }, handler)
  for (const phase of ['preParsing', 'preValidation', 'preHandler'] as const)
    scopes[1]?.all(`/${phase}`, { [phase]: late }, handler)
  for (const url of ['/earlier', '/parent', '/preParsing', '/preValidation', '/preHandler']) {
    const { statusCode, body } = await api.inject({ method: 'OPTIONS', url, headers: PREFLIGHT })
    t.match({ statusCode, body }, { statusCode: 401, body: /"unauthorized"/ }, url)
  }
})
