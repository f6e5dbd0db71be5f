// An issuer with a path: all routes are where they belong, and nothing that the service sends leads outside the path.
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import redmint from '../../../app.ts'
import { createInstance } from '../../../instance.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { PATHS, ROOT_PATHS } from '../../../src/core/paths.ts'
import { DEMO_PASSWORD, DEMO_USER } from '../../../src/demo/demo-user.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { CHEAP } from '../../support/accounts.ts'
import { PROXY_SECRET, WITH_CERTIFICATES } from '../../support/certificates.ts'
import { answerDevice, DEVICE_GRANT, storeDevices } from '../../support/device.ts'
import { makeDpopKey, makeProof, sha256 } from '../../support/dpop.ts'
import { createClient } from '../../support/records.ts'
import { requestUrl, signInOn, visitorOf } from '../../support/scene/requests.ts'
import { claimsIn } from '../../support/scene/tokens.ts'
import { scene } from '../../support/scene.ts'
import type { TestOptions } from '../../support/service.ts'
import { basic, bearer, CLIENTS, REDIRECT_URI, useTestKeys, VERIFIER } from '../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
  keySetOf,
} from '../../support/trusted-issuer.ts'
import { asDeparture, asPage, type Response, Visitor } from '../../support/visitor.ts'

const HOST = 'https://example.com'
const PATH = '/auth'
const ISSUER = HOST + PATH
const MTLS_ORIGIN = 'https://mtls.example.com'

/** Everything that adds a route. */
const ALL: TestOptions = {
  ...WITH_CERTIFICATES,
  mtls_origin: MTLS_ORIGIN,
  demo: 'public',
  home: true,
  client_registration: 'open',
  change_password_url: 'https://example.com/password',
  webfinger_hosts: ['example.com'],
  forward_auth_clients: ['intranet'],
  client_certificate_proxies: ['127.0.0.1'],
  sign_in: 'providers',
  shared_signals: 'on',
  audit: 'on',
}

/** The routes of a service as `METHOD /path`. */
async function routesOf(t: Test, options: TestOptions): Promise<string[]> {
  const fastify = createInstance({ level: 'silent' })
  t.teardown(() => fastify.close())
  const found: string[] = []
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) found.push(`${name} ${url}`)
  })
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  await fastify.register(redmint, { issuer: HOST, ...CHEAP, ...ALL, ...options, storage })
  await fastify.ready()
  return found.sort()
}

/** Where a route of an issuer without a path is with one. */
function placesOf(path: string, prefix: string): readonly string[] {
  switch (true) {
    case path === '/':
      return prefix === '' ? ['/'] : [prefix, `${prefix}/`]
    case path === PATHS.openid_configuration:
      return [prefix + path, path + PATH]
    case path === '/.well-known/oauth-authorization-server':
    case path === ROOT_PATHS.ssf_configuration:
      return [path + PATH]
    case path === '/.well-known/oauth-protected-resource/api':
      return [`/.well-known/oauth-protected-resource${PATH}/api`]
    // It is at the host of an application.
    case path === ROOT_PATHS.forward_callback:
      return [path]
    case ['change-password', 'webfinger', 'passkey-endpoints'].includes(path.replace('/.well-known/', '')):
      return [path]
    case path === '/health' || path.startsWith('/actuator/health'):
      return [...new Set([path, prefix + path])]
    case path === '/*' || /^\/(actuator|docs|openapi\.json)/.test(path):
      return [path]
    default:
      return [prefix + path]
  }
}

t.test('each route is below the path, or where its specification says', async (t) => {
  const plain = await routesOf(t, {})
  t.ok(plain.length > 100)
  for (const [proxy_strips_path, prefix] of [
    [false, PATH],
    [true, ''],
  ] as const) {
    const expected = plain.flatMap((route) => {
      const [method = '', path = ''] = route.split(' ')
      return placesOf(path, prefix).map((place) => `${method} ${place}`)
    })
    t.strictSame(await routesOf(t, { issuer: ISSUER, proxy_strips_path }), expected.sort())
  }
})

