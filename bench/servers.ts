// Starts the measured servers, each with a Redis of its own, so that the accounts of both belong to it.
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort, TYPESCRIPT } from '../test/support/process.ts'
import { startCluster, startRedis } from '../test/support/redis-server.ts'
import { RedisAccounts } from './accounts.ts'
import { BENCH_KEY_SET } from './assertion.ts'
import { type Node, onServerCpus } from './machine.ts'
import { type CandidateName, connectionsOf, type Row, workersOf } from './row.ts'
import { BENCH_ISSUER, clientRecord, foreignSubject, SUBJECT } from './subject.ts'
import { ENDPOINTS, type EndpointName, type Target } from './user.ts'

/** The example of the docs: it starts the SDK of OpenTelemetry. */
const TRACING = fileURLToPath(new URL('../examples/opentelemetry/tracing.mjs', import.meta.url))
/** Explanations are on by default. */
const AUDITED = { AUDIT: 'on', AUDIT_KEY: randomBytes(32).toString('base64') }
/** The collector is away, as no load of it should be measured. */
const TRACED = {
  OTEL_TRACES_SAMPLER: 'traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.1',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
}

/**
 * As redmint does on one CPU: several at once end together, and then wake the main thread less often. Node reads it at its
 * start.
 */
const ONE_HASH_AT_A_TIME = { UV_THREADPOOL_SIZE: '1' }

/** A server to be measured in a row. */
export interface Candidate {
  label: string
  server: CandidateName
  node: Node
  /** The folder of the build, for redmint. */
  dist: string
  /** What its process runs under, as words before its command; absent: a CPU of its own. */
  under?: readonly string[]
}

/** A server under measurement; `pid` is unknown for a foreign one on another machine. */
export interface Running {
  target: Target
  pid?: number
  redis: RedisAccounts
}

/** The ends of what was started, in the form that the helpers of the tests use. */
export class Stage {
  readonly #ends: (() => Promise<void>)[] = []

  teardown(end: () => Promise<void>): void {
    this.#ends.push(end)
  }

  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end()
  }
}

const FOLDER = fileURLToPath(new URL('servers/', import.meta.url))
// The servers of a row start at once on one CPU, and some of them first generate RSA keys.
const START_MS = 180_000
/** Of every redmint of this run, so that a second start can read the keys of the first. */
const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64')

/** Starts a candidate for a row and registers the client and the users at it. */
export async function start(stage: Stage, candidate: Candidate, row: Row): Promise<Running> {
  const { environment, urls } = await storage(stage, candidate.server)
  const { target, pid, env } = await launch(stage, candidate, row, environment)
  if (candidate.server === 'floor+') target.signs_at_refresh = false
  if (candidate.server.startsWith('redmint') && urls.length > 0) register(candidate, row, env)
  const redis = new RedisAccounts(urls)
  stage.teardown(async () => redis.close())
  if (candidate.server.startsWith('redmint')) await redis.putOffRepair()
  return { target, pid, redis }
}

