import t from 'tap'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { OutcomeUnknown } from '../../../src/storage/redis/connection/errors.ts'
import { createCli } from '../../support/cli/run-cli.ts'

const COMMANDS = [
  'apply',
  ...['add', 'list', 'show', 'update', 'disable', 'enable', 'remove', 'rotate-secret', 'lint', 'import'].map(
    (name) => `client ${name}`,
  ),
  ...['add', 'list', 'disable', 'enable', 'remove'].map((name) => `user ${name}`),
  'token inspect',
  'token revoke',
  'keys list',
  'keys rotate',
  'mcp doctor',
  'dev check-client',
  'dev check-api',
]

t.test('every command has help with an example, and --json', async (t) => {
  const { redmint } = createCli()
  for (const command of COMMANDS) {
    const { code, stdout, stderr } = await redmint([...command.split(' '), '--help'])
    t.strictSame([code, stderr], [0, ''], command)
    t.match(stdout, new RegExp(`Examples?:\\n  redmint ${command}`), command)
    t.match(stdout, /--json/, command)
  }
  t.match(await redmint(['--help']), { code: 0, stdout: /Exit codes:/ })
  t.match(await redmint(['serve', '--help']), { code: 0, stdout: /Example:\n {2}PORT=3000 redmint serve/ })
  t.match(await redmint(['--version']), { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ })
})

t.test('a wrong command line is reported as text or JSON, with exit code 2', async (t) => {
  const { redmint } = createCli()
  t.match(await redmint([]), { code: 2, stdout: /^$/, stderr: /Usage: redmint/ })
  t.match(await redmint(['client']), { code: 2, stdout: /^$/, stderr: /Usage: redmint client/ })
  t.match(await redmint(['clients', 'list']), { code: 2, stderr: /unknown command 'clients'/ })
  t.match(await redmint(['client', 'list', '--jsn']), { code: 2, stderr: /Did you mean --json/ })
  t.match(await redmint(['client', 'show']), { code: 2, stderr: /missing required argument 'client_id'/ })
  const extra = await redmint(['client', 'show', 'a', 'b', '--json'])
  t.match(extra, { code: 2, stdout: /^$/ })
  t.match(JSON.parse(extra.stderr), { error: /too many arguments/ })
})

t.test('a wrong configuration, and one without Redis', async (t) => {
  const wrong = createCli({ environment: { REDIS_URL: 'http://127.0.0.1', ISSUER: 'nowhere' } })
  const { code, stderr } = await wrong.redmint(['client', 'list'])
  t.equal(code, 2)
  t.match(stderr, /^The configuration has 2 problems:\n {2}REDIS_URL must begin with .*\n {2}ISSUER must be/)
  const memory = await createCli({ environment: { REDIS_URL: '' } }).redmint(['client', 'list', '--json'])
  t.match(memory, { code: 2, stdout: /^$/ })
  t.match(JSON.parse(memory.stderr), { error: /No Redis is configured.*set REDIS_URL/ })
})

t.test('a variable that looks misspelled is a warning on stderr', async (t) => {
  const { redmint } = createCli({ environment: { REDIS_URL: 'redis://r', ISUER: 'https://a.example' } })
  const warning = 'ISUER is not a variable of redmint: did you mean ISSUER?'
  t.match(await redmint(['client', 'list']), { code: 0, stderr: `Warning: ${warning}\n` })
  const { stdout, stderr } = await redmint(['client', 'list', '--json'])
  t.same(JSON.parse(stderr), { warning })
  t.same(JSON.parse(stdout), { clients: [] })
})

t.test('storage that does not answer: exit code 3 for every command', async (t) => {
  const storage = new MemoryStorage()
  await storage.close()
  const { redmint } = createCli({ storage })
  const cases = [
    ['client', 'add', 'c'],
    ['client', 'list'],
    ['client', 'show', 'c'],
    ['client', 'update', 'c', '--name', 'C'],
    ['client', 'disable', 'c'],
    ['client', 'remove', 'c', '--yes'],
    ['client', 'rotate-secret', 'c'],
    ['client', 'lint'],
    ['user', 'add', 'u'],
    ['user', 'list'],
    ['user', 'disable', 'u'],
    ['user', 'enable', 'u'],
    ['user', 'remove', 'u', '--yes'],
    ['token', 'inspect', 'e30.e30.e30'],
    ['token', 'inspect', `${'a'.repeat(16)}.${'b'.repeat(43)}`],
    ['token', 'revoke', `${'a'.repeat(16)}.${'b'.repeat(43)}`],
    ['token', 'revoke', 'e30.e30.e30'],
    ['keys', 'list'],
    ['keys', 'rotate'],
  ]
  for (const args of cases) {
    const answer = await redmint([...args, '--json'])
    t.match(answer, { code: 3, stdout: /^$/ }, args.join(' '))
    t.match(JSON.parse(answer.stderr), {
      error: /^Storage cannot be used: memory is away: [\s\S]*Check that/,
    })
  }
})

t.test('an unexpected value in a key is reported without a stack; a bug is thrown', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage })
  storage.records.read = async () => {
    throw new Error('Redis answered WRONGTYPE')
  }
  t.match(await redmint(['client', 'show', 'c']), {
    code: 1,
    stderr: /a value that redmint did not write: Redis answered WRONGTYPE\.\n$/,
  })
  storage.records.read = async () => {
    throw new RangeError('bug')
  }
  await t.rejects(redmint(['client', 'show', 'c']), { message: 'bug' })
  storage.records.read = async () => {
    throw new StorageUnavailable('Redis answered OOM')
  }
  const full = await redmint(['client', 'show', 'c'])
  t.match(full, { code: 3, stderr: /Redis answered OOM/ })
  t.notMatch(full.stderr, /may or may not/)
  storage.records.read = async () => {
    throw new OutcomeUnknown('Redis answered late')
  }
  const late = await redmint(['client', 'show', 'c'])
  t.match(late, { code: 3, stderr: /A change that was being made may or may not have been made/ })
})

t.test('help explains a command of a group', async (t) => {
  const { redmint } = createCli({ storage: new MemoryStorage() })
  t.match(await redmint(['help', 'client', 'add']), { code: 0, stdout: /^Usage: redmint client add / })
  t.match(await redmint(['help', 'client']), { code: 0, stdout: /^Usage: redmint client / })
  t.match(await redmint(['help']), { code: 0, stdout: /^Usage: redmint \[options\]/ })
})
