import t from 'tap'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { createUser } from '../../support/records.ts'

t.test('records are found by their names, in lists and over all kinds', async (t) => {
  const { storage, redmint } = createCli()
  await createUser(storage, 'ako', { sub: 'ako', name: 'Anna Kowalski', email: 'anna@example.com' })
  await createUser(storage, 'bob', { sub: 'bob', name: 'Bob' })
  await redmint([
    'client',
    'add',
    'planner',
    '--public',
    '--name',
    'Savanna',
    '--redirect-uri',
    'https://a.example/cb',
  ])
  const list = async (...args: string[]) => parsed(await redmint([...args, '--json']))
  t.match(await list('user', 'list', '--find', 'KOWAL ann'), { users: [{ username: 'ako' }] })
  t.strictSame(await list('user', 'list', '--find', 'zoe'), { users: [] })
  t.match(await redmint(['user', 'list', '--find', 'zoe']), { code: 0, stdout: /Nothing is found by this/ })
  t.match(await redmint(['user', 'list', '--find', 'a', '--inactive', '9d']), { code: 2 })
  for (const noun of ['client', 'resource', 'issuer', 'provider'])
    t.match(await redmint([noun, 'list', '--find', 'nothing']), { code: 0, stdout: /Nothing is found/ }, noun)
  t.match(await list('find', 'anna'), {
    users: [{ username: 'ako', name: 'Anna Kowalski', email: 'anna@example.com' }],
    clients: [{ client_id: 'planner', client_name: 'Savanna' }],
  })
  t.match(await redmint(['find', 'anna']), {
    code: 0,
    stdout: /user +ako +Anna Kowalski[\s\S]*client +planner/,
  })
  t.match(await redmint(['find', 'nobody']), { code: 1, stdout: /Nothing is found/ })
})
