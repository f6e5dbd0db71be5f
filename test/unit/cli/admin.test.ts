import t from 'tap'
import { USER } from '../../../src/users/user-kind.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'

t.test('rights at the admin API are granted, listed and revoked', async (t) => {
  const { storage, redmint } = createCli()
  const adminOf = async (username: string) => (await storage.records.read(USER, username))?.hash.admin
  for (const name of ['alice', 'bob']) await redmint(['user', 'add', name], '')
  t.match(await redmint(['admin', 'list']), { code: 0, stdout: /No user/ })
  t.match(await redmint(['admin', 'grant', 'nobody']), { code: 1, stderr: /There is no user/ })
  t.match(await redmint(['admin', 'grant', 'alice', '--scope', 'redmint:red']), {
    code: 2,
    stderr: /redmint:red is none of redmint:read/,
  })
  t.match(await redmint(['admin', 'grant', 'alice']), { code: 0, stdout: /redmint:read redmint:write/ })
  t.equal(await adminOf('alice'), 'redmint:read redmint:write')
  t.match(parsed(await redmint(['admin', 'grant', 'bob', '--scope', 'redmint:users:read', '--json'])), {
    username: 'bob',
    admin: ['redmint:users:read'],
  })
  await redmint(['admin', 'grant', 'bob', '--scope', 'redmint:read'])
  t.equal(await adminOf('bob'), 'redmint:read', 'a sum has its parts')
  t.match(parsed(await redmint(['admin', 'list', '--json'])), {
    users: [{ username: 'alice' }, { username: 'bob', disabled: false }],
  })

  const last = { code: 1, stderr: /"alice" is the last one with redmint:write/ }
  t.match(await redmint(['admin', 'revoke', 'alice']), last)
  t.match(await redmint(['admin', 'revoke', 'alice', '--scope', 'redmint:write']), last)
  t.match(await redmint(['user', 'disable', 'alice']), last)
  t.match(await redmint(['user', 'remove', 'alice', '--yes']), last)
  t.match(await redmint(['admin', 'revoke', 'alice', '--scope', 'redmint:read']), { code: 0 })
  await redmint(['admin', 'grant', 'bob'])
  t.match(await redmint(['admin', 'revoke', 'alice']), { code: 0, stdout: /: nothing\./ })
  t.equal(await adminOf('alice'), undefined)
})

t.test('a user who got the field by hand is listed by the next change of the user', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['user', 'add', 'alice'], '')
  await storage.records.change(USER, 'alice', { set: { admin: 'redmint:write' } })
  await redmint(['user', 'update', 'alice', '--name', 'Alice'])
  t.match(parsed(await redmint(['admin', 'list', '--json'])), { users: [{ username: 'alice' }] })
})
