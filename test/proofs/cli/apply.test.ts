// `redmint apply`, on memory and on a real Redis.
import t, { type Test } from 'tap'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { secretHash } from '../../../src/clients/record/client-secret.ts'
import { completeSettings } from '../../../src/config/settings.ts'
import { SESSION } from '../../../src/sessions/session-record.ts'
import { createSession } from '../../../src/sessions/session-store.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../src/storage/redis/storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { Passwords } from '../../../src/users/passwords.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { countCommands } from '../../support/command-counter.ts'
import { SILENT } from '../../support/contract/redis-subject.ts'
import { session } from '../../support/contract/session-contract.ts'
import { FOREIGN_HASHES } from '../../support/foreign-hashes.ts'
import {
  changeClient,
  changeUser,
  createUser,
  issueClientToken,
  readClient,
  readUser,
} from '../../support/records.ts'
import { startRedis } from '../../support/redis-server.ts'

interface Record {
  kind: string
  name: string
  action: string
  outcome?: string
  problem?: string
  differences: { field: string; from?: string; to?: string }[]
}
interface Applied {
  label: string
  records: Record[]
}

const APPLY = ['apply', '-']
const SECRET = 'a-secret-of-more-than-32-characters-in-all'
const PASSWORD = 'correct horse battery'
const NOW = Date.parse('2026-11-22T08:00:00.000Z')
const ENVIRONMENT = {
  REDIS_URL: 'redis://127.0.0.1:1',
  ARGON2_MEMORY: '8192',
  ARGON2_ITERATIONS: '1',
  WEB_SECRET: SECRET,
  ALICE_PASSWORD: PASSWORD,
}
const FILE = `
label: shop-team
clients:
  - client_id: web
    client_name: Web shop
    is_public: false
    grant_types: [authorization_code, refresh_token]
    redirect_uris: [https://shop.example/cb]
    allowed_scopes: openid profile
    subject_type: pairwise
    client_secret: { env: WEB_SECRET }
  - client_id: phone
    is_public: true
    grant_types: [authorization_code]
    redirect_uris: [com.example.phone:/cb]
users:
  - username: alice
    password: { env: ALICE_PASSWORD }
    claims: { name: Alice, email_verified: true, groups: [staff] }
  - username: bob
    sub: bob-1
    disabled: true
`
const client = (name: string, more = '') =>
  `label: shop-team\nclients:\n  - {client_id: ${name}, is_public: false, grant_types: [client_credentials], client_secret: {env: WEB_SECRET}${more}}\n`
const user = (name: string, more = '') => `label: shop-team\nusers:\n  - {username: ${name}${more}}\n`

const passwords = new Passwords({ settings: completeSettings({ issuer: 'https://a.example' }) })
const summary = ({ records }: Applied) => records.map(({ name, action }) => `${action} ${name}`)

/** The command on a storage, with a settable environment. */
function cliOn(storage: Storage, environment: { [name: string]: string } = ENVIRONMENT) {
  return createCli({ storage, environment, now: () => NOW })
}

async function redisStorage(t: Test): Promise<Storage> {
  const redis = await startRedis(t)
  const storage = openRedis({ kind: 'single', url: redis.url }, new RedisKeys('redmint:'), SILENT)
  const { close } = storage
  t.teardown(() => close.call(storage))
  return storage
}

const KINDS = { memory: async () => new MemoryStorage(), redis: redisStorage }

