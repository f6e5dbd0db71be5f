import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import { SIGNING_ALGS } from '../core/signing-algs.ts'

/** The formats of access tokens: a random string with a record in storage, or a signed JWT (RFC 9068). */
export const ACCESS_TOKEN_FORMATS = ['opaque', 'jwt'] as const
export type AccessTokenFormat = (typeof ACCESS_TOKEN_FORMATS)[number]

/** How storage keeps codes and opaque tokens: unchanged, or with the SHA-256 of their secret part. */
export const TOKENS_AT_REST = ['plain', 'hashed'] as const
export type TokensAtRest = (typeof TOKENS_AT_REST)[number]

/** Demo mode: on loopback, off, or for everybody who reaches the server. */
const DEMO_MODES = ['true', 'false', 'public'] as const

/** Who may register a client: nobody, whoever has an invitation, or anybody. */
const CLIENT_REGISTRATION_MODES = ['off', 'invitation', 'open'] as const

/** Whether a DPoP proof needs a nonce of this server (RFC 9449 §8). */
const DPOP_NONCE_MODES = ['off', 'required'] as const

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const DAY = 86_400

const text = (
  description: string,
  options: { default?: string; minLength?: number; pattern?: string } = {},
) => Type.String({ description, ...options })
const optionalText = (description: string, options: { minLength?: number; pattern?: string } = {}) =>
  Type.Optional(text(description, options))
const word = <T extends string>(values: readonly T[], byDefault: T | undefined, description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: values, default: byDefault, description })
const flag = (description: string) => Type.Boolean({ default: false, description })
const integer = (byDefault: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ default: byDefault, minimum, maximum, description })
const seconds = (byDefault: number, maximum: number, description: string) =>
  integer(byDefault, 1, maximum, description)

const HOST_PORTS = '^[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*$'

/** The variables of the process. `Config` has each under its name in lower case, except as stated there. */
export const SERVER_VARIABLES = Type.Object({
  NODE_ENV: optionalText('`production` in any case: logs in JSON, Redis is required, demo mode is refused'),
  HOST: text('Address to listen on', { default: '127.0.0.1' }),
  PORT: integer(3000, 0, 65_535, 'Port to listen on; 0 takes a free one'),
  MANAGEMENT_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'Port for metrics, information and /openapi.json, which PORT then does not answer',
    }),
  ),
  MANAGEMENT_HOST: optionalText('Address to listen on at MANAGEMENT_PORT; absent: that of HOST'),
  WORKERS: integer(1, 1, 128, 'Processes that serve at the same port; more than one needs Redis'),
  TRUSTED_PROXIES: optionalText(
    'Addresses and CIDR blocks whose X-Forwarded-For is trusted, separated by commas',
  ),
  SHUTDOWN_DELAY: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 300,
      description: 'Seconds to continue serving, not ready, after SIGTERM; absent: 7, in memory 0',
    }),
  ),
  KEEP_ALIVE_TIMEOUT: seconds(75, 3600, 'Seconds that a connection may wait for its next request'),
  MAX_CONNECTIONS: integer(4096, 1, 1_000_000, 'Open connections; further ones are closed at once'),
  MAX_CONNECTIONS_PER_PEER: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Open connections of one address, trusted proxies excepted; absent: a quarter',
    }),
  ),
  REDIS_KEY_PREFIX: text('Precedes every key', { default: 'redmint:', pattern: '^[^{}\\s]{1,64}$' }),
  REDIS_WAIT_REPLICAS: integer(0, 0, 100, 'How many Redis replicas must have a write before the response'),
  TOKENS_AT_REST: word(TOKENS_AT_REST, 'plain', 'How storage keeps codes and opaque tokens'),
  LOG_LEVEL: word(LOG_LEVELS, 'info', 'Least severe level that is logged'),
})

/** The variables of the location of Redis; see readRedisLocation. */
export const REDIS_VARIABLES = Type.Object({
  REDIS_URL: optionalText('URL of one Redis; without any location, storage is in memory', {
    pattern: '^(rediss?|unix)://.',
  }),
  REDIS_CLUSTER_NODES: optionalText('Nodes of a Redis Cluster', { pattern: HOST_PORTS }),
  REDIS_SENTINELS: optionalText('Redis Sentinels', { pattern: HOST_PORTS }),
  REDIS_SENTINEL_NAME: optionalText('Name of the master that the Sentinels watch'),
  REDIS_USERNAME: optionalText('User name for a Cluster, or for the master behind Sentinels'),
  REDIS_PASSWORD: optionalText('Password for a Cluster, or for the master behind Sentinels'),
  REDIS_SENTINEL_PASSWORD: optionalText('Password of the Sentinels themselves'),
  REDIS_TLS: flag('TLS to every node of a Cluster, and to Sentinels and the master'),
})

