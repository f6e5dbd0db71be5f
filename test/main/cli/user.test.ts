import t from 'tap'
import { completeSettings } from '../../../src/config/settings.ts'
import { SILENT } from '../../../src/core/log.ts'
import { FACTORS, NO_FACTORS } from '../../../src/factors/factors-record.ts'
import { noteFitted } from '../../../src/storage/indexes.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { write } from '../../../src/storage/records.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../src/storage/redis/storage.ts'
import { Passwords } from '../../../src/users/passwords.ts'
import { parseUser } from '../../../src/users/user-record.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { signIn } from '../../support/cli/tokens.ts'
import { changeUser, createUser, readUser } from '../../support/records.ts'
import { startRedis } from '../../support/redis-server.ts'

t.test('user lint: malformed records, passwords that never fit, and the user of demo mode', async (t) => {
  const { storage, redmint } = createCli()
  t.match(await redmint(['user', 'lint']), { code: 0, stdout: '0 users: 0 errors, 0 warnings.' })
  await redmint(['user', 'add', 'bob'])
  await createUser(storage, 'carol', { sub: 'has space' })
  await createUser(storage, 'dave', { sub: 'dave', password_hash: 'hush' })
  await createUser(storage, 'alice', { sub: 'alice', demo: 'true' })
  const bcrypt = (cost: number) => `$2b$${cost}$R1lJ2gkNaoPGdafE.H.16.1MKHPvmKwryeulRe225LKProWYwt9Oi`
  await createUser(storage, 'erin', { sub: 'erin', password_hash: bcrypt(15) })
  await createUser(storage, 'frank', { sub: 'frank', password_hash: bcrypt(14) })
  const all = await redmint(['user', 'lint', '--json'])
  t.equal(all.code, 1)
  t.strictSame(Object.keys(parsed(all)), ['users', 'errors', 'warnings', 'findings'])
  t.match(parsed(all), {
    users: 6,
    errors: 1,
    warnings: 3,
    findings: [
      { level: 'warning', username: 'alice', field: 'demo', problem: /redmint user remove alice$/ },
      { level: 'error', username: 'carol', field: 'sub' },
      { level: 'warning', username: 'dave', field: 'password_hash', problem: /user set-password/ },
      { level: 'warning', username: 'erin', field: 'password_hash', problem: /^costs too much: at most 14 / },
    ],
  })
  t.match(await redmint(['user', 'lint', 'alice']), { code: 0, stdout: /^warning +alice +demo is true: /m })
  t.match(await redmint(['user', 'lint', 'nobody']), { code: 1, stderr: /There is no user "nobody"/ })
  t.match(await redmint(['user', 'list']), { stdout: /^alice +alice +demo /m })
})

t.test('user add, list and remove', async (t) => {
  const { storage, redmint } = createCli()
  const claims = [
    '--claim',
    'name=Alice = Example',
    '--claim',
    'email=alice@example.com',
    '--claim',
    'email_verified=false',
  ]
  const { next_step, ...added } = parsed<{ sub: string; next_step?: string }>(
    await redmint(['user', 'add', 'alice', ...claims, '--json']),
  )
  t.match(next_step, 'redmint user reset-link alice')
  t.match(added.sub, /^[\w-]{22}$/)
  t.strictSame(parseUser('alice', (await readUser(storage, 'alice')) ?? {}), {
    ok: true,
    record: {
      generation: 0,
      username: 'alice',
      sub: added.sub,
      claims: { name: 'Alice = Example', email: 'alice@example.com', email_verified: 'false' },
      custom_claims: {},
      disabled: false,
      demo: false,
    },
  })
  await redmint(['user', 'add', 'bob', '--sub', 'bob-1'])
  await createUser(storage, 'carol', { sub: 'has space', password_hash: 'hush!' })
  await createUser(storage, 'dave', { sub: 'dave', password_hash: 'hush!', pasword: 'hush!' })
  const list = await redmint(['user', 'list'])
  t.match(list, { code: 0, stdout: /^bob +bob-1 +active +none$/m })
  t.match(list.stdout, /^carol +malformed +sub must be/m)
  const json = await redmint(['user', 'list', '--json'])
  t.match(parsed(json), {
    users: [
      added,
      { username: 'bob', sub: 'bob-1' },
      { problems: [{ field: 'sub' }] },
      { sub: 'dave', password: 'unusable' },
    ],
  })
  t.notMatch(list.stdout + json.stdout, 'hush!')
  t.match(await redmint(['user', 'remove', 'alice']), { code: 2, stderr: /no terminal/ })
  t.match(await redmint(['user', 'remove', 'alice'], 'n\n', true), { code: 1, stderr: /Nothing was changed/ })
  t.ok(await readUser(storage, 'alice'))
  t.match(await redmint(['user', 'remove', 'alice', '--yes']), { code: 0 })
  t.equal(await readUser(storage, 'alice'), undefined)
  t.match(await redmint(['user', 'remove', 'alice', '--yes']), { code: 1, stderr: /There is no user/ })
})

