// A user is the same one however the name is written, at every command that takes it; no two look the same.
import t from 'tap'
import { CONSENT, consentId } from '../../../src/interaction/consent.ts'
import { write } from '../../../src/storage/records.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { recordFinding } from '../../support/record-finding.ts'
import { createUser, readUser } from '../../support/records.ts'
import { OTHER_CASE, SAME_CASE, STORED } from '../../support/spellings.ts'

const PASSWORD = 'correct horse battery'
const environment = {
  REDIS_URL: 'redis://127.0.0.1:1',
  LOG_LEVEL: 'warn',
  ARGON2_MEMORY: '8192',
  ARGON2_ITERATIONS: '1',
}

/** Each command that takes the username of a user, with its other arguments. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  show: [],
  lint: [],
  update: ['--claim', 'name=José'],
  'set-password': ['--password-stdin'],
  'withdraw-consent': ['app'],
  disable: [],
  enable: [],
  end: [],
  unlock: [],
  sessions: [],
  factors: [],
  'reset-factors': ['--all'],
  'reset-link': [],
  grants: [],
  'act-as': ['--client', 'shop', '--resource', 'https://orders.example', '--reason', 'a call'],
  remove: ['--yes'],
}

async function startWithUser() {
  const cli = createCli({ environment })
  await cli.redmint(['user', 'add', STORED, '--sub', 'jose'])
  await cli.redmint(['resource', 'add', 'https://orders.example', '--scope', 'orders.read'])
  await cli.redmint([
    'client',
    'add',
    'shop',
    '--redirect-uri',
    'https://shop.example/',
    '--scope',
    'orders.read',
  ])
  return cli
}

t.test('every command finds the user of each spelling', async (t) => {
  const { redmint } = createCli()
  const { stdout } = await redmint(['user', '--help'])
  const taking = [...stdout.matchAll(/^ +([\w-]+) .*[<[]username[>\]]/gm)].map(([, name]) => name)
  t.same(taking.filter((name) => name !== 'add').sort(), Object.keys(COMMANDS).sort(), 'the table has all')
  // At once: some wait a second, until no server knows the user as before.
  const runs = Object.entries(COMMANDS).map(async ([command, more]) => {
    const { storage, redmint } = await startWithUser()
    await storage.records.put(write(CONSENT, consentId('jose', 'app'), { scope: 'openid' }))
    const typed = '\u3000ｊose\u0301.kim@exam\u00ADple.com'
    const { code, stderr } = await redmint(['user', command, typed, ...more], PASSWORD)
    t.equal(code, 0, `${command} ${stderr}`)
  })
  await Promise.all(runs)
  const { redmint: show } = await startWithUser()
  for (const [what, typed] of Object.entries(SAME_CASE))
    t.equal((await show(['user', 'show', typed])).code, 0, what)
})

t.test('a command names the user whom a name in another case may mean', async (t) => {
  const { storage, redmint } = await startWithUser()
  for (const [command, more] of Object.entries(COMMANDS)) {
    for (const typed of Object.values(OTHER_CASE)) {
      const { code, stderr } = await redmint(['user', command, typed, ...more], PASSWORD)
      t.equal(code, 1, command)
      t.match(stderr, `did you mean "${STORED}"?`)
    }
  }
  t.strictSame(await readUser(storage, STORED), { sub: 'jose' })
})

t.test('a new user is stored in one form', async (t) => {
  for (const typed of Object.values(SAME_CASE)) {
    const entry = JSON.stringify([{ username: typed }])
    const declared = JSON.stringify({ label: 'staff', users: [{ username: typed }] })
    const ways: [args: string[], input: string][] = [
      [['user', 'add', typed], ''],
      [['user', 'import', '-'], entry],
      [['apply', '-'], declared],
    ]
    for (const [args, input] of ways) {
      const { storage, redmint } = createCli()
      t.match(await redmint(args, input), { code: 0 })
      t.ok(await readUser(storage, STORED), args.join(' '))
      if (args[0] === 'apply') t.match(await redmint(args, input), { code: 0, stdout: /unchanged/ })
    }
  }
})

t.test('nobody is added whom people take for another user, and the refusal names that one', async (t) => {
  const { storage, redmint } = await startWithUser()
  const label = 'staff'
  for (const [what, typed] of Object.entries({ ...SAME_CASE, ...OTHER_CASE })) {
    const is_same = Object.hasOwn(SAME_CASE, what)
    const entry = { username: typed }
    const answers = [
      await redmint(['user', 'add', typed]),
      await redmint(['user', 'import', '-'], JSON.stringify([entry])),
      await redmint(['apply', '-'], JSON.stringify({ label, users: [entry] })),
    ]
    for (const { code, stderr } of answers) {
      t.equal(code, 1, what)
      t.match(stderr, is_same ? /exists/ : new RegExp(`people take for that of the user "${STORED}"`))
    }
  }
  const names = []
  for await (const { id } of storage.records.list({ name: 'user' })) names.push(id)
  t.strictSame(names, [STORED])
})

t.test('a file says which of its rows collide', async (t) => {
  for (const [what, typed] of Object.entries({ ...SAME_CASE, ...OTHER_CASE })) {
    const { redmint } = createCli()
    const users = [{ username: 'ann' }, { username: STORED }, { username: typed }]
    const lines = users.map((user) => JSON.stringify(user)).join('\n')
    const where = Object.hasOwn(SAME_CASE, what) ? /twice, first at line 2/ : /username for that at line 2/
    const imported = await redmint(['user', 'import', '-', '--skip-existing'], lines)
    t.equal(imported.code, 1)
    t.match(imported.stderr, /^ {2}line 3 /m)
    t.match(imported.stderr, where, what)
    const applied = await redmint(['apply', '-'], JSON.stringify({ label: 'staff', users }))
    t.match(applied, { code: 1, stderr: /twice, first at |people take its username for/ }, what)
  }
})

t.test(
  'lint and doctor report what was written by hand in another form, or looks like another user',
  async (t) => {
    for (const typed of Object.values(SAME_CASE)) {
      const { storage, redmint } = createCli()
      await createUser(storage, typed, { sub: 'jose' })
      const { findings } = parsed<{ findings: { level: string; field: string; problem: string }[] }>(
        await redmint(['user', 'lint', '--json']),
      )
      const error = findings.find(({ level }) => level === 'error')
      t.match(error, { field: 'username', problem: `another spelling of "${STORED}"` })
      t.match(await recordFinding('users', storage), { level: 'problem' })
    }
    for (const typed of Object.values(OTHER_CASE).map((name) => name.normalize('NFKC'))) {
      const { storage, redmint } = await startWithUser()
      await createUser(storage, typed, { sub: 'other' })
      t.match(await redmint(['user', 'lint']), { stdout: new RegExp(`also belongs to "${typed}"`) })
      t.match(await recordFinding('users', storage), { level: 'ok' })
      t.match(await recordFinding('sign-in names', storage), { level: 'warning' })
    }
    const { storage, redmint } = createCli()
    await createUser(storage, '\u2800', { sub: 'blank' })
    t.match(await redmint(['user', 'lint']), { code: 1, stdout: /one of them visible/ })
  },
)

t.test('answers and repeated passwords are compared as people see them', async (t) => {
  const { storage, redmint } = await startWithUser()
  const again = `${PASSWORD} e\u0301\n${PASSWORD}\u00A0é\n`
  t.match(await redmint(['user', 'set-password', STORED], again, true), { code: 0 })
  t.match(await redmint(['user', 'set-password', STORED], 'e\u0301e\u0301e\u0301e\u0301\n'.repeat(2), true), {
    code: 1,
    stderr: /has 4 characters/,
  })
  t.match(await redmint(['user', 'remove', STORED], 'ｙｅｓ\n', true), { code: 0 })
  t.equal(await readUser(storage, STORED), undefined)
})