for (const [kind, open] of Object.entries(KINDS)) {
  t.test(`creates what is declared, then nothing is left to do (${kind})`, async (t) => {
    const storage = await open(t)
    const { redmint } = cliOn(storage)
    const dry = await redmint([...APPLY, '--dry-run', '--json'], FILE)
    t.match(dry, { code: 0, stderr: '' })
    t.match(parsed(dry), { label: 'shop-team', dry_run: true, total: 4, create: 4 })
    t.equal(await readClient(storage, 'web'), undefined, 'a dry run writes nothing')
    const first = await redmint([...APPLY, '--json'], FILE)
    t.match(first, { code: 0 })
    t.match(parsed(first), { dry_run: false, total: 4, created: 4 })
    t.strictSame(
      parsed<Applied>(first).records.map(({ differences }) => differences),
      parsed<Applied>(dry).records.map(({ differences }) => differences),
      'the dry run has the same differences',
    )
    for (const { stdout } of [dry, first]) {
      for (const secret of [SECRET, secretHash(SECRET), PASSWORD, 'argon2']) t.notMatch(stdout, secret)
    }
    t.strictSame(await readClient(storage, 'web'), {
      client_id: 'web',
      client_name: 'Web shop',
      is_public: 'false',
      grant_types: 'authorization_code refresh_token',
      redirect_uris: 'https://shop.example/cb',
      allowed_scopes: 'openid profile',
      subject_type: 'pairwise',
      client_secret_hash: secretHash(SECRET),
      client_secret_created_at: new Date(NOW).toISOString(),
      managed_by: 'shop-team',
    })
    t.match(await readClient(storage, 'phone'), { client_name: 'phone', is_public: 'true' })
    const alice = await readUser(storage, 'alice')
    t.match(alice, { name: 'Alice', email_verified: 'true', 'claim:groups': '["staff"]', sub: /^.{22}$/ })
    t.ok(await passwords.verify(PASSWORD, alice?.password_hash))
    t.match(await readUser(storage, 'bob'), { sub: 'bob-1', disabled: 'true', managed_by: 'shop-team' })

    const again = await redmint([...APPLY, '--prune', '--yes', '--json'], FILE)
    t.match(again, { code: 0, stderr: '' })
    t.match(parsed(again), { total: 4, unchanged: 4 })
    t.strictSame(await readUser(storage, 'alice'), alice)
  })

  t.test(`changes what differs, and shows it (${kind})`, async (t) => {
    const storage = await open(t)
    const { redmint } = cliOn(storage)
    await redmint(APPLY, client('c', ', allowed_scopes: [a], require_pkce: false'))
    await changeClient(storage, 'c', { set: { later_field: 'x' } })
    const other = client('c', ', allowed_scopes: [a, b], client_name: C')
    const dry = await redmint([...APPLY, '--dry-run'], other)
    const lines = [
      'change  client  c     client_name: c -> C',
      '                      allowed_scopes: a -> a b',
      '                      require_pkce: false -> true',
    ]
    t.match(dry, { code: 0, stdout: lines.join('\n') })
    t.match(dry.stdout, /^Nothing was written: total 1, change 1\.$/m)
    t.match(await redmint(APPLY, other), {
      code: 0,
      stdout: lines
        .join('\n')
        .replace(/change {2}/, 'changed  ')
        .replaceAll('\n ', '\n  '),
    })
    t.match(await readClient(storage, 'c'), {
      allowed_scopes: 'a b',
      client_name: 'C',
      require_pkce: undefined,
      later_field: 'x',
    })
  })

  t.test(`--prune removes what carries the label, with its sessions and tokens (${kind})`, async (t) => {
    const storage = await open(t)
    const { redmint } = cliOn(storage)
    await redmint(APPLY, FILE)
    await redmint(APPLY, client('theirs').replace('shop-team', 'other-team'))
    await redmint(['client', 'add', 'by-hand'])
    await redmint(['user', 'add', 'carol'])
    const { sub = '' } = (await readUser(storage, 'alice')) ?? {}
    await createSession(storage, 'digest', session({ username: 'alice', sub }), 60)
    const token = await issueClientToken(storage, { client_id: 'web' })
    const less = FILE.replaceAll(/(client_id|username): (web|alice)/g, '$1: new-$2')
    const without = await redmint([...APPLY, '--json'], less)
    t.strictSame(summary(parsed<Applied>(without)), [
      'create new-web',
      'unchanged phone',
      'create new-alice',
      'unchanged bob',
      'change web',
    ])
    t.match(await readClient(storage, 'web'), { managed_by: 'shop-team', undeclared: 'true' })
    t.notOk((await readClient(storage, 'theirs'))?.undeclared, 'nor is one of another file marked')
    t.notOk((await readClient(storage, 'by-hand'))?.undeclared)
    t.match(parsed(await redmint([...APPLY, '--json'], less)), { total: 4, unchanged: 4 }, 'once')
    t.match(parsed(await redmint(['client', 'show', 'web', '--json'])), { undeclared: true })
    await redmint(APPLY, FILE)
    t.notOk((await readClient(storage, 'web'))?.undeclared, 'the file has it again')
    t.equal((await readClient(storage, 'new-web'))?.undeclared, 'true')
    await redmint(APPLY, less)
    t.match(await redmint([...APPLY, '--prune'], less, true), { code: 2, stderr: /stdin.*--yes/ })
    const directory = t.testdir({ 'less.yaml': less })
    const asking = ['apply', `${directory}/less.yaml`, '--prune']
    t.match(await redmint(asking), { code: 2, stderr: /no terminal.*--yes/ })
    const declined = await redmint(asking, 'n\n', true)
    t.match(declined, { code: 1, stderr: /Remove 2 records permanently\?[\s\S]*Nothing was changed/ })
    t.ok(await readClient(storage, 'web'))
    const dry = await redmint([...asking, '--dry-run', '--json'])
    t.match(parsed(dry), { total: 6, unchanged: 4, remove: 2 })
    const done = await redmint([...asking, '--yes', '--json'])
    t.equal(done.code, 0)
    t.match(parsed(done), { total: 6, unchanged: 4, removed: 2 })
    t.equal(await readClient(storage, 'web'), undefined)
    t.equal(await readUser(storage, 'alice'), undefined)
    for (const name of ['theirs', 'by-hand']) t.ok(await readClient(storage, name), name)
    t.ok(await readUser(storage, 'carol'))
    t.match(await redmint(['token', 'inspect', token]), { code: 1 }, 'nothing accepts it')
    t.equal(await storage.records.read(SESSION, 'digest'), undefined)
  })

  t.test(
    `another password or a disabled user ends sessions, and an unchanged one nothing (${kind})`,
    async (t) => {
      const storage = await open(t)
      const { redmint } = cliOn(storage)
      await redmint(APPLY, FILE)
      const { sub = '', password_hash } = (await readUser(storage, 'alice')) ?? {}
      const sessions = async () => (await storage.records.read(SESSION, 'digest')) !== undefined
      await createSession(storage, 'digest', session({ username: 'alice', sub }), 60)
      await redmint(APPLY, FILE)
      t.ok(await sessions())
      t.equal((await readUser(storage, 'alice'))?.password_hash, password_hash)
      const other = cliOn(storage, { ...ENVIRONMENT, ALICE_PASSWORD: 'staple battery horse' })
      const changed = await other.redmint([...APPLY], FILE)
      t.match(changed, { code: 0, stdout: /changed +user +alice +password: changed/ })
      t.notOk(await sessions())
      const stricter = cliOn(storage, {
        ...ENVIRONMENT,
        ALICE_PASSWORD: 'staple battery horse',
        PASSWORD_MIN_LENGTH: '30',
      })
      t.match(await stricter.redmint(APPLY, FILE), { code: 0 }, 'one that is set already stays usable')
      const short = cliOn(storage, { ...ENVIRONMENT, ALICE_PASSWORD: 'white rabbit' })
      t.match(await short.redmint(APPLY, FILE), {
        code: 1,
        stderr: /line \d+ "alice": password has 12 characters, and needs at least 15/,
      })
      await createSession(storage, 'digest', session({ username: 'alice', sub }), 60)
      const disabled = FILE.replace('username: alice', 'username: alice\n    disabled: true')
      const { stdout } = await other.redmint(APPLY, disabled)
      t.match(stdout, /disabled: false -> true/)
      t.notOk(await sessions())
      t.equal((await readUser(storage, 'alice'))?.ending, undefined)
    },
  )
}