t.test('user add refuses existing users and malformed records', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['user', 'add', 'alice', '--sub', 'a-1'])
  const cases: [args: string[], code: number, message: RegExp][] = [
    [['alice'], 1, /The user "alice" exists already/],
    [['bob', '--sub', 'a-1'], 1, /The sub "a-1" belongs to the user "alice" already/],
    [['bob', '--sub', 'has space'], 1, /sub must be/],
    [['a:b'], 1, /without white space, control characters, colons and braces/],
    [['bob', '--claim', 'email'], 2, /name=value/],
    [['bob', '--claim', 'sub=x'], 2, /sub cannot be set as a claim/],
    [['bob', '--claim', 'password_hash=x'], 2, /password_hash cannot be set as a claim/],
    [['bob', '--claim', '__proto__=x'], 2, /__proto__ is not a claim name/],
    [['bob', '--claim', 'email_verified=yes'], 2, /email_verified must be true or false/],
    [['bob', '--claim', 'address=Berlin'], 2, /address must be an object/],
    [['bob', '--claim', 'emails=x'], 2, /emails is not a standard claim .* did you mean email\?/],
    [['bob', '--claim', 'iss=x'], 2, /iss cannot be set as a claim: its meaning is fixed/],
    [['bob', '--claim', 'employee_id=12345678901234567890'], 2, /employee_id must be .*as a text/],
    [['bob', '--claims', '-', '--password-stdin'], 2, /cannot both read stdin/],
    [['bob', '--claims', '/nowhere/at/all.json'], 2, /ENOENT/],
    [['bob', '--claim', 'disabled=true'], 2, /disabled cannot be set as a claim/],
  ]
  for (const [args, code, message] of cases) {
    t.match(await redmint(['user', 'add', ...args]), { code, stdout: /^$/, stderr: message }, args.join(' '))
  }
  t.equal(await readUser(storage, 'bob'), undefined)
  t.strictSame(await readUser(storage, 'alice'), { sub: 'a-1' })
})

const PASSWORD = 'correct horse battery'
const ADDRESS = { street_address: 'Unter den Linden 1\nHof', locality: 'Berlin' }
const passwords = new Passwords({ settings: completeSettings({ issuer: 'https://a.example' }) })

t.test('claims of every type, from a file and from flags', async (t) => {
  const { storage, redmint } = createCli()
  const claims = {
    name: 'Alice',
    nickname: '',
    email: 'alice@example.com',
    email_verified: true,
    updated_at: 1_700_000_000,
    phone_number: null,
    address: ADDRESS,
  }
  const add = ['user', 'add', 'alice', '--sub', 'a-1', '--claims', '-', '--claim', 'email_verified=false']
  t.match(await redmint(add, JSON.stringify(claims)), { code: 0 })
  t.strictSame(await readUser(storage, 'alice'), {
    sub: 'a-1',
    name: 'Alice',
    email: 'alice@example.com',
    email_verified: 'false',
    updated_at: '1700000000',
    address: JSON.stringify(ADDRESS),
  })
  t.match(await redmint(['user', 'show', 'alice']), { code: 0, stdout: /^email_verified {2}false$/m })
  const update = ['user', 'update', 'alice', '--remove-claim', 'name', '--claim', 'address={"country":"DE"}']
  t.match(await redmint(update), { code: 0, stdout: /^address +{"country":"DE"}$/m })
  t.strictSame(Object.keys((await readUser(storage, 'alice')) ?? {}).sort(), [
    'address',
    'email',
    'email_verified',
    'sub',
    'updated_at',
  ])
})

