import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import { SIGNING_ALGS } from '../core/algs.ts'

/** The formats of access tokens: a random string with a record in storage, or a signed JWT (RFC 9068). */
export const ACCESS_TOKEN_FORMATS = ['opaque', 'jwt'] as const
export type AccessTokenFormat = (typeof ACCESS_TOKEN_FORMATS)[number]

/** How storage keeps codes and opaque tokens: unchanged, or with the SHA-256 of their secret part. */
export const TOKENS_AT_REST = ['plain', 'hashed'] as const
export type TokensAtRest = (typeof TOKENS_AT_REST)[number]

/** Demo mode: on loopback, off, in a private network, or for everybody who reaches the server. */
const DEMO_MODES = ['true', 'false', 'private', 'public'] as const

/** Who may register a client: nobody, whoever has an invitation, or anybody. */
const CLIENT_REGISTRATION_MODES = ['off', 'invitation', 'open'] as const

/** Whose trace context counts. */
const TRACE_CONTEXT_MODES = ['proxy', 'all', 'off'] as const

/** Whether the admin API is served. */
const ADMIN_API_MODES = ['off', 'on'] as const

/** Whether TLS is used with a server of `smtp:`, or a directory of `ldap:`. */
const TLS_MODES = ['required', 'off'] as const

/** Whether a DPoP proof needs a nonce of this server (RFC 9449 §8). */
const DPOP_NONCE_MODES = ['off', 'required'] as const

/** What is turned on or off. */
const SWITCH = ['off', 'on'] as const
const SIGN_UP_MODES = ['off', 'open'] as const

/** Whether the username is asked for before the rest. */
const USERNAME_FIRST_MODES = ['auto', 'on', 'off'] as const

/** Whether people may set up a second step, or must have one. */
const SECOND_FACTOR_MODES = ['off', 'optional', 'required'] as const

/** Which requests have a line in the log. */
const REQUEST_LOGS = ['all', 'failed'] as const

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const DAY = 86_400

const optionalText = (options: { minLength?: number; pattern?: string } = {}) =>
  Type.Optional(Type.String(options))
const word = <T extends string>(values: readonly T[], byDefault: T | undefined) =>
  Type.Unsafe<T>({ type: 'string', enum: values, default: byDefault })
const flag = () => Type.Boolean({ default: false })
const integer = (byDefault: number, minimum: number, maximum: number) =>
  Type.Integer({ default: byDefault, minimum, maximum })
const seconds = (byDefault: number, maximum: number) => integer(byDefault, 1, maximum)

const HOST_PORTS = '^[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*$'

/** The variables of the process. `Config` has each under its name in lower case, except as stated there. */
export const SERVER_VARIABLES = Type.Object({
  NODE_ENV: optionalText(),
  HOST: Type.String({ default: '127.0.0.1' }),
  PORT: integer(3000, 0, 65_535),
  MANAGEMENT_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  MANAGEMENT_HOST: optionalText(),
  WORKERS: integer(1, 1, 128),
  TRUSTED_PROXIES: optionalText(),
  TRUST_REQUEST_ID: flag(),
  SHUTDOWN_DELAY: Type.Optional(Type.Integer({ minimum: 0, maximum: 300 })),
  KEEP_ALIVE_TIMEOUT: seconds(75, 3600),
  MAX_CONNECTIONS: integer(4096, 1, 1_000_000),
  MAX_CONNECTIONS_PER_PEER: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  REDIS_KEY_PREFIX: Type.String({ default: 'redmint:', pattern: '^[^{}\\s]{1,64}$' }),
  REDIS_WAIT_REPLICAS: integer(0, 0, 100),
  TOKENS_AT_REST: word(TOKENS_AT_REST, 'plain'),
  LOG_LEVEL: word(LOG_LEVELS, 'info'),
  REQUEST_LOG: word(REQUEST_LOGS, 'all'),
})

/** The variables of the location of Redis; see readRedisLocation. */
export const REDIS_VARIABLES = Type.Object({
  REDIS_URL: optionalText({ pattern: '^(rediss?|unix)://.' }),
  REDIS_CLUSTER_NODES: optionalText({ pattern: HOST_PORTS }),
  REDIS_SENTINELS: optionalText({ pattern: HOST_PORTS }),
  REDIS_SENTINEL_NAME: optionalText(),
  REDIS_USERNAME: optionalText(),
  REDIS_PASSWORD: optionalText(),
  REDIS_SENTINEL_PASSWORD: optionalText(),
  REDIS_TLS: flag(),
})

/** The longest lifetime of an access token or id_token in seconds, for the server and for a single client. */
export const MAX_SIGNED_TOKEN_TTL = DAY

