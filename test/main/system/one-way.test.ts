// One way to sign in and no other: each begins with the variables that docs/ways-to-sign-in.md names.
import t from 'tap'
import { readConfig } from '../../../src/config/config.ts'
import type { Settings } from '../../../src/config/settings.ts'
import { en } from '../../../src/pages/messages/en.ts'
import { PASSWORD } from '../../support/accounts.ts'
import { personNamed, startFakeDirectory } from '../../support/directory/fake-directory.ts'
import { makePasskey, optionsOn } from '../../support/factors/passkeys/owners.ts'
import { federate, signInThere, UPSTREAM } from '../../support/providers/federation.ts'
import { alertOn, asksForPassword } from '../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../support/scene/requests.ts'
import { scene } from '../../support/scene.ts'
import { ISSUER } from '../../support/service.ts'
import { asDeparture, asPage } from '../../support/visitor.ts'

const SAID = en.messages
const OWN = requestUrl({ client_id: 'own' })

/** The settings that variables change. */
function changedBy(environment: Record<string, string>): Partial<Settings> {
  const settingsOf = (more: Record<string, string>) => readConfig({ ISSUER, ...more }).settings
  const before = new Map<string, unknown>(Object.entries(settingsOf({})))
  const after = Object.entries(settingsOf(environment))
  const differ = after.filter(([name, value]) => JSON.stringify(before.get(name)) !== JSON.stringify(value))
  return Object.fromEntries(differ)
}

t.test('passwords only: PASSKEYS=off', async (t) => {
  const options = changedBy({ PASSKEYS: 'off' })
  t.strictSame(options, { passkeys: 'off' })
  const { visitor } = await scene(t, options)
  const alice = visitor()
  const page = await alice.page(OWN)
  t.ok(asksForPassword(page))
  t.notMatch(page.text, /passkey|name="method"/i)
  t.ok('location' in (await signInOn(alice, page)))
})

t.test('passkeys only: SIGN_IN=passkeys', async (t) => {
  const options = changedBy({ SIGN_IN: 'passkeys' })
  t.strictSame(options, { sign_in: 'passkeys' })
  const { fastify, visitor } = await scene(t, options)
  const { redmint } = fastify
  const user = await redmint.accounts.find('alice')
  const passkey = user && (await makePasskey(redmint, user))
  const alice = visitor()
  const page = await alice.page(OWN)
  t.notOk(asksForPassword(page))
  const refused = asPage(await alice.submit(page, { username: 'alice', password: PASSWORD, method: 'pwd' }))
  t.equal(alertOn(refused), SAID.login_failed_answer)
  t.ok('location' in (await alice.submit(refused, { credential: passkey?.get(optionsOn(refused)) })))
})

t.test('one provider only: SIGN_IN=provider:acme', async (t) => {
  const options = changedBy({ SIGN_IN: 'provider:acme' })
  t.strictSame(options, { sign_in: 'provider:acme' })
  const { person, claims } = await federate(t, { creates_users: true, links_by_email: true }, options)
  const alice = person()
  const gone = asDeparture(await alice.here.open(OWN))
  t.equal(gone.location.origin, UPSTREAM, 'at once')
  t.equal((await claims(await alice.here.open(await signInThere(alice, gone)))).sub, 'sub-of-alice')
})

t.test('a directory only: SIGN_IN=directory and PASSKEYS=off', async (t) => {
  const { settings } = await startFakeDirectory(t, [personNamed('carol')])
  const { ldap_url = '', ldap_base_dn = '', directory_timing } = settings
  const options = changedBy({
    SIGN_IN: 'directory',
    PASSKEYS: 'off',
    LDAP_URL: ldap_url,
    LDAP_TLS: 'off',
    LDAP_BASE_DN: ldap_base_dn,
  })
  const { visitor } = await scene(t, { ...options, ...(directory_timing && { directory_timing }) })
  const page = await visitor().page(OWN)
  t.ok(asksForPassword(page))
  t.notMatch(page.text, /passkey|name="method"/i)
  const carol = visitor()
  t.ok('location' in (await signInOn(carol, await carol.page(OWN), 'carol', 'password of carol')))
  const alice = visitor()
  t.equal(alertOn(asPage(await signInOn(alice, await alice.page(OWN)))), SAID.login_failed)
})
