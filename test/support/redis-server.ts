// Real Redis processes for tests: on loopback, on free ports, without persistence. They end with the test process.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from './until.ts'

const HOST = '127.0.0.1'
/** The name in the certificate of a server with TLS. */
const NAME = 'localhost'
const READY = /Ready to accept connections|Sentinel ID is/
const PORT_TAKEN = /Failed listening on port|Address already in use/

// Reads pids from its input, line by line, and kills the last one when the input closes: when the test process ends.
const GUARD = 'while read -r pid; do server=$pid; done; [ -z "$server" ] || kill -9 "$server"; rm -rf "$1"'

/** The part of a tap test that is used here. */
interface Owner {
  teardown(end: () => Promise<void>): unknown
}

type Guard = ReturnType<typeof startGuard>

/** Files in PEM. */
export interface TlsFiles {
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

interface RedisOptions {
  /** Arguments for redis-server, which override the defaults. */
  args?: readonly string[]
  /** A configuration file that redis-server may rewrite, as Sentinels require. */
  config?: string
  /** With it the server speaks nothing but TLS, also to other servers. */
  tls?: TlsFiles | undefined
  /** Which port to try next, until one is free. */
  nextPort?: () => number
}

/** A redis-server; `stop` and `restart` keep its port and its directory. */
export interface RedisServer {
  readonly host: string
  readonly port: number
  readonly url: string
  /** The current process; `restart` starts another one. */
  readonly pid: number
  /** Runs the real redis-cli and returns its output; rejects if Redis answers with an error. */
  cli(...args: string[]): Promise<string>
  /** Kills the server, as in a crash. */
  stop(): Promise<void>
  /** Kills the server if it is running, and starts it again. */
  restart(): Promise<void>
}

/**
 * Starts a redis-server and resolves when it accepts connections. It ends with the test.
 * @throws if redis-server is missing or ends early; the message contains its log
 */
export async function startRedis(
  t: Owner,
  { args = [], config, tls, nextPort = randomPort }: RedisOptions = {},
): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'redmint-redis-'))
  const configFile = join(directory, 'redis.conf')
  await writeFile(configFile, config ?? '')
  const guard = startGuard(directory)
  let server: ChildProcess | undefined
  const runs = () => server?.exitCode === null && server.signalCode === null
  const stop = async () => {
    if (!server || !runs()) return
    const exited = once(server, 'exit')
    server.kill('SIGKILL')
    await exited
  }
  t.teardown(async () => {
    await stop()
    await guard.end()
  })

  const start = (port: number) =>
    launch(
      [configFile, ...listening(port, tls), '--dir', directory, '--bind', HOST, '--save', '', ...args],
      guard,
    )
  let port = 0
  while (!server) {
    port = nextPort()
    server = await start(port)
  }
  const connect = ['-e', '-h', HOST, '-p', String(port), ...(tls ? ['--tls', '--cacert', tls.authority] : [])]
  const host = tls ? NAME : HOST
  return {
    host,
    port,
    url: `${tls ? 'rediss' : 'redis'}://${host}:${port}`,
    get pid() {
      if (!server?.pid || !runs()) throw new Error(`the redis-server of port ${port} is stopped`)
      return server.pid
    },
    async cli(...command) {
      const { stdout } = await promisify(execFile)('redis-cli', [...connect, ...command])
      return stdout.trimEnd()
    },
    stop,
    async restart() {
      await stop()
      await until(`port ${port} is free again`, async () => {
        server = await start(port)
        return server !== undefined
      })
    },
  }
}

function listening(port: number, tls: TlsFiles | undefined): string[] {
  if (tls === undefined) return ['--port', String(port)]
  const files = [
    '--tls-ca-cert-file',
    tls.authority,
    '--tls-cert-file',
    tls.certificate,
    '--tls-key-file',
    tls.key,
  ]
  const modes = '--tls-auth-clients no --tls-replication yes --tls-cluster yes'
  return ['--port', '0', '--tls-port', String(port), ...files, ...modes.split(' ')]
}

/**
 * Runs redis-server until it is ready.
 * @returns the process, or undefined if the port is in use
 */
