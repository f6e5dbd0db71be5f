import t from 'tap'
import { completeSettings } from '../../../src/config/settings.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { Passwords } from '../../../src/users/passwords.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { createUser, readUser } from '../../support/records.ts'

const IMPORT = ['user', 'import', '-']
const PASSWORD = 'correct horse battery'
const CHEAP = {
  LOG_LEVEL: 'warn',
  ARGON2_MEMORY: '8192',
  ARGON2_ITERATIONS: '1',
  REDIS_URL: 'redis://127.0.0.1:1',
}
const passwords = new Passwords({ settings: completeSettings({ issuer: 'https://a.example' }) })
const lines = (entries: readonly object[]) => entries.map((entry) => JSON.stringify(entry)).join('\n\n')

t.test('an array and JSON lines, with passwords, hashes and claims', async (t) => {
  const password_hash = await passwords.hash('hashed elsewhere')
  const entries = [
    { username: 'alice', sub: 'a-1', password: PASSWORD, claims: { email_verified: true, name: null } },
    { username: 'bob', password_hash, claims: { address: { locality: 'Berlin' } }, disabled: true },
    { username: 'carol', sub: null, disabled: false },
  ]
  for (const content of [JSON.stringify(entries), `\uFEFF${lines(entries)}\r\n`]) {
    const { storage, redmint } = createCli({ environment: CHEAP })
    const dry = await redmint([...IMPORT, '--dry-run', '--json'], content)
    t.match(parsed(dry), { total: 3, would_create: 3 })
    t.equal(await readUser(storage, 'alice'), undefined, 'a dry run writes nothing')
    const answer = await redmint([...IMPORT, '--json'], content)
    t.match(answer, { code: 0, stderr: /^$/ })
    t.notMatch(answer.stdout, /argon2|horse/)
    t.match(parsed(answer), { total: 3, created: 3, users: [{ username: 'alice', outcome: 'created' }] })
    const { password_hash: made, ...alice } = (await readUser(storage, 'alice')) ?? {}
    t.strictSame(alice, { sub: 'a-1', email_verified: 'true' })
    t.ok(await passwords.verify(PASSWORD, made))
    t.match(made, /m=8192,t=1,p=1/, 'with the cost of the configuration')
    const bob = await readUser(storage, 'bob')
    t.match(bob, { password_hash, disabled: 'true', address: '{"locality":"Berlin"}', sub: /^[\w-]{22}$/ })
    t.strictSame(Object.keys((await readUser(storage, 'carol')) ?? {}), ['sub'])
  }
})

