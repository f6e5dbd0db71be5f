// Runs the commands of docs/keyspace.md, unchanged, against records that the storage wrote.

import { execFile, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import redmint from '../../../app.ts'
import { parseClient } from '../../../src/clients/record/client-record.ts'
import { newToken } from '../../../src/core/token-string.ts'
import { saveConsent } from '../../../src/interaction/consent.ts'
import { counterOf } from '../../../src/limits/networks.ts'
import { newCookieValue, sessionIdOf } from '../../../src/sessions/browser.ts'
import { queueLogouts } from '../../../src/sessions/logout-queue.ts'
import { parseSession } from '../../../src/sessions/session-record.ts'
import { createSession, endAllBefore } from '../../../src/sessions/session-store.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { readAccount } from '../../../src/users/read-account.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { signInCalls } from '../../support/contract/calls.ts'
import { signIn } from '../../support/contract/family.ts'
import { NOTICE } from '../../support/contract/logout-contract.ts'
import { SILENT } from '../../support/contract/redis-subject.ts'
import { session } from '../../support/contract/session-contract.ts'
import { CODE, collect, issueCode, readToken } from '../../support/contract/subject.ts'
import { blocks, readText, section } from '../../support/markdown.ts'
import {
  changeClient,
  createClient,
  createUser,
  issueClientToken,
  isWatching,
  listClients,
  readClient,
  readConsent,
  removeClient,
  watchClients,
} from '../../support/records.ts'
import { startRedis } from '../../support/redis-server.ts'
import { redisStorage } from '../../support/redis-storage.ts'
import { basic, ISSUER, useTestKeys } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const SECRET = 'correct horse battery staple'
const PASSWORD = 'hush'
const PAGE = await readText('docs/keyspace.md')
const commands = (heading: string) => blocks(section(PAGE, heading), 'sh')

// A minimal Debian has no openssl. The replacement computes the one digest that the page needs.
const hasOpenssl = spawnSync('sh', ['-c', 'command -v openssl']).status === 0
const DIGEST = `process.stdin.pipe(crypto.createHash('sha256')).pipe(process.stdout)`
const STAND_IN = `#!/bin/sh
[ "$*" = 'dgst -sha256 -binary' ] && exec '${process.execPath}' -e "${DIGEST}"
`

const run = (environment: Record<string, string>) => async (block: string | undefined) => {
  if (block === undefined) throw new TypeError('the page has no such command')
  const { stdout } = await promisify(execFile)('sh', ['-euc', block], {
    env: { ...process.env, ...environment },
  })
  return stdout.trimEnd()
}

async function setup(t: Test) {
  const redis = await startRedis(t)
  const storage = redisStorage(t, redis)
  const { grant, code, attempt } = await issueCode(storage)
  const first = attempt('one')
  await redeemCode(storage, code, first)
  const environment = { REDIS_URL: redis.url, GRANT: grant, TOKEN: first.access_token, SECRET, PASSWORD }
  const key = (kind: string, token: string) => `redmint:${kind}:{${grant}}.${token.slice(17)}`
  return { redis, storage, grant, code, first, environment, key, sh: run(environment) }
}

t.test('every command of the page is run here', async (t) => {
  const headings = [
    'Register a client',
    'Set a custom claim',
    'Look at a token',
    'List what one sign-in produced',
    'Revoke a token',
    'Count tokens',
    'Look at failed authentications',
    'Explanations',
    'Look at sessions',
    'End sessions and grants',
    'Look at queued logout notices',
    'Forget a consent',
    'Watch',
    'Who may write',
  ]
  t.equal(headings.flatMap(commands).length, PAGE.match(/^```sh$/gm)?.length)
})

for (const openssl of hasOpenssl ? ['openssl', 'stand-in'] : ['stand-in']) {
  t.test(`register a client, with the ${openssl}`, async (t) => {
    const { storage, environment } = await setup(t)
    const path = openssl === 'openssl' ? [] : [await makeStandIn(t)]
    const sh = run({ ...environment, PATH: [...path, process.env.PATH].join(delimiter) })
    const [confidential, open] = commands('Register a client')
    t.equal(await sh(confidential), '7')
    t.equal(await sh(open), '6')
    const reports = parseClient('reports', (await readClient(storage, 'reports')) ?? {})
    t.match(reports, {
      ok: true,
      record: { is_public: false, grant_types: ['client_credentials'], client_name: 'Nightly reports' },
    })
    t.equal(
      reports.ok && reports.record.client_secret_hash,
      createHash('sha256').update(SECRET).digest('base64'),
    )
    const notes = parseClient('notes', (await readClient(storage, 'notes')) ?? {})
    t.match(notes, {
      ok: true,
      record: { is_public: true, grant_types: ['authorization_code', 'refresh_token'] },
    })
    t.equal(notes.ok && notes.record.redirect_uris.length, 2)
  })
}

t.test('look at a token', async (t) => {
  const { storage, first, sh } = await setup(t)
  const [show, left] = commands('Look at a token')
  const { expires_at } = (await storage.families.findToken(first.access_token)) ?? {}
  const lines = (await sh(show)).split('\n')
  t.strictSame(Object.fromEntries(lines.flatMap((field, i) => (i % 2 ? [] : [[field, lines[i + 1]]]))), {
    jti: first.access_token,
    type: 'access_token',
    subject: CODE.subject,
    scope: CODE.scope,
    expires_at,
    revoked: 'false',
    client_id: CODE.client_id,
  })
  const most = Date.parse(expires_at ?? '') - Date.now() + 1000
  const ms = Number(await sh(left))
  t.ok(ms > 0 && ms <= most, `${ms} ms are left`)
})

t.test('look at a token where tokens are hashed at rest', async (t) => {
  const { redis, environment } = await setup(t)
  const hashed = redisStorage(t, redis, new RedisKeys('redmint:', 'hashed'))
  const { access_token: token } = await signIn(hashed)
  const path = hasOpenssl ? [] : [await makeStandIn(t)]
  const sh = run({ ...environment, TOKEN: token, PATH: [...path, process.env.PATH].join(delimiter) })
  const record = await sh(commands('Look at a token')[2])
  t.match(record, /^subject\nalice$/m)
  t.notOk(record.includes(token.slice(17)), 'the secret part is not there')
})

t.test('list what one sign-in produced', async (t) => {
  const { storage, grant, code, first, key, sh } = await setup(t)
  await issueCode(storage)
  const [all, tokens, derived] = commands('List what one sign-in produced')
  const keys = [key('token', first.access_token), key('token', first.refresh_token)].sort()
  t.strictSame(
    (await sh(all)).split('\n').sort(),
    [...keys, key('code', code), `redmint:grant:{${grant}}`, `redmint:grant-tokens:{${grant}}`].sort(),
  )
  t.strictSame((await sh(tokens)).split('\n').sort(), keys)
  t.equal(await sh(derived), '')
  const token = newToken(grant)
  const derivation = { client_id: 'orders', scope: CODE.scope, access_token_ttl: 60, is_jwt: false }
  await storage.families.deriveToken({
    ...{ ...derivation, token, subject: { token: first.access_token, is_jwt: false } },
    ...{ audience: '', fields: {}, single_uses: [] },
  })
  t.equal(await sh(derived), token.slice(17))
})

t.test('revoke a token', async (t) => {
  const { redis, storage, first, key, sh } = await setup(t)
  const [revoke] = commands('Revoke a token')
  await sh(revoke)
  t.match(await readToken(storage, first.access_token), { revoked: true })
  t.match(await readToken(storage, first.refresh_token), { revoked: false })
  await redis.cli('DEL', key('token', first.access_token))
  await t.rejects(sh(revoke), 'the token is gone')
  t.equal(await redis.cli('EXISTS', key('token', first.access_token)), '0', 'and stays gone')
})

t.test('count tokens', async (t) => {
  const { storage, first, sh } = await setup(t)
  for (let i = 0; i < 30; i += 1) await issueClientToken(storage)
  await storage.families.revokeToken(first.access_token)
  const [count, live] = commands('Count tokens')
  t.equal(Number(await sh(count)), 32)
  t.equal(Number(await sh(live)), 31)
})

t.test('look at failed authentications', async (t) => {
  const { redis, storage, environment } = await setup(t)
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  await useTestKeys(storage)
  await fastify.register(redmint, { issuer: ISSUER, storage })
  for (const remoteAddress of ['192.0.2.1', '2001:db8:1:2::3']) {
    for (let i = 0; i < 3; i += 1) {
      const headers = { ...basic('reports', 'wrong'), 'content-type': 'application/x-www-form-urlencoded' }
      const payload = 'grant_type=client_credentials'
      await fastify.inject({ method: 'POST', url: '/oauth2/token', headers, payload, remoteAddress })
    }
  }
  const [look] = commands('Look at failed authentications')
  for (const NETWORK of ['192.0.2.1', counterOf('2001:db8:1:2::')]) {
    t.match(await run({ ...environment, CLIENT_ID: 'reports', NETWORK })(look), /^3 \d{13}$/, NETWORK)
  }
  t.equal(await run({ ...environment, CLIENT_ID: 'reports', NETWORK: '192.0.2.2' })(look), '')
  t.match(
    await redis.cli('--scan', '--pattern', 'redmint:failures:*'),
    /^redmint:failures:client:[0-9a-f]{2}$/m,
  )
})

t.test('look at explanations', async (t) => {
  const { storage, sh } = await setup(t)
  const kept = { name: 'an-id', kind: 'pkce_method:web', owner: 'web', text: '{"reason":"pkce_method"}' }
  await storage.bounded.put('explanations', [kept], { max: 9, ttl: 60_000 })
  const step = { name: 'token', kind: 'web:', owner: 'web', text: '{"step":"token"}' }
  await storage.bounded.put('connection-steps', [step], { max: 9, ttl: 60_000 })
  const [look] = commands('Explanations')
  t.match(
    await sh(look),
    /^an-id\n(\d+) web pkce_method:web {"reason":"pkce_method"}\ne \1 web pkce_method:web an-id\n\d+ web web: {"step":"token"}$/,
  )
})

t.test('look at sessions', async (t) => {
  const { storage, environment } = await setup(t)
  const cookie = newCookieValue()
  const own = session({ username: 'alice', clients: new Set(['app']) })
  await createSession(storage, sessionIdOf(cookie), own, 60)
  await createSession(storage, 'other', session({ username: 'bob' }), 60)
  await createSession(storage, 'third', session({ username: 'alice' }), 60)
  const path = hasOpenssl ? [] : [await makeStandIn(t)]
  const sh = run({
    ...{ ...environment, COOKIE: cookie, USERNAME: 'alice' },
    PATH: [...path, process.env.PATH].join(delimiter),
  })
  const [show, list] = commands('Look at sessions')
  const lines = (await sh(show)).split('\n')
  t.strictSame(
    parseSession(
      Object.fromEntries(lines.flatMap((field, i) => (i % 2 ? [] : [[field, lines[i + 1] ?? '']]))),
    ),
    { ok: true, record: own },
  )
  t.strictSame(
    (await sh(list)).split('\n').sort(),
    [`redmint:session:${sessionIdOf(cookie)}`, 'redmint:session:third'].sort(),
  )
})

t.test('look at queued logout notices', async (t) => {
  const { storage, sh } = await setup(t)
  const [look] = commands('Look at queued logout notices')
  t.equal(await sh(look), '')
  await queueLogouts(storage, [NOTICE])
  const [member = '', due] = (await sh(look)).split('\n')
  t.strictSame(JSON.parse(member), NOTICE)
  t.ok(Math.abs(Number(due) - Date.now()) < 25_000)
})

t.test('set a custom claim', async (t) => {
  const { storage, sh } = await setup(t)
  await createUser(storage, 'alice', { sub: 'sub-of-alice' })
  const [set, remove] = commands('Set a custom claim')
  t.equal(await sh(set), '2')
  const claims = async () =>
    (await readAccount({ storage, log: SILENT, settings: { demo: false } }, 'alice'))?.custom_claims
  t.strictSame(await claims(), { groups: ['admin', 'staff'], department: 'Sales' })
  t.equal(await sh(remove), '1')
  t.strictSame(await claims(), { groups: ['admin', 'staff'] })
})

t.test('forget a consent', async (t) => {
  const { storage, environment } = await setup(t)
  await saveConsent(
    { storage: storage, now: Date.now },
    { sub: 'a:b', client_id: 'reports', scope: 'openid' },
    60,
  )
  await saveConsent(
    { storage: storage, now: Date.now },
    { sub: 'a:b', client_id: 'notes', scope: 'openid' },
    60,
  )
  const [forget] = commands('Forget a consent')
  t.equal(await run({ ...environment, SUB: 'a%3Ab', CLIENT_ID: 'reports' })(forget), '1')
  t.equal(await readConsent(storage, 'a:b', 'reports'), undefined)
  t.equal(await readConsent(storage, 'a:b', 'notes'), 'openid')
})

t.test('end all of a user or a client by their marks', async (t) => {
  const { storage, environment } = await setup(t)
  await createUser(storage, 'alice', { sub: 'sub-of-alice' })
  await createClient(storage, 'reports', { client_name: 'Reports' })
  const [end] = commands('End sessions and grants')
  const before = Math.floor(Date.now() / 1000) * 1000
  t.equal(await run({ ...environment, USERNAME: 'alice', CLIENT_ID: 'reports' })(end), '1\n1\n1')
  const [user, client] = [
    (await storage.records.read(USER, 'alice'))?.hash,
    await readClient(storage, 'reports'),
  ]
  const marks = [user?.sessions_end_before, user?.grants_end_before, client?.grants_end_before]
  for (const mark of marks) t.ok(Number(mark) >= before && Number(mark) <= Date.now(), String(mark))
})

t.test('watch', async (t) => {
  const { storage, environment, sh } = await setup(t)
  watchClients(storage, { changed() {}, allChanged() {} })
  await until('changes are reported', () => isWatching(storage))
  const [clients, changes = ''] = commands('Watch')
  t.match(await sh(clients), /addr=127\.0\.0\.1:\d+\nname=redmint\n(.*\n)*name=redmint-watch/)

  const watching = spawn('sh', ['-euc', changes], {
    detached: true,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => void (watching.pid && process.kill(-watching.pid)))
  let printed = ''
  watching.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  await until('it watches', () => printed.includes('psubscribe'))
  await createClient(storage, 'reports', { client_name: 'Reports' })
  await until('a change is shown', () => /redmint:client:reports\nhset/.test(printed))
  t.pass()
})

t.test('who may write', async (t) => {
  const { redis, sh } = await setup(t)
  const [grantRights] = commands('Who may write')
  t.equal(await sh(grantRights), 'OK')
  const url = redis.url.replace('//', `//redmint:${PASSWORD}@`)
  const storage = redisStorage(t, { url })
  watchClients(storage, { changed() {}, allChanged() {} })
  await storage.probe()
  await until('changes are reported', () => isWatching(storage))
  t.equal(await createClient(storage, 'reports', { client_name: 'Reports' }), 'ok')
  t.equal(await changeClient(storage, 'reports', { set: { a: '1' }, unset: ['b'] }), 'ok')
  t.strictSame(await collect(listClients(storage)), [
    { client_id: 'reports', hash: { client_name: 'Reports', a: '1' } },
  ])
  t.equal(await removeClient(storage, 'reports'), 'ok')
  t.equal(await storage.signing_keys.replace({}, { kid: 'key' }), true)
  const { grant, code, attempt } = await issueCode(storage)
  t.match(await redeemCode(storage, code, attempt('one')), { outcome: 'ok' })
  t.match(await redeemCode(storage, code, attempt('two')), { outcome: 'replayed' })
  t.equal(await storage.families.revokeFamily(grant), 'again')
  await issueCode(storage)
  t.match(await endAllBefore(storage, Number.MAX_SAFE_INTEGER), { codes: 1 })
  t.match(await storage.counters.countFailure('client', 'name', 1000), { count: 1 })
  for (const call of Object.values(signInCalls(storage))) await call()

  const connect = ['--user', 'redmint', '--pass', PASSWORD, '--no-auth-warning']
  for (const command of [
    ['FLUSHALL'],
    ['KEYS', '*'],
    ['CONFIG', 'GET', '*'],
    ['GET', 'other'],
    ['MONITOR'],
  ]) {
    await t.rejects(redis.cli(...connect, ...command), { message: /NOPERM/ }, command.join(' '))
  }
})

/** Creates a folder with a replacement for the command `openssl`. */
async function makeStandIn(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'redmint-openssl-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'openssl'), STAND_IN, { mode: 0o755 })
  return folder
}
