// Where the console is, and that it is nowhere if it is off.
import t from 'tap'
import { createInstance } from '../../../../instance.ts'
import { ConfigError } from '../../../../src/config/config-error.ts'
import { CONSOLE_ACTIONS, CONSOLE_PAGES } from '../../../../src/console/rooms.ts'
import { DEMO_PASSWORD, DEMO_USER } from '../../../../src/demo/demo-user.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { CHEAP } from '../../../support/accounts.ts'
import { problemsOf } from '../../../support/config/problems.ts'
import { placeOf } from '../../../support/scene/operators.ts'
import { signInOn, visitorOf } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { authorizationRequest, startService } from '../../../support/service.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

t.test('with CONSOLE off nothing is there', async (t) => {
  const { visitor, get } = await scene(t, { with: ['console'], console: 'off' })
  for (const { path } of [...CONSOLE_PAGES, ...CONSOLE_ACTIONS]) {
    t.equal((await visitor().request('GET', placeOf(path))).status, 404)
    t.equal((await visitor().request('POST', placeOf(path), 'csrf=x')).status, 404)
  }
  const query = authorizationRequest({
    client_id: 'redmint-console',
    redirect_uri: 'https://auth.example.com/console/callback',
  })
  t.equal((await get(`/oauth2/authorize?${new URLSearchParams(query)}`)).status, 400, 'nor its client')
})

t.test('what the settings need is said at the start', async (t) => {
  const on = { ADMIN_API: 'on', CONSOLE: 'on' }
  t.same(problemsOf({ CONSOLE: 'on', ADMIN_API: 'off' }), [
    'CONSOLE needs the admin API: set ADMIN_API to on',
  ])
  t.match(problemsOf({ ...on, MANAGEMENT_PORT: '9000' }), [
    /^CONSOLE at the management listener needs CONSOLE_ORIGIN/,
  ])
  t.same(problemsOf({ ...on, MANAGEMENT_PORT: '9000', CONSOLE_ORIGIN: 'http://localhost:9000' }), [])
  t.match(problemsOf({ DEMO: 'false', CONSOLE_ORIGIN: 'https://console.example.com' }), [
    /^CONSOLE_ORIGIN needs CONSOLE/,
  ])
  for (const wrong of [
    'http://console.example.com',
    'https://console.example.com/',
    'https://a.example/console',
    'x',
  ])
    t.match(problemsOf({ ...on, CONSOLE_ORIGIN: wrong }), [/^CONSOLE_ORIGIN must be an https origin/], wrong)
  const management = createInstance({ level: 'silent' })
  t.teardown(() => management.close())
  await t.rejects(startService(t, { admin_api: 'on', console: 'on', management }), ConfigError)
})

t.test('at the management listener it has an origin of its own, and the issuer signs in', async (t) => {
  const management = createInstance({ level: 'silent' })
  t.teardown(() => management.close())
  const origin = 'https://console.example.com'
  const { visitor, fastify } = await scene(t, { with: ['console'], management, console_origin: origin })
  await management.ready()
  t.equal((await visitor().request('GET', '/console')).status, 404, 'not at the public listener')
  const operator = visitorOf(() => management, origin)
  const at_issuer = visitor()
  const { location } = asDeparture(await operator.open('/console/people'))
  t.equal(location.searchParams.get('redirect_uri'), `${origin}/console/callback`)
  const login = await at_issuer.page(location.pathname + location.search)
  const back = asDeparture(await signInOn(at_issuer, login, 'ada')).location
  t.equal(back.origin, origin)
  const page = await operator.page(back.pathname + back.search)
  t.match(page, { status: 200, title: 'People' })
  const style = /href="([^"]*\.css)"/.exec(page.text)?.[1] ?? ''
  t.match(await operator.request('GET', style), { status: 200, headers: { 'content-type': /^text\/css/ } })
  t.match(await operator.submit(await operator.page('/console/people/bob/disable'), {}), { status: 200 })
  t.equal(await fastify.redmint.accounts.find('bob'), undefined)
})

t.test('in demo mode its user is an operator, and only where nobody else reaches the server', async (t) => {
  const issuer = 'http://localhost:3000'
  const storage = new MemoryStorage()
  const enter = async (demo: true | 'public') => {
    const { fastify } = await startService(t, {
      ...CHEAP,
      issuer,
      storage,
      demo,
      admin_api: 'on',
      console: 'on',
    })
    const visitor = visitorOf(() => fastify, issuer)
    const login = await visitor.page('/console')
    return asPage(await signInOn(visitor, login, DEMO_USER, DEMO_PASSWORD)).title
  }
  t.equal(await enter(true), 'Home')
  // A server does not start with the keys of demo mode on loopback.
  await storage.signing_keys.replace(await storage.signing_keys.read(), {})
  t.equal(await enter('public'), 'You may not use the console', 'the record that it left gives no right')
})

t.test('without an audit trail the page of events says how to have one', async (t) => {
  const { operator } = await scene(t, { with: ['console'], audit: 'off' })
  const page = await (await operator()).page('/console/events')
  t.match([page.status, page.text], [200, /No events are kept here[\s\S]*Set <code>AUDIT=on/])
})