t.test(
  'nothing is written unless all users are valid, and every problem is reported with its place',
  async (t) => {
    const { storage, redmint } = createCli()
    await createUser(storage, 'there', { sub: 'taken' })
    const entries: unknown[] = [
      { username: 'good', password: PASSWORD },
      7,
      { username: 'a b' },
      { username: 'a', pasword: PASSWORD },
      { username: 'b', password: 'hush', claims: { email: 'b@example.com' } },
      { username: 'c', password: PASSWORD, password_hash: '$argon2id$x' },
      { username: 'd', password_hash: '$2b$10$abcdefghijklmnopqrstuv' },
      { username: 'e', sub: 'has space' },
      { username: 'f', disabled: 'yes' },
      { username: 'g', claims: [] },
      { username: 'h', claims: { emial: 'x', zoneinfo: 3 } },
      { username: 'good' },
      { username: 'there' },
      { username: 'i', sub: 'taken' },
      { username: 'j', sub: 'same' },
      { username: 'k', sub: 'same' },
      { username: 'l', password: 12345678 },
      { username: 'n', password_hash: '$argon2id$v=19$m=8388608,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA' },
      { username: 'o', password_hash: '$argon2id$v=19$m=8192,t=1,p=1$c2FsdHNhbHQ$aGFzaA' },
      { username: 'p', password: 'B@long.example.com', claims: { email: 'b@long.example.com' } },
      { username: 'q', password: 'Password Password' },
      JSON.parse('{"username":"m","__proto__":"x","claims":{"__proto__":"x"}}'),
    ]
    const answer = await redmint(IMPORT, JSON.stringify(entries))
    t.match(answer, { code: 1, stdout: /^$/ })
    t.notMatch(answer.stderr, /horse|hush|\$2b\$10/)
    t.strictSame(answer.stderr.trimEnd().split('\n'), [
      'Nothing was written. 23 problems:',
      '  [1]: must be an object',
      '  [2] "a b": username must be a text of 1 to 255 characters, one of them visible, without white space, control characters, colons and braces',
      '  [3] "a": pasword is not a field of a user: did you mean password?',
      '  [4] "b": password has 4 characters, and needs at least 15: use several words',
      '  [5] "c": password and password_hash exclude each other',
      '  [5] "c": password_hash must be a PHC string of argon2id, version 19, or a hash of bcrypt, pbkdf2 or scrypt',
      '  [6] "d": password_hash must be a hash of bcrypt that begins with $2a$, $2b$ or $2y$',
      '  [7] "e": sub must be a text of 1 to 255 printable ASCII characters',
      '  [8] "f": disabled must be true or false',
      '  [9] "g": claims must be an object',
      '  [10] "h": emial is not a standard claim (OpenID Connect Core §5.1): did you mean email?',
      '  [10] "h": zoneinfo must be a text',
      '  [11] "good": its username is in the file twice, first at [0]',
      '  [12] "there": exists already: use --skip-existing to keep it',
      '  [13] "i": its sub belongs to the user "there" already',
      '  [15] "k": its sub is in the file twice, first at [14]',
      '  [16] "l": password must be a text',
      '  [17] "n": password_hash costs too much: at most m=4194304, t=100, p=16',
      '  [18] "o": password_hash must have a salt of at least 8 bytes and a hash of at least 16',
      '  [19] "p": password is a name or an address of the user or of this service, which others know: use several words',
      '  [20] "q": password is among the most common ones, which are guessed first: use several words of your own',
      '  [21] "m": __proto__ is not a field of a user',
      '  [21] "m": __proto__ is not a claim name: 1 to 128 letters, digits and ".", "_", ":", "/", "~", "-", beginning with a letter',
    ])
    t.equal(await readUser(storage, 'good'), undefined)
  },
)

t.test('files that are not a list of users', async (t) => {
  const { redmint } = createCli()
  const broken = await redmint(IMPORT, `[{"password":"${PASSWORD}",}]`)
  t.match(broken, { code: 1, stderr: /not valid JSON/ })
  const line = await redmint(IMPORT, `{"username":"a"}\n\n{"password":"${PASSWORD}"`)
  t.match(line, { code: 1, stderr: /^ {2}line 3: is not valid JSON$/m })
  t.notMatch(broken.stderr + line.stderr, /horse/)
  t.match(await redmint(['user', 'import', '/nowhere/at/all.json']), { code: 2, stderr: /ENOENT/ })
  t.match(await redmint(IMPORT, '[]'), { code: 0, stdout: 'total 0.\n' })
})

t.test(
  'storage that fails part-way: the result reports what was written, and a second run continues',
  async (t) => {
    const storage = new MemoryStorage()
    const { redmint } = createCli({ storage })
    const { records } = storage
    const create = records.create.bind(records)
    const entries = Array.from({ length: 200 }, (_, index) => ({ username: `user-${index}` }))
    let writes = 0
    records.create = async (...given) => {
      if (given[0]?.kind.name !== 'user') return create(...given)
      writes += 1
      if (writes > 100) throw new StorageUnavailable('it is away')
      return create(...given)
    }
    const first = await redmint([...IMPORT, '--json'], lines(entries))
    t.equal(first.code, 3)
    const { created, unknown } = parsed<{ created: number; unknown: number }>(first)
    t.equal(created, 100)
    t.ok(unknown > 0)
    t.match(first.stderr, /--skip-existing to continue/)
    records.create = create
    const second = await redmint([...IMPORT, '--skip-existing', '--json'], lines(entries))
    t.match(parsed(second), { total: 200, created: 100, skipped: 100, unknown: 0, not_written: 0 })
  },
)
