// The lines about an outage: what is wrong and what to do when it begins, and one when it is over.
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { CLIENT } from '../../../../../../src/clients/record/client-kind.ts'
import type { RedisLocation } from '../../../../../../src/config/redis-location.ts'
import { DRIVER_OPTIONS, endpoint } from '../../../../../../src/storage/redis/connection/options.ts'
import { adviceOn, stateOf } from '../../../../../../src/storage/redis/connection/outage-advice.ts'
import { OutageLog } from '../../../../../../src/storage/redis/connection/outage-log.ts'
import { findTrouble } from '../../../../../../src/storage/redis/connection/trouble.ts'
import { CERTIFICATE, KEY } from '../../../../../support/outbound/self-signed.ts'
import { freePort } from '../../../../../support/process.ts'
import { issueClientToken, readClient } from '../../../../../support/records.ts'
import {
  type RedisServer,
  startCluster,
  startRedis,
  startReplica,
} from '../../../../../support/redis-server.ts'
import {
  open,
  openAt,
  recordingLog,
  unavailable,
  writable,
} from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

const SINGLE = { kind: 'single' } as const

interface Cause {
  /** Starts a server that redmint cannot use, and returns the URL for redmint. */
  begin(t: Test): Promise<{ redis: RedisServer; url: string }>
  /** Repairs it; the rest cannot be repaired without a restart of redmint. */
  end?(redis: RedisServer): Promise<unknown>
  line: string
  /** Whether a server is there, and cannot be used. */
  there?: true
}

const as = (user: string) => (url: string) => url.replace('//', `//${user}@`)

const CLOSED =
  'it closed the connection at once. If it expects TLS at this port, use a rediss:// URL; otherwise look at its maxclients and its log.'

/** Every cause that a real server can have, with the whole line after its name. */
const CAUSES: Record<string, Cause> = {
  'nothing listens': {
    async begin(t) {
      const redis = await startRedis(t)
      await redis.stop()
      return { redis, url: redis.url }
    },
    end: (redis) => redis.restart(),
    line: 'no connection (ECONNREFUSED). Nothing listens there: start Redis, or correct REDIS_URL.',
  },
  'it hangs': {
    async begin(t) {
      const redis = await startRedis(t)
      process.kill(redis.pid, 'SIGSTOP')
      return { redis, url: redis.url }
    },
    end: async (redis) => process.kill(redis.pid, 'SIGCONT'),
    line: 'no answer in time. It hangs, is overloaded, or the network drops its packets.',
  },
  'a wrong password': {
    there: true,
    async begin(t) {
      const redis = await startRedis(t, { args: ['--requirepass', 'right'] })
      return { redis, url: as(':wrong')(redis.url) }
    },
    end: (redis) => redis.cli('-a', 'right', '--no-auth-warning', 'CONFIG', 'SET', 'requirepass', 'wrong'),
    line: 'Redis answered WRONGPASS. It refuses the password: correct REDIS_URL.',
  },
  'no password': {
    there: true,
    async begin(t) {
      const redis = await startRedis(t, { args: ['--requirepass', 'right'] })
      return { redis, url: redis.url }
    },
    end: (redis) => redis.cli('-a', 'right', '--no-auth-warning', 'CONFIG', 'SET', 'requirepass', ''),
    line: 'Redis answered NOAUTH. It wants a password: set REDIS_URL.',
  },
  'TLS spoken to a plain port': {
    there: true,
    async begin(t) {
      const redis = await startRedis(t)
      return { redis, url: redis.url.replace('redis:', 'rediss:') }
    },
    line: 'no answer to TLS in time. If it does not speak TLS at this port, use a redis:// URL.',
  },
  'no TLS spoken to a TLS port': {
    there: true,
    async begin(t) {
      const { redis, tls_port } = await startTlsRedis(t)
      return { redis, url: `redis://127.0.0.1:${tls_port}` }
    },
    line: CLOSED,
  },
  'a certificate that is not trusted': {
    there: true,
    async begin(t) {
      const { redis, tls_port } = await startTlsRedis(t)
      return { redis, url: `rediss://127.0.0.1:${tls_port}` }
    },
    line: 'no connection (DEPTH_ZERO_SELF_SIGNED_CERT). Its certificate is not trusted: set NODE_EXTRA_CA_CERTS to the file of its certificate authority.',
  },
  'a replica': {
    there: true,
    async begin(t) {
      const master = await startRedis(t, { args: ['--repl-diskless-sync-delay', '0'] })
      const redis = await startReplica(t, master)
      return { redis, url: redis.url }
    },
    end: (redis) => redis.cli('REPLICAOF', 'NO', 'ONE'),
    line: 'it is a replica. Name the master in REDIS_URL, or promote this server (REPLICAOF NO ONE).',
  },
  'a database that does not exist': {
    there: true,
    async begin(t) {
      const redis = await startRedis(t, { args: ['--databases', '2'] })
      return { redis, url: `${redis.url}/2` }
    },
    line: 'it has no such database. Correct the database number at the end of REDIS_URL, or raise databases in its configuration.',
  },
  'another program': {
    there: true,
    async begin(t) {
      const redis = await startRedis(t)
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.write('SSH-2.0-OpenSSH_9.9\r\n')
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      t.teardown(() => server.close())
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : undefined
      return { redis, url: `redis://127.0.0.1:${port}` }
    },
    line: 'it does not speak the protocol of Redis. Another program listens there: correct REDIS_URL.',
  },
  'a Sentinel': {
    there: true,
    async begin(t) {
      const config = 'sentinel monitor redmint-test 127.0.0.1 1 1\n'
      const redis = await startRedis(t, { config, args: ['--sentinel'] })
      return { redis, url: redis.url }
    },
    line: 'it is a Sentinel. Set REDIS_SENTINELS and REDIS_SENTINEL_NAME instead of REDIS_URL.',
  },
  'too many clients': {
    there: true,
    async begin(t) {
      const redis = await startRedis(t, { args: ['--maxclients', '1'] })
      // One connection for this end of the test, and none for redmint.
      const taken = openAt(t, redis.url)
      await writable(taken.storage)
      return { redis, url: redis.url }
    },
    line: CLOSED,
  },
}