async function launch(args: readonly string[], guard: Guard): Promise<ChildProcess | undefined> {
  const server = spawn(process.env.REDIS_SERVER || 'redis-server', args, {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  guard.watch(server.pid)
  let log = ''
  return new Promise((resolve, reject) => {
    for (const output of [server.stdout, server.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => {
        log += text
        if (READY.test(log)) resolve(server)
      })
    }
    server.once('error', reject)
    server.once('exit', () => guard.watch(undefined))
    server.once('close', () => {
      if (PORT_TAKEN.test(log)) resolve(undefined)
      else reject(new Error(`redis-server ended before it was ready:\n${log}`))
    })
  })
}

/** A shell outside the process group of the test, so that neither Ctrl+C nor SIGKILL leaves a server or a directory. */
function startGuard(directory: string) {
  const shell = spawn('sh', ['-c', GUARD, 'guard', directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  return {
    /** Names the process to kill, or none; without effect after the end. */
    watch(pid: number | undefined) {
      if (shell.stdin.writable) shell.stdin.write(`${pid ?? ''}\n`)
    },
    async end() {
      const ended = once(shell, 'exit')
      shell.stdin.end()
      await ended
    },
  }
}

/** A port outside the range of outgoing connections, with room for the cluster bus 10000 above it. */
function randomPort(): number {
  return randomInt(10_000, 22_000)
}

/** Starts a replica of a server, and waits until it has all its data. */
export async function startReplica(t: Owner, master: RedisServer): Promise<RedisServer> {
  const args = ['--replicaof', HOST, String(master.port)]
  const replica = await startRedis(t, { args })
  await allSay([replica], ['INFO', 'replication'], 'master_link_status:up')
  return replica
}

/**
 * Starts a master, its replicas, and three Sentinels that know all of them and each other.
 * @param options.down_after milliseconds after which the Sentinels replace a master that does not answer
 */
export async function startSentinel(
  t: Owner,
  { replicas = 1, down_after = 500, tls }: { replicas?: number; down_after?: number; tls?: TlsFiles } = {},
) {
  const name = 'redmint-test'
  const args = ['--repl-diskless-sync-delay', '0']
  const master = await startRedis(t, { args, tls })
  const copies = await many(replicas, () =>
    startRedis(t, { args: [...args, '--replicaof', HOST, String(master.port)], tls }),
  )
  await allSay(copies, ['INFO', 'replication'], 'master_link_status:up')

  const config = [
    ...(tls ? ['sentinel resolve-hostnames yes', 'sentinel announce-hostnames yes'] : []),
    `sentinel monitor ${name} ${master.host} ${master.port} 2`,
    `sentinel down-after-milliseconds ${name} ${down_after}`,
    `sentinel failover-timeout ${name} 3000\n`,
  ]
  const sentinel = { config: config.join('\n'), args: ['--sentinel'], tls }
  const watchers = await many(3, () => startRedis(t, sentinel))
  await allSay(watchers, ['SENTINEL', 'MASTER', name], `num-slaves\n${replicas}\nnum-other-sentinels\n2\n`)
  return { name, sentinels: addresses(watchers), master, replicas: copies, watchers }
}

/**
 * Starts three masters, each with the given number of replicas, and waits until every node reports the cluster as ok.
 */
export async function startCluster(
  t: Owner,
  { replicas = 0, tls }: { replicas?: number; tls?: TlsFiles } = {},
) {
  const named = ['--cluster-announce-hostname', NAME, '--cluster-preferred-endpoint-type', 'hostname']
  // On a busy machine an election may fail for a while; by default a replica stops trying after 30 seconds.
  const elections = '--cluster-node-timeout 2000 --cluster-replica-validity-factor 0'
  const common = `--cluster-enabled yes ${elections} --repl-diskless-sync-delay 0`.split(' ')
  const args = tls ? [...common, ...named] : common
  const servers = await many(3 + 3 * replicas, () => startRedis(t, { args, tls }))
  const masters = servers.slice(0, 3)
  const copies = servers.slice(3)

  for (const [index, server] of servers.entries()) {
    await server.cli('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
    if (index > 0) await server.cli('CLUSTER', 'MEET', HOST, String(masters[0]?.port))
  }
  const ranges = ['0 5460', '5461 10922', '10923 16383']
  for (const [index, master] of masters.entries()) {
    await master.cli('CLUSTER', 'ADDSLOTSRANGE', ...(ranges[index] ?? '').split(' '))
  }
  const joined = ['cluster_slots_ok:16384', `cluster_known_nodes:${servers.length}\r`]
  await allSay(servers, ['CLUSTER', 'INFO'], ...joined)
  for (const [index, copy] of copies.entries()) {
    const id = await masters[index % masters.length]?.cli('CLUSTER', 'MYID')
    await copy.cli('CLUSTER', 'REPLICATE', String(id))
  }
  await allSay(copies, ['INFO', 'replication'], 'master_link_status:up')
  await allSay(servers, ['CLUSTER', 'INFO'], 'cluster_state:ok', 'cluster_size:3')
  return { nodes: addresses(servers), masters, replicas: copies }
}

function many<T>(count: number, start: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, start))
}

/** Waits until the answer of every server to a command contains all of the given texts. */
async function allSay(servers: readonly RedisServer[], command: readonly string[], ...texts: string[]) {
  for (const server of servers) {
    await until(`${server.port} answers ${command.join(' ')} with ${texts.join(', ')}`, async () => {
      const answer = await server.cli(...command)
      return texts.every((text) => answer.includes(text))
    })
  }
}

function addresses(servers: readonly RedisServer[]): string {
  return servers.map(({ host, port }) => `${host}:${port}`).join(',')
}