/** What a proxy of the host passes on to redmint. */
const PASSED_ON = /^\/auth(?:[/?]|$)|^\/\.well-known\//

const COOKIE =
  /^__Secure-redmint-[a-z-]+\.auth=[^;]*; (?:Max-Age=\d+; )?Path=\/auth(?:\/demo|\/demo\/device)?; (?:Expires=[^;]*; )?HttpOnly; Secure; SameSite=Lax$/

/** Returns what leads a browser out of the path. */
function leaksOf({ headers, text }: Response): string[] {
  const is_page = String(headers['content-type']).startsWith('text/html')
  const links = is_page
    ? [...text.matchAll(/ (?:href|action|src)="(\/[^"]*)"/g)].map(([, path = '']) => path)
    : []
  const { location = '/auth' } = headers
  const targets = [location, ...links].map(String)
  return [
    ...targets.filter((target) => target.startsWith('/') && !PASSED_ON.test(target)),
    ...[headers['set-cookie'] ?? []]
      .flat()
      .map(String)
      .filter((cookie) => !COOKIE.test(cookie)),
  ]
}

/** A service of the path behind a proxy, which its clients and browsers ask by complete URLs. */
async function start(t: Test, proxy_strips_path: boolean) {
  const service = await scene(t, { ...ALL, issuer: ISSUER, proxy_strips_path })
  await storeDevices(service.storage)
  const arrives = (url: string) => {
    if (!PASSED_ON.test(url)) throw new Error(`the proxy passes nothing on to redmint at ${url}`)
    return proxy_strips_path ? url.replace(/^\/auth\/?/, '/') : url
  }
  const visitor = () =>
    new Visitor(async ({ method, url, headers, body }) => {
      const payload = body === undefined ? {} : { payload: body }
      const { statusCode, ...response } = await service.fastify.inject({
        method,
        url: arrives(url),
        headers,
        ...payload,
      })
      const answer = { status: statusCode, headers: response.headers, text: response.body }
      t.strictSame(leaksOf(answer), [], `${method} ${url.split('?')[0]}`)
      return answer
    }, HOST)
  const ask = async (
    method: 'GET' | 'POST',
    uri: string,
    headers: Record<string, string>,
    form?: Record<string, string>,
  ) => {
    const answer = await service.request({
      method,
      url: arrives(uri.slice(new URL(uri).origin.length)),
      headers: { ...headers, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) },
      ...(form && { payload: new URLSearchParams(form).toString() }),
    })
    t.strictSame(leaksOf(answer), [], `${method} ${uri}`)
    return answer
  }
  const metadata = (await ask('GET', ISSUER + PATHS.openid_configuration, {})).json as Record<string, string>
  const now = () => Math.floor(Date.now() / 1000)
  return { ...service, visitor, ask, metadata, now }
}

