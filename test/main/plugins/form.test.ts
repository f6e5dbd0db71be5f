// A known parameter that is repeated or cannot be read is refused, others are ignored; an empty one counts as absent (RFC
// 6749 §3.1, §3.2).
import fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import redmint from '../../../app.ts'
import { createInstance } from '../../../instance.ts'
import form from '../../../plugins/form.ts'
import { Parameters } from '../../../routes/schemas.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { PATHS } from '../../../src/core/paths.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { CHEAP } from '../../support/accounts.ts'
import { spyOn } from '../../support/matrix.ts'
import { createClient } from '../../support/records.ts'
import {
  authorizationRequest,
  basic,
  bearer,
  CLIENTS,
  codeRequest,
  ISSUER,
  REDIRECT_URI,
  SECRET,
  startService,
  useTestKeys,
} from '../../support/service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const CREDENTIALS = {
  grant_type: 'client_credentials',
  client_id: 'service',
  client_secret: SECRET,
  scope: 'api.read',
}

/** Every way to send a parameter: the endpoint, and a request that is valid without the addition. */
interface Endpoint {
  name: string
  form: Record<string, string>
  /** The known parameters that are tried; by default those of the form. */
  known?: string[]
  send(encoded: string): Promise<{ statusCode: number; body: string; headers: Record<string, unknown> }>
  good: number[]
}

async function startEndpoints(t: Test, prepare?: (fastify: FastifyInstance) => void) {
  const spy = spyOn(new MemoryStorage())
  const service = await startService(t, { storage: spy.storage }, prepare)
  const { fastify } = service
  const post =
    (url: string, headers: Record<string, string> = {}) =>
    (payload: string) =>
      fastify.inject({ method: 'POST', url, headers: { ...FORM, ...headers }, payload })
  const { json } = await service.token(codeRequest(await service.code()))
  const endpoints: Endpoint[] = [
    {
      name: 'GET /oauth2/authorize',
      form: { ...authorizationRequest(), response_mode: 'query' },
      send: (query) =>
        fastify.inject({ url: `/oauth2/authorize?${query}`, headers: { accept: 'application/json' } }),
      good: [302],
    },
    {
      name: 'POST /oauth2/authorize',
      form: authorizationRequest(),
      send: post('/oauth2/authorize', { accept: 'application/json' }),
      good: [303],
    },
    { name: 'code', form: codeRequest(await service.code()), send: post('/oauth2/token'), good: [200] },
    { name: 'credentials', form: CREDENTIALS, send: post('/oauth2/token'), good: [200] },
    {
      name: 'credentials with Basic',
      form: { grant_type: 'client_credentials', client_id: 'service' },
      send: post('/oauth2/token', basic('service')),
      good: [200],
    },
    {
      name: 'userinfo',
      form: { access_token: String(json.access_token) },
      send: post('/userinfo'),
      good: [200],
    },
    {
      name: 'userinfo with the token in the header',
      form: { x: 'y' },
      known: ['access_token'],
      send: post('/userinfo', bearer(String(json.access_token))),
      good: [200],
    },
    {
      name: 'pushed',
      form: { ...authorizationRequest({ client_id: 'web' }), client_secret: SECRET },
      known: [
        ...Object.keys(authorizationRequest()),
        'client_secret',
        'request',
        'request_uri',
        'registration',
      ],
      send: post('/oauth2/par'),
      good: [201],
    },
    { name: 'revoke', form: { token: 'x', client_id: 'app' }, send: post('/oauth2/revoke'), good: [200] },
    {
      name: 'introspect',
      form: { token: 'x', client_id: 'service', client_secret: SECRET },
      send: post('/oauth2/introspect'),
      good: [200],
    },
  ]
  return { ...service, spy, endpoints }
}

/** What cannot be read: parameters that nothing knows are ignored, whatever they hold. */
const FAULTY = [
  'unknown=x&unknown=y',
  'utm=%E0%A4%A',
  'note=a%0Ab',
  'x=%ef%bf%bd',
  '%zz=1',
  '%00=1',
  '__proto__=1&__proto__=2',
]

