import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import type { SigningAlg } from '../core/signing-algs.ts'
import { isLoopbackHost } from '../core/uri.ts'
import { type Brand, brandProblems } from './brand.ts'
import type { AccessTokenFormat } from './environment.ts'
import { readEnvironment, type TokensAtRest } from './environment.ts'
import { type RedisLocation, readRedisLocation } from './redis-location.ts'
import { readScopeTexts, type ScopeTexts } from './scope-texts.ts'

/** What the protocol is set to; lifetimes in seconds. */
export interface Settings extends Brand {
  issuer: string
  access_token_format: AccessTokenFormat
  access_token_alg: SigningAlg
  id_token_alg: SigningAlg
  code_ttl: number
  access_token_ttl: number
  id_token_ttl: number
  /** How long a grant and its refresh tokens live in all. */
  refresh_token_ttl: number
  /** How long a refresh token lives unused; absent: as long as its grant. */
  refresh_token_idle_ttl?: number
  /** For how long a spent refresh token gets its successor again; 0 is strict. */
  refresh_retry_window: number
  /** Whether the bearer check of a JWT asks storage for its revocation. */
  bearer_check_revocation: boolean
  /** How often a client may fail to authenticate from one address in a window of so many seconds. */
  client_auth_failures: number
  client_auth_window: number
  /** How often somebody may fail to sign in as one user from one address in a window of so many seconds. */
  sign_in_failures: number
  sign_in_window: number
  /** How long an authorization request waits for its person. */
  sign_in_ttl: number
  /** How long a signed-in browser stays so in all, and how long without being used. */
  session_ttl: number
  session_idle_ttl: number
  /** For how long a consent is remembered. */
  consent_ttl: number
  /** Parameters of argon2id (RFC 9106 §3.1); memory in KiB. */
  argon2_memory: number
  argon2_iterations: number
  argon2_parallelism: number
  /** How many passwords are hashed at one moment. */
  argon2_concurrency: number
  /** Keeps pairwise subjects from being guessed; absent: no client can have them. */
  pairwise_salt?: string
  /** What scopes allow, in the operator's words. */
  scope_texts: ScopeTexts
  /** Whether logout tokens may be sent to private addresses. */
  backchannel_allow_private: boolean
  /** The `subject` shortcut at the authorization endpoint, and the demo clients and user. */
  demo: boolean
  key_rotation_days: number
  /** Wraps private signing keys in storage: 32 bytes. */
  key_encryption_key?: Uint8Array
}

export interface Config {
  host: string
  port: number
  log_level: string
  production: boolean
  /** Addresses and CIDR blocks whose X-Forwarded-For is believed. */
  trusted_proxies: readonly string[]
  /** Seconds that the service goes on serving, not ready, once it is told to stop. */
  shutdown_delay: number
  /** Seconds that a connection may wait for its next request. */
  keep_alive_timeout: number
  /** Connections at one moment; more are closed at once. */
  max_connections: number
  /** Absent: storage in memory. */
  redis?: RedisLocation
  redis_key_prefix: string
  /** How many replicas must have what a client is told; 0 asks none. */
  redis_wait_replicas: number
  tokens_at_rest: TokensAtRest
  settings: Settings
}