t.test('a second run sends Redis nothing but reads', async (t) => {
  const redis = await startRedis(t)
  const counter = await countCommands(t, redis.port)
  const storage = openRedis({ kind: 'single', url: counter.url }, new RedisKeys('redmint:'), SILENT)
  const { close } = storage
  t.teardown(() => close.call(storage))
  const { redmint } = cliOn(storage)
  t.match(await redmint(APPLY, FILE), { code: 0 })
  t.ok(
    counter.take().some((name) => name.startsWith('eval')),
    'the first run writes',
  )
  t.match(await redmint(APPLY, FILE), { code: 0 })
  // The issuers and settings of the servers, by three scripts that only read, four records, and whether a secret is short;
  // then all clients twice: for one with a rule, once in a run, and for those that the file lost. No server has listed them yet.
  const clients = ['hgetall', 'scan', 'hgetall', 'hgetall']
  t.strictSame(counter.take(), [
    ...Array(3).fill('evalsha'),
    ...Array(5).fill('hgetall'),
    ...clients,
    ...clients,
  ])
})

t.test('every problem is reported with its line, and nothing is written', async (t) => {
  const { storage, redmint } = cliOn(new MemoryStorage(), { ...ENVIRONMENT, SHORT: 'short' })
  await redmint(['client', 'add', 'by-hand'])
  await redmint(['user', 'add', 'carol', '--sub', 'carol-1'])
  await createUser(storage, 'dora', { sub: 'dora-1', managed_by: 'shop-team' })
  const file = `
lable: x
label: shop-team
clients:
  - {client_id: good, is_public: true, grant_types: [authorization_code]}
  - 7
  - {client_id: a, is_public: false, grant_types: [client_credentials], client_secret: ${SECRET}}
  - {client_id: b, is_public: false, grant_types: [client_credentials], client_secret: {env: NOT_SET}}
  - {client_id: c, is_public: false, grant_types: [client_credentials], client_secret: {file: /nowhere/at/all}}
  - {client_id: d, is_public: false, grant_types: [client_credentials], client_secret: {env: SHORT}}
  - {client_id: e, is_public: false, grant_types: [client_credentials], client_secret: {vault: x}}
  - {client_id: f, scope: a, allowed_scopes: b}
  - {client_id: g, is_public: true, grant_types: [authorization_code], redirectUris: []}
  - {client_id: h, is_public: true, grant_types: [authorization_code], redirect_uris: ["http://a.example/"]}
  - {client_id: i, is_public: true, grant_types: [authorization_code], managed_by: x, demo: true}
  - {client_id: good, is_public: true, grant_types: [authorization_code]}
  - {client_id: by-hand, is_public: true, grant_types: [authorization_code]}
  - {client_id: j, is_public: true, grant_types: []}
users:
  - {username: k, password: correct horse battery}
  - {username: l, password_hash: x, ending: true}
  - {username: m, sub: carol-1}
  - {username: dora, sub: other}
  - {username: n, claims: {emial: a@a.example}}
`
  const answer = await redmint([...APPLY, '--prune', '--yes'], file)
  t.match(answer, { code: 1, stdout: '' })
  t.notMatch(answer.stderr, SECRET)
  t.notMatch(answer.stderr, PASSWORD)
  const lines = answer.stderr.trimEnd().split('\n')
  t.equal(lines[0], `Nothing was written. ${lines.length - 1} problems:`)
  t.match(lines.slice(1), [
    '  line 2: lable is not a member of the file: did you mean label?',
    '  line 6: must be an object',
    '  line 7 "a": client_secret must not be in the file: refer to it with {env: NAME} or {file: PATH}',
    '  line 8 "b": client_secret refers to the environment variable NOT_SET, which is not set',
    '  line 9 "c": client_secret refers to the file /nowhere/at/all, which cannot be read: ENOENT',
    '  line 10 "d": client_secret has 5 characters, and needs at least 32',
    '  line 11 "e": client_secret must be {env: NAME} or {file: PATH}',
    '  line 12 "f": scope and allowed_scopes are the same field: give one of them',
    '  line 13 "g": redirectUris is not a field of a client: did you mean redirect_uris?',
    /^ {2}line 14 "h": redirect_uris: "http:\/\/a.example\/" is http on a host/,
    '  line 15 "i": demo cannot be declared: redmint sets it',
    '  line 15 "i": managed_by cannot be declared: redmint sets it',
    '  line 16 "good": client_id is in the file twice, first at line 5',
    '  line 17 "by-hand": exists and is managed by no file: give --adopt to take it over',
    '  line 18 "j": grant_types is missing',
    '  line 20 "k": password must not be in the file: refer to it with {env: NAME} or {file: PATH}',
    /^ {2}line 21 "l": password_hash must be a PHC string/,
    '  line 21 "l": ending cannot be declared: redmint sets it',
    '  line 22 "m": its sub belongs to the user "carol" already',
    '  line 23 "dora": sub is "dora-1" and never changes: leave it out, or give the user another username',
    /^ {2}line 24 "n": emial is not a standard claim/,
  ])
})