for (const strips of [false, true]) {
  const behind = `behind a proxy that ${strips ? 'removes' : 'keeps'} the path`

  t.test(`metadata is where clients look for it, and names addresses that answer: ${behind}`, async (t) => {
    const { ask, metadata } = await start(t, strips)
    t.match(metadata, { issuer: ISSUER })
    for (const place of [
      // RFC 8414 §3.1 and §5.
      `${HOST}/.well-known/oauth-authorization-server${PATH}`,
      `${HOST}/.well-known/openid-configuration${PATH}`,
    ]) {
      t.strictSame((await ask('GET', place, {})).json, metadata, place)
    }
    const named = Object.entries(metadata).filter(([name]) => /_(endpoint|uri)$/.test(name))
    t.equal(named.length, 10)
    const aliases = Object.entries(metadata.mtls_endpoint_aliases as unknown as Record<string, string>)
    for (const [name, uri] of [...named, ...aliases]) {
      t.ok(uri.startsWith(`${ISSUER}/`) || uri.startsWith(`${MTLS_ORIGIN}${PATH}/`), `${name}: ${uri}`)
      const statuses = [(await ask('GET', uri, {})).status, (await ask('POST', uri, {}, {})).status]
      t.ok(
        statuses.some((status) => status !== 404 && status !== 405),
        `${name}: ${statuses}`,
      )
    }
    const resource = `${ISSUER}/api`
    const refused = await ask('GET', `${resource}/resource`, {})
    t.equal(refused.status, 401)
    // RFC 9728 §3.1.
    const of_resource = `${HOST}/.well-known/oauth-protected-resource${PATH}/api`
    t.match(refused.headers['www-authenticate'], `resource_metadata="${of_resource}"`)
    t.match((await ask('GET', of_resource, {})).json, { resource, authorization_servers: [ISSUER] })
  })

  t.test(`a sign-in, its tokens and a logout: ${behind}`, async (t) => {
    const { ask, metadata, visitor, now } = await start(t, strips)
    const alice = visitor()
    const asked = Object.fromEntries(new URL(HOST + requestUrl()).searchParams)
    const repeated = await ask('POST', ISSUER + PATHS.authorize, {}, asked)
    t.match(repeated.text, `action="${PATH}${PATHS.authorize}"`, 'a form of another site')
    const login = await alice.page(PATH + requestUrl())
    t.match((await alice.page(`${login.url}&language=de`)).title, 'Anmelden')
    const consent = asPage(await signInOn(alice, login, 'bob'))
    const { told } = asDeparture(await alice.submit(consent, { decision: 'allow' }))
    t.equal(told.get('iss'), ISSUER)

    const key = makeDpopKey()
    const proofFor = (htm: string, htu: string, more = {}) => ({
      dpop: makeProof(key, { htm, htu, iat: now(), ...more }),
    })
    const { token_endpoint = '', userinfo_endpoint = '' } = metadata
    const form = {
      grant_type: 'authorization_code',
      client_id: 'shop',
      redirect_uri: REDIRECT_URI,
      code: told.get('code') ?? '',
      code_verifier: VERIFIER,
    }
    const wrong = await ask('POST', token_endpoint, proofFor('POST', HOST + PATHS.token), form)
    t.match(wrong.json, { error: 'invalid_dpop_proof' }, 'the htu of another issuer')
    const { json } = await ask('POST', token_endpoint, proofFor('POST', token_endpoint), form)
    const token = String(json.access_token)
    t.match(claimsIn(json.id_token), { iss: ISSUER, aud: 'shop' })
    const authorization = `DPoP ${token}`
    for (const uri of [userinfo_endpoint, `${ISSUER}/api/resource`]) {
      const proof = proofFor('GET', uri, { ath: sha256(token) })
      t.match((await ask('GET', uri, { authorization, ...proof })).status, 200, uri)
    }
    const leaving = new URLSearchParams({ client_id: 'shop', state: 'x' })
    const question = await alice.page(`${PATH}${PATHS.end_session}?${leaving}`)
    t.match(question.title, 'abmelden')
    await alice.submit(question, { decision: 'logout' })
    t.notOk([...alice.cookies.keys()].some((name) => name.includes('session')))
  })

  t.test(`the pages of devices, of the demo, and of errors: ${behind}`, async (t) => {
    const { ask, metadata, visitor } = await start(t, strips)
    const { json } = await ask('POST', metadata.device_authorization_endpoint ?? '', {}, { client_id: 'tv' })
    t.equal(json.verification_uri, `${ISSUER}/device`)
    const shown = await visitor().page(`${PATH}/device`)
    t.match(shown.text, `<form action="${PATH}/device">`)
    await answerDevice(visitor(), String(json.verification_uri_complete), 'allow', 'bob')
    const polled = { grant_type: DEVICE_GRANT, client_id: 'tv', device_code: String(json.device_code) }
    t.equal((await ask('POST', metadata.token_endpoint ?? '', {}, polled)).status, 200)

    const visiting = visitor()
    for (const home of [PATH, `${PATH}/`])
      t.match((await visiting.page(home)).text, `href="${PATH}/demo"`, home)
    const start_page = await visiting.page(`${PATH}/demo`)
    const [, link = ''] = /class="button main" href="([^"]*)"/.exec(start_page.text) ?? []
    const login = await visiting.page(link)
    const consent = asPage(await signInOn(visiting, login, DEMO_USER, DEMO_PASSWORD))
    const tokens = asPage(await visiting.submit(consent, { decision: 'allow' }))
    t.equal(tokens.title, 'These are your tokens')
    for (const [action, answer] of [
      ['api', `GET ${PATH}/api/resource: 200`],
      ['userinfo', `GET ${PATH}/userinfo: 200`],
      ['refresh', 'These are your tokens'],
      ['sign-out', 'Try a sign-in'],
    ] as const) {
      t.match(asPage(await visiting.submit(tokens, { action })).text, answer)
    }
    const device = await visiting.page(`${PATH}/demo/device`)
    t.equal(asPage(await visiting.submit(device, { action: 'start' })).url, `${PATH}/demo/device`)

    const error = await visiting.page(`${PATH}${PATHS.authorize}?client_id=nobody`)
    t.equal(error.status, 400)
    const [, chooser = '', kept = ''] =
      /<form method="post" action="([^"]*)">\n<input type="hidden" name="page" value="([^"]*)">/.exec(
        error.text,
      ) ?? []
    t.equal(chooser, PATH + PATHS.language)
    t.match(asPage(await visiting.post(chooser, { page: kept, language: 'de' })).text, 'lang="de"')
    const nowhere = await visiting.page(`${PATH}/nowhere`)
    t.equal(nowhere.status, 404)
    t.match(nowhere.text, `href="${PATH}/"`)
  })

  t.test(`what a client signs for an endpoint is for its complete URL: ${behind}`, async (t) => {
    const { ask, storage, now } = await start(t, strips)
    const signing = issuerKey('key')
    const { client_secret_hash: _, ...bare } = CLIENTS.web
    const keyed = {
      ...bare,
      client_id: 'keyed',
      token_endpoint_auth_method: 'private_key_jwt',
      assertion_audience: 'endpoint',
      jwks: keySetOf(signing),
    } as const
    await createClient(storage, 'keyed', formatClient(keyed))
    const iat = now()
    const at = (base: string, aud: string, headers = {}) =>
      ask(
        'POST',
        base + PATHS.token,
        { ...headers, dpop: makeProof(makeDpopKey(), { htm: 'POST', htu: base + PATHS.token, iat }) },
        {
          grant_type: 'client_credentials',
          client_assertion_type: CLIENT_ASSERTION_TYPE,
          client_assertion: assertionOf(signing, claimsOf('keyed', 'keyed', { aud, iat, exp: iat + 120 })),
        },
      )
    const alias = MTLS_ORIGIN + PATH
    t.equal((await at(ISSUER, ISSUER)).status, 200, 'the issuer')
    t.equal((await at(ISSUER, ISSUER + PATHS.token)).status, 200, 'the endpoint')
    t.equal(
      (await at(alias, alias + PATHS.token, { 'client-cert-secret': PROXY_SECRET })).status,
      200,
      'its alias',
    )
    for (const aud of [HOST, HOST + PATHS.token, `${ISSUER}/`, alias + PATHS.token]) {
      t.match((await at(ISSUER, aud)).json, { error: 'invalid_client' }, aud)
    }
  })
}

