// Settings and secrets for production, in files.
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import t from 'tap'
import { readConfig } from '../../../src/config/config.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'

const ISSUER = ['--issuer', 'https://auth.example.com']

async function written(folder: string) {
  const settings = await readFile(join(folder, 'redmint.env'), 'utf8')
  const secrets = await readFile(join(folder, 'redmint.secrets.env'), 'utf8')
  return { settings, secrets, variables: { ...parseEnv(settings), ...parseEnv(secrets) } }
}

t.test(
  'the files are what a server starts with, keys encrypted, tokens hashed, operators behind a door',
  async (t) => {
    const folder = t.testdir({})
    const { redmint } = createCli({ environment: {} })
    const made = await redmint(['init', ...ISSUER, '--trusted-proxies', '10.0.0.2', '--folder', folder])
    t.match(made, { code: 0, stderr: '' })
    t.match(made.stdout, /Next:\n {2}1\. set -a; \. .*redmint\.env; \. .*redmint\.secrets\.env; set \+a\n/)
    t.match(made.stdout, 'Not set yet: SMTP_URL and MAIL_FROM, for mail.')
    const { settings, variables } = await written(folder)
    const config = readConfig(variables)
    t.match(config, {
      production: true,
      tokens_at_rest: 'hashed',
      trusted_proxies: ['10.0.0.2'],
      management_port: 9000,
    })
    t.match(config.settings, {
      issuer: 'https://auth.example.com',
      console: 'on',
      admin_api: 'on',
      audit: 'on',
      demo: false,
    })
    t.equal(config.settings.console_origin, 'http://localhost:9000')
    t.ok(config.settings.key_encryption_key)
    t.match(settings, /^#SMTP_URL=smtps:/m, 'what is not known is a comment with an example')
    for (const line of settings.split('\n').filter((line) => /^[A-Z]/.test(line)))
      t.match(
        settings,
        new RegExp(`^# .+\n${line.replace(/[?*.]/g, '.')}$`, 'm'),
        `${line} says what it means`,
      )
    const modes = await Promise.all(
      ['redmint.secrets.env', 'redmint.env'].map((name) => stat(join(folder, name))),
    )
    t.equal((modes[0]?.mode ?? 0) & 0o777, 0o600)
  },
)

t.test('nothing is overwritten, and nothing is left of what could not be written as a whole', async (t) => {
  const { redmint } = createCli({ environment: {} })
  for (const there of ['redmint.env', 'redmint.secrets.env']) {
    const folder = t.testdir({})
    await writeFile(join(folder, there), 'mine\n')
    const made = await redmint(['init', ...ISSUER, '--folder', folder])
    t.match(made, { code: 1, stderr: new RegExp(`Nothing was written: .*${there} is there already`) })
    t.equal(await readFile(join(folder, there), 'utf8'), 'mine\n')
    const other = there === 'redmint.env' ? 'redmint.secrets.env' : 'redmint.env'
    await t.rejects(stat(join(folder, other)), { code: 'ENOENT' })
  }
  const nowhere = await redmint(['init', ...ISSUER, '--folder', join(t.testdir({}), 'no', 'such')])
  t.match(nowhere, { code: 2, stderr: /cannot be written \(ENOENT\)/ })
})

t.test('a password comes from the environment, and stands among the secrets alone', async (t) => {
  const flag = await createCli({ environment: {} }).redmint([
    ...['init', ...ISSUER, '--redis-url', 'redis://:hush@redis.example.com:6379'],
  ])
  t.match(flag, { code: 2, stderr: /set REDIS_URL in the environment instead/ })
  t.notMatch(flag.stderr, 'hush')
  const folder = t.testdir({})
  const environment = {
    ...{ REDIS_URL: "rediss://:it's@redis.example.com:6379", MAIL_FROM: 'login@example.com' },
    ...{ REDMINT_SMTP_URL: 'smtps://redmint:hush@smtp.example.com:465', NODE_ENV: 'test' },
  }
  const made = await createCli({ environment }).redmint(['init', ...ISSUER, '--folder', folder, '--json'])
  t.strictSame(Object.keys(parsed(made)), ['files', 'next', 'missing'])
  const { settings, secrets, variables } = await written(folder)
  t.notMatch(settings + made.stdout, /hush|it's/)
  t.match(secrets, 'hush')
  const { REDIS_URL, REDMINT_SMTP_URL: SMTP_URL } = environment
  t.match(variables, { NODE_ENV: 'production', REDIS_URL, SMTP_URL })
  const odd = { REDIS_URL: `redis://:a'$b@localhost` }
  const refused = await createCli({ environment: odd }).redmint([
    'init',
    ...ISSUER,
    '--folder',
    t.testdir({}),
  ])
  t.match(refused, { code: 2, stderr: /REDIS_URL has characters that files of settings cannot quote/ })
})

t.test('what a server would refuse is refused before anything is written', async (t) => {
  const folder = t.testdir({})
  const { redmint } = createCli({ environment: {} })
  t.match(await redmint(['init', '--folder', folder]), { code: 2, stderr: /Give --issuer/ })
  const http = await redmint(['init', '--issuer', 'http://auth.example.com', '--folder', folder])
  t.match(http, { code: 2, stderr: /ISSUER/ })
  const sender = await redmint([
    'init',
    ...ISSUER,
    '--smtp-url',
    'smtps://smtp.example.com',
    '--folder',
    folder,
  ])
  t.match(sender, { code: 2, stderr: /MAIL_FROM must be set/ })
  await t.rejects(stat(join(folder, 'redmint.env')), { code: 'ENOENT' })
})

t.test('on a terminal it asks for what nothing says', async (t) => {
  const folder = t.testdir({})
  const { redmint } = createCli({ environment: {} })
  const typed =
    'https://auth.example.com\n\n10.0.0.2\nsmtps://redmint:hush@smtp.example.com:465\nlogin@example.com\n'
  const made = await redmint(['init', '--management-port', '9100', '--folder', folder], typed, true)
  t.match(made, { code: 0, stderr: /^Address of the service.*Sender of mail/s })
  const { variables } = await written(folder)
  t.match(variables, {
    ...{
      ISSUER: 'https://auth.example.com',
      REDIS_URL: 'redis://127.0.0.1:6379',
      TRUSTED_PROXIES: '10.0.0.2',
    },
    ...{ MAIL_FROM: 'login@example.com', CONSOLE_ORIGIN: 'http://localhost:9100' },
  })
  const ended = await redmint(['init', '--folder', t.testdir({})], '', true)
  t.match(ended, { code: 2, stderr: /Give --issuer/ })
})