/** A redis-server that also has a TLS port, with a certificate that nobody trusts. */
t.test(
  'an attempt to connect that is given up ends no process, whatever the TLS socket reports',
  async (t) => {
    const { tls_port } = await startTlsRedis(t)
    const url = `rediss://127.0.0.1:${tls_port}`
    const codes = new Set<unknown>()
    for (let round = 0; round < 40; round += 1) {
      const options = { ...DRIVER_OPTIONS, ...endpoint({ kind: 'single', url }), retryStrategy: () => null }
      const attempts = Array.from({ length: 20 }, async (_, i) => {
        const redis = new Redis({ ...options, lazyConnect: true })
        redis.on('error', ({ code }: NodeJS.ErrnoException) => codes.add(code))
        const ended = redis.connect().catch(() => {})
        // At any moment of the handshake.
        for (let turn = 0; turn < i + round; turn += 1) await nextTurn()
        redis.disconnect()
        await ended
      })
      await Promise.all(attempts)
    }
    t.ok(codes.has('DEPTH_ZERO_SELF_SIGNED_CERT'), [...codes].join())
  },
)

async function startTlsRedis(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'redmint-tls-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const files = { certificate: join(folder, 'certificate.pem'), key: join(folder, 'key.pem') }
  await writeFile(files.certificate, CERTIFICATE)
  await writeFile(files.key, KEY)
  const options = {
    '--tls-cert-file': files.certificate,
    '--tls-key-file': files.key,
    '--tls-auth-clients': 'no',
  }
  const redis = await startRedis(t, { args: Object.entries(options).flat() })
  let tls_port = 0
  await until('a port is free', async () => {
    tls_port = await freePort()
    const set = redis.cli('CONFIG', 'SET', 'tls-port', String(tls_port))
    return set.then(
      () => true,
      () => false,
    )
  })
  return { redis, tls_port }
}