t.test('custom claims are set, shown and removed', async (t) => {
  const { storage, redmint } = createCli()
  const typed = ['groups=["admin","staff"]', 'level=3', 'staff=true', 'unit={"name":"R&D","floors":[1,2]}']
  const texts = ['department=Sales', 'employee_id="007"', 'https://a.example/plan=gold=1']
  const flags = [...typed, ...texts].flatMap((claim) => ['--claim', claim])
  const file = JSON.stringify({ roles: ['reader'], level: 1, empty: '', none: null })
  t.match(await redmint(['user', 'add', 'alice', '--sub', 'a-1', '--claims', '-', ...flags], file), {
    code: 0,
  })
  t.strictSame(await readUser(storage, 'alice'), {
    sub: 'a-1',
    'claim:roles': '["reader"]',
    'claim:level': '3',
    'claim:groups': '["admin","staff"]',
    'claim:staff': 'true',
    'claim:unit': '{"name":"R&D","floors":[1,2]}',
    'claim:department': '"Sales"',
    'claim:employee_id': '"007"',
    'claim:https://a.example/plan': '"gold=1"',
  })
  t.match(await redmint(['user', 'show', 'alice']), { code: 0, stdout: /^groups +\["admin","staff"\]$/m })
  t.match(await redmint(['user', 'list']), { stdout: /groups=\["admin","staff"\]/ })
  t.match(JSON.parse((await redmint(['user', 'show', 'alice', '--json'])).stdout), {
    claims: {},
    custom_claims: { level: 3, unit: { floors: [1, 2] } },
  })
  const update = ['--claim', 'groups=["staff"]', '--remove-claim', 'roles', '--remove-claim', 'unit']
  t.match(await redmint(['user', 'update', 'alice', ...update]), { code: 0 })
  const {
    'claim:groups': groups,
    'claim:roles': roles,
    'claim:unit': unit,
  } = (await readUser(storage, 'alice')) ?? {}
  t.strictSame([groups, roles, unit], ['["staff"]', undefined, undefined])
  const long = Object.fromEntries(['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => [name, 'x'.repeat(4000)]))
  const refused = await redmint(['user', 'add', 'bob', '--claims', '-'], JSON.stringify(long))
  t.match(refused, { code: 1, stderr: /claims must have at most 8192 bytes in all/ })
})

t.test('all invalid claims are reported, and nothing is written', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['user', 'add', 'bob'])
  const before = await readUser(storage, 'bob')
  const bad = {
    sub: 'x',
    emial: 'a@b',
    email: 'nobody',
    email_verified: 'true',
    updated_at: -1,
    birthdate: '2001-02-29',
    website: 'javascript:alert(1)',
    address: { planet: 'Earth' },
    name: 7,
  }
  for (const command of ['add', 'update']) {
    const name = command === 'add' ? 'alice' : 'bob'
    const answer = await redmint(['user', command, name, '--claims', '-'], JSON.stringify(bad))
    t.match(answer, { code: 1, stdout: /^$/ })
    t.strictSame(answer.stderr.trimEnd().split('\n'), [
      'The claims are invalid, so nothing was written:',
      '  sub cannot be set as a claim: its meaning is fixed',
      '  emial is not a standard claim (OpenID Connect Core §5.1): did you mean email?',
      '  email must be an address such as alice@example.com',
      '  email_verified must be true or false',
      '  updated_at must be a number of seconds since 1970',
      '  birthdate must be YYYY-MM-DD or YYYY',
      '  website must be an http or https URL',
      '  address must be an object of texts: formatted, street_address, locality, region, postal_code, country',
      '  name must be a text',
    ])
  }
  t.equal(await readUser(storage, 'alice'), undefined)
  t.strictSame(await readUser(storage, 'bob'), before)
  t.match(await redmint(['user', 'update', 'bob']), { code: 2, stderr: /nothing to change/ })
  t.match(await redmint(['user', 'update', 'carol', '--claim', 'name=C']), { code: 1, stderr: /no user/ })
  const both = ['user', 'update', 'bob', '--claim', 'name=B', '--remove-claim', 'name']
  t.match(await redmint(both), { code: 2, stderr: /choose one/ })
  t.match(await redmint(['user', 'update', 'bob', '--remove-claim', 'sub']), {
    code: 2,
    stderr: /is not a claim/,
  })
  t.match(await redmint(['user', 'add', 'alice', '--claims', '-'], '[]'), { code: 1, stderr: /JSON object/ })
})

