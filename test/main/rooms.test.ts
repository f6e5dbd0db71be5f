import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import redmint from '../../app.ts'
import type { Room } from '../../plugins/room.ts'
import { ownRooms } from '../../rooms.ts'
import type { ConfigError } from '../../src/config/config-error.ts'
import type { SecurityEvent } from '../../src/core/events.ts'
import type { Worker } from '../../src/core/worker.ts'
import { password } from '../../src/interaction/password-method.ts'
import type { SignInMethod } from '../../src/interaction/sign-in-method.ts'
import { html } from '../../src/pages/html.ts'
import { PROVIDER } from '../../src/providers/provider-record.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { scene } from '../support/scene.ts'
import { ISSUER, startService, type TestOptions } from '../support/service.ts'
import { until } from '../support/until.ts'

const own: SignInMethod = {
  name: 'own',
  acr_values: ['0'],
  username: () => undefined,
  authenticate: async () => ({ outcome: 'unavailable' }),
}
const LDAP = { ldap_url: 'ldaps://127.0.0.1:1', ldap_base_dn: 'dc=example', passkeys: 'on' } as const

/** The ways to sign in, in the order of the sign-in page; with `+`, the second step follows. */
const WAYS: Readonly<Record<string, readonly [ways: string, options: TestOptions]>> = {
  'the password': ['pwd+ passkey', {}],
  'no second step': ['pwd passkey', { second_factor: 'off' }],
  'no passkeys': ['pwd+', { passkeys: 'off' }],
  'passkeys alone': ['passkey', { sign_in: 'passkeys' }],
  providers: ['pwd+ passkey provider+', { sign_in: 'providers' }],
  'one provider': ['provider+', { sign_in: 'provider:corp' }],
  'a page of an application': ['login+', { login_url: 'https://example.com/login', admin_api: 'on' }],
  'a directory': ['directory+ passkey', { ...LDAP, sign_in: 'directory' }],
  'a directory and passwords': ['pwd+ passkey directory+', { ...LDAP, sign_in: 'password,directory' }],
  'a way of an application': ['own', { methods: [own], sign_in: 'providers' }],
  'ways of an application, and the password': [
    'own pwd+ passkey provider+',
    { methods: [own, password], sign_in: 'providers' },
  ],
}

t.test('rooms add their ways to sign in, in their order', async (t) => {
  for (const [name, [ways, options]] of Object.entries(WAYS)) {
    const { fastify } = await startService(t, options)
    const found = fastify.redmint.methods.map(({ name, aside }) => name + (aside?.is_due ? '+' : ''))
    t.equal(found.join(' '), ways, name)
  }
})

t.test('the order of rooms', async (t) => {
  const names = ownRooms({ home: false, warn_of_leftovers: false }, {}).map(({ name }) => name)
  const comesBefore = (one: string, other: string) =>
    t.ok(names.includes(one) && names.indexOf(one) < names.indexOf(other), `${one}, ${other}`)
  comesBefore('application', 'own-pages')
  comesBefore('own-pages', 'passkeys')
  comesBefore('passkeys', 'providers')
  comesBefore('providers', 'directory')
  // Who has a second step is looked up in the directory after it.
  comesBefore('second-step', 'directory')
  // What mail tells when it closes is still written.
  comesBefore('audit', 'mail')
  comesBefore('logout', 'audit')
})

t.test('the context is complete when it is made', async (t) => {
  const everything: TestOptions = {
    ...{ console: 'on', admin_api: 'on', audit: 'on', account_page: 'on' },
    consent_url: 'https://example.com/consent',
  }
  const { redmint } = (await startService(t, everything)).fastify
  t.ok(Object.isFrozen(redmint))
  for (const part of ['consent_site', 'mail', 'account_source'] as const) t.ok(part in redmint, part)
  t.same(Object.keys(redmint.flows), ['account'])
})

t.test('the lists of records of a room that is off are kept right', async (t) => {
  const storage = new MemoryStorage()
  const watched: string[] = []
  const watch = storage.changes.watch.bind(storage.changes)
  storage.changes.watch = (kind, watcher) => {
    watched.push(kind.name)
    return watch(kind, watcher)
  }
  await startService(t, { storage })
  t.equal(watched.filter((name) => name === PROVIDER.name).length, 1)
})

t.test('a room of an application', async (t) => {
  const done: string[] = []
  const worker = (name: string, closes_early?: true): Worker => ({
    start: () => done.push(`${name} starts`),
    close: () => {
      done.push(`${name} closes`)
      throw new Error('It did not close.')
    },
    ...(closes_early && { closes_early }),
  })
  const answers = (path: string) => async (fastify: FastifyInstance) => {
    fastify.get(path, { schema: { hide: true } }, async () => path)
  }
  const room: Room = {
    name: 'own',
    async load({ settings }) {
      done.push(settings.issuer)
      return {
        methods: ([first, ...others]) => [first, { ...own, name: 'added' }, ...others],
        hears: {
          event({ event }) {
            if (event !== 'sessions_ended') return
            done.push(event)
            throw new Error('of a listener')
          },
        },
        workers: [worker('first'), worker('last', true)],
        routes: [
          { scope: 'clients', plugin: answers('/for-clients') },
          { scope: 'users', plugin: answers('/for-users') },
          { scope: 'root', at: 'host', plugin: answers('/at-host') },
        ],
      }
    },
  }
  const off: Room = {
    name: 'off',
    isOn: () => false,
    load: async () => {
      throw new Error('It is off.')
    },
  }
  const issuer = `${ISSUER}/auth`
  const { fastify, get, log } = await startService(t, { issuer, rooms: [room, off] })
  t.same(
    fastify.redmint.methods.map(({ name }) => name),
    ['pwd', 'added', 'passkey'],
  )
  t.match(await get('/auth/for-clients', { origin: 'https://app.example.com' }), {
    status: 200,
    headers: { 'access-control-allow-origin': '*' },
  })
  t.match((await get('/auth/for-users')).headers, { 'content-security-policy': /./ })
  t.equal((await get('/at-host')).status, 200)
  t.equal((await get('/for-users')).status, 404)
  fastify.redmint.report({ event: 'sessions_ended', username: 'alice' } as SecurityEvent)
  await until('the fault is logged', () => log.some((line) => line.includes('of a listener')))
  await fastify.close()
  t.same(done, [
    issuer,
    'first starts',
    'last starts',
    'sessions_ended',
    'last closes',
    'last closes',
    'first closes',
  ])
})