t.test('a record without a label, or with that of another file, is changed with --adopt alone', async (t) => {
  const { storage, redmint } = cliOn(new MemoryStorage())
  await redmint(['client', 'add', 'by-hand'])
  await redmint(APPLY, client('theirs').replace('shop-team', 'other-team'))
  await createUser(storage, 'carol', { sub: 'carol-1', managed_by: 'other-team' })
  const other = 'theirs, is_public: true, grant_types: [authorization_code]'
  const file = `label: shop-team
clients:
  - {client_id: by-hand, is_public: true, grant_types: [authorization_code]}
  - {client_id: ${other}}
users:
  - {username: carol, claims: {name: Carol}}
`
  const before = await readClient(storage, 'theirs')
  for (const flags of [[], ['--dry-run']]) {
    t.match(await redmint([...APPLY, ...flags], file), {
      code: 1,
      stderr:
        /3 problems:\n.*"by-hand": exists and is managed by no file: give --adopt.*\n.*"theirs": is managed by "other-team": give --adopt.*\n.*"carol": is managed/,
    })
  }
  t.strictSame(await readClient(storage, 'theirs'), before)
  const adopted = await redmint([...APPLY, '--adopt'], file)
  t.match(adopted, {
    code: 0,
    stdout: /managed_by: none -> shop-team[\s\S]*managed_by: other-team -> shop-team/,
  })
  t.match(await readClient(storage, 'theirs'), { managed_by: 'shop-team', client_secret_hash: undefined })
  t.match(await readUser(storage, 'carol'), { managed_by: 'shop-team', name: 'Carol', sub: 'carol-1' })
  t.match(parsed(await redmint([...APPLY, '--json'], file)), { unchanged: 3 })
})

