import { availableParallelism } from 'node:os'
import t from 'tap'
import { createInstance } from '../../../../instance.ts'
import { type Config, readConfig } from '../../../../src/config/config.ts'
import { ENVIRONMENT } from '../../../../src/config/environment.ts'
import { type Environment, problemsOf } from '../../../support/config/problems.ts'

t.test('an empty environment gets the defaults', async (t) => {
  const config: Config = {
    host: '127.0.0.1',
    port: 3000,
    workers: 1,
    log_level: 'info',
    request_log: 'all',
    production: false,
    warnings: [],
    trusted_proxies: [],
    trust_request_id: false,
    shutdown_delay: 0,
    keep_alive_timeout: 75,
    management_host: '127.0.0.1',
    max_connections: 4096,
    max_connections_per_peer: 1024,
    redis_key_prefix: 'redmint:',
    redis_wait_replicas: 0,
    tokens_at_rest: 'plain',
    settings: {
      ldap_tls: 'required',
      ldap_user_filter: '(&(objectClass=inetOrgPerson)(uid={username}))',
      ldap_username_attribute: 'uid',
      ldap_id_attribute: 'entryUUID',
      ldap_claims: 'name=cn;given_name=givenName;family_name=sn;email=mail',
      ldap_email_verified: false,
      ldap_creates_users: true,
      admin_api: 'on',
      console: 'on',
      issuer: 'http://localhost:3000',
      access_token_format: 'opaque',
      access_token_alg: 'ES256',
      id_token_alg: 'RS256',
      signing_algs: ['ES256', 'RS256', 'PS256', 'EdDSA'],
      code_ttl: 60,
      exchanged_token_ttl: 300,
      device_code_ttl: 600,
      device_interval: 5,
      device_requests: 20,
      ask_people: 'off',
      ask_ttl: 300,
      par_ttl: 60,
      par_requests: 25,
      require_pushed_authorization_requests: false,
      explain_ttl: 86_400,
      explain_max: 1000,
      access_token_ttl: 900,
      id_token_ttl: 900,
      refresh_token_ttl: 2_592_000,
      refresh_retry_window: 30,
      bearer_check_revocation: false,
      dpop_nonce: 'off',
      client_auth_failures: 10,
      client_auth_window: 60,
      sign_in_failures: 10,
      sign_in_window: 900,
      sign_in_ttl: 1800,
      session_ttl: 86_400,
      session_idle_ttl: 14_400,
      session_persistent: false,
      password_min_length: 15,
      passkeys: 'on',
      second_factor: 'optional',
      account_page: 'on',
      account_deletion: 'off',
      account_fields: ['name', 'given_name', 'family_name', 'locale'],
      trace_context: 'proxy',
      sign_in: 'password',
      username_first: 'auto',
      sign_up: 'off',
      trusted_browser_days: 30,
      consent_ttl: 31_536_000,
      argon2_memory: 19_456,
      argon2_iterations: 2,
      argon2_parallelism: 1,
      argon2_concurrency: Math.min(3, Math.max(1, Math.floor(availableParallelism() / 2))),
      scope_texts: new Map([
        [
          'api.read',
          new Map([
            ['en', 'Read from the demo API'],
            ['de', 'Daten der Demo-API lesen'],
          ]),
        ],
      ]),
      scope_claims: new Map(),
      groups_claim: 'groups',
      client_registration: 'off',
      client_registration_ttl: 7_776_000,
      client_registrations: 500,
      client_registrations_per_address: 20,
      self_registered_scopes: ['openid', 'profile', 'email', 'offline_access'],
      client_certificate_proxies: [],
      client_id_metadata: 'none',
      client_id_metadata_deny: [],
      backchannel_allow_private: false,
      shared_signals: 'off',
      trusted_issuers: false,
      receive_signals: 'off',
      global_token_revocation: 'off',
      status_lists: 'off',
      issuer_private_hosts: [],
      webfinger_hosts: [],
      forward_auth_clients: [],
      proxy_strips_path: false,
      demo: true,
      key_rotation_days: 90,
      smtp_tls: 'required',
      audit: 'on',
      audit_max: 100_000,
      audit_days: 90,
      service_name: 'Wonderland',
      accent_color: '#5b3fd6',
      help_url: '/demo/link/help',
      privacy_url: '/demo/link/privacy',
      terms_url: '/demo/link/terms',
      imprint_url: '/demo/link/imprint',
    },
  }
  t.same(readConfig({}), config)
  const empty = Object.fromEntries(
    ['HOST', 'PORT', 'ISSUER', 'REDIS_URL', 'DEMO', 'CODE_TTL', 'LOG_LEVEL'].map((name) => [name, '']),
  )
  t.same(readConfig(empty), config, 'an empty variable counts as absent')
  t.same(readConfig({ HOST: undefined, UNKNOWN: 'x', PATH: '/bin' }), config, 'unknown variables are ignored')
})