/** Starts the process of a candidate, and resolves when it listens. @param environment where it stores */
export async function launch(
  stage: Stage,
  { server, node, dist, under = onServerCpus(workersOf(server)) }: Candidate,
  row: Row,
  environment: Record<string, string>,
) {
  const port = await freePort()
  const origin = new URL(`http://127.0.0.1:${port}`)
  const env = {
    ...environment,
    NODE_ENV: 'production',
    PORT: String(port),
    ISSUER: origin.origin,
    LOG_LEVEL: 'info',
    ACCESS_TOKEN_FORMAT: row.format,
    ACCESS_TOKEN_ALG: row.alg,
    ID_TOKEN_ALG: row.id_alg,
    WORKERS: String(workersOf(server)),
    ...(row.operation === 'assertion' && { TRUSTED_ISSUERS: 'true' }),
    ...(server.startsWith('redmint')
      ? { KEY_ENCRYPTION_KEY, CLIENT: JSON.stringify(clientRecord(row, BENCH_KEY_SET)) }
      : {
          CLIENT_AUTH: row.auth,
          CLIENT_ID: SUBJECT.client_id,
          CLIENT_SECRET: SUBJECT.client_secret,
          CLIENT_KEYS: BENCH_KEY_SET,
          ...(row.operation === 'signed-introspection' && { SIGNED_INTROSPECTION: 'true' }),
          REDIRECT_URI: SUBJECT.redirect_uri,
          ...(row.operation === 'sign-in' && { PASSWORD: SUBJECT.password, ...ONE_HASH_AT_A_TIME }),
          ...(server === 'guarded' && { GUARDED: 'true' }),
        }),
  }
  const is_traced = server === 'redmint, audit and traces'
  const program = [node.path, ...(is_traced ? ['--import', TRACING] : []), ...programOf(server, dist)]
  const child = spawn(...command([...under, ...program]), {
    env: {
      PATH: process.env.PATH,
      ...env,
      ...(server.startsWith('redmint, audit') && AUDITED),
      ...(is_traced && TRACED),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  stage.teardown(async () => {
    process.off('exit', kill)
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    kill()
    await ended
  })
  const target = await discover(origin, SUBJECT, () => child.exitCode === null && child.signalCode === null)
  return { target, pid: child.pid ?? 0, env }
}

/** A server that is running already. */
export async function attach(origin: URL, pid?: number): Promise<Running> {
  const target = await discover(origin, foreignSubject(process.env))
  return { target, ...(pid !== undefined && { pid }), redis: new RedisAccounts([]) }
}

function programOf(server: CandidateName, dist: string): string[] {
  if (server === 'floor+' || server === 'guarded') return [`${FOLDER}floor.js`]
  if (server.startsWith('peer')) return [`${FOLDER}peer.js`]
  if (server === 'redmint, memory') return [TYPESCRIPT, `${FOLDER}redmint-memory.ts`]
  return [`${dist}/server.js`]
}

async function storage(stage: Stage, server: CandidateName) {
  if (server.endsWith(', memory')) return { environment: {}, urls: [] }
  if (server.endsWith(', Cluster')) {
    const { nodes, masters } = await startCluster(stage)
    return { environment: { REDIS_CLUSTER_NODES: nodes }, urls: masters.map(({ url }) => url) }
  }
  const { url } = await startRedis(stage)
  return { environment: { REDIS_URL: url }, urls: [url] }
}

/** Writes the client, and the users where the row signs them in, by redmint's own command. */
function register({ node, dist }: Candidate, row: Row, env: Record<string, string>): void {
  const command = (args: string[], input = '') =>
    execFileSync(node.path, [`${dist}/cli.js`, ...args], {
      env: { PATH: process.env.PATH, ...env },
      input,
      stdio: ['pipe', 'ignore', 'inherit'],
    })
  const load = (noun: string, records: unknown[]) => command([noun, 'import', '-'], JSON.stringify(records))
  load('client', [clientRecord(row, BENCH_KEY_SET)])
  if (row.operation === 'assertion') command(['issuer', 'add', BENCH_ISSUER, '--jwks', BENCH_KEY_SET])
  if (!['session', 'pushed-session', 'refresh', 'exchange', 'sign-in'].includes(row.operation)) return
  const names = Array.from({ length: connectionsOf(row) }, (_, user) => SUBJECT.username(user))
  load(
    'user',
    names.map((username) => ({ username, password: SUBJECT.password })),
  )
}

/** Reads where the endpoints are, as soon as the server listens. @throws Error if it ends or does not listen in time */
async function discover(origin: URL, subject: Target['subject'], runs = () => true): Promise<Target> {
  const discovery = new URL(`${origin.href.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const until = Date.now() + START_MS
  for (;;) {
    const response = await fetch(discovery).catch(() => undefined)
    if (response?.ok) {
      const found = (await response.json()) as Record<string, string>
      const endpoint = (name: string) => new URL(found[`${name}_endpoint`] ?? 'none:')
      return {
        origin,
        discovery,
        endpoints: Object.fromEntries(ENDPOINTS.map((name) => [name, endpoint(name)])) as Record<
          EndpointName,
          URL
        >,
        subject,
        signs_at_refresh: true,
      }
    }
    if (!runs())
      throw new Error(`the server of ${origin.host} ended before it listened; its message is above`)
    if (Date.now() > until) throw new Error(`${discovery} did not answer within ${START_MS / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function command([first = '', ...rest]: string[]): [string, string[]] {
  return [first, rest]
}