t.test('a declared hash is only the first one', async (t) => {
  const { storage, redmint } = cliOn(new MemoryStorage())
  const [[, , first = ''] = [], [, , second = ''] = []] = FOREIGN_HASHES
  const file = (hash: string) => `label: shop-team\nusers:\n  - {username: u, password_hash: ${hash}}\n`
  const stored = async () => (await readUser(storage, 'u'))?.password_hash
  const created = await redmint(APPLY, file(first))
  t.match(created, { code: 0, stdout: /created +user +u/ })
  t.equal(await stored(), first)
  t.match(parsed(await redmint([...APPLY, '--json'], file(first))), { unchanged: 1 })
  t.match(parsed(await redmint([...APPLY, '--json'], file(second))), { unchanged: 1 })
  t.equal(await stored(), first)
  await changeUser(storage, 'u', { set: {}, unset: ['password_hash'] })
  const set = await redmint(APPLY, file(second))
  t.match(set, { code: 0, stdout: /changed +user +u +password: changed/ })
  t.equal(await stored(), second)
  t.notMatch(created.stdout + set.stdout, /\$2/)
})

t.test('what the file does not name: secret, password and disabled stay, the rest is reset', async (t) => {
  const { storage, redmint } = cliOn(new MemoryStorage())
  const both = (more = '', claims = '') => `${client('c', more)}users:\n  - {username: u${claims}}\n`
  const secret = ', client_secret: {env: WEB_SECRET}'
  await redmint(APPLY, both(', can_introspect: true', ', password: {env: ALICE_PASSWORD}, claims: {name: U}'))
  await redmint(['client', 'rotate-secret', 'c', '--keep', '24h'])
  await redmint(['client', 'disable', 'c'])
  await changeUser(storage, 'u', { set: { disabled: 'true', later_field: 'x' } })
  const before = await readClient(storage, 'c')
  const { password_hash } = (await readUser(storage, 'u')) ?? {}
  t.match(await redmint(APPLY, both().replace(secret, '')), {
    code: 0,
    stdout: /can_introspect: true -> false/,
  })
  const { can_introspect, ...kept } = before ?? {}
  t.equal(can_introspect, 'true')
  t.strictSame(await readClient(storage, 'c'), kept)
  t.strictSame(await readUser(storage, 'u'), {
    sub: (await readUser(storage, 'u'))?.sub,
    password_hash,
    disabled: 'true',
    later_field: 'x',
    managed_by: 'shop-team',
    generation: '1',
  })
  const enabled = await redmint(APPLY, both(', disabled: false', ', disabled: false'))
  t.match(enabled.stdout, /secret: changed[\s\S]*disabled: true -> false[\s\S]*disabled: true -> false/)
  const { old_secret_hash, disabled, client_secret_hash } = (await readClient(storage, 'c')) ?? {}
  t.strictSame([old_secret_hash, disabled, client_secret_hash], [undefined, undefined, secretHash(SECRET)])
  await redmint(['client', 'rotate-secret', 'c', '--keep', '24h'])
  const open =
    'label: shop-team\nclients: [{client_id: c, is_public: true, grant_types: [authorization_code]}]'
  t.match(await redmint(APPLY, open), { code: 0, stdout: /secret: changed/ })
  t.strictSame(await readClient(storage, 'c'), {
    client_id: 'c',
    client_name: 'c',
    is_public: 'true',
    redirect_uris: '',
    allowed_scopes: '',
    grant_types: 'authorization_code',
    refresh_tokens: 'never',
    managed_by: 'shop-team',
  })
})