t.test('demo mode looks like a product, as far as the operator chose nothing', async (t) => {
  const chosen = { SERVICE_NAME: 'redmint', HELP_URL: '/mine', SCOPE_TEXTS: '{"a": {"en": "b"}}' }
  const demo = readConfig({ ...chosen, ISSUER: 'http://localhost:3000/auth' }).settings
  t.match(demo, { service_name: 'redmint', help_url: '/mine', terms_url: '/auth/demo/link/terms' })
  t.same([...demo.scope_texts.keys()], ['a'])
  const plain = readConfig({ DEMO: 'false' }).settings
  t.equal(plain.service_name, 'redmint')
  t.equal(plain.help_url, undefined)
  t.equal(plain.scope_texts.size, 0)
})

t.test('every variable sets its part of the configuration', async (t) => {
  const key = Buffer.alloc(32, 7)
  t.has(
    readConfig({
      HOST: '0.0.0.0',
      PORT: '8080',
      ISSUER: 'https://auth.example.com',
      REDIS_URL: 'redis://localhost',
      TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16',
      WORKERS: '4',
      SHUTDOWN_DELAY: '5',
      KEEP_ALIVE_TIMEOUT: '620',
      MAX_CONNECTIONS: '100',
      REDIS_KEY_PREFIX: 'x-',
      REDIS_WAIT_REPLICAS: '2',
      ACCESS_TOKEN_FORMAT: 'jwt',
      ACCESS_TOKEN_ALG: 'EdDSA',
      ID_TOKEN_ALG: 'PS256',
      CODE_TTL: '1',
      ACCESS_TOKEN_TTL: '2',
      ID_TOKEN_TTL: '3',
      REFRESH_TOKEN_TTL: '4',
      CLIENT_AUTH_FAILURES: '5',
      CLIENT_AUTH_WINDOW: '6',
      DEMO: 'false',
      KEY_ENCRYPTION_KEY: key.toString('base64'),
      KEY_ROTATION_DAYS: '30',
      SERVICE_NAME: 'Wonderland & Co',
      LOGO_URL: 'https://cdn.example.com/logo.svg',
      ACCENT_COLOR: '#B4233f',
      LOG_LEVEL: 'silent',
    }),
    {
      host: '0.0.0.0',
      port: 8080,
      log_level: 'silent',
      trusted_proxies: ['10.0.0.1', '192.168.0.0/16'],
      workers: 4,
      shutdown_delay: 5,
      keep_alive_timeout: 620,
      max_connections: 100,
      redis_key_prefix: 'x-',
      redis_wait_replicas: 2,
      settings: {
        issuer: 'https://auth.example.com',
        access_token_format: 'jwt',
        access_token_alg: 'EdDSA',
        id_token_alg: 'PS256',
        code_ttl: 1,
        access_token_ttl: 2,
        id_token_ttl: 3,
        refresh_token_ttl: 4,
        client_auth_failures: 5,
        client_auth_window: 6,
        demo: false,
        key_encryption_key: key,
        key_rotation_days: 30,
        service_name: 'Wonderland & Co',
        logo_url: 'https://cdn.example.com/logo.svg',
        accent_color: '#B4233f',
      },
    },
  )
  t.equal(
    readConfig({ PORT: '8080' }).settings.issuer,
    'http://localhost:8080',
    'the default issuer contains the configured port',
  )
})

const REDIS_URL = 'redis://r'
const PUBLIC = { ISSUER: 'https://auth.example.com' }

