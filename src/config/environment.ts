import { type Static, type TObject, type TProperties, Type } from '../core/schema.ts'
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
  NODE_ENV: optionalText(
    '`production`, in any case: always JSON logs, Redis is required, demo mode is refused, and start-up warns about unencrypted keys and unhashed tokens',
  ),
  HOST: text('address to listen on, or a name: its first address; the container image sets `0.0.0.0`', {
    default: '127.0.0.1',
  }),
  PORT: integer(3000, 0, 65_535, 'port to listen on'),
  MANAGEMENT_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description:
        'port of a listener of its own for `/actuator/prometheus`, `/actuator/info` and `/openapi.json`, which `PORT` then answers with 404; must differ from `PORT`. Unset: `PORT` answers them. See [operations](operations.md#the-management-listener)',
    }),
  ),
  MANAGEMENT_HOST: optionalText('address to listen on at `MANAGEMENT_PORT`; unset: that of `HOST`'),
  WORKERS: integer(
    1,
    1,
    128,
    'processes that serve at the same port, at most 128, for one machine with several cores. More than one need Redis. See [operations](operations.md#workers)',
  ),
  TRUSTED_PROXIES: optionalText(
    'addresses and CIDR blocks, `10.0.0.5,192.168.0.0/16`, whose `X-Forwarded-For` is trusted; unset: none. See [operations](operations.md#trusted-proxies)',
  ),
  SHUTDOWN_DELAY: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 300,
      description:
        'seconds after `SIGTERM` in which the service still serves requests but is not ready; at most 300. Unset: 7, with storage in memory 0. See [operations](operations.md#drain)',
    }),
  ),
  KEEP_ALIVE_TIMEOUT: seconds(
    75,
    3600,
    'seconds that a connection may wait for its next request, at most 3600; set it longer than the balancer keeps idle connections',
  ),
  MAX_CONNECTIONS: integer(
    4096,
    1,
    1_000_000,
    'concurrent connections of a process; further ones are closed at once and logged',
  ),
  MAX_CONNECTIONS_PER_PEER: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        'concurrent connections of one address with a process, trusted proxies excepted; further ones are closed at once and logged. An IPv6 /64 network counts as one address. Unset: a quarter of `MAX_CONNECTIONS`. See [operations](operations.md#limits)',
    }),
  ),
  REDIS_KEY_PREFIX: text('prefix of every key; no braces, no white space', {
    default: 'redmint:',
    pattern: '^[^{}\\s]{1,64}$',
  }),
  REDIS_WAIT_REPLICAS: integer(
    0,
    0,
    100,
    'how many Redis replicas must have a code, token or revocation before the client gets the response, at most 100; see [operations](operations.md#when-redis-fails)',
  ),
  TOKENS_AT_REST: word(
    TOKENS_AT_REST,
    'plain',
    '`hashed`: keys and records hold the SHA-256 of the secret part of codes and tokens, so a dump of Redis contains no usable code or token. A change invalidates all existing codes and tokens. In production, `plain` is a warning at start',
  ),
  LOG_LEVEL: word(LOG_LEVELS, 'info', '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`'),
})

/** The variables of the location of Redis; see readRedisLocation. */
export const REDIS_VARIABLES = Type.Object({
  REDIS_URL: optionalText(
    '`redis://`, `rediss://` (TLS) or `unix://`, with the database as the number at its end: `redis://host:6379/1`, `unix:///run/redis.sock?db=1`; special characters in the password are percent-encoded, and no other parameter or fragment is accepted; unset: storage in memory, for a single process, lost at exit',
    {
      pattern: '^(rediss?|unix)://.',
    },
  ),
  REDIS_CLUSTER_NODES: optionalText('`host:port,host:port` instead of a URL: Redis Cluster', {
    pattern: HOST_PORTS,
  }),
  REDIS_SENTINELS: optionalText(
    '`host:port,host:port` instead of a URL: Redis Sentinel. Name all Sentinels; redmint asks each (`SENTINEL MASTER`, `GET-MASTER-ADDR-BY-NAME` and `SENTINELS`) and subscribes to `+switch-master`',
    { pattern: HOST_PORTS },
  ),
  REDIS_SENTINEL_NAME: optionalText('the name of the master that the Sentinels watch'),
  REDIS_USERNAME: optionalText(
    'user name for a Cluster or for the master behind Sentinels; a URL contains its own',
  ),
  REDIS_PASSWORD: optionalText(
    'password for a Cluster or for the master behind Sentinels; a URL contains its own',
  ),
  REDIS_SENTINEL_PASSWORD: optionalText('password of the Sentinels themselves'),
  REDIS_TLS: flag(
    '`true`: use TLS to every node of a Cluster, to the Sentinels and to the master. Certificates must be for the names or addresses in these variables, and for those that Cluster and Sentinels report',
  ),
})

