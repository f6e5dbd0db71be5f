import t from 'tap'
import { startAtServer } from '../../support/cli/remote/at-server.ts'
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
  t.match(await redmint(['user', 'list', '--find', 'anna']), { stdout: /\n\n1 of 2 users\.$/m })
  t.match(await redmint(['client', 'list']), { stdout: /\n\n1 client\.$/m })
  t.match(await redmint(['find', 'anna']), { stdout: /\n\n2 records\.$/m })
})

t.test('what the caller may not read is said, and is no proof that there is nothing', async (t) => {
  const server = await startAtServer(t)
  const { issuer } = server
  const redmintWith = async (...scopes: string[]) =>
    server.elsewhere({ REDMINT_SERVER: issuer, REDMINT_TOKEN: await server.tokenOf(...scopes) })
  const blind = await redmintWith('redmint:keys:read')
  const refused = await blind(['find', 'alice'])
  t.match(refused, { code: 1, stdout: '' })
  for (const line of [
    'Not looked in users and groups: that takes the right redmint:users:read.',
    'Not looked in clients: that takes the right redmint:clients:read.',
    'Not looked in providers: that takes the right redmint:apis:read.',
  ])
    t.match(refused.stderr, line)
  for (const noun of ['user', 'client', 'resource', 'issuer', 'provider'])
    t.match(await blind([noun, 'list', '--find', 'alice']), { code: 1, stderr: /needs the scope redmint:/ })
  const partly = await redmintWith('redmint:users:read')
  const found = await partly(['find', 'alice'])
  t.match(found, { code: 0, stdout: /^user +alice/m })
  t.match(found.stdout, 'Not looked in clients: that takes the right redmint:clients:read.')
  t.notMatch(found.stdout, 'Not looked in users')
  t.match(await partly(['find', 'nobody']), {
    code: 1,
    stdout: /Nothing is found[\s\S]*Not looked in clients/,
  })
  t.notMatch((await (await redmintWith('redmint:read'))(['find', 'alice'])).stdout, 'Not looked in')
})
