// Forward authentication: what a proxy is told about a browser, and the sign-in of the browser at the application.

import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { RESOURCE } from '../../../src/resources/resource-record.ts'
import { actingTokens } from '../../support/acting-token.ts'
import { dpopClient } from '../../support/dpop-client.ts'
import { behindProxy } from '../../support/forward-auth.ts'
import { changeClient, changeUser, createClient } from '../../support/records.ts'
import { signInAndAgree, signInOn } from '../../support/scene/requests.ts'
import { scene } from '../../support/scene.ts'
import { ISSUER, REDIRECT_URI, type TestOptions, VERIFIER } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { asDeparture, asPage, Visitor } from '../../support/visitor.ts'

const APP = 'https://intranet.example.org'
const OTHER = 'https://files.example.org'
const PATH = '/auth/forward'

async function start(t: Test, options: TestOptions = {}) {
  const service = await scene(t, {
    forward_auth_clients: ['gone', 'intranet', 'files'],
    client_certificate_proxies: ['127.0.0.1'],
    scope_claims: new Map([['groups', 'groups']]),
    ...options,
  })
  const { storage, fastify } = service
  await createClient(storage, 'intranet', formatClient(behindProxy(APP)))
  await createClient(storage, 'files', formatClient(behindProxy(OTHER, 'files')))
  await changeUser(storage, 'alice', { set: { 'claim:groups': '["staff","a,admin"]' } })

  /** A browser: its cookies at the issuer and at an application are apart. */
  const browser = (origin = APP) => {
    const at_issuer = service.visitor()
    const at_app = new Visitor(async ({ method, url, headers }) => {
      const { statusCode, headers: given, body } = await fastify.inject({ method, url, headers })
      return { status: statusCode, headers: given, text: body }
    }, origin)
    const check = (headers: Record<string, string | undefined> = {}) => {
      Object.assign(at_app.headers, {
        'x-forwarded-host': new URL(origin).host,
        'x-forwarded-method': 'GET',
        'x-forwarded-uri': '/page?a=1',
        ...headers,
      })
      return at_app.request('GET', PATH)
    }
    /** Follows the redirect to the issuer and back, and returns the answer at the application. */
    const signIn = async (username = 'alice') => {
      const url = new URL(String((await check()).headers.location))
      const found = await at_issuer.open(url.pathname + url.search)
      const back = asDeparture(
        'location' in found ? found : await signInOn(at_issuer, asPage(found), username),
      )
      return {
        callback: back.location,
        answer: await at_app.request('GET', back.location.pathname + back.location.search),
      }
    }
    return { at_issuer, at_app, check, signIn }
  }
  return { ...service, browser }
}