for (const [cause, { begin, end, line, there }] of Object.entries(CAUSES)) {
  t.test(`${cause}: one line when it begins, and one when it ends`, async (t) => {
    const { redis, url } = await begin(t)
    const state = there ? 'is there, but cannot be used' : 'is away'
    const { storage, texts: logged } = openAt(t, url)
    const where = storage.description
    // On a busy machine Redis is also late: a second cause, with a line of its own.
    const texts = () => logged().filter((text) => text.includes(line) || !text.includes('no answer in time'))
    await unavailable(t, { probe: () => storage.probe() })
    await until('the cause is logged', () => texts().length > 0)
    // Several attempts to connect fail, and several requests.
    for (let request = 0; request < 5; request += 1) {
      await unavailable(t, { probe: () => storage.probe(), read: () => readClient(storage, 'app') })
    }
    t.strictSame(texts(), [`warn ${where} ${state}: ${line}`])
    if (end === undefined) return
    await end(redis)
    await writable(storage)
    t.strictSame(texts(), [`warn ${where} ${state}: ${line}`, `info ${where} is connected.`])
  })
}

const WHERE = { host: '127.0.0.1' }

/** What a Cluster and Sentinels say of a server, and what a command says that fails before the reason is known. */
const PLACES: Record<string, { location: (port: number) => RedisLocation; server: string; line: RegExp }> = {
  'a Cluster that is away': {
    server: 'none',
    location: (port) => ({ kind: 'cluster', nodes: [{ ...WHERE, port }] }),
    line: /^is away: no connection \(ECONNREFUSED\)\. .*correct REDIS_CLUSTER_NODES\.$/,
  },
  'a Cluster at a server that is none': {
    server: 'redis',
    location: (port) => ({ kind: 'cluster', nodes: [{ ...WHERE, port }] }),
    line: /cannot be used: it is not a node of a Redis Cluster\. Set REDIS_URL,/,
  },
  'a Cluster with TLS at a plain port': {
    server: 'redis',
    location: (port) => ({ kind: 'cluster', nodes: [{ ...WHERE, port }], tls: true }),
    line: /cannot be used: no answer to TLS in time\. .*REDIS_TLS=false\.$/,
  },
  'a Cluster with a wrong password': {
    server: 'redis',
    location: (port) => ({ kind: 'cluster', nodes: [{ ...WHERE, port }], password: 'wrong' }),
    line: /cannot be used: Redis answered WRONGPASS\. .*correct REDIS_USERNAME and REDIS_PASSWORD\.$/,
  },
  'a Cluster without TLS at a TLS port': {
    server: 'tls',
    location: (port) => ({ kind: 'cluster', nodes: [{ ...WHERE, port }] }),
    line: /cannot be used: it closed the connection at once\. .*REDIS_TLS=true/,
  },
  'Sentinels with TLS at a plain port': {
    server: 'redis',
    location: (port) => ({ kind: 'sentinel', name: 'm', sentinels: [{ ...WHERE, port }], tls: true }),
    line: /cannot be used: no Sentinel answers: no answer to TLS in time\. .*REDIS_TLS=false\.$/,
  },
  'Sentinels without TLS at a TLS port': {
    server: 'tls',
    location: (port) => ({ kind: 'sentinel', name: 'm', sentinels: [{ ...WHERE, port }] }),
    line: /cannot be used: no Sentinel answers: it closed the connection at once\. .*REDIS_TLS=true/,
  },
  'Sentinels at a server that is none': {
    server: 'redis',
    location: (port) => ({ kind: 'sentinel', name: 'm', sentinels: [{ ...WHERE, port }] }),
    line: /cannot be used: no Sentinel answers: it is not a Sentinel\. Correct REDIS_SENTINELS/,
  },
}