/** The longest lifetime of refresh tokens in seconds, for the server and for a single client. */
export const MAX_REFRESH_TOKEN_TTL = 366 * DAY

/** The variables of the protocol. `Settings` has each under its name in lower case, except as stated there. */
export const SETTING_VARIABLES = Type.Object({
  ISSUER: optionalText(),
  PROXY_STRIPS_PATH: flag(),
  WEBFINGER_HOSTS: optionalText(),
  FORWARD_AUTH_CLIENTS: optionalText(),
  ACCESS_TOKEN_FORMAT: word(ACCESS_TOKEN_FORMATS, 'opaque'),
  ACCESS_TOKEN_ALG: word(SIGNING_ALGS, 'ES256'),
  ID_TOKEN_ALG: word(SIGNING_ALGS, 'RS256'),
  SIGNING_ALGS: Type.String({ default: SIGNING_ALGS.join(',') }),
  CODE_TTL: seconds(60, 600),
  ACCESS_TOKEN_TTL: seconds(900, MAX_SIGNED_TOKEN_TTL),
  ID_TOKEN_TTL: seconds(900, MAX_SIGNED_TOKEN_TTL),
  REFRESH_TOKEN_TTL: seconds(30 * DAY, MAX_REFRESH_TOKEN_TTL),
  EXCHANGED_TOKEN_TTL: seconds(300, 3600),
  REFRESH_TOKEN_IDLE_TTL: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_REFRESH_TOKEN_TTL })),
  REFRESH_RETRY_WINDOW: integer(30, 0, 600),
  BEARER_CHECK_REVOCATION: flag(),
  DPOP_NONCE: word(DPOP_NONCE_MODES, 'off'),
  CLIENT_AUTH_FAILURES: integer(10, 1, 1_000_000),
  CLIENT_AUTH_WINDOW: seconds(60, DAY),
  SIGN_IN_FAILURES: integer(10, 1, 1_000_000),
  SIGN_IN_WINDOW: seconds(900, DAY),
  SIGN_IN_TTL: seconds(1800, DAY),
  DEVICE_CODE_TTL: seconds(600, 3600),
  DEVICE_INTERVAL: seconds(5, 60),
  DEVICE_REQUESTS: integer(20, 1, 1000),
  ASK_PEOPLE: word(SWITCH, 'off'),
  ASK_TTL: seconds(300, 600),
  // FAPI 2.0 Security Profile §5.3.2.2: less than 600.
  PAR_TTL: seconds(60, 599),
  // With the longest requests, all counters let less than 500 MB pass (decision 63).
  PAR_REQUESTS: integer(25, 1, 100_000),
  REQUIRE_PUSHED_AUTHORIZATION_REQUESTS: flag(),
  EXPLAIN_TTL: seconds(DAY, 31 * DAY),
  EXPLAIN_MAX: integer(1000, 0, 100_000),
  SESSION_TTL: seconds(DAY, 366 * DAY),
  SESSION_IDLE_TTL: seconds(4 * 3600, 366 * DAY),
  SESSION_PERSISTENT: Type.Optional(word(['true', 'false', 'choice'], undefined)),
  CHANGE_PASSWORD_URL: optionalText(),
  // NIST SP 800-63B-4 §3.1.1.2: 8 characters only beside a second step, and no verifier may demand more than 64.
  PASSWORD_MIN_LENGTH: integer(15, 8, 64),
  ACCOUNT_PAGE: word(SWITCH, 'on'),
  ACCOUNT_DELETION: word(SWITCH, 'off'),
  ACCOUNT_FIELDS: Type.String({ default: 'name,given_name,family_name,locale' }),
  SIGN_IN: Type.String({
    default: 'password',
    pattern: '^(password|passkeys|providers|provider:[a-z][a-z0-9-]{0,22}|directory|password,directory)$',
  }),
  USERNAME_FIRST: word(USERNAME_FIRST_MODES, 'auto'),
  LOGIN_URL: optionalText(),
  CONSENT_URL: optionalText(),
  LDAP_URL: optionalText(),
  LDAP_TLS: word(TLS_MODES, 'required'),
  LDAP_CA_FILE: optionalText(),
  LDAP_BASE_DN: optionalText(),
  LDAP_BIND_DN: optionalText(),
  LDAP_BIND_PASSWORD: optionalText(),
  LDAP_USER_FILTER: Type.String({ default: '(&(objectClass=inetOrgPerson)(uid={username}))' }),
  LDAP_USERNAME_ATTRIBUTE: Type.String({ default: 'uid' }),
  LDAP_ID_ATTRIBUTE: Type.String({ default: 'entryUUID' }),
  LDAP_CLAIMS: Type.String({ default: 'name=cn;given_name=givenName;family_name=sn;email=mail' }),
  LDAP_EMAIL_VERIFIED: flag(),
  LDAP_GROUP_ATTRIBUTE: optionalText(),
  LDAP_GROUP_FILTER: optionalText(),
  LDAP_GROUPS: optionalText(),
  LDAP_CREATES_USERS: Type.Boolean({ default: true }),
  SIGN_UP: word(SIGN_UP_MODES, 'off'),
  PASSKEYS: word(SWITCH, 'on'),
  PASSKEYS_MOVED_FROM: optionalText(),
  SECOND_FACTOR: word(SECOND_FACTOR_MODES, 'optional'),
  // No longer than sealed cookies can be opened.
  TRUSTED_BROWSER_DAYS: integer(30, 0, 90),
  CONSENT_TTL: seconds(365 * DAY, 3660 * DAY),
  ARGON2_MEMORY: integer(19_456, 8_192, 4_194_304),
  ARGON2_ITERATIONS: integer(2, 1, 100),
  ARGON2_PARALLELISM: integer(1, 1, 16),
  ARGON2_CONCURRENCY: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
  PAIRWISE_SALT: optionalText({ minLength: 16 }),
  SCOPE_TEXTS: optionalText(),
  SCOPE_CLAIMS: optionalText(),
  GROUPS_CLAIM: Type.String({ default: 'groups' }),
  CLIENT_REGISTRATION: word(CLIENT_REGISTRATION_MODES, 'off'),
  CLIENT_REGISTRATION_TTL: seconds(90 * DAY, 3660 * DAY),
  CLIENT_REGISTRATIONS: integer(500, 1, 100_000),
  CLIENT_REGISTRATIONS_PER_ADDRESS: integer(20, 1, 100_000),
  SELF_REGISTERED_SCOPES: Type.String({ default: 'openid profile email offline_access' }),
  TRACE_CONTEXT: word(TRACE_CONTEXT_MODES, 'proxy'),
  ADMIN_API: Type.Optional(word(ADMIN_API_MODES, undefined)),
  CONSOLE: Type.Optional(word(SWITCH, undefined)),
  CONSOLE_ORIGIN: optionalText(),
  BACKCHANNEL_ALLOW_PRIVATE: flag(),
  SHARED_SIGNALS: word(SWITCH, 'off'),
  CLIENT_ID_METADATA: Type.String({ default: 'off' }),
  CLIENT_ID_METADATA_DENY: optionalText(),
  TRUSTED_ISSUERS: flag(),
  RECEIVE_SIGNALS: word(SWITCH, 'off'),
  GLOBAL_TOKEN_REVOCATION: word(SWITCH, 'off'),
  STATUS_LISTS: word(SWITCH, 'off'),
  ISSUER_PRIVATE_HOSTS: optionalText(),
  CLIENT_CERTIFICATE_SECRET: optionalText({ pattern: '^[\\x21-\\x7E]{32,200}$' }),
  MTLS_ORIGIN: optionalText(),
  DEMO: Type.Optional(word(DEMO_MODES, undefined)),
  WEB_PUSH_PRIVATE_KEY: optionalText({ pattern: '^[A-Za-z0-9+/_-]{43}=?$' }),
  WEB_PUSH_CONTACT: optionalText(),
  KEY_ENCRYPTION_KEY: optionalText({ pattern: '^[A-Za-z0-9+/_-]{43}=?$' }),
  KEY_ROTATION_DAYS: integer(90, 1, 3650),
  SMTP_URL: optionalText(),
  SMTP_TLS: word(TLS_MODES, 'required'),
  SMTP_NAME: optionalText(),
  MAIL_FROM: optionalText(),
  AUDIT: Type.Optional(word(SWITCH, undefined)),
  AUDIT_MAX: integer(100_000, 1000, 10_000_000),
  AUDIT_DAYS: integer(90, 1, 3650),
  AUDIT_KEY: optionalText({ pattern: '^[A-Za-z0-9+/_-]{43}=?$' }),
  AUDIT_WEBHOOK_URL: optionalText(),
  // Standard Webhooks: 24 to 64 bytes.
  AUDIT_WEBHOOK_SECRET: optionalText({ pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$' }),
  SERVICE_NAME: Type.String({ default: 'redmint' }),
  LOGO_URL: optionalText(),
  ACCENT_COLOR: Type.String({ default: '#0f766e' }),
  STYLE_SHEET: optionalText(),
  LANGUAGES_DIR: optionalText(),
  HELP_URL: optionalText(),
  SIGN_UP_URL: optionalText(),
  FORGOT_PASSWORD_URL: optionalText(),
  PRIVACY_URL: optionalText(),
  TERMS_URL: optionalText(),
  IMPRINT_URL: optionalText(),
})

/** The environment variables that redmint reads; VARIABLE_DOCS says what each means. */
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