t.test('a password from stdin or typed twice is hashed and never shown', async (t) => {
  const { storage, redmint } = createCli()
  const hashOf = async (username: string) => (await readUser(storage, username))?.password_hash
  const added = await redmint(['user', 'add', 'alice', '--password-stdin', '--json'], `${PASSWORD}\n`)
  t.match(parsed(added), { username: 'alice', password: 'set', password_hash: undefined })
  t.ok(await passwords.verify(PASSWORD, await hashOf('alice')))

  const set = ['user', 'set-password', 'alice']
  t.match(await redmint([...set, '--password-stdin'], 'yet another password'), {
    code: 0,
    stdout: /new password/,
  })
  t.ok(await passwords.verify('yet another password', await hashOf('alice')))

  const typed = await redmint(set, 'a typed password\na typed password\n', true)
  t.match(typed, { code: 0, stderr: /^New password: \nRepeat the password: \n$/ })
  t.ok(await passwords.verify('a typed password', await hashOf('alice')))

  const first = ['user', 'add', 'dora', '--name', 'Dora', '--email', 'dora@example.com', '--email-verified']
  const typedFirst = await redmint(first, 'a typed password\na typed password\n', true)
  t.match(typedFirst, { code: 0, stderr: /^Password \(empty: none yet\): \nRepeat the password: \n$/ })
  t.notMatch(typedFirst.stdout, /Warning/)
  t.ok(await passwords.verify('a typed password', await hashOf('dora')))
  const record = { name: 'Dora', email: 'dora@example.com', email_verified: 'true' }
  t.match(await readUser(storage, 'dora'), record)
  t.match(await redmint(['user', 'add', 'emil'], 'first password typed\nother password typed\n', true), {
    code: 1,
  })
  t.match(await redmint(['user', 'add', 'emil'], '', true), { code: 1, stderr: /Nothing was changed/ })
  t.equal(await readUser(storage, 'emil'), undefined)
  const unverified = await redmint(['user', 'add', 'emil', '--email', 'e@example.com'], '\n', true)
  t.match(unverified.stdout, /Warning: email_verified is missing, so nobody can sign in as e@example\.com: /)
  t.equal((await readUser(storage, 'emil'))?.password_hash, undefined)
  t.match((await redmint(['user', 'lint', 'emil'])).stdout, /warning +emil +email_verified is missing/)
  t.match(await redmint(['user', 'update', 'emil', '--email-verified']), { code: 0 })
  t.match((await redmint(['user', 'lint', 'emil'])).stdout, /0 errors, 0 warnings/)
  const both = ['user', 'update', 'emil', '--email', 'a@example.com', '--claim', 'email=b@example.com']
  t.match(await redmint(both), { code: 2, stderr: /email is given twice/ })

  const hash = await hashOf('alice')
  const cases: [input: string, isTTY: boolean, code: number, message: RegExp][] = [
    ['first password typed\nother password typed\n', true, 1, /differ/],
    ['first password typed\n', true, 1, /Nothing was changed/],
    ['', true, 1, /Nothing was changed/],
    ['short\nshort\n', true, 1, /has 5 characters, and needs at least 15/],
    ['', false, 2, /no terminal to ask for the password: give --password-stdin/],
  ]
  for (const [input, isTTY, code, stderr] of cases) {
    t.match(await redmint(set, input, isTTY), { code, stdout: /^$/, stderr }, JSON.stringify(input))
  }
  for (const [given, message] of [
    ['1234567', /has 7 characters/],
    ['', /has 0 characters/],
    ['x'.repeat(1025), /at most 1024 bytes/],
    ['12345678\u0007 12345678', /no control characters/],
    ['passwordpassword', /is among the most common ones/],
  ] as const) {
    t.match(await redmint([...set, '--password-stdin'], given), { code: 1, stderr: message })
  }
  t.equal(await hashOf('alice'), hash)
  const nobody = await redmint(['user', 'set-password', 'bob', '--password-stdin'], PASSWORD)
  t.match(nobody, { code: 1, stderr: /There is no user "bob"/ })
  const shown = await redmint(['user', 'show', 'alice', '--json'])
  t.match(parsed(shown), { password: 'set' })
  for (const { stdout, stderr } of [added, typed, shown, nobody, await redmint(['user', 'list'])]) {
    t.notMatch(stdout + stderr, /argon2|password_hash|horse|a typed password\n/)
  }
})

