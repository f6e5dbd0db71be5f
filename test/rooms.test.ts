import t from 'tap'
import { ownRooms } from '../rooms.ts'
import { password } from '../src/interaction/password-method.ts'
import type { SignInMethod } from '../src/interaction/sign-in-method.ts'
import { startService, type TestOptions } from './support/service.ts'

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
