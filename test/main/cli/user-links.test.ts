// Links by which people help themselves.
import t from 'tap'
import { USER } from '../../../src/users/user-kind.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'

t.test('D11 an operator makes a link to a new password, and never sees a password', async (t) => {
  const { redmint, storage } = createCli()
  await redmint(['user', 'add', 'alice'])
  const before = (await storage.records.read(USER, 'alice'))?.hash
  const { code, stdout } = await redmint(['user', 'reset-link', 'ALICE'.toLowerCase()])
  t.equal(code, 0)
  t.match(stdout, /^http:\/\/localhost:3000\/reset-password\?link=[\w-]{16}\.[\w-]{43}\n/)
  t.strictSame((await storage.records.read(USER, 'alice'))?.hash, before, 'nothing is changed by it')
  t.match(parsed(await redmint(['user', 'reset-link', 'alice', '--json'])), {
    username: 'alice',
    url: /reset-password/,
    expires_at: String,
  })
  t.match(await redmint(['user', 'reset-link', 'nobody']), { code: 1, stderr: /no user/ })
  await redmint(['user', 'disable', 'alice'])
  t.match(await redmint(['user', 'reset-link', 'alice']), { code: 1, stderr: /is disabled/ })
})

t.test('23 with SIGN_IN=passkeys a link takes the place of a password, which no command sets', async (t) => {
  const { redmint, storage } = createCli({
    environment: { REDIS_URL: 'redis://localhost', SIGN_IN: 'passkeys' },
  })
  const added = await redmint(['user', 'add', 'alice'])
  t.match(added, { code: 0, stdout: /\/reset-password\?link=[\w-]{16}\.[\w-]{43}\n/ })
  t.match(added.stdout, 'The user makes a passkey with it')
  const json = parsed(await redmint(['user', 'add', 'bob', '--json']))
  t.match(json, { username: 'bob', reset_link: { url: /reset-password/, expires_at: String } })
  const stdin = 'seven wet umbrellas at noon'
  for (const args of [
    ['user', 'add', 'carol', '--password-stdin'],
    ['user', 'set-password', 'alice', '--password-stdin'],
  ])
    t.match(await redmint(args, stdin), { code: 1, stderr: /is of no use: with SIGN_IN=passkeys/ })
  const users = JSON.stringify([{ username: 'dora', password: stdin }])
  t.match(await redmint(['user', 'import', '-'], users), { code: 1, stderr: /is of no use/ })
  for (const username of ['alice', 'bob', 'carol', 'dora'])
    t.notOk((await storage.records.read(USER, username))?.hash.password_hash, username)
})

t.test('E3 an operator invites, lists and removes', async (t) => {
  const { redmint } = createCli()
  t.match((await redmint(['user', 'invitations'])).stdout, 'There are no invitations.')
  const invited = parsed(
    await redmint(['user', 'invite', '--groups', 'staff, editors', '--uses', '3', '--days', '2', '--json']),
  )
  t.match(invited, { url: /\/welcome\?link=/, groups: ['staff', 'editors'], uses: 3 })
  await redmint(['user', 'invite', '--email', 'bob@EXAMPLE.com'])
  const listed = await redmint(['user', 'invitations', '--json'])
  t.match(
    parsed<{ invitations: { email?: string }[] }>(listed)
      .invitations.map(({ email }) => email)
      .sort(),
    ['bob@example.com'],
  )
  t.notMatch(listed.stdout, String(invited.url).slice(-43), 'the secret is not shown again')
  t.match(listed.stdout, '"by":"command"')
  t.equal((await redmint(['user', 'remove-invitation', String(invited.id)])).code, 0)
  t.equal((await redmint(['user', 'remove-invitation', String(invited.id)])).code, 1)
  t.equal(
    parsed<{ invitations: unknown[] }>(await redmint(['user', 'invitations', '--json'])).invitations.length,
    1,
  )
})

t.test('E1 E3 what cannot be an invitation is refused', async (t) => {
  const { redmint, storage } = createCli()
  const refused: readonly (readonly [string[], RegExp])[] = [
    [['--email', 'bob'], /email/],
    [['--email', '"b b"@example.com'], /email/],
    [['--email', 'bob＠example.com'], /email/],
    [['--email', 'bob@example.com', '--uses', '2'], /uses/],
    [['--uses', '0'], /whole number/],
    [['--days', '91'], /whole number/],
    [['--groups', 'x'.repeat(4000)], /255 characters/],
  ]
  for (const [flags, words] of refused) {
    const { code, stderr } = await redmint(['user', 'invite', ...flags])
    t.not(code, 0, flags.join(' ').slice(0, 60))
    t.match(stderr, words)
  }
  await redmint(['user', 'add', 'bob', '--email', 'bob@example.com', '--email-verified'])
  t.match(await redmint(['user', 'invite', '--email', 'BOB@example.com']), { code: 1, stderr: /already/ })
  for await (const { id } of storage.records.scan({ name: 'user-invitation' })) t.fail(id)
})

t.test('where nobody signs in with what a link sets up, none is made, and it is said', async (t) => {
  for (const SIGN_IN of ['directory', 'provider:acme']) {
    const environment = { REDIS_URL: 'redis://localhost', SIGN_IN, LDAP_URL: 'ldaps://ldap.example.com' }
    const ldap = { LDAP_BASE_DN: 'dc=example,dc=com', PASSKEYS: 'off' }
    const { redmint } = createCli({
      environment:
        SIGN_IN === 'directory' ? { ...environment, ...ldap } : { REDIS_URL: 'redis://localhost', SIGN_IN },
    })
    await redmint(['user', 'add', 'alice'])
    t.match(
      await redmint(['user', 'reset-link', 'alice']),
      { code: 1, stderr: /Nobody signs in here with a password/ },
      SIGN_IN,
    )
    t.match(await redmint(['user', 'invite']), { code: 1, stderr: /have elsewhere/ }, SIGN_IN)
  }
})