/** Everything that is wrong with the configuration, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    )
    this.problems = problems
  }
}

/**
 * Reads the configuration from environment variables; a blank variable counts as absent.
 * @throws ConfigError that names every problem at once.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = []
  const env = readEnvironment(environment, problems)
  const redis = readRedisLocation(env, problems)
  if (env.REDIS_WAIT_REPLICAS > 0 && redis === undefined) {
    problems.push('REDIS_WAIT_REPLICAS needs a Redis: set where it is, or leave it out')
  }
  const trusted_proxies = env.TRUSTED_PROXIES?.split(',').map((entry) => entry.trim()) ?? []
  problems.push(...trusted_proxies.flatMap(proxyProblem))
  const issuer = env.ISSUER ?? `http://localhost:${env.PORT}`
  const issuerFault = issuerProblem(issuer)
  if (issuerFault !== undefined) problems.push(`ISSUER ${issuerFault}`)
  if (env.PORT === 0 && env.ISSUER === undefined) problems.push('ISSUER must be set where PORT is 0')
  const brand = {
    service_name: env.SERVICE_NAME,
    ...(env.LOGO_URL === undefined ? {} : { logo_url: env.LOGO_URL }),
    accent_color: env.ACCENT_COLOR,
  }
  problems.push(...brandProblems(brand).map(([field, problem]) => `${field.toUpperCase()} ${problem}`))
  const scope_texts = readScopeTexts(env.SCOPE_TEXTS, problems)
  const production = env.NODE_ENV === 'production'
  const demo = env.DEMO ?? (redis === undefined && !production)
  if (demo && production) problems.push('DEMO must not be true with NODE_ENV=production')
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    host: env.HOST,
    port: env.PORT,
    log_level: env.LOG_LEVEL,
    production,
    trusted_proxies,
    shutdown_delay: env.SHUTDOWN_DELAY,
    keep_alive_timeout: env.KEEP_ALIVE_TIMEOUT,
    max_connections: env.MAX_CONNECTIONS,
    ...(redis === undefined ? {} : { redis }),
    redis_key_prefix: env.REDIS_KEY_PREFIX,
    redis_wait_replicas: env.REDIS_WAIT_REPLICAS,
    tokens_at_rest: env.TOKENS_AT_REST,
    settings: {
      issuer,
      access_token_format: env.ACCESS_TOKEN_FORMAT,
      access_token_alg: env.ACCESS_TOKEN_ALG,
      id_token_alg: env.ID_TOKEN_ALG,
      code_ttl: env.CODE_TTL,
      access_token_ttl: env.ACCESS_TOKEN_TTL,
      id_token_ttl: env.ID_TOKEN_TTL,
      refresh_token_ttl: env.REFRESH_TOKEN_TTL,
      ...(env.REFRESH_TOKEN_IDLE_TTL === undefined
        ? {}
        : { refresh_token_idle_ttl: env.REFRESH_TOKEN_IDLE_TTL }),
      refresh_retry_window: env.REFRESH_RETRY_WINDOW,
      bearer_check_revocation: env.BEARER_CHECK_REVOCATION,
      client_auth_failures: env.CLIENT_AUTH_FAILURES,
      client_auth_window: env.CLIENT_AUTH_WINDOW,
      sign_in_failures: env.SIGN_IN_FAILURES,
      sign_in_window: env.SIGN_IN_WINDOW,
      sign_in_ttl: env.SIGN_IN_TTL,
      session_ttl: env.SESSION_TTL,
      session_idle_ttl: env.SESSION_IDLE_TTL,
      consent_ttl: env.CONSENT_TTL,
      argon2_memory: env.ARGON2_MEMORY,
      argon2_iterations: env.ARGON2_ITERATIONS,
      argon2_parallelism: env.ARGON2_PARALLELISM,
      // Half of the cores stay for those who are signed in already.
      argon2_concurrency: env.ARGON2_CONCURRENCY ?? Math.max(1, Math.floor(availableParallelism() / 2)),
      ...(env.PAIRWISE_SALT === undefined ? {} : { pairwise_salt: env.PAIRWISE_SALT }),
      scope_texts,
      backchannel_allow_private: env.BACKCHANNEL_ALLOW_PRIVATE,
      demo,
      key_rotation_days: env.KEY_ROTATION_DAYS,
      ...(env.KEY_ENCRYPTION_KEY === undefined
        ? {}
        : { key_encryption_key: Buffer.from(env.KEY_ENCRYPTION_KEY, 'base64') }),
      ...brand,
    },
  }
}

/** The settings of a service that is given only some of them; the others are the environment's defaults. */
export function completeSettings(given: Partial<Settings> & { issuer: string }): Settings {
  const settings = { ...readConfig({}).settings, demo: false, ...given }
  const issuerFault = issuerProblem(given.issuer)
  const problems = [
    ...(issuerFault === undefined ? [] : [`issuer ${issuerFault}`]),
    ...brandProblems(settings).map(([field, problem]) => `${field} ${problem}`),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return settings
}

// A block of every address would let anybody choose the address that is logged: it is no block here.
function proxyProblem(entry: string): string[] {
  const [, address = '', length = '1'] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(entry) ?? []
  const bits = { 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (Number(length) <= bits) return []
  return [`TRUSTED_PROXIES has ${JSON.stringify(entry)}, which is no address and no CIDR block: 10.0.0.0/8`]
}

// RFC 8414 §2: an https URL without query and fragment. A path is more than we serve, so it is refused too.
function issuerProblem(issuer: string): string | undefined {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (url === undefined || url.origin !== issuer) {
    return 'must be an origin without path, query and trailing slash: https://auth.example.com'
  }
  if (url.protocol === 'http:' && isLoopbackHost(url.hostname)) return undefined
  return url.protocol === 'https:' ? undefined : 'must be https unless its host is loopback (RFC 8414 §2)'
}
