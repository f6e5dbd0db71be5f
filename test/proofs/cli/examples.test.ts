// Runs the examples of --help as they are pasted into a shell.
import t from 'tap'
import { invocationOf } from '../../../cli/program.ts'
import { saveConsent } from '../../../src/interaction/consent.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { paste } from '../../support/paste.ts'
import { ROOT, run } from '../../support/process.ts'
import { startRedis } from '../../support/redis-server.ts'
import { useTestKeys } from '../../support/service.ts'
import { startSmtp } from '../../support/smtp.ts'

// Replaces the command by one that prints its arguments and its input: fields end with 0x1F, commands with 0x1E.
const SPELL_OUT = `exec 3>&1; redmint() { { printf '%s\\x1f' "$@"; cat; printf '\\x1e'; } >&3; }`
const GROUPS = ['client', 'client keys', 'user', 'token', 'keys']

const USER = { username: 'carol', password: 'correct horse battery' }
const FILES = {
  'clients.json': JSON.stringify([
    { client_id: 'imported', is_public: false, grant_types: ['client_credentials'] },
  ]),
  'users.json': JSON.stringify([USER]),
  'users.jsonl': JSON.stringify(USER),
  'bob.json': '{"name":"Bob"}',
  'redmint.yaml': 'label: shop-team\nclients: []\n',
  'password.txt': 'correct horse battery\n',
  'token.txt': `${'g'.repeat(16)}.${'s'.repeat(43)}\n`,
}

/** What the examples need of a deployment: links are sent by mail. */
const mailBy = (port: number) => ({
  ISSUER: 'https://auth.example.com',
  REDIS_URL: 'redis://127.0.0.1:1',
  SMTP_URL: `smtp://localhost:${port}`,
  SMTP_TLS: 'off',
  MAIL_FROM: 'login@example.com',
})

const help = async (...command: string[]) => (await createCli().redmint([...command, '--help'])).stdout
const examplesOf = (text: string) => (text.split(/^Examples?:\n/m)[1] ?? '').trimEnd().split('\n')
const commandsOf = (text: string) =>
  [...(text.split(/^Commands:\n/m)[1] ?? '').matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = '']) => name)

async function allCommands(): Promise<string[]> {
  const groups = GROUPS.map(async (group) => {
    const names = commandsOf(await help(...group.split(' '))).filter((name) => name !== 'help')
    return names.map((name) => `${group} ${name}`)
  })
  return [...(await Promise.all(groups)).flat(), 'apply'].filter((command) => !GROUPS.includes(command))
}

/** The command on a storage that has what the examples name. */
async function furnished(command: string, environment: Record<string, string>) {
  const cli = createCli({ environment })
  await useTestKeys(cli.storage)
  if (command !== 'client add') {
    await cli.redmint(['client', 'add', 'web-app', '--redirect-uri', 'https://app.example.com/cb'])
  }
  await cli.redmint([
    'issuer',
    'add',
    'https://gitlab.com',
    '--for',
    'gitlab',
    '--condition',
    'namespace_path=acme',
  ])
  if (command !== 'user add') {
    await cli.redmint([
      'user',
      'add',
      'alice',
      '--sub',
      'a-1',
      '--claim',
      'phone_number=+49 30 1',
      '--claim',
      'email=alice@example.com',
      '--claim',
      'email_verified=true',
    ])
  }
  if (command === 'user act-as') {
    await cli.redmint(['resource', 'add', 'https://orders.example.com', '--scope', 'orders.read'])
    const shop = ['shop', '--redirect-uri', 'https://shop.example.com/cb', '--scope', 'orders.read']
    await cli.redmint(['client', 'add', ...shop])
  }
  if (/preview/.test(command)) {
    const uri = ['--redirect-uri', 'https://shop.example.com/callback']
    await cli.redmint(['client', 'add', 'shop', ...uri, '--preview-host', 'preview.example.com'])
    const preview = ['--of', 'shop', '--redirect', 'https://pr-12.preview.example.com/callback']
    if (command !== 'client for-preview') await cli.redmint(['client', 'for-preview', ...preview])
  }
  const consent = { sub: 'a-1', client_id: 'web-app', scope: 'openid' }
  await saveConsent({ storage: cli.storage, now: Date.now }, consent, 60)
  return cli
}

t.test('every example of a command is accepted', async (t) => {
  const directory = t.testdir(FILES)
  const environment = mailBy((await startSmtp(t)).port)
  let examples = 0
  for (const command of await allCommands()) {
    for (const example of examplesOf(await help(...command.split(' ')))) {
      examples += 1
      const shell = await paste(t, `${SPELL_OUT}; cd '${directory}'\n${example}`)
      t.equal(shell.stderr, '', example)
      const fields = shell.stdout.replace('\x1e', '').split('\x1f')
      const input = fields.pop() ?? ''
      const { redmint } = await furnished(command, environment)
      const args = fields.map((field) => (/\.(jsonl?|yaml)$/.test(field) ? `${directory}/${field}` : field))
      const asked = command === 'user set-password' && input === ''
      const answers = 'correct horse battery\ncorrect horse battery\n'
      const { code, stderr } = await redmint(args, asked ? answers : input, asked)
      // The token and the invitation are unknown, the keys are new, and the client has none: that is a negative result.
      const isNegative = /^(token|client keys|keys rotate|user remove-invitation)/.test(command)
      const expected = isNegative ? [0, 1] : [0]
      t.ok(expected.includes(code), `${example}: ${stderr}`)
      if (command !== 'client add' && command !== 'user add') continue
      const { stdout } = await redmint([command.split(' ')[0] ?? '', 'lint'])
      t.match(stdout, /\b0 errors, 0 warnings/, `${example}: ${stdout}`)
    }
  }
  t.ok(examples > 30)
})

t.test('the example of the whole command can be pasted where the help was printed', async (t) => {
  const { url } = await startRedis(t)
  const asked = run(t, 'npx', ['redmint', '--help'], {}, ROOT)
  t.match(await asked.ended, { code: 0 })
  const [example = ''] = examplesOf(asked.stdout)
  t.match(example, /^ {2}REDIS_URL=\S+ npx redmint client list$/)
  const shell = await paste(t, `cd '${ROOT}'; ${example.replace('redis://127.0.0.1:6379', url)}`)
  t.match(shell.stdout, /^There are no clients yet/, shell.stderr)
})

t.test('the command is named as it was started', async (t) => {
  const npx = { npm_command: 'exec' }
  t.equal(invocationOf('/app/bin/redmint.js', '/app', {}), 'node bin/redmint.js')
  t.equal(invocationOf('/app/bin/redmint.js', '/app/docs', {}), 'node ../bin/redmint.js')
  t.equal(invocationOf('/usr/local/bin/redmint', '/app', {}), 'redmint')
  t.equal(invocationOf('/app/node_modules/.bin/redmint', '/app', npx), 'npx redmint')
})