/** Known parameters whose faults nobody can tell the client about (RFC 6749 §4.1.2.1). */
const HIDE_THE_CLIENT = ['client_id', 'redirect_uri', 'response_mode']

t.test('a repeated parameter is refused at each endpoint before any lookup', async (t) => {
  const { spy, endpoints } = await startEndpoints(t)
  for (const { name, form, known = Object.keys(form), send, good } of endpoints) {
    for (const parameter of known) {
      const { [parameter]: value = 'x', ...others } = form
      const rest = String(new URLSearchParams(others))
      const given = `${rest}&${parameter}=${encodeURIComponent(value)}`
      const escaped = `%${parameter.charCodeAt(0).toString(16)}${parameter.slice(1)}`
      const faults = {
        'the same value': `${given}&${parameter}=${encodeURIComponent(value)}`,
        'another value': `${given}&${parameter}=another`,
        'an empty value': `${given}&${parameter}=`,
        'no value': `${given}&${parameter}`,
        'an empty one first': `${parameter}=&${given}`,
        'another one first': `${parameter}=another&${given}`,
        'an encoded name': `${given}&${escaped}=another`,
        'broken percent-encoding': `${rest}&${parameter}=%E0%A4%A`,
        'Latin-1': `${rest}&${parameter}=J%FCrgen`,
        'a control character': `${rest}&${parameter}=%00`,
      }
      const is_reported = name.endsWith('authorize') && !HIDE_THE_CLIENT.includes(parameter)
      for (const [how, request] of Object.entries(faults)) {
        spy.calls.length = 0
        const { statusCode, body, headers } = await send(request)
        const at = `${name}: ${parameter}, ${how}`
        if (is_reported) {
          t.ok([302, 303].includes(statusCode), at)
          t.ok(String(headers.location).startsWith(`${REDIRECT_URI}?`))
          const told = new URL(String(headers.location)).searchParams
          t.equal(told.get('error'), 'invalid_request')
          t.match(told.get('error_description'), `parameter ${parameter} `, 'the description names it')
          t.equal(told.get('state'), parameter === 'state' ? null : 'a state')
          t.equal(told.get('iss'), ISSUER)
          t.same(
            spy.calls.filter((call) => call !== 'read client'),
            [],
            'only the client is looked up',
          )
        } else {
          t.equal(statusCode, 400, at)
          t.equal(JSON.parse(body).error, 'invalid_request')
          t.match(JSON.parse(body).error_description, `parameter ${parameter} `, 'the description names it')
          t.equal(headers.location, undefined)
          t.same(spy.calls, [], 'no call to storage')
        }
      }
    }
    const encoded = `${new URLSearchParams(form)}&${FAULTY.join('&')}`
    const { statusCode, headers } = await send(encoded)
    t.ok(good.includes(statusCode), `${name}: unknown ones are ignored`)
    t.notMatch(headers.location ?? '', /error=/)
  }
})

/** The part of the OpenAPI description that this test reads. */
type Operation = {
  parameters?: { in: string; name: string }[]
  requestBody?: { content: Record<string, { schema: { properties?: object } }> }
}

t.test('at every route a known parameter that is repeated is refused before any lookup', async (t) => {
  const { spy, fastify } = await startEndpoints(t)
  const { paths = {} } = (await fastify.inject('/openapi.json')).json()
  const tried: string[] = []
  for (const [path, operations] of Object.entries(paths as Record<string, Record<string, Operation>>)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      const form = requestBody?.content['application/x-www-form-urlencoded']?.schema.properties ?? {}
      const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
      for (const name of [...Object.keys(form), ...query]) {
        const pairs = `${name}=%20&${name}=%20`
        spy.calls.length = 0
        const headers = { ...FORM, accept: 'application/json' }
        const { statusCode, body } =
          method === 'get'
            ? await fastify.inject({ url: `${path}?${pairs}`, headers: { accept: 'application/json' } })
            : await fastify.inject({ method: 'POST', url: path, headers, payload: pairs })
        const at = `${method} ${path}: ${name}`
        t.equal(statusCode, 400, at)
        t.match(JSON.parse(body), { error: /^invalid_(?:request|target)$/ })
        t.same(spy.calls, [], at)
        if (!tried.includes(path)) tried.push(path)
      }
    }
  }
  t.ok(tried.length >= 10, tried.join())
})