t.test('a minimal file has the defaults of the command, and may take its names', async (t) => {
  const { storage, redmint } = cliOn(new MemoryStorage())
  const file = `
label: shop-team
clients:
  - client_id: billing
    scope: api.read api.write
  - client_id: web
    redirect-uri: https://app.example/cb
    scope: openid offline_access
  - client_id: app
    public: true
    redirect_uris: [com.example.app:/cb]
    name: App
users:
  - {username: alice, name: Alice, email: alice@example.com, email_verified: true, linked-subject: "https://idp.example#1"}
resources:
  - {resource: "https://api.example", name: API, scope: api.read}
issuers:
  - {issuer: "https://idp.example", algorithm: ES256}
`
  const { code, stdout, stderr } = await redmint(APPLY, file)
  t.equal(code, 0, stderr)
  const commands = [
    ['billing', '--scope', 'api.read api.write'],
    ['web', '--redirect-uri', 'https://app.example/cb', '--scope', 'openid offline_access'],
    ['app', '--public', '--redirect-uri', 'com.example.app:/cb', '--name', 'App'],
  ]
  const other = cliOn(new MemoryStorage())
  for (const [client_id = '', ...flags] of commands) {
    await other.redmint(['client', 'add', client_id, ...flags])
    const added: { [field: string]: string } = { ...(await readClient(other.storage, client_id)) }
    const declared: { [field: string]: string } = { ...(await readClient(storage, client_id)) }
    const secret = new RegExp(`^${client_id} +([\\w-]{43})$`, 'm').exec(stdout)?.[1]
    t.equal(declared.client_secret_hash || undefined, secret && secretHash(secret))
    for (const hash of [added, declared]) {
      t.equal(!hash.client_secret_hash, client_id === 'app')
      for (const field of ['client_secret_hash', 'client_secret_created_at', 'managed_by']) delete hash[field]
      for (const [field, value] of Object.entries(hash)) if (value === '') delete hash[field]
    }
    t.strictSame(declared, added)
  }
  t.match(await redmint(['client', 'lint']), { stdout: /0 errors, 0 warnings/ })
  t.match(await readUser(storage, 'alice'), {
    name: 'Alice',
    email: 'alice@example.com',
    email_verified: 'true',
    linked_subjects: 'https://idp.example#1',
  })
  t.match(stdout, /Generated secrets are shown only once/)
  const again = await redmint(APPLY, file)
  t.match(again, { code: 0, stdout: /unchanged 6/ })
  t.notMatch(again.stdout, /secret/)
  t.notMatch((await redmint([...APPLY, '--dry-run'], file.replace('billing', 'other'))).stdout, /[\w-]{43}/)
  const typing = await redmint(
    APPLY,
    file.replace('redirect-uri', 'redirect_uri').replace('  - {res', '  - {scop: a, res'),
  )
  t.match(typing.stderr, /redirect_uri is not a field of a client: did you mean redirect_uris\?/)
  t.match(typing.stderr, /scop is not a field of a resource: did you mean scopes\?/)
})