t.test(
  'two issuers on one host do not see the cookies of each other, one below the other neither',
  async (t) => {
    for (const other of ['/team', '/auth/team', '/authority']) {
      const services = new Map<string, FastifyInstance>()
      for (const path of [PATH, other]) {
        const { fastify } = await scene(t, { issuer: HOST + path })
        services.set(path, fastify)
      }
      const seen: string[] = []
      const browser = new Visitor(async ({ method, url, headers, body }) => {
        const path = url.startsWith(`${other}/`) ? other : PATH
        const { cookie = '' } = headers
        seen.push(...cookie.split('; ').map((pair) => `${path} gets ${pair.split('=')[0]}`))
        const payload = body === undefined ? {} : { payload: body }
        const response = await services.get(path)?.inject({ method, url, headers, ...payload })
        return {
          status: response?.statusCode ?? 0,
          headers: response?.headers ?? {},
          text: response?.body ?? '',
        }
      }, HOST)
      const signIn = async (path: string) => {
        const consent = asPage(await signInOn(browser, await browser.page(path + requestUrl())))
        asDeparture(await browser.submit(consent, { decision: 'allow' }))
      }
      const errorAt = async (path: string) =>
        asDeparture(await browser.open(path + requestUrl({ prompt: 'none' }))).told.get('error')
      await signIn(PATH)
      t.equal(await errorAt(other), 'login_required', `signed in at ${PATH}, not at ${other}`)
      await signIn(other)
      for (const path of [PATH, other]) t.equal(await errorAt(path), null, `signed in at ${path}`)
      const question = await browser.page(other + PATHS.end_session)
      await browser.submit(question, { decision: 'logout' })
      t.equal(await errorAt(other), 'login_required', `signed out at ${other}`)
      t.equal(await errorAt(PATH), null, `still signed in at ${PATH}`)

      t.equal(browser.cookiesFor('/'), '', 'no other path gets them')
      if (other.startsWith(`${PATH}/`)) continue
      const suffix = other.replace('/', '.')
      t.notOk(seen.some((line) => line.startsWith(`${PATH} gets`) && line.endsWith(suffix)))
      t.notOk(seen.some((line) => line.startsWith(`${other} gets`) && line.endsWith('.auth')))
    }
  },
)

