// Sign-in with names and passwords of a real slapd.
import t from 'tap'
import { DEMO_APP } from '../../../../src/demo/demo-clients.ts'
import { Connection } from '../../../../src/directory/connection.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { createCli } from '../../../support/cli/run-cli.ts'
import { settingsFor } from '../../../support/directory/settings.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { runServer, startServer } from '../../../support/process.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { authorizationRequest } from '../../../support/service.ts'
import { BASE, READER, startSlapd } from '../../../support/slapd.ts'
import { asPage } from '../../../support/visitor.ts'

const SAID = en.messages
const CAROL = ['carol', 'carols password'] as const

t.test('who is in the directory signs in with the name and the password there', async (t) => {
  const slapd = await startSlapd(t)
  const { port, tls_port, ca_file } = slapd
  const ldaps = settingsFor(slapd)
  const ways = {
    ldaps,
    StartTLS: { ...ldaps, ldap_url: `ldap://localhost:${port}` },
    'without TLS on loopback': {
      ...ldaps,
      ldap_url: `ldap://127.0.0.1:${port}`,
      ldap_tls: 'off',
      ldap_ca_file: undefined,
    },
  } as const
  for (const [way, { ldap_ca_file, ...options }] of Object.entries(ways)) {
    const { signIn, claims, user } = await scene(t, {
      ...options,
      ...(ldap_ca_file !== undefined && { ldap_ca_file }),
      ldap_group_filter: '(&(objectClass=groupOfNames)(member={dn}))',
    })
    t.match(await claims(await signIn(...CAROL)), { amr: ['pwd'], acr: '1' }, way)
    t.match(await user('carol'), {
      name: 'Carol Müller',
      email: 'carol@example.com',
      email_verified: 'false',
      linked_subjects: /^urn:redmint:directory#[0-9a-f-]{36}$/,
      'claim:groups': '["admins","staff"]',
    })
    for (const [name, password] of [
      ['carol', 'wrong'],
      ['nobody', 'carols password'],
      ['twin', 'twins password'],
      ['elsewhere', 'x'],
      ['carol', ''],
    ] as const)
      t.equal(alertOn(asPage(await signIn(name, password))), SAID.login_failed, `${way}: ${name}`)
  }
  await t.test('what is typed is no part of a filter', async (t) => {
    const { signIn, user } = await scene(t, { ...ldaps, sign_in_failures: 100 })
    for (const name of [
      '*',
      'car*',
      'x)(uid=*',
      'carol)(cn=*',
      'carol\\',
      '*)(objectClass=*',
      'c'.repeat(10_000),
    ])
      t.equal(alertOn(asPage(await signIn(name, 'carols password'))), SAID.login_failed, name)
    t.ok('location' in (await signIn('erin*', 'erins password')), 'a name with a star is that name')
    t.match(await user('erin*'), { name: 'Erin, (star *)' })
  })
  await t.test('the groups of a person are in memberOf, where the directory has it', async (t) => {
    await slapd.modify(
      `dn: cn=staff,ou=groups,${BASE}\nchangetype: modify\ndelete: member\nmember: uid=carol,ou=people,${BASE}\n`,
    )
    const { signIn, user } = await scene(t, { ...ldaps, ldap_group_attribute: 'memberOf' })
    await signIn(...CAROL)
    t.equal((await user('carol'))?.['claim:groups'], '["admins"]')
  })
  await t.test('a directory that is away or starts again locks nobody out', async (t) => {
    const { signIn, pass } = await scene(t, { ...ldaps, sign_in_failures: 1 })
    t.ok('location' in (await signIn(...CAROL)))
    await slapd.restart()
    t.ok('location' in (await signIn(...CAROL)), 'its old connections are gone')
    await slapd.stop()
    for (let i = 0; i < 3; i++) {
      const page = asPage(await signIn('carol', 'wrong'))
      t.match(page, { status: 503, title: SAID.error_directory_away_title })
      pass(3)
    }
    await slapd.start()
    t.ok('location' in (await signIn(...CAROL)))
  })
  await t.test('a server starts from the variables of the docs', async (t) => {
    const environment = {
      SIGN_IN: 'directory',
      LDAP_URL: `ldaps://localhost:${tls_port}`,
      LDAP_CA_FILE: ca_file,
      LDAP_BASE_DN: BASE,
      LDAP_BIND_DN: READER.dn,
      LDAP_BIND_PASSWORD: READER.password,
      LDAP_GROUP_FILTER: '(&(objectClass=groupOfNames)(member={dn}))',
    }
    const { port: of_server } = await startServer(t, environment)
    const visitor = visitorAt(`http://localhost:${of_server}`)
    const request = `/oauth2/authorize?${new URLSearchParams(authorizationRequest({ ...DEMO_APP, subject: undefined }))}`
    const page = await visitor.page(request)
    t.equal(alertOn(asPage(await signInOn(visitor, page, 'alice', 'wrong'))), SAID.login_failed)
    const found = await signInOn(visitor, asPage(await visitor.open(request)), ...CAROL)
    t.notMatch('text' in found ? found.text : '', /name="password"/)
    const broken = runServer(t, {
      PORT: '0',
      ISSUER: 'http://localhost:1',
      ...environment,
      LDAP_CA_FILE: '/nowhere',
    })
    t.match(await broken.ended, { code: 1 })
    t.match(broken.stderr, /LDAP_CA_FILE must be a file/)
  })
  await t.test('redmint directory test and doctor say what there is', async (t) => {
    const environment = {
      REDIS_URL: 'redis://127.0.0.1:1',
      LDAP_URL: `ldaps://localhost:${tls_port}`,
      LDAP_CA_FILE: ca_file,
      LDAP_BASE_DN: BASE,
      LDAP_BIND_DN: READER.dn,
      LDAP_BIND_PASSWORD: READER.password,
    }
    const says = async (changed: Record<string, string>, ...name: string[]) =>
      createCli({ environment: { ...environment, ...changed } }).redmint(['directory', 'test', ...name])
    t.match(await says({}), { code: 0, stdout: `localhost:${tls_port} answers` })
    const found = await says({ LDAP_GROUP_ATTRIBUTE: 'memberOf' }, 'carol')
    t.match(found, { code: 0, stdout: `uid=carol,ou=people,${BASE}` })
    t.match(found.stdout, /groups +admins\n/)
    t.match(found.stdout, /account here +none, the first sign-in makes one/)
    t.match(await says({}, 'nobody'), { code: 1, stdout: 'finds no entry' })
    t.match(await says({}, 'twin'), { code: 1, stdout: 'finds several entries' })
    t.match(await says({ LDAP_ID_ATTRIBUTE: 'objectGUID' }, 'carol'), {
      code: 1,
      stdout: 'has no objectGUID',
    })
    for (const [changed, words] of [
      [{ LDAP_BIND_PASSWORD: 'wrong' }, /does not accept LDAP_BIND_DN/],
      [{ LDAP_BASE_DN: 'dc=example,dc=org' }, /result 32.*LDAP_BASE_DN/s],
      [{ LDAP_BASE_DN: 'no dn' }, /result 34.*LDAP_BASE_DN/s],
      [{ LDAP_BASE_DN: `ou=elsewhere,${BASE}` }, /result 10.*not followed/s],
      [{ LDAP_URL: `ldaps://127.0.0.1:${tls_port}` }, /certificate.*ALTNAME/s],
      [{ LDAP_URL: `ldaps://localhost:${port}` }, /closed the connection/],
      [{ LDAP_CA_FILE: slapd.other_ca_file }, /certificate.*LDAP_CA_FILE/s],
    ] as const) {
      const result = await says(changed)
      t.match(result, { code: 1, stdout: words }, JSON.stringify(changed))
      t.notMatch(result.stdout + result.stderr, /the password of the reader/)
    }
  })
})

t.test('a directory with the certificate of another host is shown nothing', async (t) => {
  const slapd = await startSlapd(t, ['other.example.com'])
  const ca = slapd.ca_file
  for (const url of [`ldaps://localhost:${slapd.tls_port}`, `ldap://localhost:${slapd.port}`]) {
    const { signIn, log } = await scene(t, {
      ...settingsFor(slapd),
      ldap_url: url,
      ldap_ca_file: ca,
    })
    t.equal(asPage(await signIn(...CAROL)).status, 503, url)
    t.match(log.join('\n'), /"problem":"certificate","detail":"ERR_TLS_CERT_ALTNAME_INVALID"/)
  }
  const { host, port } = { host: 'localhost', port: slapd.tls_port }
  await t.rejects(
    Connection.open({ host, port, tls: 'implicit' }),
    /certificate/,
    'nor is an unknown authority accepted',
  )
})