t.test('a new password has the length of PASSWORD_MIN_LENGTH, and is not what others know', async (t) => {
  const storage = new MemoryStorage()
  const environment = {
    LOG_LEVEL: 'warn',
    REDIS_URL: 'redis://127.0.0.1:1',
    PASSWORD_MIN_LENGTH: '8',
    SERVICE_NAME: 'Mill House',
    ISSUER: 'https://login.example.com',
  }
  const { redmint } = createCli({ storage, environment })
  const add = ['user', 'add', 'alice.liddell', '--email', 'white.rabbit@example.com', '--password-stdin']
  const set = ['user', 'set-password', 'alice.liddell', '--password-stdin']
  const known = ['alice.liddell', 'White.Rabbit@example.com', 'millhouse', 'login.example.com']
  for (const password of known)
    t.match(await redmint(add, password), { code: 1, stderr: /which others know/ })
  t.equal(await readUser(storage, 'alice.liddell'), undefined)
  t.match(await redmint(add, 'mad hatter'), { code: 0 })
  for (const password of known)
    t.match(await redmint(set, password), { code: 1, stderr: /which others know/ })
  const short = createCli({ environment: { ...environment, PASSWORD_MIN_LENGTH: '7' } })
  t.match(await short.redmint(add, PASSWORD), { code: 2, stderr: /PASSWORD_MIN_LENGTH must be/ })
})

t.test('set-password ends the sessions and tokens of the user', async (t) => {
  const { storage, redmint } = createCli()
  await createUser(storage, 'alice', { sub: 'alice' })
  const { grant, refresh_token } = await signIn(storage, 'alice')
  const answer = await redmint(['user', 'set-password', 'alice', '--password-stdin'], PASSWORD)
  t.match(answer, { code: 0, stdout: /^The user has a new password\. Ended: 1 sign-in\./ })
  t.match(await storage.families.findFamily(grant), { status: 'revoked' })
  t.match(await storage.families.findToken(refresh_token), { revoked: 'true' })
})

t.test('set-password reports that another process sets a password at the same time', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage })
  await createUser(storage, 'alice', { sub: 'alice' })
  const { queue } = storage
  const add = queue.add.bind(queue)
  queue.add = async (...given) => {
    await changeUser(storage, 'alice', { set: { password_hash: 'old' }, unset: [] })
    return add(...given)
  }
  const answer = await redmint(['user', 'set-password', 'alice', '--password-stdin'], PASSWORD)
  t.match(answer, { code: 1, stdout: /^$/, stderr: /at the same time: repeat/ })
})

t.test('user list --inactive finds who did not sign in for so long, or never did', async (t) => {
  const now = Date.parse('2026-11-26T12:00:00Z')
  const day = 86_400_000
  const { storage, redmint } = createCli({
    storage: new MemoryStorage({ now: () => now - 91 * day }),
    now: () => now,
  })
  for (const name of ['never', 'long-ago', 'lately', 'removed'])
    t.equal((await redmint(['user', 'add', name])).code, 0)
  const signIn = (username: string, days: number) => {
    const browser = { name: 'browser', bound_to: 'password' }
    const signed_in = { username, at: now - days * day }
    return storage.counters.rememberBrowser(username, browser, { max: 5, ttl: 60 }, signed_in)
  }
  await signIn('long-ago', 90)
  await signIn('lately', 89)
  await signIn('removed', 100)
  await redmint(['user', 'remove', 'removed', '--yes'])
  t.strictSame(await storage.sign_ins.of(['removed']), [{ username: 'removed' }], 'it goes with the user')
  const dormant = parsed<{ users: object[] }>(await redmint(['user', 'list', '--inactive', '90d', '--json']))
  t.match(dormant.users, [
    { username: 'long-ago', last_sign_in_at: '2026-08-28T12:00:00.000Z' },
    { username: 'never', last_sign_in_at: undefined },
  ])
  t.equal(dormant.users.length, 2)
  t.match(await redmint(['user', 'list', '--inactive', '90d']), { stdout: /^long-ago .* 2026-08-28/m })
  t.match(await redmint(['user', 'list', '--inactive', '100d']), { stdout: /^Every user signed in after / })
  t.match(await redmint(['user', 'show', 'lately']), { stdout: /^last sign-in +2026-08-29T12:00:00.000Z$/m })
  for (const wrong of ['90', '0d', '5h', '10000d'])
    t.match(await redmint(['user', 'list', '--inactive', wrong]), {
      code: 2,
      stderr: /Give a number of days: 90d/,
    })
})