t.test('a cookie that somebody planted beside ours signs nobody in', async (t) => {
  const { fastify } = await scene(t, { issuer: ISSUER })
  const at = async (cookie: string) => {
    const { headers } = await fastify.inject({
      url: PATH + requestUrl({ prompt: 'none' }),
      headers: { cookie },
    })
    return new URL(String(headers.location)).searchParams.get('error')
  }
  const cookiesOf = (username: string) => {
    const visitor = visitorOf(() => fastify, HOST)
    return visitor.page(PATH + requestUrl()).then(async (page) => {
      const consent = asPage(await signInOn(visitor, page, username))
      asDeparture(await visitor.submit(consent, { decision: 'allow' }))
      return visitor.cookiesFor(PATH)
    })
  }
  const [alice, mallory] = [await cookiesOf('alice'), await cookiesOf('bob')]
  t.equal(await at(alice), null)
  t.equal(await at(mallory), null)
  // RFC 6265 §5.4: the cookie of a longer path is the first one.
  t.equal(await at(`${mallory}; ${alice}`), 'login_required')
  t.equal(await at(`${alice}; ${alice}`), 'login_required')
})

t.test('it is a part of another application, which has the same paths', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  for (const path of [PATHS.token, PATHS.userinfo, '/', '/api/resource']) {
    host.route({ method: ['GET', 'POST'], url: path, handler: async () => ({ hello: 'host' }) })
  }
  host.addContentTypeParser('*', (_request, _body, done) => done(null))
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  await createClient(storage, 'service', formatClient(CLIENTS.service))
  await host.register(redmint, { issuer: ISSUER, storage })
  const ask = async (method: 'GET' | 'POST', url: string, more = {}) =>
    (await host.inject({ method, url, ...more })).json()
  for (const path of [PATHS.token, '/']) t.same(await ask('POST', path), { hello: 'host' }, path)
  t.same(await ask('GET', '/api/resource'), { hello: 'host' })
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...basic('service') }
  const payload = 'grant_type=client_credentials'
  const { access_token } = await ask('POST', PATH + PATHS.token, { headers, payload })
  t.same(await ask('GET', `${PATH}/api/resource`, { headers: bearer(access_token) }), {
    message: 'This is a protected resource.',
    subject: '',
  })
  t.match(await ask('GET', `${PATH}/api/nowhere`), { error: 'unauthorized' })
})
