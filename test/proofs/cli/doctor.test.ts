// `redmint doctor`, on real servers that are set up badly in each respect.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { readConfig } from '../../../src/config/config.ts'
import { SILENT } from '../../../src/core/log.ts'
import { nodeProblem } from '../../../src/core/node-floor.ts'
import { maintainSigningKeys } from '../../../src/keys/rotate.ts'
import type { Finding } from '../../../src/service/finding.ts'
import { certificateFinding } from '../../../src/service/finding.ts'
import { openStorage } from '../../../src/service/open-storage.ts'
import { RunningServer } from '../../../src/service/running-server.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { readText } from '../../support/markdown.ts'
import { CERTIFICATE, KEY } from '../../support/outbound/self-signed.ts'
import { freePort } from '../../support/process.ts'
import {
  type RedisServer,
  startCluster,
  startRedis,
  startReplica,
  startSentinel,
} from '../../support/redis-server.ts'
import { registerClient } from '../../support/server.ts'
import { CLIENTS } from '../../support/service.ts'
import { startSmtp } from '../../support/smtp.ts'
import { until } from '../../support/until.ts'

type Environment = Record<string, string>
type Level = Finding['level']

t.setTimeout(120_000)

/** The Node of this machine can be one that has no fixes any more, which is a warning. */
const OLD_NODE = nodeProblem(process.versions.node) !== undefined