t.test('every parameter that is read is a known one of its route', async (t) => {
  const read = new Set<string>()
  const unknown = new Set<string>()
  // A fault of a name that is read but not known would make it an absent one.
  const { endpoints, fastify } = await startEndpoints(t, (instance) => {
    instance.addHook('preHandler', async (request) => {
      const { method, routeOptions } = request
      const part = method === 'GET' ? 'query' : 'body'
      const given = request[part]
      const schema = method === 'GET' ? routeOptions.schema?.querystring : routeOptions.schema?.body
      const known = Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
      if (known.length === 0) return
      request[part] = new Proxy(given as object, {
        get(target, name) {
          if (typeof name === 'string') {
            read.add(name)
            // Any page reads these two, to be in the language of the user.
            if (![...known, 'ui_locales', 'language'].includes(name))
              unknown.add(`${routeOptions.url} ${name}`)
          }
          return Reflect.get(target, name)
        },
      })
    })
  })
  for (const { form, send } of endpoints) await send(String(new URLSearchParams(form)))
  const { device, device_authorization, end_session, interaction, language } = PATHS
  for (const url of [device, device_authorization, end_session, interaction, language]) {
    await fastify.inject({ method: 'POST', url, headers: FORM, payload: 'client_id=app' })
    await fastify.inject({ url })
  }
  t.strictSame([...unknown], [])
  t.ok(read.size > 25, [...read].join())
})

t.test('an empty parameter counts as absent', async (t) => {
  const { authorize, token, post } = await startService(t)
  const code = await authorize({
    scope: '',
    state: '',
    nonce: '',
    response_mode: '',
    request: '',
    request_uri: '',
  })
  t.equal(code.status, 302)
  t.ok(code.redirect.get('code'))
  t.notOk(code.redirect.has('state'))
  const form = codeRequest(String(code.redirect.get('code')), { client_secret: '', scope: '' })
  const { status, json } = await token(form)
  t.equal(status, 200)
  t.equal(json.scope, 'openid api.read api.write')
  t.equal((await post('/userinfo', { access_token: '' }, bearer(String(json.access_token)))).status, 200)
  t.match((await token({ ...CREDENTIALS, grant_type: '' })).json, {
    error: 'invalid_request',
    error_description: /grant_type/,
  })
})

const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
]

t.test('property names of Object.prototype are ordinary parameter names', async (t) => {
  const { endpoints, fastify } = await startEndpoints(t)
  for (const { name, form, send, good } of endpoints.filter((endpoint) => endpoint.name !== 'code')) {
    for (const odd of PROTOTYPE_NAMES) {
      const encoded = `${new URLSearchParams(form)}&${odd}=x`
      t.ok(good.includes((await send(encoded)).statusCode), `${name}: ${odd} is unknown and ignored`)
      t.ok(good.includes((await send(`${encoded}&${odd}.x=y&${odd}[x]=y`)).statusCode))
      t.ok(good.includes((await send(`${encoded}&${odd}=y`)).statusCode), `${name}: ${odd} twice`)
    }
  }
  t.equal(Object.hasOwn(Object.prototype, 'x'), false, 'the prototype was not changed')
  for (const odd of PROTOTYPE_NAMES) {
    const query = new URLSearchParams(authorizationRequest({ client_id: odd, redirect_uri: REDIRECT_URI }))
    t.equal((await fastify.inject(`/oauth2/authorize?${query}`)).statusCode, 400, `${odd} is not a client`)
  }
})

t.test('more than 100 parameters are refused before any lookup', async (t) => {
  const { spy, endpoints } = await startEndpoints(t)
  const many = Array.from({ length: 101 }, (_, index) => `x${index}=y`).join('&')
  for (const { name, form, send } of endpoints) {
    spy.calls.length = 0
    const { statusCode, headers } = await send(`${new URLSearchParams(form)}&${many}`)
    t.equal(statusCode, 400, name)
    t.equal(headers.location, undefined)
    t.same(spy.calls, [])
  }
})