/** The longest lifetime of an access token or id_token in seconds, for the server and for a single client. */
export const MAX_SIGNED_TOKEN_TTL = DAY

/** The longest lifetime of refresh tokens in seconds, for the server and for a single client. */
export const MAX_REFRESH_TOKEN_TTL = 366 * DAY

/** The variables of the protocol. `Settings` has each under its name in lower case, except as stated there. */
export const SETTING_VARIABLES = Type.Object({
  ISSUER: optionalText(
    'the base address: `https://auth.example.com`, or with a [path](issuer-path.md) `https://example.com/auth`, without a slash at its end; `http` on loopback only. Every URL that redmint publishes is derived from it, never from a request header. Unset: `http://localhost:$PORT`',
  ),
  PROXY_STRIPS_PATH: flag(
    '`true`: the proxy [removes the path](issuer-path.md#a-proxy-that-removes-the-path) of `ISSUER` from requests',
  ),
  WEBFINGER_HOSTS: optionalText(
    'hosts whose addresses [WebFinger](webfinger.md) answers with the issuer, separated by commas; unset: there is no WebFinger',
  ),
  ACCESS_TOKEN_FORMAT: word(
    ACCESS_TOKEN_FORMATS,
    'opaque',
    "`opaque` (validated by a look-up) or `jwt` (validated locally); a client's field `access_token_format` overrides it. Both formats are always accepted",
  ),
  ACCESS_TOKEN_ALG: word(
    SIGNING_ALGS,
    'ES256',
    "signature algorithm of JWT access tokens: `ES256`, `RS256`, `PS256` or `EdDSA`; a client's field `access_token_signed_response_alg` overrides it",
  ),
  ID_TOKEN_ALG: word(SIGNING_ALGS, 'RS256', 'signature algorithm of id_tokens; the same values'),
  SIGNING_ALGS: text(
    'the algorithms whose keys are published, separated by commas; tokens are signed with these only. See [verifying tokens](resource-servers.md#which-keys-are-published)',
    {
      default: SIGNING_ALGS.join(','),
    },
  ),
  CODE_TTL: seconds(60, 600, 'lifetime of an authorization code in seconds, at most 600'),
  ACCESS_TOKEN_TTL: seconds(
    900,
    MAX_SIGNED_TOKEN_TTL,
    "lifetime of an access token in seconds, at most a day; a client's field `access_token_ttl` overrides it",
  ),
  ID_TOKEN_TTL: seconds(
    900,
    MAX_SIGNED_TOKEN_TTL,
    "lifetime of an id_token in seconds, at most a day; a client's field `id_token_ttl` overrides it",
  ),
  REFRESH_TOKEN_TTL: seconds(
    30 * DAY,
    MAX_REFRESH_TOKEN_TTL,
    "seconds after the redemption of the code in which the tokens of a sign-in can be refreshed; at most 366 days. A client's field `refresh_token_ttl` overrides it; a change applies to new sign-ins",
  ),
  REFRESH_TOKEN_IDLE_TTL: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_REFRESH_TOKEN_TTL,
      description: 'seconds after which an unused refresh token expires; unset: with its family',
    }),
  ),
  REFRESH_RETRY_WINDOW: integer(
    30,
    0,
    600,
    'seconds in which a spent refresh token gets the same answer again while its successor is unused, at most 600; `0`: any second use revokes the family',
  ),
  BEARER_CHECK_REVOCATION: flag(
    '`true`: below `/api/`, check in Redis whether a JWT was revoked; `/userinfo` and introspection always check',
  ),
  DPOP_NONCE: word(
    DPOP_NONCE_MODES,
    'off',
    '`required`: a [DPoP](dpop.md) proof needs a nonce of this service, which the client gets by a first request that is refused. A nonce that a proof has is always checked',
  ),
  CLIENT_AUTH_FAILURES: integer(
    10,
    1,
    1_000_000,
    'how often a client may fail to authenticate from one address within a window; further attempts get 429 until the window ends. See [operations](operations.md#guesses-at-secrets)',
  ),
  CLIENT_AUTH_WINDOW: seconds(
    60,
    DAY,
    'length of the window in seconds, from the first failure; at most a day',
  ),
  SIGN_IN_FAILURES: integer(
    10,
    1,
    1_000_000,
    'how many sign-ins as one user from one address may fail within a window, and how many wrong user codes of devices one user may enter; ten times as many sign-ins and user codes of all users at one address. See [operations](operations.md#passwords-and-sign-in) and [devices](device.md#who-attacks)',
  ),
  SIGN_IN_WINDOW: seconds(900, DAY, 'length of the window in seconds, from the first failure; at most a day'),
  SIGN_IN_TTL: seconds(1800, DAY, 'seconds that a pending request waits for the user; at most a day'),
  DEVICE_CODE_TTL: seconds(
    600,
    3600,
    'lifetime of a device code and its user code in seconds, at most 3600. See [devices](device.md)',
  ),
  DEVICE_INTERVAL: seconds(5, 60, 'seconds that a device waits between two token requests, at most 60'),
  DEVICE_REQUESTS: integer(
    20,
    1,
    1000,
    'how many device codes the public clients at one address get in `DEVICE_CODE_TTL`, at most 1000; further requests get 429. Each waiting device needs 500 bytes of Redis, and 3,328 times this number can wait',
  ),
  // FAPI 2.0 Security Profile §5.3.2.2: less than 600.
  PAR_TTL: seconds(
    60,
    599,
    'seconds in which a [pushed request](pushed-requests.md) can be used, at most 599',
  ),
  // With the longest requests, all counters let less than 500 MB pass (decision 63).
  PAR_REQUESTS: integer(
    25,
    1,
    100_000,
    'how many requests the public clients at one address, and the clients there that describe themselves, push in `PAR_TTL` and `SIGN_IN_TTL` together, at most 100000; further ones get 429. 3,328 times this number can be kept, with at most 5.5 kB of Redis each',
  ),
  REQUIRE_PUSHED_AUTHORIZATION_REQUESTS: flag('`true`: every client must push its authorization requests'),
  SESSION_TTL: seconds(DAY, 366 * DAY, 'lifetime of a session in seconds; at most 366 days'),
  SESSION_IDLE_TTL: seconds(4 * 3600, 366 * DAY, 'seconds after which an unused session ends'),
  SESSION_PERSISTENT: flag(
    '`true`: a user stays signed in when the browser is closed, until the session ends: the session cookie has a `Max-Age` of `SESSION_TTL`. See [sign-in](sign-in.md#the-session)',
  ),
  CHANGE_PASSWORD_URL: optionalText(
    'where users change their password: an https URL, or http on loopback. `/.well-known/change-password` redirects to it, so that password managers find it; unset: 404',
  ),
  CONSENT_TTL: seconds(365 * DAY, 3660 * DAY, 'seconds that consent is remembered; at most 3660 days'),
  ARGON2_MEMORY: integer(
    19_456,
    8_192,
    4_194_304,
    'memory of a password hash (argon2id) in KiB, 8192 to 4194304',
  ),
  ARGON2_ITERATIONS: integer(2, 1, 100, 'passes over that memory; at most 100'),
  ARGON2_PARALLELISM: integer(1, 1, 16, 'lanes, 1 to 16; they are computed one after the other'),
  ARGON2_CONCURRENCY: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 64,
      description:
        'passwords that are hashed at the same time, at most 64; unset: half of the cores divided by `WORKERS`, at least 1 and at most 3',
    }),
  ),
  PAIRWISE_SALT: optionalText(
    "secret from which pairwise subs are computed, 16 characters or more: `openssl rand -base64 32`. Required if a client's `subject_type` is `pairwise`. A change gives every user of such a client a new sub",
    {
      minLength: 16,
    },
  ),
  SCOPE_TEXTS: optionalText(
    'descriptions of scopes for the consent page, as JSON: `{"api.read": {"en": "Read your reports", "de": "Ihre Berichte lesen"}}`. A scope without a text in the language of the page uses its first text; a scope without any text is shown by its name',
  ),
  SCOPE_CLAIMS: optionalText(
    'which scope releases which [custom claims](openid.md#custom-claims) of users: `groups=groups,roles;hr=employee_id`',
  ),
  CLIENT_REGISTRATION: word(
    CLIENT_REGISTRATION_MODES,
    'off',
    'who may [register a client](registration.md) by RFC 7591: `off`: nobody; `invitation`: clients with an invitation of `redmint client invite`; `open`: anybody',
  ),
  CLIENT_REGISTRATION_TTL: seconds(
    90 * DAY,
    3660 * DAY,
    'seconds after which a client that registered itself lapses if it gets no tokens, at most 3660 days; never less than twice the lifetime of its refresh tokens',
  ),
  CLIENT_REGISTRATIONS: integer(
    500,
    1,
    100_000,
    'clients that may register without an invitation in an hour, at most 100000',
  ),
  CLIENT_REGISTRATIONS_PER_ADDRESS: integer(
    20,
    1,
    100_000,
    'the same, from one address; an IPv6 /64 network counts as one',
  ),
  SELF_REGISTERED_SCOPES: text(
    'scopes that a client which registers itself may obtain, separated by spaces: its users are asked for those that it wants. Add the scopes of your own APIs here',
    {
      default: 'openid profile email offline_access',
    },
  ),
  BACKCHANNEL_ALLOW_PRIVATE: flag(
    '`true`: send logout tokens also to private, loopback and link-local addresses',
  ),
  CLIENT_ID_METADATA: text(
    '`on`: a client_id may be the https URL of a [document that describes the client](client-id-metadata.md); or the hosts whose documents count, `claude.ai,*.example.com`',
    { default: 'off' },
  ),
  CLIENT_ID_METADATA_DENY: optionalText('hosts whose documents never count, `evil.example,*.evil.example`'),
  TRUSTED_ISSUERS: flag(
    '`true`: accept assertions of [trusted issuers](trusted-issuers.md) as grants and client authentication',
  ),
  ISSUER_PRIVATE_HOSTS: optionalText(
    'hosts whose key sets may be fetched from private addresses, for trusted issuers and for [clients with keys](client-keys.md#keys): `kubernetes.default.svc,idp.internal:8443`',
  ),
  CLIENT_CERTIFICATE_SECRET: optionalText(
    'what the proxy sends in `Client-Cert-Secret` with [client certificates](mutual-tls.md), 32 to 200 characters: `openssl rand -base64 32`. Needs `TRUSTED_PROXIES`; unset: there are no client certificates',
    { pattern: '^[\\x21-\\x7E]{32,200}$' },
  ),
  MTLS_ORIGIN: optionalText(
    'the https origin at which the proxy asks for client certificates, if it is not the issuer: `https://mtls.auth.example.com`',
  ),
  DEMO: Type.Optional(
    word(
      DEMO_MODES,
      undefined,
      '`true`: the `subject` shortcut at the authorization endpoint, with which anyone signs in as anyone, the demo clients and user, and the API browser at `/docs`. It is refused if `ISSUER` or `HOST` is not on loopback; `public` allows it there, for a public demonstration. Both are refused with `NODE_ENV=production`. Unset: `true` with storage in memory and with `ISSUER` and `HOST` on loopback, otherwise `false`',
    ),
  ),
  KEY_ENCRYPTION_KEY: optionalText(
    'encrypts the private signing keys in storage: 32 bytes in base64, `openssl rand -base64 32`. In production, a start without it is a warning',
    {
      pattern: '^[A-Za-z0-9+/_-]{43}=?$',
    },
  ),
  KEY_ROTATION_DAYS: integer(
    90,
    1,
    3650,
    'days between rotations of the signing keys; see [operations](operations.md#signing-keys)',
  ),
  SERVICE_NAME: text('name of the service on the pages; at most 60 characters', { default: 'redmint' }),
  LOGO_URL: optionalText(
    "a picture instead of the name: an https URL, or a path on the issuer's origin such as `/logo.svg`, served by the proxy in front. The Content-Security-Policy of the pages allows pictures from that origin only. It should be visible on white and on black",
  ),
  ACCENT_COLOR: text(
    '`#rrggbb`: buttons, links and the focus ring. The text of a button is black or white, whichever has the higher contrast; links and focus rings are darkened or lightened if necessary',
    { default: '#0f766e' },
  ),
  HELP_URL: optionalText(
    "help, in the footer of every page and for users who are locked out. As all links: an https URL, or a path on the issuer's origin; this one may also be an address such as `mailto:help@example.com`",
  ),
  SIGN_UP_URL: optionalText('where users create an account: "Create an account" on the sign-in page'),
  FORGOT_PASSWORD_URL: optionalText(
    'where users reset their password: "Forgot password?" on the sign-in page',
  ),
  PRIVACY_URL: optionalText('the privacy policy, in the footer of every page'),
  TERMS_URL: optionalText('the terms of service, in the footer'),
  IMPRINT_URL: optionalText('the imprint, in the footer'),
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