t.test('JSON, secrets in files, and the digest of a secret', async (t) => {
  const { storage, redmint } = cliOn(new MemoryStorage())
  const directory = t.testdir({ secret: `${SECRET}\n` })
  const base = { is_public: false, grant_types: ['client_credentials'] }
  const file = JSON.stringify({
    label: 'shop-team',
    clients: [
      { ...base, client_id: 'a', client_secret: { file: `${directory}/secret` } },
      { ...base, client_id: 'b', client_secret_hash: secretHash(SECRET), client_name: null },
    ],
  })
  t.match(await redmint(APPLY, file), { code: 0 })
  for (const name of ['a', 'b'])
    t.match(await readClient(storage, name), { client_secret_hash: secretHash(SECRET) })
})

t.test('files that cannot be read, and what they do not reveal', async (t) => {
  const { redmint } = cliOn(new MemoryStorage())
  const cases = [
    [`label: a\nclients: [{client_secret: ${SECRET}`, /not valid YAML at line 2, column \d+: bad indent/],
    ['label: a\nlabel: b', /not valid YAML at line 2, column 1: duplicate key/],
    [`clients: *${SECRET}`, /not valid YAML: an alias/],
    [`clients: !${SECRET} x`, /not valid YAML at line 1, column 10: tag resolve failed/],
    ['- label: a', /must hold an object with a label/],
    ['', /must hold an object with a label/],
    ['clients: []', /line 1: label must be a label/],
    [
      'label: a b\nclients: [{client_id: c, is_public: true, grant_types: [refresh_token]}]',
      /1 problem:\n {2}line 1: label must/,
    ],
    ['label: a', /line 1: there are no clients, users, resources, issuers, applications or providers/],
    ['label: a\nclients:', /line 2: clients must be a list/],
  ] as const
  for (const [content, message] of cases) {
    const answer = await redmint([...APPLY, '--prune', '--yes'], content)
    t.match(answer, { code: 1, stdout: '', stderr: message }, content)
    t.notMatch(answer.stderr, SECRET)
  }
})