t.test('a browser is sent to sign in, and the proxy is told who it is', async (t) => {
  for (const access_token_format of ['opaque', 'jwt'] as const) {
    const { browser } = await start(t, { access_token_format })
    const { at_app, check, signIn } = browser()
    const first = await check()
    t.match(first, { status: 302, headers: { 'cache-control': 'no-store' } })
    t.match(first.headers.location, `${ISSUER}/oauth2/authorize?`)
    t.match(
      String(first.headers['set-cookie']),
      /^__Host-redmint-forward-start=[\w-]{43};.* Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    t.notMatch(String(first.headers['set-cookie']), /domain/i, 'for this host only')
    const { callback, answer } = await signIn()
    t.equal(callback.origin + callback.pathname, `${APP}/.redmint/callback`)
    t.match(answer, { status: 303, headers: { location: `${APP}/page?a=1` } })
    t.match(
      String(answer.headers['set-cookie']),
      /^__Host-redmint-forward=[\w.-]+; Max-Age=900; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const allowed = await check()
    t.match(allowed, {
      status: 200,
      text: '',
      headers: {
        'remote-user': 'alice',
        'remote-name': 'Alice Example',
        'remote-email': 'alice@example.com',
        'remote-groups': 'staff,a%2Cadmin',
        'cache-control': 'no-store',
      },
    })
    t.notMatch(JSON.stringify(allowed.headers), /set-cookie/)
    const repeated = String(at_app.cookies.get('__Host-redmint-forward'))
    at_app.cookies.set('x=1; __Host-redmint-forward', repeated)
    t.equal((await check()).status, 302, 'a cookie that is there twice counts for nothing')
  }
})

t.test('what a person did not open gets 401', async (t) => {
  const { browser } = await start(t)
  const { check } = browser()
  for (const headers of [
    { 'x-forwarded-method': 'POST' },
    { 'x-forwarded-method': 'HEAD' },
    { 'x-forwarded-method': undefined },
    { accept: 'application/json' },
    { accept: '*/*' },
    { 'sec-fetch-mode': 'cors' },
  ]) {
    const all = { accept: 'text/html', 'sec-fetch-mode': 'navigate', ...headers }
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    const fresh = browser()
    if ('x-forwarded-method' in headers && headers['x-forwarded-method'] === undefined) {
      fresh.at_app.headers['x-forwarded-host'] = new URL(APP).host
      t.match(await fresh.at_app.request('GET', PATH), { status: 401 })
    } else t.match(await fresh.check(given), { status: 401, headers: { location: undefined } })
  }
  t.equal((await check({ accept: 'text/html,*/*;q=0.8' })).status, 302)
})

t.test('a host that is not that of a client gets 403, whatever it is called', async (t) => {
  const { browser, storage, get } = await start(t)
  for (const host of [
    'evil.example',
    'intranet.example.org.evil.example',
    'intranet.example.org, evil.example',
    'intranet.example.org,intranet.example.org',
    'intranet.example.org:8443',
    'intranet.example.org:80',
    'intranet.example.org/..',
    'user@intranet.example.org',
    'intranet.example.org.',
    '',
  ]) {
    const answer = await browser().check({ 'x-forwarded-host': host })
    t.match(answer, { status: 403, headers: { location: undefined, 'set-cookie': undefined } }, host)
  }
  t.equal((await get(PATH)).status, 403, 'without a host')
  for (const host of ['Intranet.Example.org', 'intranet.example.org:443']) {
    t.equal((await browser().check({ 'x-forwarded-host': host })).status, 302, host)
  }
  await changeClient(storage, 'intranet', { set: { disabled: 'true' } })
  t.equal((await browser().check()).status, 403, 'its client is disabled')
})

t.test('people come back to the application and nowhere else', async (t) => {
  const { browser } = await start(t)
  for (const [uri, expected] of [
    ['/a/b?c=d&e=%20', '/a/b?c=d&e=%20'],
    ['//evil.example/', '//evil.example/'],
    ['https://evil.example/', '/'],
    ['@evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['', '/'],
    [`/${'a'.repeat(9000)}`, '/'],
    ['/.redmint/callback?code=x', '/'],
  ] as const) {
    const { check, at_app, at_issuer } = browser()
    const url = new URL(String((await check({ 'x-forwarded-uri': uri })).headers.location))
    const page = asPage(await at_issuer.open(url.pathname + url.search))
    const { location } = asDeparture(await signInOn(at_issuer, page))
    const answer = await at_app.request('GET', location.pathname + location.search)
    t.equal(answer.headers.location, APP + expected, uri)
    t.equal(new URL(String(answer.headers.location)).origin, APP)
  }
})

t.test('a sign-in ends only in the browser that started it, and once', async (t) => {
  const { browser, pass } = await start(t)
  const attacker = browser()
  const victim = browser()
  await victim.check()
  const url = new URL(String((await attacker.check()).headers.location))
  const { location } = asDeparture(
    await signInOn(attacker.at_issuer, asPage(await attacker.at_issuer.open(url.pathname + url.search))),
  )
  const callback = location.pathname + location.search
  const refused = await victim.at_app.request('GET', callback)
  t.match(refused, { status: 400, headers: { 'set-cookie': undefined } }, 'login CSRF')
  t.match(refused.text, 'Open the application again')
  for (const [name, value] of [
    ['state', 'x'],
    ['code', 'x'],
  ] as const) {
    const changed = new URL(location)
    changed.searchParams.set(name, value)
    t.equal((await attacker.at_app.request('GET', changed.pathname + changed.search)).status, 400, name)
  }
  const { at_app } = browser()
  t.equal((await at_app.request('GET', callback)).status, 400, 'no cookie')
  t.equal((await attacker.at_app.request('GET', callback)).status, 303)
  t.equal((await attacker.at_app.request('GET', callback)).status, 400, 'the code is spent')

  const denied = browser()
  const { searchParams } = new URL(String((await denied.check()).headers.location))
  const answer = new URLSearchParams({ state: searchParams.get('state') ?? '', error: 'access_denied' })
  const told = await denied.at_app.request('GET', `/.redmint/callback?${answer}`)
  t.equal(told.status, 400)
  t.match(told.text, 'Open the application again', 'it has no code')

  // The code is new, and the start is not.
  const late = browser()
  const begun = new URL(String((await late.check()).headers.location))
  pass(1801)
  const page = asPage(await late.at_issuer.open(begun.pathname + begun.search))
  const { location: back } = asDeparture(await signInOn(late.at_issuer, page))
  t.equal((await late.at_app.request('GET', back.pathname + back.search)).status, 400, 'over')
})

t.test('the tabs of a browser have one key, and a key that is none is replaced', async (t) => {
  const { browser } = await start(t)
  const { at_app, at_issuer, check } = browser()
  const name = '__Host-redmint-forward-start'
  at_app.cookies.set(name, 'short')
  const first = new URL(String((await check()).headers.location))
  const key = at_app.cookies.get(name)
  t.match(key, /^[\w-]{43}$/)
  await check({ 'x-forwarded-uri': '/other' })
  t.equal(at_app.cookies.get(name), key)
  const page = asPage(await at_issuer.open(first.pathname + first.search))
  const { location } = asDeparture(await signInOn(at_issuer, page))
  const answer = await at_app.request('GET', location.pathname + location.search)
  t.match(answer, { status: 303, headers: { location: `${APP}/page?a=1` } }, 'the first tab')
})

t.test('an application is told what its client may ask for, and no more', async (t) => {
  const { browser, storage } = await start(t)
  await changeClient(storage, 'intranet', { set: { allowed_scopes: 'openid profile' } })
  const { signIn, check } = browser()
  await signIn()
  t.match(await check(), {
    status: 200,
    headers: {
      'remote-user': 'alice',
      'remote-name': 'Alice Example',
      'remote-email': '',
      'remote-groups': '',
    },
  })
})

t.test('what a browser keeps counts at its host alone', async (t) => {
  const { browser, storage } = await start(t)
  const { at_app, signIn, check } = browser()
  await signIn()
  t.equal((await check()).status, 200)
  t.equal((await check({ 'x-forwarded-host': new URL(OTHER).host })).status, 302)
  const second = 'second.example.org'
  await changeClient(storage, 'intranet', {
    set: {
      forward_auth_hosts: `${new URL(APP).host} ${second}`,
      redirect_uris: `${APP}/.redmint/callback https://${second}/.redmint/callback`,
    },
  })
  t.equal((await check()).status, 200)
  t.equal((await check({ 'x-forwarded-host': second })).status, 302, 'another host of the client')
  const kept = String(at_app.cookies.get('__Host-redmint-forward'))
  await changeClient(storage, 'intranet', { set: {}, unset: ['forward_auth_hosts'] })
  await changeClient(storage, 'files', {
    set: { forward_auth_hosts: new URL(APP).host, redirect_uris: `${APP}/.redmint/callback` },
  })
  t.equal(
    (await check({ 'x-forwarded-host': new URL(APP).host })).status,
    302,
    'the host is of another client now',
  )
  for (const value of [
    `${kept}x`,
    kept.slice(0, -2),
    at_app.cookies.get('__Host-redmint-forward-start'),
    'x',
  ]) {
    at_app.cookies.set('__Host-redmint-forward', String(value))
    t.equal((await check()).status, 302)
  }
})

t.test('what ends a sign-in ends it at the next check', async (t) => {
  const { browser, storage, pass } = await start(t)
  const signedIn = async () => {
    const made = browser()
    await made.signIn()
    t.equal((await made.check()).status, 200)
    return made
  }
  const one = await signedIn()
  await changeClient(storage, 'intranet', { set: { allowed_groups: 'other' } })
  t.equal((await one.check()).status, 302, 'the group')
  await changeClient(storage, 'intranet', { set: { allowed_groups: 'staff' } })
  t.equal((await one.check()).status, 200)
  await changeClient(storage, 'intranet', { set: { required_acr: '2 phr' } })
  t.equal((await one.check()).status, 302, 'the strength of the sign-in')
  await changeClient(storage, 'intranet', { set: {}, unset: ['required_acr'] })
  t.equal((await one.check()).status, 200)
  await changeUser(storage, 'alice', { set: { disabled: 'true' } })
  t.equal((await one.check({ accept: '*/*' })).status, 401, 'the account')
  await changeUser(storage, 'alice', { set: { disabled: 'false' } })

  const two = await signedIn()
  const question = await two.at_issuer.page('/oauth2/logout')
  await two.at_issuer.submit(question, { decision: 'logout' })
  await until('the session has ended', async () => (await two.check({ accept: '*/*' })).status === 401)

  await changeClient(storage, 'intranet', { set: { access_token_ttl: '60' } })
  const three = await signedIn()
  pass(61)
  t.equal((await three.check({ accept: 'text/html' })).status, 302, 'its time')
  t.equal((await three.signIn()).answer.status, 303, 'without a page: the session goes on')
})

t.test('names in other scripts, and without a name', async (t) => {
  const { browser, storage } = await start(t)
  await changeUser(storage, 'alice', { set: { name: 'Zoë 山\u0007田' } })
  const { signIn, check } = browser()
  await signIn()
  const { headers } = await check()
  t.equal(Buffer.from(String(headers['remote-name']), 'latin1').toString(), 'Zoë 山 田')
  const bob = browser()
  await bob.signIn('bob')
  t.match(await bob.check(), {
    headers: { 'remote-user': 'bob', 'remote-email': '', 'remote-groups': '' },
  })
})

t.test('Envoy asks by the request itself, below the path', async (t) => {
  const { browser, fastify } = await start(t)
  const { host } = new URL(APP)
  const { at_app, signIn } = browser()
  const cookies = () => [...at_app.cookies].map((pair) => pair.join('=')).join('; ')
  /** What Envoy sends with the configuration of docs/forward-auth.md: no body, and the headers that it names. */
  const ask = async (method: 'GET' | 'HEAD' | 'POST' | 'DELETE' | 'OPTIONS', path: string, more = {}) => {
    const headers = { host, accept: 'text/html', 'content-length': '0', cookie: cookies(), ...more }
    const { statusCode, headers: given } = await fastify.inject({ method, url: PATH + path, headers })
    return { status: statusCode, headers: given }
  }
  const sent = await ask('GET', '/page?a=1&b=%20', { 'sec-fetch-mode': 'navigate' })
  t.match(sent, { status: 302, headers: { 'set-cookie': /^__Host-redmint-forward-start=/ } })
  t.match(sent.headers.location, `${ISSUER}/oauth2/authorize?`)
  for (const method of ['POST', 'HEAD', 'DELETE', 'OPTIONS'] as const)
    t.match(await ask(method, '/page'), { status: 401, headers: { location: undefined } }, method)
  t.equal((await ask('GET', '/', { accept: '*/*' })).status, 401)
  const forged = { host: 'evil.example', 'x-forwarded-host': host, 'x-forwarded-method': 'GET' }
  t.equal((await ask('GET', '/', forged)).status, 403, 'only Host counts')
  t.equal((await ask('POST', '/', { 'x-forwarded-method': 'GET' })).status, 401, 'only the method counts')

  await signIn()
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/a/b?c=%2F'],
    ['POST', '/form'],
    ['OPTIONS', '/form'],
    ['DELETE', '/auth/forward'],
  ] as const) {
    const allowed = await ask(method, path)
    t.match(allowed, { status: 200, headers: { 'remote-user': 'alice', 'remote-groups': 'staff,a%2Cadmin' } })
  }
  t.equal((await ask('GET', '/', { cookie: '' })).status, 302, 'without the cookie')
})

t.test('Envoy has people come back to the page that they opened', async (t) => {
  const { browser } = await start(t)
  const { at_app, at_issuer } = browser()
  at_app.headers.host = new URL(APP).host
  const { location } = asDeparture(await at_app.open(`${PATH}/page?a=1&b=%20`))
  const page = asPage(await at_issuer.open(location.pathname + location.search))
  const { location: back } = asDeparture(await signInOn(at_issuer, page))
  const answer = await at_app.request('GET', back.pathname + back.search)
  t.equal(answer.headers.location, `${APP}/page?a=1&b=%20`)
})

/** Addresses as applications have them: texts that shrink, and one that does not. */
const LONG = {
  'a query of a dashboard': `/explore?panes=${encodeURIComponent(JSON.stringify(Array.from({ length: 12 }, (_, i) => ({ datasource: `d${i}`, queries: [{ expr: 'rate(http_requests_total[5m])' }] }))))}`,
  'the longest': `/${randomBytes(6143).toString('base64url').slice(0, 8191)}`,
  'signs that cookies do not have': `/a?b=${'",;%%27'.repeat(300)}`,
}

t.test('a long address comes back whole', async (t) => {
  const { browser } = await start(t)
  for (const [what, uri] of Object.entries(LONG)) {
    t.ok(uri.length > 1024, what)
    const { check, at_app, at_issuer } = browser()
    const { headers } = await check({ 'x-forwarded-uri': uri })
    const url = new URL(String(headers.location))
    t.ok(url.href.length < 2000, 'the request does not grow')
    for (const cookie of [headers['set-cookie'] ?? []].flat())
      t.match(
        String(cookie),
        /^__Host-redmint-forward-[\w-]+=[\w-]{1,3600}; Max-Age=1800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
    const page = asPage(await at_issuer.open(url.pathname + url.search))
    const { location } = asDeparture(await signInOn(at_issuer, page))
    const answer = await at_app.request('GET', location.pathname + location.search)
    t.equal(answer.headers.location, APP + uri, what)
    t.same([...at_app.cookies.keys()].sort(), ['__Host-redmint-forward', '__Host-redmint-forward-start'])
  }
})

t.test('a long address of another tab, or one that was changed, leads to the first page', async (t) => {
  const { browser } = await start(t)
  for (const change of [
    async ({ check }: ReturnType<typeof browser>) =>
      void (await check({ 'x-forwarded-uri': `/${'b'.repeat(2000)}` })),
    async ({ at_app }: ReturnType<typeof browser>) =>
      void at_app.cookies.set('__Host-redmint-forward-target-0', 'AAAA'),
    async ({ at_app }: ReturnType<typeof browser>) =>
      void at_app.cookies.delete('__Host-redmint-forward-target-0'),
  ]) {
    const person = browser()
    const { headers } = await person.check({ 'x-forwarded-uri': `/${'a'.repeat(2000)}` })
    const url = new URL(String(headers.location))
    await change(person)
    const page = asPage(await person.at_issuer.open(url.pathname + url.search))
    const { location } = asDeparture(await signInOn(person.at_issuer, page))
    const answer = await person.at_app.request('GET', location.pathname + location.search)
    t.equal(answer.headers.location, `${APP}/`)
  }
})

const PREFLIGHT = {
  'x-forwarded-method': 'OPTIONS',
  origin: 'https://page.example',
  'access-control-request-method': 'PUT',
}

t.test('preflights pass as nobody where the record says so', async (t) => {
  const { browser, storage } = await start(t)
  t.equal((await browser().check(PREFLIGHT)).status, 401, 'not by default')
  await changeClient(storage, 'intranet', { set: { forward_auth_preflights: 'true' } })
  t.match(await browser().check(PREFLIGHT), {
    status: 200,
    headers: { 'remote-user': '', 'remote-name': '', 'remote-email': '', 'remote-groups': '' },
  })
  for (const less of [
    { 'x-forwarded-method': 'PUT' },
    { 'x-forwarded-method': 'HEAD' },
    { origin: undefined },
    { 'access-control-request-method': undefined },
  ]) {
    const given = Object.entries({ accept: '*/*', ...PREFLIGHT, ...less }).filter(
      ([, value]) => value !== undefined,
    )
    const { status, headers } = await browser().check(Object.fromEntries(given))
    t.notOk(status === 200, JSON.stringify(less))
    t.equal(headers['remote-user'], undefined)
  }
  const other = { ...PREFLIGHT, 'x-forwarded-host': new URL(OTHER).host }
  t.equal((await browser().check(other)).status, 401, 'another client')
})

t.test('a token of a person for the application counts where the record says so', async (t) => {
  const service = await start(t)
  const { browser, storage } = service
  for (const uri of [APP, OTHER])
    await storage.records.create({ kind: RESOURCE, id: uri, hash: { scopes: 'api.read' } })
  const tokenFor = async (resource: string | undefined, send: typeof service.token = service.token) => {
    const { told } = await signInAndAgree(service.visitor(), { scope: 'openid profile', resource })
    const form = {
      grant_type: 'authorization_code',
      client_id: 'shop',
      code: told.get('code') ?? '',
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
    }
    const { json } = await send(form)
    if (typeof json.access_token !== 'string') throw new Error(JSON.stringify(json))
    return json.access_token
  }
  const own = await tokenFor(APP)
  const ask = (authorization: string, more = {}) =>
    browser().check({ accept: '*/*', 'x-forwarded-method': 'POST', authorization, ...more })
  t.equal((await ask(`Bearer ${own}`)).status, 401, 'not by default')
  await changeClient(storage, 'intranet', { set: { forward_auth_bearer: 'true' } })
  t.match(await ask(`Bearer ${own}`), {
    status: 200,
    headers: {
      'remote-user': 'alice',
      'remote-name': 'Alice Example',
      'remote-email': '',
      'remote-groups': '',
    },
  })
  const acting = await actingTokens(service, own, {
    ...{ client_id: 'shop', scope: 'openid profile', audience: APP },
  })
  for (const [what, authorization] of Object.entries({
    'T22: of who acts for the person': `Bearer ${acting.opaque}`,
    'T22: of who acts for the person, as a JWT': `Bearer ${acting.jwt}`,
    'of the issuer': `Bearer ${await tokenFor(undefined)}`,
    'bound to a key': `Bearer ${await tokenFor(APP, dpopClient(service).token)}`,
    'of another application': `Bearer ${await tokenFor(OTHER)}`,
    nonsense: 'Bearer nonsense',
  }))
    t.match(
      await ask(authorization, { accept: 'text/html', 'x-forwarded-method': 'GET' }),
      {
        status: 401,
        headers: {
          'www-authenticate': /^Bearer realm="redmint", error="invalid_token"/,
          location: undefined,
        },
      },
      what,
    )
  for (const authorization of [`DPoP ${own}`, `Basic ${own}`, own, ''])
    t.match(await ask(authorization), {
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="redmint"' },
    })
  t.equal((await ask(`Bearer ${own}`, { 'x-forwarded-host': new URL(OTHER).host })).status, 401, 'elsewhere')

  const refused = async (what: string) => t.equal((await ask(`Bearer ${own}`)).status, 401, what)
  await changeClient(storage, 'intranet', { set: { allowed_groups: 'other' } })
  await refused('its user is in no group of the client')
  await changeClient(storage, 'intranet', { set: { required_acr: 'phr' }, unset: ['allowed_groups'] })
  await refused('its sign-in was too weak for the client')
  await changeClient(storage, 'intranet', { set: {}, unset: ['required_acr'] })
  t.equal((await ask(`Bearer ${own}`)).status, 200)
  await changeUser(storage, 'alice', { set: { disabled: 'true' } })
  await refused('its user is disabled')
})

t.test('only a proxy of TRUSTED_PROXIES is believed', async (t) => {
  const { fastify } = await start(t, { client_certificate_proxies: ['10.0.0.0/8'] })
  const headers = { 'x-forwarded-host': new URL(APP).host, 'x-forwarded-method': 'GET', accept: 'text/html' }
  const ask = (remoteAddress: string, url = PATH) =>
    fastify.inject({ url, headers: { ...headers, host: headers['x-forwarded-host'] }, remoteAddress })
  for (const address of ['198.51.100.7', '127.0.0.1', '::1']) {
    const { statusCode, headers: given } = await ask(address)
    t.match({ statusCode, location: given.location }, { statusCode: 403, location: undefined }, address)
    t.equal((await ask(address, `${PATH}/page`)).statusCode, 403, 'below the path')
  }
  t.equal((await ask('10.1.2.3')).statusCode, 302)
  t.equal((await ask('10.1.2.3', `${PATH}/page`)).statusCode, 302)
})

t.test('turned off there is nothing', async (t) => {
  const { browser } = await start(t, { forward_auth_clients: [] })
  t.equal((await browser().check()).status, 404)
})
