// What operators ask of the directory, and what doctor finds of it.
import t from 'tap'
import { COMMAND } from '../../../../cli/admin-context.ts'
import { OPERATIONS } from '../../../../src/admin/operations.ts'
import { completeSettings } from '../../../../src/config/settings.ts'
import { directoryFinding } from '../../../../src/directory/checks.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { userRecord } from '../../../support/accounts.ts'
import { createCli } from '../../../support/cli/run-cli.ts'
import { FAKE_BASE, personNamed, startFakeDirectory } from '../../../support/directory/fake-directory.ts'
import { createUser } from '../../../support/records.ts'
import { ISSUER } from '../../../support/service.ts'

t.test('what the directory has for a name, with the link and the account here', async (t) => {
  const carol = personNamed('carol', { memberOf: [`cn=staff,${FAKE_BASE}`] })
  const disabled = personNamed('dora', { userAccountControl: ['514'] })
  const { port } = await startFakeDirectory(t, [carol, disabled])
  const storage = new MemoryStorage()
  const url = { ldap_url: `ldap://127.0.0.1:${port}`, ldap_tls: 'off' } as const
  const ask = async (username?: string, more: object = url) => {
    const settings = completeSettings({
      issuer: ISSUER,
      ldap_base_dn: FAKE_BASE,
      ldap_group_attribute: 'memberOf',
      ...more,
    })
    const context = { storage, settings, caller: COMMAND, report: () => {}, now: Date.now }
    const body = username === undefined ? {} : { username }
    return OPERATIONS.test_directory.run(context, { params: {}, query: {}, body })
  }
  const server = `127.0.0.1:${port}`
  t.strictSame(await ask(), { body: { server } })
  const linked_subject = `urn:redmint:directory#${carol.attributes.entryUUID}`
  const found = await ask('Carol')
  t.match(found, { body: { entries: 'one', entry: { linked_subject, accounts: 'made', wrong: [] } } })
  t.match(await ask('carol', { ...url, ldap_creates_users: false }), {
    body: { entry: { accounts: 'none' } },
  })
  for (const name of ['cc', 'c2']) {
    await createUser(storage, name, {
      ...(await userRecord(`sub-of-${name}`)),
      linked_subjects: linked_subject,
    })
    await indexUser(storage, name)
    const account = name === 'cc' ? { account: 'cc', accounts: 'one' } : { accounts: 'several' }
    const shown = await ask('carol')
    t.match(shown, {
      body: {
        entry: {
          dn: carol.dn,
          is_disabled: false,
          groups: ['staff'],
          claims: { name: 'Name of carol', email: 'carol@example.com' },
          ...account,
        },
      },
    })
    t.equal(shown.shows, name === 'cc' ? 'cc' : undefined, 'who looks at somebody is an event')
  }
  t.match(await ask('dora'), {
    body: { entry: { is_disabled: true, wrong: ['The directory disabled it.'] } },
  })
  t.match(await ask('carol', { ...url, ldap_id_attribute: 'objectGUID' }), {
    body: { entry: { wrong: ['The entry has no objectGUID: see LDAP_ID_ATTRIBUTE.'] } },
  })
  t.strictSame(await ask('nobody'), { body: { server, entries: 'none' } })
  t.strictSame(await ask('nobody', { ldap_url: 'ldaps://localhost:1' }), {
    body: {
      server: 'localhost:1',
      wrong: {
        found: 'there is no connection with localhost:1 (ECONNREFUSED)',
        advice: 'Look at LDAP_URL, and whether the directory runs and a firewall lets redmint through.',
      },
    },
  })
  for (const [more, code, message] of [
    [{}, 'conflict', /LDAP_URL is not set/],
    [{ ...url, ldap_user_filter: '(uid={username}' }, 'misconfigured', /LDAP_USER_FILTER is not a filter/],
    [{ ...url, ldap_ca_file: '/nowhere' }, 'misconfigured', /LDAP_CA_FILE must be/],
  ] as const)
    await t.rejects(ask('carol', more), { code, message })
})

t.test('the command says what is wrong with its settings', async (t) => {
  const run = (environment: Record<string, string>) =>
    createCli({ environment: { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn', ...environment } })
  t.match(await run({}).redmint(['directory', 'test']), { code: 2, stderr: 'LDAP_URL is not set' })
  t.match(
    await run({ LDAP_URL: 'ldaps://localhost:1', LDAP_CA_FILE: '/nowhere' }).redmint(['directory', 'test']),
    {
      code: 2,
      stderr: 'LDAP_CA_FILE must be',
    },
  )
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
