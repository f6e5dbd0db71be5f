import { type Static, Type } from '@sinclair/typebox'
import { envSchema } from 'env-schema'
import { SIGNING_ALGS } from '../core/signing-algs.ts'

/** What an access token is: a random string with a record in storage, or a signed JWT (RFC 9068). */
export const ACCESS_TOKEN_FORMATS = ['opaque', 'jwt'] as const
export type AccessTokenFormat = (typeof ACCESS_TOKEN_FORMATS)[number]

/** How codes and opaque tokens stand in storage. */
export const TOKENS_AT_REST = ['plain', 'hashed'] as const
export type TokensAtRest = (typeof TOKENS_AT_REST)[number]

const words = <T extends string>(values: readonly T[], byDefault: T) =>
  Type.Unsafe<T>({ type: 'string', enum: values, default: byDefault })
const seconds = (byDefault: number, maximum: number) =>
  Type.Integer({ default: byDefault, minimum: 1, maximum })

const DAY = 86_400
const Environment = Type.Object({
  NODE_ENV: Type.Optional(Type.String()),
  HOST: Type.String({ default: '127.0.0.1' }),
  PORT: Type.Integer({ default: 3000, minimum: 0, maximum: 65535 }),
  ISSUER: Type.Optional(Type.String()),
  TRUSTED_PROXIES: Type.Optional(Type.String()),
  SHUTDOWN_DELAY: Type.Integer({ default: 0, minimum: 0, maximum: 300 }),
  KEEP_ALIVE_TIMEOUT: seconds(75, 3600),
  MAX_CONNECTIONS: Type.Integer({ default: 4096, minimum: 1, maximum: 1_000_000 }),
  REDIS_URL: Type.Optional(Type.String({ pattern: '^(rediss?|unix)://.' })),
  REDIS_CLUSTER_NODES: Type.Optional(Type.String({ pattern: '^[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*$' })),
  REDIS_SENTINELS: Type.Optional(Type.String({ pattern: '^[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*$' })),
  REDIS_SENTINEL_NAME: Type.Optional(Type.String()),
  REDIS_USERNAME: Type.Optional(Type.String()),
  REDIS_PASSWORD: Type.Optional(Type.String()),
  REDIS_SENTINEL_PASSWORD: Type.Optional(Type.String()),
  REDIS_TLS: Type.Boolean({ default: false }),
  REDIS_KEY_PREFIX: Type.String({ default: 'redmint:', pattern: '^[^{}\\s]{1,64}$' }),
  REDIS_WAIT_REPLICAS: Type.Integer({ default: 0, minimum: 0, maximum: 100 }),
  ACCESS_TOKEN_FORMAT: words(ACCESS_TOKEN_FORMATS, 'opaque'),
  ACCESS_TOKEN_ALG: words(SIGNING_ALGS, 'ES256'),
  ID_TOKEN_ALG: words(SIGNING_ALGS, 'RS256'),
  CODE_TTL: seconds(60, 600),
  ACCESS_TOKEN_TTL: seconds(900, DAY),
  ID_TOKEN_TTL: seconds(900, DAY),
  REFRESH_TOKEN_TTL: seconds(30 * DAY, 366 * DAY),
  REFRESH_TOKEN_IDLE_TTL: Type.Optional(Type.Integer({ minimum: 1, maximum: 366 * DAY })),
  REFRESH_RETRY_WINDOW: Type.Integer({ default: 30, minimum: 0, maximum: 600 }),
  BEARER_CHECK_REVOCATION: Type.Boolean({ default: false }),
  CLIENT_AUTH_FAILURES: Type.Integer({ default: 10, minimum: 1, maximum: 1_000_000 }),
  CLIENT_AUTH_WINDOW: seconds(60, DAY),
  SIGN_IN_FAILURES: Type.Integer({ default: 10, minimum: 1, maximum: 1_000_000 }),
  SIGN_IN_WINDOW: seconds(900, DAY),
  SIGN_IN_TTL: seconds(1800, DAY),
  SESSION_TTL: seconds(DAY, 366 * DAY),
  SESSION_IDLE_TTL: seconds(4 * 3600, 366 * DAY),
  CONSENT_TTL: seconds(365 * DAY, 3660 * DAY),
  ARGON2_MEMORY: Type.Integer({ default: 19_456, minimum: 8_192, maximum: 4_194_304 }),
  ARGON2_ITERATIONS: Type.Integer({ default: 2, minimum: 1, maximum: 100 }),
  ARGON2_PARALLELISM: Type.Integer({ default: 1, minimum: 1, maximum: 16 }),
  ARGON2_CONCURRENCY: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
  PAIRWISE_SALT: Type.Optional(Type.String({ minLength: 16 })),
  SCOPE_TEXTS: Type.Optional(Type.String()),
  BACKCHANNEL_ALLOW_PRIVATE: Type.Boolean({ default: false }),
  DEMO: Type.Optional(Type.Boolean()),
  TOKENS_AT_REST: words(TOKENS_AT_REST, 'plain'),
  KEY_ENCRYPTION_KEY: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9+/_-]{43}=?$' })),
  KEY_ROTATION_DAYS: Type.Integer({ default: 90, minimum: 1, maximum: 3650 }),
  SERVICE_NAME: Type.String({ default: 'redmint' }),
  LOGO_URL: Type.Optional(Type.String()),
  ACCENT_COLOR: Type.String({ default: '#0f766e' }),
  LOG_LEVEL: words(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
})
/** The environment variables that redmint reads, as values of their types. */
export type Environment = Static<typeof Environment>

// What a value has to look like, where the schema's own words do not help.
const FORMS: Record<string, string> = {
  REDIS_URL: 'must begin with redis://, rediss:// or unix://',
  REDIS_CLUSTER_NODES: 'must be host:port,host:port,…',
  REDIS_SENTINELS: 'must be host:port,host:port,…',
  REDIS_KEY_PREFIX: 'must be 1 to 64 characters without braces and white space',
  KEY_ENCRYPTION_KEY: 'must be 32 bytes in base64: openssl rand -base64 32',
  PAIRWISE_SALT: 'must have 16 characters or more: openssl rand -base64 32',
}

interface SchemaError {
  instancePath: string
  message?: string
  params: { allowedValues?: string[] }
}

/**
 * Reads environment variables; a blank one counts as absent. What is wrong with one is added to `problems`, and
 * then it counts as absent too.
 */
export function readEnvironment(
  environment: Record<string, string | undefined>,
  problems: string[],
): Environment {
  const data = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
  try {
    return envSchema<Environment>({ schema: Environment, data, env: false })
  } catch (error) {
    const faults = (error as { errors?: SchemaError[] }).errors
    if (faults === undefined) throw error
    const bad = new Set(faults.map((fault) => fault.instancePath.slice(1)))
    problems.push(...faults.map(describeFault))
    return readEnvironment(
      Object.fromEntries(Object.entries(data).filter(([name]) => !bad.has(name))),
      problems,
    )
  }
}

function describeFault(fault: SchemaError): string {
  const name = fault.instancePath.slice(1)
  const allowed = fault.params.allowedValues
  return `${name} ${FORMS[name] ?? (allowed ? `must be one of ${allowed.join(', ')}` : fault.message)}`
}