/** The longest lifetime of an access token or id_token in seconds, for the server and for a single client. */
export const MAX_SIGNED_TOKEN_TTL = DAY

/** The longest lifetime of refresh tokens in seconds, for the server and for a single client. */
export const MAX_REFRESH_TOKEN_TTL = 366 * DAY

/** The variables of the protocol. `Settings` has each under its name in lower case, except as stated there. */
export const SETTING_VARIABLES = Type.Object({
  ISSUER: optionalText('The base address: an origin, or an origin and a path'),
  PROXY_STRIPS_PATH: flag('Whether the proxy removes the path of ISSUER from requests'),
  WEBFINGER_HOSTS: optionalText('Hosts whose addresses WebFinger answers (RFC 7033), separated by commas'),
  ACCESS_TOKEN_FORMAT: word(ACCESS_TOKEN_FORMATS, 'opaque', 'Format of access tokens'),
  ACCESS_TOKEN_ALG: word(SIGNING_ALGS, 'ES256', 'Algorithm that signs JWT access tokens'),
  ID_TOKEN_ALG: word(SIGNING_ALGS, 'RS256', 'Algorithm that signs id_tokens'),
  SIGNING_ALGS: text('Algorithms whose keys are published, separated by commas', {
    default: SIGNING_ALGS.join(','),
  }),
  CODE_TTL: seconds(60, 600, 'Lifetime of an authorization code in seconds'),
  ACCESS_TOKEN_TTL: seconds(900, MAX_SIGNED_TOKEN_TTL, 'Lifetime of an access token in seconds'),
  ID_TOKEN_TTL: seconds(900, MAX_SIGNED_TOKEN_TTL, 'Lifetime of an id_token in seconds'),
  REFRESH_TOKEN_TTL: seconds(
    30 * DAY,
    MAX_REFRESH_TOKEN_TTL,
    'Seconds from redeeming the code in which a token family can be refreshed',
  ),
  REFRESH_TOKEN_IDLE_TTL: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_REFRESH_TOKEN_TTL,
      description: 'Lifetime of an unused refresh token in seconds; absent: as long as its family',
    }),
  ),
  REFRESH_RETRY_WINDOW: integer(
    30,
    0,
    600,
    'Seconds in which a spent refresh token gets the same successor again; 0: never',
  ),
  BEARER_CHECK_REVOCATION: flag('Whether the bearer check below /api reads storage to find revoked JWTs'),
  DPOP_NONCE: word(DPOP_NONCE_MODES, 'off', 'Whether a DPoP proof needs a nonce of this server'),
  CLIENT_AUTH_FAILURES: integer(10, 1, 1_000_000, 'Failed authentications of a client from one address'),
  CLIENT_AUTH_WINDOW: seconds(60, DAY, 'Seconds in which these failures are counted'),
  SIGN_IN_FAILURES: integer(10, 1, 1_000_000, 'Failed sign-ins as one user from one address'),
  SIGN_IN_WINDOW: seconds(900, DAY, 'Seconds in which these failures are counted'),
  SIGN_IN_TTL: seconds(1800, DAY, 'Seconds that an authorization request waits for its user'),
  DEVICE_CODE_TTL: seconds(600, 3600, 'Lifetime of a device code and its user code in seconds'),
  DEVICE_INTERVAL: seconds(5, 60, 'Seconds that a device waits between two token requests'),
  DEVICE_REQUESTS: integer(
    20,
    1,
    1000,
    'Device codes for public clients from one address in DEVICE_CODE_TTL',
  ),
  // FAPI 2.0 Security Profile §5.3.2.2: less than 600.
  PAR_TTL: seconds(60, 599, 'Seconds in which a pushed authorization request can be used (RFC 9126)'),
  // With the longest requests, all counters let less than 500 MB pass (decision 63).
  PAR_REQUESTS: integer(
    25,
    1,
    100_000,
    'Pushed requests of public clients from one address in PAR_TTL and SIGN_IN_TTL together',
  ),
  REQUIRE_PUSHED_AUTHORIZATION_REQUESTS: flag('Whether every client must push its authorization requests'),
  SESSION_TTL: seconds(DAY, 366 * DAY, 'Longest lifetime of a session in seconds'),
  SESSION_IDLE_TTL: seconds(4 * 3600, 366 * DAY, 'Lifetime of an unused session in seconds'),
  SESSION_PERSISTENT: flag('Whether a session outlives the browser window, until SESSION_TTL'),
  CHANGE_PASSWORD_URL: optionalText('Where users change their password: an https URL'),
  CONSENT_TTL: seconds(365 * DAY, 3660 * DAY, 'Seconds that a consent is remembered'),
  ARGON2_MEMORY: integer(19_456, 8_192, 4_194_304, 'Memory of argon2id in KiB (RFC 9106 §3.1)'),
  ARGON2_ITERATIONS: integer(2, 1, 100, 'Passes of argon2id'),
  ARGON2_PARALLELISM: integer(1, 1, 16, 'Lanes of argon2id'),
  ARGON2_CONCURRENCY: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 64, description: 'Passwords hashed at the same time' }),
  ),
  PAIRWISE_SALT: optionalText('Secret input of pairwise subjects; without it, no client can have them', {
    minLength: 16,
  }),
  SCOPE_TEXTS: optionalText('Texts of the scopes on the consent page, as JSON'),
  SCOPE_CLAIMS: optionalText('The custom claims that scopes release: groups=groups,roles;hr=employee_id'),
  CLIENT_REGISTRATION: word(CLIENT_REGISTRATION_MODES, 'off', 'Who may register a client by RFC 7591'),
  CLIENT_REGISTRATION_TTL: seconds(
    90 * DAY,
    3660 * DAY,
    'Seconds after which a client that registered itself lapses if it gets no tokens',
  ),
  CLIENT_REGISTRATIONS: integer(
    500,
    1,
    100_000,
    'Clients that may register without an invitation in an hour',
  ),
  CLIENT_REGISTRATIONS_PER_ADDRESS: integer(20, 1, 100_000, 'The same, from one address'),
  SELF_REGISTERED_SCOPES: text(
    'Scopes that a client which registers itself may obtain, separated by spaces',
    {
      default: 'openid profile email offline_access',
    },
  ),
  BACKCHANNEL_ALLOW_PRIVATE: flag('Whether logout tokens may be sent to private addresses'),
  CLIENT_ID_METADATA: text(
    'Whether a client_id may be the URL of a metadata document: off, on, or the hosts whose documents count',
    { default: 'off' },
  ),
  CLIENT_ID_METADATA_DENY: optionalText('Hosts whose metadata documents never count'),
  TRUSTED_ISSUERS: flag('Whether assertions of the issuers in Redis are accepted (RFC 7523)'),
  ISSUER_PRIVATE_HOSTS: optionalText('Hosts of key sets at private addresses, separated by commas'),
  CLIENT_CERTIFICATE_SECRET: optionalText(
    'What the proxy sends with client certificates, in Client-Cert-Secret; absent: there are none (RFC 8705)',
    { pattern: '^[\\x21-\\x7E]{32,200}$' },
  ),
  MTLS_ORIGIN: optionalText('The origin at which the proxy asks for client certificates; absent: the issuer'),
  DEMO: Type.Optional(
    word(DEMO_MODES, undefined, 'The parameter `subject` at /oauth2/authorize, the demo clients and user'),
  ),
  KEY_ENCRYPTION_KEY: optionalText('Encrypts private signing keys in storage: 32 bytes in base64', {
    pattern: '^[A-Za-z0-9+/_-]{43}=?$',
  }),
  KEY_ROTATION_DAYS: integer(90, 1, 3650, 'Days after which the signing keys are rotated'),
  SERVICE_NAME: text('Name of the service on the pages', { default: 'redmint' }),
  LOGO_URL: optionalText('Picture on the pages: an https URL, or a path of the origin'),
  ACCENT_COLOR: text('Colour of buttons and links on the pages, #rrggbb', { default: '#0f766e' }),
  HELP_URL: optionalText('Help on the pages: an https URL, a path of the origin, or a mailto: address'),
  SIGN_UP_URL: optionalText('Where users create an account: an https URL, or a path of the origin'),
  FORGOT_PASSWORD_URL: optionalText('Where users reset a password: an https URL, or a path of the origin'),
  PRIVACY_URL: optionalText('Privacy policy on the pages: an https URL, or a path of the origin'),
  TERMS_URL: optionalText('Terms on the pages: an https URL, or a path of the origin'),
  IMPRINT_URL: optionalText('Imprint on the pages: an https URL, or a path of the origin'),
})

/** The environment variables that redmint reads. */
export const ENVIRONMENT = Type.Object({
  ...SERVER_VARIABLES.properties,
  ...REDIS_VARIABLES.properties,
  ...SETTING_VARIABLES.properties,
})
/** The values of the environment variables by name. */
export type Environment = Static<typeof ENVIRONMENT>

/** Whether a value of NODE_ENV means production. */
export function isProduction(node_env: string | undefined): boolean {
  return node_env?.trim().toLowerCase() === 'production'
}

/** The same values under names in lower case. */
export type LowerCase<T> = { [Name in keyof T as Lowercase<Name & string>]: T[Name] }

/** Returns the values of a group of variables under their names in lower case. */
export function lowerCase<Variables extends TProperties>(
  group: TObject<Variables>,
  env: Environment,
): LowerCase<Static<TObject<Variables>>> {
  const given = Object.entries(env).filter(([name]) => name in group.properties)
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value])) as LowerCase<
    Static<TObject<Variables>>
  >
}