/** Runs `doctor`. @param ahead milliseconds by which the clock of this machine is ahead */
async function run(t: Test, environment: Environment, ahead = 0) {
  const storage = openStorage(readConfig(environment), SILENT)
  t.teardown(storage.close.bind(storage))
  const { redmint } = createCli({ storage, environment, now: () => Date.now() + ahead })
  const result = await redmint(['doctor', '--json'])
  const { findings, ...numbers } = parsed<{ findings: Finding[]; problems: number; warnings: number }>(result)
  return {
    ...numbers,
    code: result.code,
    findings,
    /** The findings of a check. */
    of: (check: string) => findings.filter((finding) => finding.check.replace(/ \(.*/, '') === check),
    print: () => redmint(['doctor']),
  }
}

/** Checks that the one finding of a check has this level and says this. */
async function finds(
  t: Test,
  { url }: Pick<RedisServer, 'url'>,
  [check, level, text]: readonly [check: string, level: Level, text: RegExp],
  { environment = {}, ahead = 0 }: { environment?: Environment; ahead?: number } = {},
) {
  const { code, of, problems } = await run(t, { REDIS_URL: url, ...environment }, ahead)
  const [finding, ...more] = of(check)
  t.equal(finding?.level, level, `${check}: ${finding?.finding}`)
  t.match(`${finding?.finding}. ${finding?.advice ?? ''}`, text)
  t.same(more, [])
  t.equal(code, problems === 0 ? 0 : 1)
  if (level === 'problem') t.ok(problems > 0)
}

const KEK = randomBytes(32).toString('base64')
const SAFE = { TOKENS_AT_REST: 'hashed', KEY_ENCRYPTION_KEY: KEK, ISSUER: 'http://localhost:3000' }

/** Stores keys as a server with this environment does. */
async function makeKeys({ url }: RedisServer, environment: Environment = {}, at = new Date()) {
  const config = readConfig({ REDIS_URL: url, ...environment })
  const storage = openStorage(config, SILENT)
  await maintainSigningKeys(storage.signing_keys, config.settings, at)
  await storage.close()
}

/** Examines a good Redis again while it answers slowly, as on a busy machine. */
async function untilQuick(examine: () => ReturnType<typeof run>) {
  let found = await examine()
  await until('Redis answers quickly', async () => {
    if (found.of('latency')[0]?.level === 'ok') return true
    found = await examine()
    return false
  })
  return found
}

t.test('a good set-up has neither problems nor warnings, as text and as JSON', async (t) => {
  const redis = await startRedis(t, { args: ['--appendonly', 'yes'] })
  await makeKeys(redis, SAFE)
  const smtp = await startSmtp(t)
  const mail = { SMTP_URL: `smtp://localhost:${smtp.port}`, SMTP_TLS: 'off', MAIL_FROM: 'login@example.com' }
  const { findings, print, ...rest } = await untilQuick(() =>
    run(t, { REDIS_URL: redis.url, ...SAFE, ...mail }),
  )
  t.match(rest, { code: 0, problems: 0, warnings: OLD_NODE ? 1 : 0 })
  t.same(
    findings.map(
      ({ check, level }) => `${level} ${check.replace(` (127.0.0.1:${redis.port})`, ' of Redis')}`,
    ),
    [
      'ok Redis of Redis',
      'ok persistence of Redis',
      'ok eviction of Redis',
      'ok memory of Redis',
      'ok replicas of Redis',
      'ok rights of Redis',
      'ok latency of Redis',
      'ok clock of Redis',
      'ok TLS of Redis',
      'ok memory growth of Redis',
      'ok issuer',
      'ok administrators',
      'ok servers',
      OLD_NODE ? 'warning Node' : 'ok Node',
      'ok signing keys',
      'ok keys at rest',
      'ok tokens at rest',
      'ok clients',
      'ok registration',
      'ok users',
      'ok sign-in names',
      'ok resources',
      'ok types of details',
      'ok trusted issuers',
      'ok other servers',
      'ok providers',
      'ok audit trail',
      'ok audit webhook',
      'ok SMTP server',
      'ok mail',
      'ok directory',
      'ok own pages',
      'ok third parties',
      'ok logout notices',
      'ok lockouts',
      'ok demo records',
    ],
  )
  let stdout = ''
  await until('Redis answers quickly', async () => {
    const printed = await print()
    t.equal(printed.code, 0)
    stdout = printed.stdout
    return /^ok +latency/m.test(stdout)
  })
  t.match(stdout, /^LEVEL +CHECK +FINDING\nok +Redis/)
  t.match(stdout, OLD_NODE ? /\n\n0 problems, 1 warning\.\n$/ : /\n\n0 problems, 0 warnings\.\n$/)
})

t.test('persistence', async (t) => {
  const redis = await startRedis(t)
  await finds(t, redis, ['persistence', 'problem', /neither .* forgets every client.*Set appendonly yes/])
  await redis.cli('CONFIG', 'SET', 'save', '3600 1')
  await finds(t, redis, ['persistence', 'warning', /snapshots only \(save 3600 1\)/])
  await redis.cli('CONFIG', 'SET', 'appendonly', 'yes')
  await finds(t, redis, ['persistence', 'ok', /appendonly is on/])
})

t.test('eviction', async (t) => {
  const redis = await startRedis(t, { args: ['--maxmemory-policy', 'allkeys-lru'] })
  await finds(t, redis, ['eviction', 'problem', /allkeys-lru: .*Set maxmemory-policy noeviction/])
})

t.test('memory', async (t) => {
  const redis = await startRedis(t)
  await finds(t, redis, ['memory', 'ok', /^\d+\.\d MiB used, and maxmemory is not set/])
  await redis.cli('CONFIG', 'SET', 'maxmemory', '1gb')
  await finds(t, redis, ['memory', 'ok', /^\d+\.\d MiB of 1024\.0 MiB \(maxmemory\) used/])
  // Large, so that what the connections of this test need changes nothing.
  await redis.cli('SETRANGE', 'large', `${32 * 2 ** 20}`, 'x')
  const used = Number(/^used_memory:(\d+)/m.exec(await redis.cli('INFO', 'memory'))?.[1])
  await redis.cli('CONFIG', 'SET', 'maxmemory', `${Math.round(used / 0.95)}`)
  await finds(t, redis, ['memory', 'warning', /\(maxmemory\) used\. Raise maxmemory/])
  await redis.cli('CONFIG', 'SET', 'maxmemory', '1')
  await finds(t, redis, ['memory', 'problem', /Redis refuses to write codes, .*\. Raise maxmemory/])
  await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'volatile-ttl')
  await finds(t, redis, ['memory', 'problem', /Redis drops keys\./])
})

t.test('replicas', async (t) => {
  const redis = await startRedis(t, { args: ['--repl-diskless-sync-delay', '0'] })
  await startReplica(t, redis)
  await finds(t, redis, [
    'replicas',
    'warning',
    /1, and min-replicas-to-write is 0.*Set min-replicas-to-write 1/,
  ])
  await redis.cli('CONFIG', 'SET', 'min-replicas-to-write', '1')
  await finds(t, redis, ['replicas', 'ok', /1, and min-replicas-to-write is set/])
})

