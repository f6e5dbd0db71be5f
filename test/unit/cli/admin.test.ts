import t from 'tap'
import { USER } from '../../../src/users/user-kind.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'

t.test('a user who got the field by hand is listed by the next change of the user', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['user', 'add', 'alice'], '')
  await storage.records.change(USER, 'alice', { set: { admin: 'redmint:write' } })
  await redmint(['user', 'update', 'alice', '--name', 'Alice'])
  t.match(parsed(await redmint(['admin', 'list', '--json'])), { users: [{ username: 'alice' }] })
})
