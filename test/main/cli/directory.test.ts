// `redmint directory test`, and what doctor finds of a directory.
import t from 'tap'
import { directoryFinding } from '../../../src/admin/doctor/directory.ts'
import { completeSettings } from '../../../src/config/settings.ts'
import { userRecord } from '../../support/accounts.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { FAKE_BASE, personNamed, startFakeDirectory } from '../../support/directory/fake-directory.ts'
import { createUser } from '../../support/records.ts'
import { ISSUER } from '../../support/service.ts'

const REDIS = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn' }

t.test('what the directory has for a name is shown, with the link and the account here', async (t) => {
  const carol = personNamed('carol', { memberOf: [`cn=staff,${FAKE_BASE}`] })
  const disabled = personNamed('dora', { userAccountControl: ['514'] })
  const { port } = await startFakeDirectory(t, [carol, disabled])
  const environment = {
    ...REDIS,
    LDAP_URL: `ldap://127.0.0.1:${port}`,
    LDAP_TLS: 'off',
    LDAP_BASE_DN: FAKE_BASE,
    LDAP_GROUP_ATTRIBUTE: 'memberOf',
  }
  const { redmint, storage } = createCli({ environment })
  t.match(await redmint(['directory', 'test']), { code: 0, stdout: 'redmint may look for people there' })
  const link = `urn:redmint:directory#${carol.attributes.entryUUID}`
  const shown = await redmint(['directory', 'test', 'Carol'])
  t.match(shown, { code: 0, stdout: link })
  t.match(shown.stdout, /account here +none, the first/)
  await createUser(storage, 'cc', await userRecord('sub-of-cc'))
  t.match(await redmint(['user', 'update', 'cc', '--linked-subject', link]), { code: 0 })
  t.match(parsed(await redmint(['directory', 'test', 'carol', '--json'])), {
    answers: true,
    entry: {
      dn: carol.dn,
      account: 'cc',
      groups: ['staff'],
      claims: { name: 'Name of carol', email: 'carol@example.com' },
    },
  })
  t.match(await redmint(['directory', 'test', 'dora']), { code: 1, stdout: 'The directory disabled it.' })
  t.match(await redmint(['directory', 'test', 'nobody']), { code: 1, stdout: 'finds no entry' })
})

t.test('settings that are of no use are named before the directory is asked', async (t) => {
  const run = (more: Record<string, string>) =>
    createCli({ environment: { ...REDIS, ...more } }).redmint(['directory', 'test'])
  t.match(await run({}), { code: 2, stderr: 'LDAP_URL is not set' })
  const LDAP_URL = 'ldaps://localhost:1'
  t.match(await run({ LDAP_URL, LDAP_USER_FILTER: '(uid={username}' }), {
    code: 2,
    stderr: 'LDAP_USER_FILTER is not a filter',
  })
  t.match(await run({ LDAP_URL, LDAP_CA_FILE: '/nowhere' }), { code: 2, stderr: 'LDAP_CA_FILE must be' })
  t.match(await run({ LDAP_URL }), { code: 1, stdout: /no connection with localhost:1 \(ECONNREFUSED\)/ })
})

t.test('doctor looks whether people are found', async (t) => {
  const { port } = await startFakeDirectory(t, [])
  const find = (more: object) =>
    directoryFinding(completeSettings({ issuer: ISSUER, ldap_base_dn: FAKE_BASE, ...more }))
  t.match(await find({}), { level: 'ok', finding: 'LDAP_URL is not set: nobody is looked for' })
  t.match(await find({ ldap_url: `ldap://127.0.0.1:${port}`, ldap_tls: 'off' }), {
    level: 'ok',
    finding: /finds people/,
  })
  t.match(await find({ ldap_url: 'ldaps://localhost:1' }), { level: 'problem', advice: /LDAP_URL/ })
  t.match(await find({ ldap_url: 'ldaps://localhost:1', ldap_ca_file: '/nowhere' }), {
    level: 'problem',
    finding: /LDAP_CA_FILE/,
  })
})
