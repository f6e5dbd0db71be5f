// After a move: tokens of the old installation are good at the new one, and imported people sign in.
import { join } from 'node:path'
import t from 'tap'
import { PATHS } from '../../../../src/core/paths.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { PASSPHRASE } from '../../../support/cli/move/installation.ts'
import { createCli } from '../../../support/cli/run-cli.ts'
import { ROOT } from '../../../support/process.ts'
import { readUser } from '../../../support/records.ts'
import { alertOn, asksForCode } from '../../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { SECRET, startService } from '../../../support/service.ts'

const FIXTURES = join(ROOT, 'test/support/cli/move/fixtures')
const PASSWORD = 'correct horse battery'

t.test('a JWT of the old installation is accepted by the new one, and one of another is not', async (t) => {
  const environment = {
    REDIS_URL: 'redis://127.0.0.1:1',
    LOG_LEVEL: 'warn',
    ISSUER: 'https://auth.example.com',
  }
  const folder = t.testdir({ passphrase: PASSPHRASE })
  const [file, flags] = [join(folder, 'export'), ['--passphrase-file', join(folder, 'passphrase')]]
  const old = await startService(t, { storage: new MemoryStorage(), access_token_format: 'jwt' })
  const credentials = { client_id: 'web', client_secret: SECRET }
  const issued = await old.token({ grant_type: 'client_credentials', scope: 'api.read', ...credentials })
  const token = String(issued.json.access_token)
  t.match(
    await createCli({ storage: old.storage, environment }).redmint(['export', file, '--with-keys', ...flags]),
    { code: 0 },
  )

  const storage = new MemoryStorage()
  t.match(await createCli({ storage, environment }).redmint(['import', file, ...flags]), { code: 0 })
  const service = await startService(t, { storage, access_token_format: 'jwt' })
  const introspect = (token: string) => service.post(PATHS.introspect, { token, ...credentials })
  t.match((await introspect(token)).json, { active: true, client_id: 'web', scope: 'api.read' })
  const [head, claims, signature = ''] = token.split('.')
  const forged = [head, claims, (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)].join('.')
  t.strictSame((await introspect(forged)).json, { active: false })
})

t.test('an import says that the file is of another issuer', async (t) => {
  const environment = (ISSUER: string) => ({ REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn', ISSUER })
  const [old, here] = ['https://old.example.com', 'https://auth.example.com']
  const file = join(t.testdir({}), 'export')
  t.match(await createCli({ environment: environment(old) }).redmint(['export', file]), { code: 0 })
  const imported = (issuer: string, ...flags: string[]) =>
    createCli({ environment: environment(issuer) }).redmint(['import', file, ...flags])
  const said = `The file is of ${old}, and the issuer here is ${here}: give applications the new address`
  t.match(await imported(here), { code: 0, stdout: said })
  t.match(await imported(here, '--dry-run'), { code: 0, stdout: said })
  t.match(JSON.parse((await imported(here, '--json')).stdout), { issuer_of_file: old })
  t.notMatch((await imported(old)).stdout, 'The file is of')
})

t.test('people of other systems sign in with the passwords that they have (M5)', async (t) => {
  const service = await scene(t)
  const { redmint } = createCli({ storage: service.storage })
  const run = async (...args: string[]) => {
    const [file = '', ...flags] = args
    t.match(await redmint(['import', join(FIXTURES, file), ...flags]), { code: 0 })
  }
  // The service has a client of the same name.
  await run('keycloak-realm.json', '--from', 'keycloak', '--on-conflict', 'keep')
  await run('auth0-users.ndjson', '--from', 'auth0', '--passwords', join(FIXTURES, 'auth0-passwords.ndjson'))
  await run('authelia-users_database.yml', '--from', 'authelia')
  const signIn = async (username: string, password = PASSWORD) => {
    const visitor = service.visitor()
    return signInOn(visitor, await visitor.page(requestUrl()), username, password)
  }
  for (const username of ['nico@example.com', 'john']) {
    const refused = await signIn(username, 'wrong horse')
    t.ok('text' in refused && alertOn(refused) !== '', `${username} with another password`)
    const before = (await readUser(service.storage, username))?.password_hash
    const page = await signIn(username)
    t.equal('text' in page ? alertOn(page) : '', '', `${username} is let in`)
    const after = (await readUser(service.storage, username))?.password_hash
    t.match(after, /^\$argon2id\$/)
    t.not(after, before, 'the hash is replaced by one of this installation')
  }
  for (const username of ['ada', 'grace']) {
    const page = await signIn(username)
    t.ok('text' in page && asksForCode(page), `${username} is asked for a code of the app`)
  }
  const disabled = await signIn('edsger')
  t.ok('text' in disabled && alertOn(disabled) !== '', 'who was disabled stays out')
  const alan = await signIn('alan')
  t.ok('text' in alan && alertOn(alan) !== '', 'nobody gets in without a password')
})