t.test('production is NODE_ENV in any case, and needs Redis', async (t) => {
  for (const NODE_ENV of ['production', 'Production', 'PRODUCTION', ' production ', 'production\n']) {
    t.equal(readConfig({ NODE_ENV, REDIS_URL }).production, true, NODE_ENV)
    t.match(problemsOf({ NODE_ENV }), [/^NODE_ENV is production, which needs Redis: set REDIS_URL,/])
  }
  for (const NODE_ENV of ['development', 'test', 'productions']) {
    t.equal(readConfig({ NODE_ENV }).production, false, NODE_ENV)
  }
  // One problem for one mistake.
  t.match(problemsOf({ NODE_ENV: 'production', REDIS_URL: 'http://r' }), [/^REDIS_URL must begin with/])
})

t.test('several workers need Redis, and share the cores that hash passwords', async (t) => {
  t.match(problemsOf({ WORKERS: '4' }), [/^WORKERS needs Redis, .*: set REDIS_URL .*, or remove WORKERS$/])
  // One problem for one mistake.
  t.match(problemsOf({ WORKERS: '4', REDIS_URL: 'http://r' }), [/^REDIS_URL must begin with/])
  const alone = readConfig({ REDIS_URL }).settings.argon2_concurrency
  const { settings } = readConfig({ REDIS_URL, WORKERS: '2' })
  t.equal(settings.argon2_concurrency, Math.max(1, Math.floor(alone / 2)))
})

t.test('by default there is a drain where a balancer can be', async (t) => {
  const table: [environment: Environment, seconds: number][] = [
    [{}, 0],
    [{ SHUTDOWN_DELAY: '3' }, 3],
    [{ REDIS_URL }, 7],
    [{ REDIS_URL, SHUTDOWN_DELAY: '0' }, 0],
  ]
  for (const [environment, seconds] of table) {
    t.equal(readConfig(environment).shutdown_delay, seconds, JSON.stringify(environment))
  }
})

t.test('demo mode is on by default only in memory, with issuer and listener on loopback', async (t) => {
  const table: [environment: Environment, demo: boolean][] = [
    [{}, true],
    [{ HOST: 'localhost', ISSUER: 'http://127.0.0.1:3000' }, true],
    [{ HOST: '::1', ISSUER: 'http://[::1]:3000' }, true],
    [{ HOST: '127.0.0.2', ISSUER: 'https://localhost' }, true],
    [{ NODE_ENV: 'development' }, true],
    [{ DEMO: 'false' }, false],
    [{ REDIS_URL }, false],
    [{ REDIS_URL, NODE_ENV: 'production' }, false],
    [{ REDIS_URL, NODE_ENV: 'production', DEMO: 'false' }, false],
    [PUBLIC, false],
    ...['0.0.0.0', '::', '192.168.1.7', '::ffff:10.0.0.1', 'localhost.example', '127.example', 'auth'].map(
      (HOST): [Environment, boolean] => [{ HOST }, false],
    ),
  ]
  for (const [environment, demo] of table) {
    t.equal(readConfig(environment).settings.demo, demo, JSON.stringify(environment))
  }
})

t.test('demo mode on request is refused outside loopback, unless it is public', async (t) => {
  for (const more of [{}, { REDIS_URL }]) {
    t.equal(readConfig({ DEMO: 'true', ...more }).settings.demo, true)
    const table: [environment: Environment, reason: string][] = [
      [PUBLIC, 'the issuer is'],
      [{ HOST: '0.0.0.0' }, 'HOST is'],
      [{ HOST: '::', ...PUBLIC }, 'HOST and the issuer are'],
    ]
    for (const [environment, reason] of table) {
      t.same(problemsOf({ DEMO: 'true', ...environment, ...more }), [
        `DEMO must be false, or public for a public demonstration: ${reason} not on loopback, and in demo mode anyone can sign in as anyone`,
      ])
      t.equal(readConfig({ DEMO: 'public', ...environment, ...more }).settings.demo, 'public')
    }
  }
})

t.test('demo mode is refused with NODE_ENV=production', async (t) => {
  for (const DEMO of ['true', 'public']) {
    for (const NODE_ENV of ['production', 'Production ']) {
      t.same(problemsOf({ NODE_ENV, DEMO, REDIS_URL, ...PUBLIC }), [
        'DEMO must be false with NODE_ENV=production: in demo mode anyone can sign in as anyone',
      ])
    }
  }
})