t.test('each right of the page is needed, and no other; nothing stays in Redis', async (t) => {
  const redis = await startRedis(t)
  const page = await readText('docs/keyspace.md')
  const [, given = ''] = /ACL SETUSER redmint reset on ">\$PASSWORD"([^`]*)```/.exec(page) ?? []
  const rights = (given.match(/[~&+][\w:|*]+/g) ?? []).filter(
    (right) => !/^\+(cluster|read|asking|wait)/.test(right),
  )
  t.ok(rights.length > 25)
  const as = { url: redis.url.replace('//', '//few:secret@') }
  const grant = (list: readonly string[]) =>
    redis.cli('ACL', 'SETUSER', 'few', 'reset', 'on', '>secret', ...list)
  await grant(rights)
  await finds(t, as, ['rights', 'ok', /all that redmint needs/])
  // Without these no record can be read, which ends the command before.
  const needed = /^(~|\+(hgetall|scan|type|client\|setname)$)/
  for (const right of rights.filter((right) => !needed.test(right))) {
    await grant(rights.filter((other) => other !== right))
    const { of } = await run(t, { REDIS_URL: as.url })
    t.equal(of('rights')[0]?.finding, `its user lacks ${right}`)
  }
  await grant([...rights.filter((right) => !right.startsWith('~')), '~redmint:[^t]*'])
  await finds(t, as, ['rights', 'problem', /its user lacks ~redmint:token\*.*ACL SETUSER/])
  const removing = /^\+(set|del|hdel|zrem|pexpire|pexpireat)$/
  await grant(rights.filter((right) => !removing.test(right)))
  await finds(t, as, ['rights', 'problem', /its user lacks .*\+set /])
  for (const key of (await redis.cli('KEYS', '*')).split('\n').filter((key) => key !== '')) {
    t.ok(Number(await redis.cli('PTTL', key)) > 0, `${key} expires`)
  }
})

t.test('what a provider forbids could not be read, and is no crash', async (t) => {
  const redis = await startRedis(t)
  const rights = ['on', '>secret', '~*', '&*', '+@all', '-config', '-info', '-time']
  await redis.cli('ACL', 'SETUSER', 'few', 'reset', ...rights)
  const { of } = await run(t, { REDIS_URL: redis.url.replace('//', '//few:secret@') })
  for (const check of ['Redis', 'persistence', 'eviction', 'memory', 'replicas', 'clock']) {
    t.match(
      of(check),
      [{ level: 'warning', finding: /^could not be read/, advice: /^Make sure that / }],
      check,
    )
  }
})

t.test('servers that disagree are named, by doctor and by server', async (t) => {
  const redis = await startRedis(t)
  const storage = openStorage(readConfig({ REDIS_URL: redis.url }), SILENT)
  t.teardown(storage.close.bind(storage))
  const start = async (environment: Environment) => {
    const { settings } = readConfig({ REDIS_URL: redis.url, ...environment })
    const server = new RunningServer({ storage, settings, log: SILENT, now: Date.now })
    t.teardown(() => server.close())
    await server.start()
  }
  await start({})
  await finds(t, redis, ['servers', 'ok', /1 server of version .*: while it is down/])
  await start({ ACCESS_TOKEN_TTL: '60' })
  await finds(t, redis, [
    'servers',
    'warning',
    /ACCESS_TOKEN_TTL: .*900 \(.*60 \(|60 \(.*900 \(.*Set the same/,
  ])

  const environment = { REDIS_URL: redis.url }
  const { redmint } = createCli({
    environment,
    openStorage: (config) => openStorage(config, SILENT),
  })
  const { code, stdout } = await redmint(['server'])
  t.equal(code, 0)
  t.match(stdout, /^issuer +http:\/\/localhost:3000\n/)
  t.match(stdout, /Warning: the servers disagree about ACCESS_TOKEN_TTL/)
  t.match(stdout, /\nok +Redis/)
  const json = parsed<{ servers: unknown[]; redis: unknown[] }>(await redmint(['server', '--json']))
  t.match(json, { issuer: 'http://localhost:3000', servers: [{ workers: 1 }, { workers: 1 }] })
  t.ok(json.redis.length > 0)

  await start({ ISSUER: 'https://auth.example.com' })
  const refused = await redmint([
    'client',
    'add',
    'shop',
    '--for',
    'express',
    '--origin',
    'https://shop.example',
  ])
  t.match(refused, { code: 2, stderr: /The servers disagree about ISSUER \(http.* and http.*: set ISSUER/ })
  t.equal(await storage.records.read(CLIENT, 'shop'), undefined, 'nothing is added')
})

t.test('the clock', async (t) => {
  const redis = await startRedis(t)
  const behind = /behind this machine/
  await finds(t, redis, ['clock', 'ok', /this machine/])
  await finds(t, redis, ['clock', 'warning', behind], { ahead: 30_000 })
  await finds(t, redis, ['clock', 'problem', behind], { ahead: 90_000 })
  await finds(t, redis, ['clock', 'problem', /ahead of this machine.*Set the clocks/], { ahead: -90_000 })
})

t.test('signing keys', async (t) => {
  const redis = await startRedis(t)
  await finds(t, redis, ['signing keys', 'warning', /there are none\. Start a server/])
  await makeKeys(redis)
  await finds(t, redis, ['signing keys', 'ok', /8 keys, the oldest signs for 0 days/])
  await finds(t, redis, ['keys at rest', 'warning', /8 of 8 .*Set KEY_ENCRYPTION_KEY/])
  const environment = { KEY_ENCRYPTION_KEY: KEK }
  await finds(t, redis, ['keys at rest', 'warning', /next two rotations/], { environment })
  const ahead = 95 * 86_400_000
  await finds(t, redis, ['signing keys', 'warning', /for 95 days, and KEY_ROTATION_DAYS is 90/], { ahead })

  await redis.cli('DEL', 'redmint:signing-keys')
  await makeKeys(redis, environment)
  await finds(t, redis, ['keys at rest', 'ok', /every private key is encrypted/], { environment })
  await finds(t, redis, ['signing keys', 'problem', /set KEY_ENCRYPTION_KEY.*Servers do not start/])
  await redis.cli('HSET', 'redmint:signing-keys', 'broken', '{}')
  await finds(t, redis, ['signing keys', 'problem', /broken is malformed/], { environment })
})

const lint = (noun: string, id = 'odd') =>
  new RegExp(`servers refuse ${id} \\(1 of 1\\)\\. Run redmint ${noun} lint`)

t.test('sealing keys and the restore mark, if servers cannot use them', async (t) => {
  const redis = await startRedis(t)
  const { of } = await run(t, { REDIS_URL: redis.url })
  t.same([of('sealing keys'), of('restore mark')], [[], []])
  await redis.cli('HSET', 'redmint:sealing-keys', 'broken', '{}')
  await finds(t, redis, ['sealing keys', 'problem', /broken is malformed.*Servers do not start/])
  await redis.cli('HSET', 'redmint:restore:mark', 'not_before', 'x')
  await finds(t, redis, ['restore mark', 'problem', /run "redmint restore mark" again.*Servers do not start/])
})

t.test('records: demo mode, clients, users, tokens', async (t) => {
  const redis = await startRedis(t)
  await redis.cli('HSET', 'redmint:client:partner', 'is_public', 'maybe')
  await finds(t, redis, ['clients', 'problem', /servers refuse partner \(1 of 1\)\. Run redmint client lint/])
  await redis.cli('HSET', 'redmint:user:bob', 'password_hash', 'plain')
  await finds(t, redis, ['users', 'problem', lint('user', 'bob')])
  await redis.cli('HSET', 'redmint:user:bob', 'sub', 'bob')
  await finds(t, redis, ['users', 'warning', /wrong: bob \(1 of 1\)\. Run redmint user lint/])
  await finds(t, redis, ['sign-in names', 'ok', /the index fits the users/])
  await redis.cli('HSET', 'redmint:sign-in-name:bob@example.com', 'bob', '1')
  await finds(t, redis, ['sign-in names', 'warning', /shared: bob\. .*redmint user reindex/])
  await finds(t, redis, ['tokens at rest', 'warning', /Set TOKENS_AT_REST=hashed/])
  await finds(t, redis, ['demo records', 'ok', /there are none/])
  await redis.cli('HSET', 'redmint:user:alice', 'sub', 'alice', 'email', 'alice@corp.example')
  await finds(t, redis, ['demo records', 'ok', /there are none/])
  await redis.cli('HSET', 'redmint:user:alice', 'demo', 'true')
  await registerClient(redis, { ...CLIENTS.service, client_id: 'demo-service', demo: true })
  const commands = /2 are left.* redmint client remove demo-service.* redmint user remove alice/
  await finds(t, redis, ['demo records', 'warning', commands])
  await finds(t, redis, ['demo records', 'ok', /is on/], { environment: { DEMO: 'true' } })
})

t.test('records: people without a passkey, where there is nothing else', async (t) => {
  const redis = await startRedis(t)
  const storage = openStorage(readConfig({ REDIS_URL: redis.url }), SILENT)
  t.teardown(storage.close.bind(storage))
  const of = async (environment: Environment) =>
    (await run(t, { REDIS_URL: redis.url, ...environment })).of('passkeys')
  const put = (kind: string, name: string, hash: Record<string, string>) =>
    redis.cli('HSET', `redmint:${kind}:${name}`, ...Object.entries(hash).flat())
  for (const name of ['alice', 'bob']) await put('user', name, { sub: `sub-of-${name}`, password_hash: 'x' })
  await put('user', 'carol', { sub: 'sub-of-carol', disabled: 'true' })
  await put('factors', 'alice', { generation: '1', 'passkey:x': '{}' })
  await put('factors', 'bob', { generation: '1' })
  t.strictSame(await of({}), [])
  t.match(await of({ SIGN_IN: 'passkeys' }), [
    { level: 'warning', finding: /nobody signs in otherwise: bob \(1 of 2\)/, advice: /user reset-link/ },
  ])
  await put('factors', 'bob', { 'passkey:y': '{}' })
  t.match(await of({ SIGN_IN: 'passkeys' }), [{ level: 'ok', finding: /each of 2 users has one/ }])
})

t.test('records: a key that is not a hash is reported', async (t) => {
  const redis = await startRedis(t)
  for (const name of ['client', 'user', 'resource', 'issuer'])
    await redis.cli('SET', `redmint:${name}:odd`, 'x')
  await finds(t, redis, ['clients', 'problem', lint('client')])
  await finds(t, redis, ['users', 'problem', lint('user')])
  await finds(t, redis, ['sign-in names', 'ok', /the index fits the users/])
  await finds(t, redis, ['resources', 'problem', lint('resource')])
  await finds(t, redis, ['trusted issuers', 'problem', lint('issuer')])
})

t.test('records: resources and trusted issuers', async (t) => {
  const redis = await startRedis(t)
  const [api, ci] = ['redmint:resource:https://api.example.com', 'redmint:issuer:https://ci.example.com']
  await redis.cli('HSET', api, 'resource_name', 'Orders')
  await finds(t, redis, ['resources', 'warning', /api\.example\.com \(1 of 1\)\. Run redmint resource lint/])
  await redis.cli('HSET', api, 'access_token_ttl', 'long')
  await finds(t, redis, ['resources', 'problem', /refuse https:\/\/api\.example\.com \(1 of 1\)/])
  await redis.cli('HSET', ci, 'profile', 'workload')
  await finds(t, redis, ['trusted issuers', 'ok', /^1 issuer, none with a finding/])
  await redis.cli('HSET', ci, 'reusable', 'true')
  await finds(t, redis, [
    'trusted issuers',
    'warning',
    /ci\.example\.com \(1 of 1\)\. Run redmint issuer lint/,
  ])
  await redis.cli('HSET', ci, 'profile', 'other')
  await finds(t, redis, ['trusted issuers', 'problem', /refuse https:\/\/ci\.example\.com \(1 of 1\)/])
})

t.test('the certificates of Redis and of the issuer, and what discovery says', async (t) => {
  const { NODE_TLS_REJECT_UNAUTHORIZED } = process.env
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.teardown(() => {
    if (NODE_TLS_REJECT_UNAUTHORIZED === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = NODE_TLS_REJECT_UNAUTHORIZED
  })
  const folder = await mkdtemp(join(tmpdir(), 'redmint-tls-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'certificate.pem'), CERTIFICATE)
  await writeFile(join(folder, 'key.pem'), KEY)
  const files = [
    '--tls-cert-file',
    join(folder, 'certificate.pem'),
    '--tls-key-file',
    join(folder, 'key.pem'),
  ]
  const redis = await startRedis(t, { args: [...files, '--tls-auth-clients', 'no'] })
  const tls_port = await freePort()
  await redis.cli('CONFIG', 'SET', 'tls-port', String(tls_port))
  await finds(t, { url: `rediss://127.0.0.1:${tls_port}` }, ['TLS', 'ok', /valid until 2126-/])

  const found = ['/.well-known/openid-configuration']
  let named = ''
  let page: string | undefined
  const headers: Record<string, string> = {}
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.statusCode = found.includes(String(request.url)) && named !== '' ? 200 : 404
    response.end(page ?? JSON.stringify({ issuer: named }))
  }).listen(0, '127.0.0.2')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  const ISSUER = 'https://nowhere.invalid'
  await finds(t, redis, ['issuer', 'warning', /does not answer from here \((ENOTFOUND|EAI_AGAIN)\)/], {
    environment: { ISSUER },
  })
  const port = typeof address === 'object' ? address?.port : 0
  const environment = { ISSUER: `https://127.0.0.2:${port}` }
  await finds(t, redis, ['issuer', 'problem', /answers 404\. Let the balancer pass/], { environment })
  named = 'https://other.example'
  await finds(t, redis, ['issuer', 'problem', /names the issuer "https:..other\.example"/], { environment })
  for (page of ['<!doctype html>', 'null']) {
    await finds(
      t,
      redis,
      ['issuer', 'problem', /configuration answers with something that is not a JSON object\. Let the/],
      {
        environment,
      },
    )
  }
  page = undefined
  named = environment.ISSUER
  await finds(t, redis, ['issuer', 'ok', /answers, and discovery names it/], { environment })
  await finds(t, redis, ['issuer TLS', 'ok', /valid until 2126-/], { environment })
  const removed = /removes Strict-Transport-Security and X-Request-Id\./
  await finds(t, redis, ['issuer headers', 'warning', removed], { environment })
  headers['x-request-id'] = 'one'
  await finds(t, redis, ['issuer headers', 'warning', /removes Strict-Transport-Security\./], { environment })
  headers['strict-transport-security'] = 'max-age=31536000'
  await finds(t, redis, ['issuer headers', 'ok', /get through/], { environment })
  await finds(t, redis, ['metrics', 'ok', /prometheus answers 404/], { environment })
  found.push('/actuator/prometheus')
  await finds(t, redis, ['metrics', 'warning', /answers everybody.*Set MANAGEMENT_PORT/], { environment })

  const below = { ISSUER: `${environment.ISSUER}/auth` }
  named = below.ISSUER
  await finds(t, redis, ['issuer', 'problem', /set PROXY_STRIPS_PATH if it removes/], { environment: below })
  found.push('/auth/.well-known/openid-configuration')
  const at_root = /oauth-authorization-server\/auth answers 404: clients of OAuth 2\.0 look there/
  await finds(t, redis, ['issuer metadata', 'warning', at_root], { environment: below })
  found.push('/.well-known/oauth-authorization-server/auth')
  await finds(t, redis, ['issuer metadata', 'ok', /oauth-authorization-server\/auth answers/], {
    environment: below,
  })
})

t.test('a certificate that ends soon is a warning, one that has ended a problem', (t) => {
  const now = Date.UTC(2030, 0, 1)
  const levelIn = (days: number) => certificateFinding('TLS', new Date(now + days * 86_400_000), now).level
  t.same([-1, 1, 13, 14].map(levelIn), ['problem', 'warning', 'warning', 'ok'])
  t.end()
})

t.test('the master behind Sentinels, and each master of a Cluster', async (t) => {
  const { name, sentinels, master } = await startSentinel(t)
  const behind = await run(t, { REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: name })
  t.match(behind.of('replicas'), [{ check: `replicas (127.0.0.1:${master.port})`, level: 'warning' }])
  t.match(behind.of('rights'), [{ level: 'ok' }])

  const { nodes, masters } = await startCluster(t)
  const spread = await run(t, { REDIS_CLUSTER_NODES: nodes, REDIS_WAIT_REPLICAS: '1' })
  t.same(
    spread
      .of('rights')
      .map(({ check, level }) => `${level} ${check}`)
      .sort(),
    masters.map(({ port }) => `ok rights (127.0.0.1:${port})`).sort(),
  )
  t.match(spread.of('replicas'), Array(3).fill({ level: 'warning', finding: /^none is connected/ }))
})

t.test('a Redis that is away or refuses ends the command with exit code 3', async (t) => {
  const redis = await startRedis(t, { args: ['--requirepass', 'right'] })
  const environment = { REDIS_URL: redis.url }
  const storage = openStorage(readConfig(environment), SILENT)
  t.teardown(storage.close.bind(storage))
  const { redmint } = createCli({ storage, environment })
  t.match(await redmint(['doctor']), {
    code: 3,
    stderr: /is there, but cannot be used: Redis answered NOAUTH/,
  })
})