t.test(
  'storage that fails part-way: what was done is printed, and a second run does what is left',
  async (t) => {
    const storage = new MemoryStorage()
    const { redmint } = cliOn(storage)
    const { records } = storage
    const create = records.create.bind(records)
    let written = 0
    records.create = async (...given) => {
      // Not indexes: what of them is written by then depends on how long the hash of a password takes.
      const is_counted = given.some(({ kind }) => kind === CLIENT || kind === USER)
      if (is_counted && written === 2) throw new StorageUnavailable('no answer in time')
      if (is_counted) written += 1
      return create(...given)
    }
    const broken = await redmint([...APPLY, '--json'], FILE)
    t.equal(broken.code, 3)
    t.match(parsed(broken), { total: 4, created: 2, unknown: 2 })
    t.match(broken.stderr, /2 records not completed: storage does not answer.*Run the command again/)
    records.create = create
    t.match(parsed(await redmint([...APPLY, '--json'], FILE)), { total: 4, created: 2, unchanged: 2 })
  },
)

t.test('what another process changes in the meantime is left to it', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = cliOn(storage)
  await redmint(APPLY, client('c'))
  await redmint(APPLY, user('u').replace('shop-team', 'user-team'))
  const { records } = storage
  const change = records.change.bind(records)
  const labelled = { set: { managed_by: 'theirs' }, unset: [] }
  records.change = async (kind, id, wanted) => {
    await change(kind, id, labelled)
    return change(kind, id, wanted)
  }
  const answer = await redmint([...APPLY, '--json'], client('c', ', client_name: C'))
  t.match(answer, { code: 1, stderr: /1 record not completed: another process/ })
  t.match(parsed(answer), { not_written: 1 })
  t.match(await readClient(storage, 'c'), { client_name: 'c', managed_by: 'theirs' })
  await change(CLIENT, 'c', { set: { managed_by: 'shop-team' }, unset: [] })
  const removal = await redmint([...APPLY, '--prune', '--yes'], 'label: shop-team\nclients: []')
  t.match(removal, { code: 1, stderr: /client "c": The client "c" was changed at the same time/ })
  t.match(await readClient(storage, 'c'), { managed_by: 'theirs', disabled: undefined })
  const users = await redmint([...APPLY, '--prune', '--yes'], 'label: user-team\nusers: []')
  t.match(users, { code: 1, stderr: /user "u": The user "u" was changed at the same time/ })
  t.match(await readUser(storage, 'u'), { managed_by: 'theirs', disabled: undefined })
})

t.test('sessions that could not be ended are ended by the next run', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = cliOn(storage)
  await redmint(APPLY, FILE)
  const { sub = '' } = (await readUser(storage, 'alice')) ?? {}
  await createSession(storage, 'digest', session({ username: 'alice', sub }), 60)
  const { records, queue } = storage
  const add = queue.add.bind(queue)
  queue.add = async () => {
    throw new StorageUnavailable('no answer in time')
  }
  const other = cliOn(storage, { ...ENVIRONMENT, ALICE_PASSWORD: 'staple battery horse' })
  t.match(await other.redmint([...APPLY, '--json'], FILE), { code: 3, stderr: /no answer in time/ })
  queue.add = add
  t.ok(await records.read(SESSION, 'digest'))
  const next = await other.redmint(APPLY, FILE)
  t.match(next, { code: 0, stdout: /alice +ending: true -> none\n/ })
  t.equal(await records.read(SESSION, 'digest'), undefined)
  t.match(parsed(await other.redmint([...APPLY, '--json'], FILE)), { unchanged: 4 })
})
