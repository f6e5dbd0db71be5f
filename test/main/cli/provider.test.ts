// `redmint provider …`: records of providers, and their sealed secrets.
import t from 'tap'
import { openClientSecret } from '../../../src/providers/client-secret.ts'
import { PROVIDER, parseProvider } from '../../../src/providers/provider-record.ts'
import type { RecordStore } from '../../../src/storage/storage.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { newAppleKey } from '../../support/providers/fake-apple.ts'

const SECRET = 'what-the-provider-gave'
const read = async ({ records }: RecordStore, name = 'google') => (await records.read(PROVIDER, name))?.hash

t.test('Apple gives a key, and nothing else is taken for it', async (t) => {
  const { storage, redmint } = createCli()
  const add = ['provider', 'add', 'apple', '--client-id', 'com.example.login']
  t.match(await redmint(add), { code: 1, stderr: /team_id is missing/ })
  const ids = ['--team-id', 'TEAM123456', '--key-id', 'KEY1234567']
  const added = await redmint([...add, ...ids])
  t.match(added, { code: 0, stdout: /https:\/\/appleid\.apple\.com/ })
  t.match(added.stdout, 'openid name email')
  const set = ['provider', 'secret', 'apple', '--secret-stdin']
  t.match(await redmint(set, 'a secret'), { code: 1, stderr: /AuthKey/ })
  t.notOk((await read(storage, 'apple'))?.client_secret_sealed)
  const pem = newAppleKey()
  t.match(await redmint(set, pem), { code: 0 })
  const record = parseProvider('apple', (await read(storage, 'apple')) ?? {})
  t.equal(record.ok && (await openClientSecret({ storage, settings: {} }, record.record)), pem.trimEnd())
  t.notMatch((await redmint(['provider', 'show', 'apple', '--json'])).stdout, /PRIVATE KEY/)
})

t.test('lint names what is likely wrong', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['provider', 'add', 'google', '--client-id', 'x', '--creates-users', 'true'])
  await storage.records.change(PROVIDER, 'google', { set: { isuer: 'x' } })
  const { code, stdout } = await redmint(['provider', 'lint'])
  t.equal(code, 0)
  t.match(stdout, /isuer is not a known field: did you mean issuer/)
  t.match(stdout, /everybody with an account there gets one here/)
  t.match(stdout, /client_secret_sealed is missing/)
  await storage.records.change(PROVIDER, 'google', { set: { issuer: 'x' } })
  t.match(await redmint(['provider', 'lint', 'google']), { code: 1, stdout: /must be an https URL/ })
})

t.test('apply declares providers, and refers to their secrets', async (t) => {
  const environment = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn', GOOGLE: SECRET }
  const { storage, redmint } = createCli({ environment })
  const apply = (fields: string, ...flags: string[]) =>
    redmint(
      ['apply', '-', ...flags],
      `label: a\nproviders:\n  - {provider: google, client_id: x, ${fields}}\n`,
    )
  const secret = 'client_secret: {env: GOOGLE}'
  t.match(await apply(secret, '--dry-run'), { code: 0 })
  t.equal(await read(storage), undefined)
  t.match(await apply(secret), { code: 0 })
  t.match(await read(storage), { issuer: 'https://accounts.google.com', managed_by: 'a' })
  const record = parseProvider('google', (await read(storage)) ?? {})
  t.equal(record.ok && (await openClientSecret({ storage, settings: {} }, record.record)), SECRET)
  t.match(await apply(secret), { code: 0, stdout: /unchanged 1/ })
  const changed = await apply(`${secret}, client_id: y`.replace('client_id: x', ''))
  t.match(changed, { code: 1 }, 'a field is given twice')
  const renamed = await apply(`${secret}, name: G`)
  t.match(renamed, { code: 0, stdout: /name/ })
  t.notMatch(JSON.stringify([renamed, changed]), SECRET)
  t.match(await apply(`client_secret: ${SECRET}`), { code: 1, stderr: /must not be in the file/ })
  t.match(await apply('client_secret_sealed: x'), { code: 1, stderr: /cannot be declared/ })
  t.match(await apply('isuer: x'), { code: 1, stderr: /did you mean issuer/ })
  t.match(await redmint(['apply', '-', '--prune', '--yes'], 'label: a\nproviders: []\n'), { code: 0 })
  t.equal(await read(storage), undefined)
})

t.test('a secret is sealed, shown nowhere, and ends with the issuer it was for', async (t) => {
  const { storage, redmint } = createCli()
  const settings = {}
  const secretOf = async () => {
    const record = parseProvider('google', (await read(storage)) ?? {})
    return record.ok ? openClientSecret({ storage, settings }, record.record) : record.problems
  }
  const add = ['provider', 'add', 'google', '--client-id', 'x', '--secret-stdin']
  const answers = [await redmint(add, `${SECRET}\n`)]
  t.equal(await secretOf(), SECRET)
  const sealed = (await read(storage))?.client_secret_sealed ?? ''
  for (const command of [['show', 'google'], ['list'], ['update', 'google', '--name', 'G']])
    answers.push(await redmint(['provider', ...command]), await redmint(['provider', ...command, '--json']))
  const said = JSON.stringify(answers)
  t.notMatch(said, SECRET)
  t.notMatch(said, sealed)
  t.match(await redmint(['provider', 'update', 'google', '--issuer', 'https://evil.example']), {
    stdout: /provider secret google/,
  })
  t.equal(await secretOf(), undefined)
  await redmint(['provider', 'secret', 'google', '--secret-stdin'], 'second')
  t.equal(await secretOf(), 'second')
  const shown = await redmint(['provider', 'show', 'google', '--json'])
  t.notOk('client_secret_sealed' in parsed(shown))
})