t.test('each invalid value of a variable is reported', async (t) => {
  const table: [name: string, values: string[]][] = [
    ['PORT', ['-1', '65536', '1.5', 'x', '80a']],
    ['WORKERS', ['0', '129', '1.5', 'auto', '2']],
    ['SHUTDOWN_DELAY', ['-1', '301', '1.5', '5s', 'x']],
    ['KEEP_ALIVE_TIMEOUT', ['0', '3601', 'x']],
    ['MAX_CONNECTIONS', ['0', '1.5', 'x']],
    ['MAX_CONNECTIONS_PER_PEER', ['0', '1.5', 'x']],
    ['MANAGEMENT_PORT', ['-1', '65536', 'x', '3000']],
    ['MANAGEMENT_HOST', ['127.0.0.1']],
    ['PAR_TTL', ['0', '600']],
    ['CODE_TTL', ['0', '-1', '601', '1.5', '1m', 'x']],
    ['ACCESS_TOKEN_TTL', ['0', '86401', 'x']],
    ['ID_TOKEN_TTL', ['0', '86401', 'x']],
    ['REFRESH_TOKEN_TTL', ['0', '31622401', 'x']],
    ['KEY_ROTATION_DAYS', ['0', '3651', 'x']],
    ['ACCESS_TOKEN_FORMAT', ['JWT', 'x']],
    ['ACCESS_TOKEN_ALG', ['HS256', 'none', 'es256']],
    ['ID_TOKEN_ALG', ['HS256', 'RS512']],
    ['SIGNING_ALGS', ['RS512', 'RS256 ES256', 'RS256,', 'rs256']],
    ['SCOPE_CLAIMS', ['groups', 'groups=']],
    ['CLIENT_REGISTRATION', ['on', 'true', 'OPEN']],
    ['CLIENT_REGISTRATION_TTL', ['0', 'x']],
    ['CLIENT_REGISTRATIONS', ['0', '100001']],
    ['CLIENT_REGISTRATIONS_PER_ADDRESS', ['0', '-1']],
    ['SELF_REGISTERED_SCOPES', ['openid "x"', 'a\\b']],
    ['DEMO', ['yes', 'TRUE', 'On', '2']],
    ['LOG_LEVEL', ['verbose', 'INFO']],
    [
      'REDIS_URL',
      [
        ...['r:6379', 'http://r', 'redis://', 'redis://a b:p#w@h:x', 'redis://h:65536', 'redis://h/1/2'],
        ...['redis://:p%zz@h', 'rediss://u%:p@h', 'redis://h?db=3', 'redis://h/0?family=6'],
        ...['unix:///s?db=x', 'unix:///s?db=1&x=2'],
      ],
    ],
    ['REDIS_CLUSTER_NODES', ['r', 'r:x', 'r:1,', 'r:1, s:2', ':1']],
    ['REDIS_WAIT_REPLICAS', ['-1', '101', '1.5', 'x', '1']],
    ['REDIS_KEY_PREFIX', ['a b', '{x}', 'x'.repeat(65)]],
    ['SERVICE_NAME', ['x'.repeat(61), 'a\u202eb', 'a\nb']],
    [
      'LOGO_URL',
      ['logo.svg', '//evil.example/x', 'http://a.example/x', 'data:image/png;base64,AA', 'javascript:1'],
    ],
    [
      'HELP_URL',
      ['help', 'mailto:', 'mailto:a', 'mailto:a@b?cc=c', 'javascript:alert(1)', 'data:text/html,x'],
    ],
    ['SIGN_UP_URL', ['//evil.example/x', 'http://a.example/x', 'https://u@a.example/', 'mailto:a@b.example']],
    ['FORGOT_PASSWORD_URL', ['https://a.example/ x', 'https://a.example/"x', '/\\evil.example', 'a b']],
    ['PRIVACY_URL', ['HTTP://a.example/', 'https://', 'ftp://a.example/']],
    ['TERMS_URL', ['terms', 'vbscript:x']],
    ['IMPRINT_URL', ['blob:https://a.example/1', 'mailto:a@b.example']],
    ['ACCENT_COLOR', ['red', '#fff', '#0f766e;}', '0f766e', '#0f766g']],
    ['KEY_ENCRYPTION_KEY', ['x', 'x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}!`]],
  ]
  for (const [name, values] of table) {
    for (const value of values) {
      const problems = problemsOf({ [name]: value })
      t.equal(problems.length, 1, `${name}=${value.slice(0, 20)}: ${problems.join(' | ')}`)
      t.match(problems[0], new RegExp(`^${name} `))
    }
  }
})

t.test('every invalid entry of TRUSTED_PROXIES is reported', async (t) => {
  const right = ['10.0.0.1', '10.0.0.0/8', '10.0.0.1/32', '::1', '2001:db8::/32', '::ffff:10.0.0.1/104']
  t.same(readConfig({ TRUSTED_PROXIES: right.join(',') }).trusted_proxies, right)
  await t.resolves(
    createInstance({ level: 'silent', trusted_proxies: right }).close(),
    'Fastify accepts the valid entries',
  )

  const wrong = ['', 'x', 'localhost', 'true', '1', '10.0.0', '10.0.0.0/0', '10.0.0.0/33', '10.0.0.0/08']
  wrong.push('::/0', '::/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/255.0.0.0', 'fe80::1%eth0', '*', '/8')
  const problems = problemsOf({ TRUSTED_PROXIES: ['10.0.0.1', ...wrong].join(',') })
  t.equal(problems.length, wrong.length)
  for (const [index, entry] of wrong.entries()) {
    t.match(problems[index], /^TRUSTED_PROXIES has /)
    t.ok(problems[index]?.includes(JSON.stringify(entry)), entry)
  }
})

t.test('client certificates need the proxies that send them', async (t) => {
  const CLIENT_CERTIFICATE_SECRET = 'x'.repeat(32)
  const TRUSTED_PROXIES = '10.0.0.1, 192.168.0.0/16'
  const MTLS_ORIGIN = 'https://mtls.auth.example.com'
  const { settings } = readConfig({ CLIENT_CERTIFICATE_SECRET, TRUSTED_PROXIES, MTLS_ORIGIN })
  t.same(settings.client_certificate_proxies, ['10.0.0.1', '192.168.0.0/16'])
  t.equal(settings.mtls_origin, MTLS_ORIGIN)
  t.match(problemsOf({ CLIENT_CERTIFICATE_SECRET }), [/^CLIENT_CERTIFICATE_SECRET needs TRUSTED_PROXIES/])
  t.match(problemsOf({ TRUST_REQUEST_ID: 'true' }), [/^TRUST_REQUEST_ID needs TRUSTED_PROXIES/])
  t.equal(readConfig({ TRUST_REQUEST_ID: 'true', TRUSTED_PROXIES }).trust_request_id, true)
  for (const alone of [
    { CLIENT_CERTIFICATE_SECRET },
    { MTLS_ORIGIN },
    { TRUST_REQUEST_ID: 'true' },
    { WORKERS: '2' },
  ]) {
    t.ok(readConfig(alone, false), 'a command has a part of the variables of the server')
  }
  t.throws(() => readConfig({ CLIENT_CERTIFICATE_SECRET: 'short' }, false), 'what it has must be right')
  t.match(problemsOf({ MTLS_ORIGIN }), [/^MTLS_ORIGIN needs CLIENT_CERTIFICATE_SECRET/])
  for (const secret of ['short', 'x'.repeat(31), 'x'.repeat(201), `${'x'.repeat(32)} y`, 'é'.repeat(32)]) {
    const problems = problemsOf({ CLIENT_CERTIFICATE_SECRET: secret, TRUSTED_PROXIES })
    t.match(problems, [/^CLIENT_CERTIFICATE_SECRET must have 32 to 200 visible ASCII characters/])
    t.notOk(problems[0]?.includes(secret))
  }
  const ISSUER = 'https://auth.example.com'
  for (const origin of [
    'http://mtls.example',
    'https://mtls.example/',
    'https://mtls.example/x',
    'x',
    ISSUER,
  ]) {
    const given = { ISSUER, CLIENT_CERTIFICATE_SECRET, TRUSTED_PROXIES, MTLS_ORIGIN: origin }
    t.match(problemsOf(given), [/^MTLS_ORIGIN must be an https origin other than that of the issuer/], origin)
  }
})

t.test('a variable of white space counts as absent', async (t) => {
  t.equal(readConfig({ PORT: ' ' }).port, 3000)
})

t.test('all problems are reported together, without any secret value', async (t) => {
  const environment = {
    PORT: 'x',
    CODE_TTL: '0',
    ISSUER: 'http://auth.example.com',
    DEMO: 'true',
    NODE_ENV: 'production',
    REDIS_URL: 'http://user:hush-hush@r',
    REDIS_SENTINELS: 'r:1',
    KEY_ENCRYPTION_KEY: 'hush-hush',
  }
  const problems = problemsOf(environment)
  const names = problems.map((problem) => problem.split(' ')[0])
  t.same(names.sort(), [
    'CODE_TTL',
    'DEMO',
    'ISSUER',
    'KEY_ENCRYPTION_KEY',
    'PORT',
    'REDIS_SENTINELS',
    'REDIS_URL',
  ])
  t.throws(() => readConfig(environment), {
    name: 'ConfigError',
    message: /^The configuration has 7 problems:\n {2}/,
  })
  t.throws(() => readConfig({ PORT: 'x' }), {
    message: /^The configuration has a problem:\n {2}PORT [^\n]+$/,
  })
  for (const problem of [...problems, ...problemsOf({ REDIS_URL: 'redis://user:hush-hush#@r' })]) {
    t.notMatch(problem, 'hush')
  }
})

t.test('variables have no rule that is not read', async (t) => {
  const read = ['type', 'default', 'enum', 'minLength', 'pattern', 'minimum', 'maximum']
  for (const [name, rule] of Object.entries(ENVIRONMENT.properties))
    t.same(
      Object.keys(rule).filter((word) => ![...read, 'description'].includes(word)),
      [],
      name,
    )
})

t.test('CLIENT_ID_METADATA is on, off or a list of hosts', async (t) => {
  const hostsOf = (CLIENT_ID_METADATA: string, CLIENT_ID_METADATA_DENY = '') => {
    const { client_id_metadata, client_id_metadata_deny } = readConfig({
      CLIENT_ID_METADATA,
      CLIENT_ID_METADATA_DENY,
    }).settings
    return [client_id_metadata, client_id_metadata_deny]
  }
  t.strictSame(hostsOf('off'), ['none', []])
  t.strictSame(hostsOf('on', 'evil.example'), ['all', ['evil.example']])
  t.strictSame(hostsOf('Claude.ai, *.example.com'), [['claude.ai', '*.example.com'], []])
  for (const wrong of [
    'true',
    'false',
    'https://a.example',
    'a.example/x',
    'a.example:443',
    '*',
    'a.*.example',
    'on off',
    'a_b',
    '.a.example',
  ]) {
    const problem = new RegExp(
      `CLIENT_ID_METADATA has ${JSON.stringify(wrong).replace(/[.*]/g, '\\$&')}: it must be on, off, or host names`,
    )
    t.throws(() => hostsOf(wrong), problem, wrong)
    t.throws(() => hostsOf('on', wrong), /CLIENT_ID_METADATA_DENY has /, wrong)
  }
})

t.test('on and true are one word, as YAML 1.1 makes one of the other', async (t) => {
  t.match(readConfig({ PASSKEYS: 'false', ACCOUNT_DELETION: 'true', TRACE_CONTEXT: 'false' }).settings, {
    passkeys: 'off',
    account_deletion: 'on',
    trace_context: 'off',
  })
  const TRUSTED_PROXIES = '10.0.0.5'
  t.equal(readConfig({ TRUST_REQUEST_ID: 'on', TRUSTED_PROXIES }).trust_request_id, true)
  t.equal(readConfig({ TRUST_REQUEST_ID: 'off' }).trust_request_id, false)
  t.match(problemsOf({ SIGN_UP: 'true' }), [/^SIGN_UP must be one of off, open/], 'open has no such twin')
  t.match(problemsOf({ PASSKEYS: 'yes', REDIS_TLS: 'yes' }), [
    /^REDIS_TLS must be true or false/,
    /^PASSKEYS must be one of off, on/,
  ])
})