for (const [what, { location, server, line }] of Object.entries(PLACES)) {
  t.test(`${what}: the line says why, and what to do`, async (t) => {
    const { redis, tls_port } = await startTlsRedis(t)
    if (what.includes('password'))
      await redis.cli('ACL', 'SETUSER', 'default', '>right', 'resetpass', '>right')
    if (server === 'none') await redis.stop()
    const place = location(server === 'tls' ? tls_port : redis.port)
    const { storage, texts } = open(t, place)
    const lines = () => texts().map((text) => text.replace(`warn ${storage.description} `, ''))
    await until('the cause is logged', () => lines().some((text) => line.test(text)))
    const asked = lines().length
    await unavailable(t, { probe: () => storage.probe() })
    await unavailable(t, { probe: () => storage.probe() })
    // On a busy machine a server may also be late.
    t.same(
      lines()
        .slice(asked)
        .filter((text) => !text.includes('no answer in time')),
      [],
      'once',
    )
    const trouble = await findTrouble(place)
    t.match(`${stateOf(trouble ?? '')}: ${trouble}. ${adviceOn(trouble ?? '', place)}`, line)
  })
}

t.test('advice on certificates', (t) => {
  const adviceFor = (code: string) => adviceOn(`no connection (${code})`, SINGLE) ?? ''
  t.match(adviceFor('ERR_TLS_CERT_ALTNAME_INVALID'), /is for another name: use that name in REDIS_URL/)
  t.match(adviceFor('CERT_HAS_EXPIRED'), /has expired: renew it/)
  t.match(adviceFor('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), /wants a certificate of its clients/)
  t.match(adviceFor('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /not trusted: set NODE_EXTRA_CA_CERTS/)
  t.end()
})

t.test('an outage of a working connection is two lines, and a short one, too', async (t) => {
  const redis = await startRedis(t)
  const { storage, texts, lines } = openAt(t, redis.url)
  const where = storage.description
  const connected = `info ${where} is connected.`
  await writable(storage)
  for (const outage of ['first', 'second']) {
    lines.length = 0
    await redis.stop()
    for (let request = 0; request < 10; request += 1) await t.rejects(storage.probe())
    await until('it is logged', () => texts().length > 0)
    await redis.restart()
    await writable(storage)
    t.strictSame(texts(), [`warn ${where} is away: ${CAUSES['nothing listens']?.line}`, connected], outage)
  }
  lines.length = 0
  await redis.cli('CLIENT', 'KILL', 'TYPE', 'normal')
  await until('it is connected again', () => texts().includes(connected))
  t.strictSame(texts(), [`warn ${where} is away: the connection was closed.`, connected])
})

for (const [what, { args, refused, line }] of Object.entries({
  OOM: { args: ['CONFIG', 'SET', 'maxmemory', '1'], refused: 'commands', line: 'Its memory is full: ' },
  NOPERM: {
    args: ['ACL', 'SETUSER', 'default', '-eval', '-evalsha'],
    refused: 'scripts',
    line: 'Its user lacks a right. Grant the rights that docs/keyspace.md lists',
  },
  'NOPERM of a command in a script': {
    args: ['ACL', 'SETUSER', 'default', '-hset'],
    refused: 'scripts',
    line: 'Its user lacks a right. Grant the rights that docs/keyspace.md lists',
  },
  NOREPLICAS: {
    args: ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
    refused: 'commands',
    line: 'Fewer replicas than min-replicas-to-write are connected',
  },
})) {
  const [code = ''] = what.split(' ')
  t.test(`${what}: refused requests are logged once, with what to do`, async (t) => {
    const redis = await startRedis(t)
    const { storage, texts, lines } = openAt(t, redis.url)
    await writable(storage)
    lines.length = 0
    await redis.cli(...args)
    const write = (): Promise<unknown> =>
      refused === 'scripts' ? issueClientToken(storage) : storage.probe()
    for (let request = 0; request < 20; request += 1)
      await t.rejects(write(), { message: `Redis answered ${code}` })
    t.equal(texts().length, 1)
    const [text = ''] = texts()
    t.ok(text.startsWith(`warn ${storage.description} refuses ${refused}: ${code}. ${line}`), text)
  })
}

/** Every kind of thing that redmint asks of Redis. */
const REFUSED_RIGHTS: Record<string, string[]> = {
  'everything but a ping': ['-@all', '+ping'],
  'the keys of redmint': ['resetkeys', '~other:*'],
  'key tracking': ['-client'],
  'the channel of changes': ['resetchannels'],
  INFO: ['-info'],
  scripts: ['-eval', '-evalsha'],
}

for (const kind of ['single', 'cluster'] as const) {
  t.test(`${kind}: whatever right is missing is one line, and the driver prints nothing`, async (t) => {
    const printed = t.capture(console, 'warn')
    const servers = kind === 'single' ? [await startRedis(t)] : (await startCluster(t)).masters
    const nodes = servers.map(({ port }) => ({ ...WHERE, port }))
    const url = as('limited:pw')(servers[0]?.url ?? '')
    const location: RedisLocation =
      kind === 'single' ? { kind, url } : { kind, nodes, username: 'limited', password: 'pw' }
    for (const [what, rules] of Object.entries(REFUSED_RIGHTS)) {
      // A Cluster cannot be opened at all without this right.
      const user = ['on', '>pw', '~*', '&*', '+@all', ...rules, '+cluster']
      await Promise.all(servers.map((server) => server.cli('ACL', 'SETUSER', 'limited', 'reset', ...user)))
      const { storage, texts } = open(t, location)
      storage.changes.watch(CLIENT, { changed() {}, allChanged() {} })
      const warnings = () => texts().filter((text) => text.startsWith('warn'))
      const isNeeded = what !== 'INFO'
      const ask = () =>
        Promise.allSettled([storage.probe(), readClient(storage, 'app'), issueClientToken(storage)])
      await until(`${what}: it is asked`, async () => {
        await ask()
        return warnings().length > 0 || !isNeeded
      })
      for (let request = 0; request < 5; request += 1) await ask()
      t.equal(warnings().length, isNeeded ? 1 : 0, `${what}: ${warnings().join('\n')}`)
      if (isNeeded) t.match(warnings()[0], /NOPERM\. Its user lacks a right\. Grant the rights/)
      await storage.close()
    }
    t.strictSame(printed(), [])
  })
}

t.test('the end of refusals is logged once, by what was refused', async (t) => {
  const { log, texts } = recordingLog()
  let now = 0
  const outages = new OutageLog(SINGLE, 'Redis', log, () => now)
  outages.accepted('scripts')
  outages.refused('scripts', 'NOPERM')
  outages.refused('scripts', 'NOPERM')
  now += 9_000
  outages.accepted('scripts')
  now += 60_000
  outages.accepted('commands')
  t.equal(texts().length, 1, 'commands say nothing about scripts, and one success nothing about others')
  outages.accepted('scripts')
  outages.accepted('scripts')
  t.strictSame(texts().slice(1), ['info Redis accepts scripts again.'])
})

t.test('what is refused with one code is one line, and its end another', async (t) => {
  const { log, texts } = recordingLog()
  let now = 0
  const outages = new OutageLog(SINGLE, 'Redis', log, () => now)
  outages.refused('key tracking', 'NOPERM')
  outages.refused('commands', 'NOPERM')
  outages.refused('scripts', 'NOPERM')
  now += 60_000
  outages.accepted('commands')
  outages.accepted('scripts')
  t.equal(texts().length, 1)
  t.match(texts(), [/^warn Redis refuses key tracking, so records are not cached: NOPERM\. /])
  outages.accepted('key tracking')
  t.strictSame(texts().slice(1), ['info Redis accepts key tracking again.'])
})

t.test('nodes of a Cluster have lines of their own', async (t) => {
  const { log, texts } = recordingLog()
  const outages = new OutageLog({ kind: 'cluster' }, 'Redis Cluster (3 nodes)', log)
  outages.connected()
  outages.connected('127.0.0.1:1')
  for (let attempt = 0; attempt < 3; attempt += 1) outages.away('no connection (ECONNREFUSED)', '127.0.0.1:1')
  outages.connected('127.0.0.1:1')
  outages.connected('127.0.0.1:1')
  t.strictSame(texts(), [
    'info Redis Cluster (3 nodes) is connected.',
    'warn 127.0.0.1:1 of Redis Cluster (3 nodes) is away: no connection (ECONNREFUSED). Nothing listens there: start Redis, or correct REDIS_CLUSTER_NODES.',
    'info 127.0.0.1:1 of Redis Cluster (3 nodes) is connected.',
  ])
})