t.test('a request without a body is refused before any lookup', async (t) => {
  const { spy, fastify } = await startEndpoints(t)
  spy.calls.length = 0
  for (const url of ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect', '/oauth2/authorize']) {
    const { statusCode, body } = await fastify.inject({
      method: 'POST',
      url,
      headers: { ...basic('service'), accept: 'application/json' },
    })
    t.equal(statusCode, 400, url)
    t.match(JSON.parse(body), {
      error: 'invalid_request',
      error_description: url === '/oauth2/authorize' ? /client_id/ : /is missing/,
    })
  }
  t.same(spy.calls, [])
})

/** Every way to send no body. */
const EMPTY: Readonly<Record<string, Pick<InjectOptions, 'headers' | 'payload'>>> = {
  'without a content type': {},
  'of length 0': { headers: { 'content-length': '0' } },
  ...Object.fromEntries(
    [
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'multipart/form-data',
      'a/b',
    ].flatMap((type) => [
      [type, { headers: { 'content-type': type } }],
      [
        `${type}, in chunks`,
        { headers: { 'content-type': type, 'transfer-encoding': 'chunked' }, payload: '' },
      ],
    ]),
  ),
  'in chunks, without a content type': { headers: { 'transfer-encoding': 'chunked' }, payload: '' },
}

t.test('an empty body is an empty form at every route, whatever its content type', async (t) => {
  const server = createInstance({ level: 'silent' })
  t.teardown(() => server.close())
  const routes: { method: string; url: string }[] = []
  server.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) routes.push({ method: name, url })
  })
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  await createClient(storage, 'web', formatClient(CLIENTS.web))
  const settings = { issuer: ISSUER, demo: 'public', client_registration: 'open', ...CHEAP } as const
  await server.register(redmint, { ...settings, home: true, storage })
  await server.ready()
  const form = { grant_type: 'client_credentials' }
  const issued = { method: 'POST', url: '/oauth2/token', headers: { ...FORM, ...basic('web') } } as const
  const { access_token } = (
    await server.inject({ ...issued, payload: new URLSearchParams(form).toString() })
  ).json()
  const taking = routes.filter(({ method }) => ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(method))
  t.ok(taking.length > 30)
  const ask = async ({ method, url }: { method: string; url: string }, more: (typeof EMPTY)[string]) => {
    const authorization = url.startsWith('/oauth2/') ? basic('web') : bearer(access_token)
    const headers = { accept: 'application/json', ...authorization, ...more.headers }
    const sent = { method: method as 'POST', url: url.replace('/:', '/').replace('*', 'x'), ...more, headers }
    const { statusCode, body, headers: got } = await server.inject(sent)
    // Each has an id and a time of its own.
    const page = body.replace(/<dl class="note">.*?<\/dl>/s, '')
    return { statusCode, body: url.startsWith('/demo') ? '' : page, location: got.location }
  }
  for (const route of taking) {
    const expected = await ask(route, { headers: FORM, payload: '' })
    t.ok(expected.statusCode < 500, `${route.method} ${route.url}: ${expected.statusCode}`)
    for (const [how, more] of Object.entries(EMPTY)) {
      t.same(await ask(route, more), expected, `${route.method} ${route.url} ${how}`)
    }
  }
})

t.test('a body of another type is refused', async (t) => {
  const { fastify } = await startService(t)
  for (const type of [
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'a/b',
    undefined,
  ]) {
    const headers = { ...(type !== undefined && { 'content-type': type }), accept: 'application/json' }
    for (const url of ['/oauth2/token', '/userinfo', '/oauth2/logout']) {
      const { statusCode, body } = await fastify.inject({ method: 'POST', url, headers, payload: '{}' })
      t.equal(statusCode, 400, url)
      t.match(body, 'Send the parameters as application/x-www-form-urlencoded.')
    }
  }
})

t.test('parameters that another reader made are refused unless all are strings', async (t) => {
  const server = fastify()
  t.teardown(() => server.close())
  await server.register(form)
  server.get('/', { schema: { querystring: Parameters({}) } }, async () => 'accepted')
  t.equal((await server.inject('/?a=1&b=2')).statusCode, 200)
  t.equal((await server.inject('/?a=1&a=2')).statusCode, 400, 'the reader of Fastify makes an array')
})