t.test('operators have the sections and the checks of a room, and it has clients', async (t) => {
  const room: Room = {
    name: 'shop',
    clients: async () => [
      {
        client_id: 'till',
        client_secret_hash: '',
        allowed_scopes: '',
        grant_types: 'authorization_code',
        is_public: 'true',
        redirect_uris: 'http://127.0.0.1/',
      },
    ],
    load: async () => ({
      checks: [
        { name: 'stock', look: async () => ({ level: 'warning', finding: 'low', advice: 'Buy.' }) },
        {
          name: 'till',
          look: async () => {
            throw new Error('It is open.')
          },
        },
      ],
      sections: [
        {
          ...{ name: 'stock', title: 'Stock', scope: 'redmint:server:write' },
          show: async ({ of = '' }) => html`<p>All of ${of}</p>`,
        },
      ],
    }),
  }
  const { fastify, operator, call, tokenOf, log } = await scene(t, { with: ['console'], rooms: [room] })
  t.equal((await fastify.redmint.clients.find('till'))?.is_public, true)
  const ada = await operator()
  t.match((await ada.page('/console')).text, 'href="/console/rooms/shop/stock"')
  const page = await ada.page('/console/rooms/shop/stock?of=%3Cb%3E')
  t.match(page, { status: 200, title: /^Stock/, text: 'All of &lt;b&gt;' })
  t.match(page.text, 'href="/console/rooms/shop/stock" aria-current="page"')
  const ben = await operator('ben')
  t.notMatch((await ben.page('/console')).text, '/console/rooms')
  t.match(await ben.page('/console/rooms/shop/stock'), { status: 403, text: /redmint:server:write/ })
  const { json } = await call('GET', '/doctor', { token: await tokenOf('redmint:read') })
  t.strictSame(
    (json.findings as { id: string }[]).filter(({ id }) => id.startsWith('shop_')),
    [
      { id: 'shop_stock', check: 'shop stock', level: 'warning', finding: 'low', advice: 'Buy.' },
      {
        ...{ id: 'shop_till', check: 'shop till', level: 'problem', finding: 'it could not be looked at' },
        advice: 'Look into the log of the server.',
      },
    ],
  )
  t.ok(log.some((line) => line.includes('It is open.')))
})

t.test('a room of an application that is malformed is refused', async (t) => {
  const problemsOf = async (...rooms: unknown[]) => {
    const fastify = Fastify()
    t.teardown(() => fastify.close())
    const options = { issuer: ISSUER, rooms: rooms as Room[] }
    const error = await fastify.register(redmint, options).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return (error as ConfigError).problems
  }
  const load = async () => ({})
  t.same(await problemsOf(1), ['rooms must be an array of rooms'])
  t.same(await problemsOf({ name: 'A b', load, clients: [] }, { name: 'a', load }, { name: 'a', isOn: 1 }), [
    'rooms has "A b": a name has up to 32 of a-z, 0-9 and "-"',
    'rooms has "A b", whose clients is not a function',
    'rooms has "a" twice',
    'rooms has "a", whose isOn is not a function',
    'rooms has "a" without a function load',
  ])
  const adds = (added: unknown) => problemsOf({ name: 'a', load: async () => added })
  t.same(await adds(undefined), ['the room a must return an object from load'])
  t.same(await adds({ route: [] }), ['the room a adds route, which no room can add'])
  t.match(await adds({ methods: [] }), ['the room a adds methods, which must be a function'])
  t.match(await adds({ hears: { events() {} } }), [/^the room a adds hears, which must/])
  t.match(await adds({ workers: [{ start() {} }] }), [/^the room a adds workers, which must/])
  t.match(await adds({ routes: [{ scope: 'all', plugin: load }] }), [/^the room a adds routes, which must/])
  t.match(await adds({ checks: [{ name: 'a' }] }), [/^the room a adds checks, which must/])
  const section = { name: 'a', title: 'A', scope: 'redmint:server:read', show: load }
  for (const wrong of [{ name: 'a/b' }, { title: 1 }, { scope: 'openid' }, { show: 1 }, { group: 'Else' }])
    t.match(await adds({ sections: [{ ...section, ...wrong }] }), [/^the room a adds sections, which must/])
  t.match(await problemsOf({ name: 'a', load, clients: async () => [{ client_id: 'x', is_public: 'no' }] }), [
    /^the room a has the client "x", which is malformed: is_public/,
  ])
  t.same(await adds({ methods: () => [own, own] }), ['the room a has "own" twice, as a way to sign in'])
})
