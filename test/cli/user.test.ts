import t from 'tap'
import { parseUser } from '../../src/records/user.ts'
import { parsed, sitDown } from './operator.ts'

t.test('user add, list and remove', async (t) => {
  const { storage, redmint } = sitDown()
  const claims = ['--claim', 'name=Alice = Example', '--claim', 'email=alice@example.com']
  const added = parsed<{ sub: string }>(await redmint(['user', 'add', 'alice', ...claims, '--json']))
  t.match(added.sub, /^[\w-]{22}$/)
  t.strictSame(parseUser('alice', (await storage.readUser('alice')) ?? {}), {
    ok: true,
    record: {
      username: 'alice',
      sub: added.sub,
      claims: { name: 'Alice = Example', email: 'alice@example.com' },
      disabled: false,
    },
  })
  await redmint(['user', 'add', 'bob', '--sub', 'bob-1'])
  await storage.createUser('carol', { sub: 'has space', password_hash: 'hush' })
  await storage.createUser('dave', { sub: 'dave', password_hash: 'hush' })
  const list = await redmint(['user', 'list'])
  t.match(list, { code: 0, stdout: /^bob +bob-1 +active$/m })
  t.match(list.stdout, /^carol +malformed +sub must be/m)
  const json = await redmint(['user', 'list', '--json'])
  t.match(parsed(json), {
    users: [added, { username: 'bob', sub: 'bob-1' }, { problems: [{ field: 'sub' }] }, { sub: 'dave' }],
  })
  t.notMatch(list.stdout + json.stdout, 'hush')
  t.match(await redmint(['user', 'remove', 'alice']), { code: 2, stderr: /no terminal/ })
  t.match(await redmint(['user', 'remove', 'alice'], 'n\n', true), { code: 1, stderr: /Nothing was changed/ })
  t.ok(await storage.readUser('alice'))
  t.match(await redmint(['user', 'remove', 'alice', '--yes']), { code: 0 })
  t.equal(await storage.readUser('alice'), undefined)
  t.match(await redmint(['user', 'remove', 'alice', '--yes']), { code: 1, stderr: /There is no user/ })
})

t.test('user add refuses what is there, and what would be malformed', async (t) => {
  const { storage, redmint } = sitDown()
  await redmint(['user', 'add', 'alice', '--sub', 'a-1'])
  const cases: [args: string[], code: number, message: RegExp][] = [
    [['alice'], 1, /There is a user "alice" already/],
    [['bob', '--sub', 'a-1'], 1, /The sub "a-1" is the user "alice" already/],
    [['bob', '--sub', 'has space'], 1, /sub must be/],
    [['a:b'], 1, /without white space, colons and braces/],
    [['bob', '--claim', 'email'], 2, /name=value/],
    [['bob', '--claim', 'sub=x'], 2, /sub is no claim/],
    [['bob', '--claim', 'password_hash=x'], 2, /password_hash is no claim/],
    [['bob', '--claim', 'disabled=true'], 2, /disabled is no claim/],
  ]
  for (const [args, code, message] of cases) {
    t.match(await redmint(['user', 'add', ...args]), { code, stdout: /^$/, stderr: message }, args.join(' '))
  }
  t.equal(await storage.readUser('bob'), undefined)
  t.strictSame(await storage.readUser('alice'), { sub: 'a-1' })
})