t.test(
  'once servers keep the lists, lists read them; lint and doctor scan and say what is missing',
  async (t) => {
    const redis = await startRedis(t)
    const storage = openRedis({ kind: 'single', url: redis.url }, new RedisKeys('redmint:'), SILENT)
    const close = storage.close.bind(storage)
    t.teardown(close)
    const { redmint } = createCli({ storage })
    await redmint(['user', 'add', 'alice'])
    await redis.cli('HSET', 'redmint:user:bob', 'sub', 'bob-1')
    const names = async () =>
      parsed<{ users: { username: string }[] }>(await redmint(['user', 'list', '--json'])).users.map(
        ({ username }) => username,
      )
    const unlisted = async () =>
      parsed<{ findings: { field: string; problem: string }[] }>(await redmint(['user', 'lint', '--json']))
        .findings.filter(({ field }) => field === 'username')
        .map(({ problem }) => problem)
    t.strictSame(await names(), ['alice', 'bob'], 'no server has repaired the list, so all keys are scanned')
    t.strictSame(await unlisted(), [])
    t.match(await redmint(['user', 'add', 'carol', '--sub', 'bob-1']), {
      code: 1,
      stderr: /belongs to the user "bob"/,
    })
    await noteFitted(storage, Date.now())
    t.strictSame(await names(), ['alice'])
    t.strictSame(await unlisted(), ['is not in the list of users: run redmint user reindex'])
    t.match(
      parsed(await redmint(['user', 'reindex', '--json'])),
      { added: 1, removed: 0 },
      'the sub was indexed by the addition',
    )
    t.strictSame(await names(), ['alice', 'bob'])
    t.strictSame(await unlisted(), [])
    t.match(await redmint(['user', 'add', 'carol', '--sub', 'bob-1']), {
      code: 1,
      stderr: /belongs to the user "bob"/,
    })
    for (const kind of ['client', 'resource', 'issuer'])
      t.match(await redmint([kind, 'reindex']), { code: 0, stdout: /0 names added, 0 removed/ }, kind)
  },
)

t.test('user factors and user reset-factors show and remove what there is besides a password', async (t) => {
  const { redmint, storage } = createCli()
  await redmint(['user', 'add', 'alice', '--password-stdin'], PASSWORD)
  const nothing = await redmint(['user', 'factors', 'alice'])
  t.match(nothing, { code: 0, stdout: /nothing besides a password/ })
  t.match(await redmint(['user', 'reset-factors', 'alice', '--all']), {
    code: 0,
    stdout: /nothing to remove/,
  })
  const totp = { secret: 'sealed', created_at: 1_800_000_000_000, last_step: 1, failures: 0 }
  const recovery = { digests: ['a', 'b'], used: [], created_at: 1_800_000_000_000 }
  await storage.records.put(write(FACTORS, 'alice', { ...NO_FACTORS, generation: 1, totp, recovery }))
  const shown = await redmint(['user', 'factors', 'alice'])
  t.match(shown.stdout, /authenticator app +set up 2027-01-15T08:00:00.000Z\nrecovery codes +2 left/)
  t.notMatch(shown.stdout, 'sealed')
  for (const flags of [[], ['--totp', '--all']])
    t.match(await redmint(['user', 'reset-factors', 'alice', ...flags]), { code: 2, stderr: /Give one of/ })
  const short = ['user', 'set-password', 'alice', '--password-stdin']
  t.match(await redmint(short, 'hat crow'), { code: 0 }, 'eight characters beside a second step')
  const removed = await redmint(['user', 'reset-factors', 'alice', '--totp'])
  t.match(removed, { code: 0, stdout: /^Removed: the authenticator app and its recovery codes/ })
  t.match(await redmint(short, 'hat crow'), { code: 1, stderr: /needs at least 15/ })
})
