import t from 'tap'
import { readConfig } from '../../../../src/config/config.ts'
import { ConfigError } from '../../../../src/config/config-error.ts'
import { SETTING_VARIABLES } from '../../../../src/config/environment.ts'
import { completeSettings } from '../../../../src/config/settings.ts'
import { problemsOf } from '../../../support/config/problems.ts'

t.test('every protocol variable becomes a setting with the same name in lower case', async (t) => {
  const optional = {
    REFRESH_TOKEN_IDLE_TTL: '3600',
    PAIRWISE_SALT: 'x'.repeat(16),
    AUDIT: 'on',
    AUDIT_KEY: Buffer.alloc(32).toString('base64'),
    AUDIT_WEBHOOK_URL: 'https://siem.example.com/redmint',
    AUDIT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
    KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    WEB_PUSH_PRIVATE_KEY: Buffer.alloc(32, 1).toString('base64'),
    WEB_PUSH_CONTACT: 'mailto:help@example.com',
    LOGO_URL: '/logo.svg',
    STYLE_SHEET: '/brand.css',
    LANGUAGES_DIR: '/etc/redmint/languages',
    CHANGE_PASSWORD_URL: 'https://id.example.com/password',
    HELP_URL: 'mailto:help@example.com',
    SIGN_UP_URL: 'https://example.com',
    LOGIN_URL: 'https://shop.example.com/login',
    CONSENT_URL: 'https://shop.example.com/consent',
    FORGOT_PASSWORD_URL: '/reset?from=sign-in#form',
    PRIVACY_URL: 'https://example.com/privacy',
    TERMS_URL: 'https://example.com:8443/terms?v=1',
    IMPRINT_URL: '/imprint',
    TRUSTED_PROXIES: '10.0.0.1',
    CLIENT_CERTIFICATE_SECRET: 'x'.repeat(32),
    MTLS_ORIGIN: 'https://mtls.example.com',
    CONSOLE: 'on',
    CONSOLE_ORIGIN: 'https://console.example.com',
    PASSKEYS_MOVED_FROM: 'login.example.com',
    SMTP_URL: 'smtp://mail.example.com',
    SMTP_NAME: 'login.example.com',
    MAIL_FROM: 'login@example.com',
    LDAP_URL: 'ldaps://ldap.example.com',
    LDAP_CA_FILE: '/etc/ssl/ldap.pem',
    LDAP_BASE_DN: 'dc=example,dc=com',
    LDAP_BIND_DN: 'cn=redmint,dc=example,dc=com',
    LDAP_BIND_PASSWORD: 'a password',
    LDAP_GROUP_ATTRIBUTE: 'memberOf',
    LDAP_GROUP_FILTER: '(member={dn})',
    LDAP_GROUPS: 'staff=employees',
  }
  const { client_certificate_proxies, ...settings } = readConfig(optional).settings
  const names = Object.keys(SETTING_VARIABLES.properties).map((name) => name.toLowerCase())
  t.same(Object.keys(settings).sort(), names.sort())
  t.same(client_certificate_proxies, ['10.0.0.1'], 'from a variable of the process')
})

t.test('demo mode has an audit trail, so that its console has events', async (t) => {
  t.match(readConfig({}).settings, { demo: true, audit: 'on' })
  t.match(readConfig({ AUDIT: 'off' }).settings, { demo: true, audit: 'off' })
  t.match(readConfig({ REDIS_URL: 'redis://localhost' }).settings, { demo: false, audit: 'off' })
  t.match(readConfig({ REDIS_URL: 'redis://localhost', DEMO: 'true' }).settings, { demo: true, audit: 'off' })
  const issuer = 'http://localhost:3000'
  t.match(completeSettings({ issuer, demo: true }), { audit: 'off' }, 'an application asks for it')
})

t.test('the sign-in page of an application turns on what it needs, and off what is of no use', async (t) => {
  const LOGIN_URL = 'https://shop.example.com/login'
  const redis = { REDIS_URL: 'redis://localhost' }
  t.match(readConfig({ LOGIN_URL, ...redis }).settings, { admin_api: 'on', passkeys: 'off', demo: false })
  t.match(readConfig(redis).settings, { admin_api: 'off', passkeys: 'on' })
  const issuer = 'https://auth.example.com'
  t.match(completeSettings({ issuer, login_url: LOGIN_URL }), { admin_api: 'on', passkeys: 'off' })
  t.match(completeSettings({ issuer }), { admin_api: 'off', passkeys: 'on' })
  const CONSENT_URL = 'https://shop.example.com/consent'
  t.match(completeSettings({ issuer, consent_url: CONSENT_URL }), { admin_api: 'on', passkeys: 'on' })
  t.same(problemsOf({ CONSENT_URL, ADMIN_API: 'off' }), [
    'ADMIN_API must be on with CONSENT_URL: the application answers by it',
  ])
  t.same(
    problemsOf({
      LOGIN_URL,
      ADMIN_API: 'off',
      SIGN_IN: 'providers',
      SIGN_UP: 'open',
      SMTP_URL: 'smtp://mail.example.com',
      SMTP_NAME: 'login.example.com',
      MAIL_FROM: 'login@example.com',
    }),
    [
      'ADMIN_API must be on with LOGIN_URL: the application answers by it',
      'SIGN_IN cannot be set with LOGIN_URL: people sign in there',
      'SIGN_UP cannot be open with LOGIN_URL: people sign in there',
    ],
  )
})

t.test('a configuration that leaves people without a way in is refused', async (t) => {
  t.strictSame(problemsOf({ SIGN_IN: 'passkeys' }), [])
  t.strictSame(problemsOf({ SIGN_IN: 'passkeys', PASSKEYS: 'off' }), [
    'SIGN_IN is passkeys, and PASSKEYS is off: nobody could sign in',
  ])
  for (const [ISSUER, address] of [
    ['https://192.0.2.7', '192.0.2.7'],
    ['https://[2001:db8::1]', '2001:db8::1'],
  ] as const)
    t.strictSame(problemsOf({ SIGN_IN: 'passkeys', ISSUER }), [
      `SIGN_IN is passkeys, which are for names, and ISSUER has the address ${address}`,
    ])
  const issuer = 'https://auth.example.com'
  const options = { issuer, sign_in: 'passkeys', passkeys: 'off' } as const
  t.throws(() => completeSettings(options), /sign_in is passkeys, and passkeys is off/)
})

t.test('the algorithms of the server must be among SIGNING_ALGS', async (t) => {
  const { settings } = readConfig({ SIGNING_ALGS: 'RS256, ES256,RS256' })
  t.strictSame(settings.signing_algs, ['ES256', 'RS256'])
  t.strictSame(problemsOf({ SIGNING_ALGS: 'RS256' }), [
    'ACCESS_TOKEN_ALG is ES256, which is not in SIGNING_ALGS (RS256): change one of the two',
  ])
  t.strictSame(problemsOf({ SIGNING_ALGS: 'RS256', ACCESS_TOKEN_ALG: 'RS256' }), [])
  const given = { issuer: 'https://auth.example.com', signing_algs: ['ES256'] } as const
  t.throws(() => completeSettings(given), /id_token_alg is RS256, which is not in signing_algs/)
})

t.test(
  'the issuer must be an https origin with or without a path, or http on the local machine',
  async (t) => {
    for (const ISSUER of [
      'https://auth.example.com',
      'https://auth.example.com:8443',
      'http://localhost',
      'http://localhost:3000',
      'http://127.0.0.1:3000',
      'http://[::1]:3000',
      'https://example.com/auth',
      'https://example.com/realms/My-Realm_1.0~x',
      'http://localhost:3000/auth',
      `https://example.com/${'a'.repeat(127)}`,
      'https://example.com/healthy',
    ]) {
      t.equal(readConfig({ ISSUER }).settings.issuer, ISSUER)
      t.equal(completeSettings({ issuer: ISSUER }).issuer, ISSUER)
    }
    const refused: [ISSUER: string, problem: RegExp][] = [
      ['auth.example.com', /must be an origin/],
      ['https://auth.example.com/', /must be an origin/],
      ['https://example.com/auth/', /, in its canonical form: https:\/\/example\.com\/auth$/],
      ['https://example.com/auth//', /, in its canonical form: https:\/\/example\.com\/auth$/],
      ['https://example.com/auth?x', /, in its canonical form: https:\/\/example\.com\/auth$/],
      ['https://example.com/auth#x', /, in its canonical form: https:\/\/example\.com\/auth$/],
      ['https://example.com/auth/.', /, in its canonical form: https:\/\/example\.com\/auth$/],
      ['https://example.com/x/../auth', /, in its canonical form: https:\/\/example\.com\/auth$/],
      ['https://example.com/x/%2e%2E/auth', /, in its canonical form: https:\/\/example\.com\/auth$/],
      ['https://example.com\\auth', /, in its canonical form: https:\/\/example\.com\/auth$/],
      ['https://alice:hush@example.com/auth', /, in its canonical form: https:\/\/example\.com\/auth$/],
      ['https://example.com//auth', /must be an origin .*: https:\/\/auth\.example\.com or/],
      ['https://example.com/a//b', /must be an origin .*: https:\/\/auth\.example\.com or/],
      ['https://example.com/%61uth', /must be an origin .*: https:\/\/auth\.example\.com or/],
      ['https://example.com/a%2Fb', /must be an origin .*: https:\/\/auth\.example\.com or/],
      ['https://example.com/a;b', /must be an origin .*: https:\/\/auth\.example\.com or/],
      ['https://example.com/a:b', /must be an origin .*: https:\/\/auth\.example\.com or/],
      ['https://example.com/*', /must be an origin .*: https:\/\/auth\.example\.com or/],
      ['https://example.com/bücher', /must be an origin .*: https:\/\/auth\.example\.com or/],
      ['https://alice:1/hush@example.com', /must be an origin .*: https:\/\/auth\.example\.com or/],
      [`https://example.com/${'a'.repeat(128)}`, /must have a path of at most 128 characters$/],
      ['https://example.com/health', /must have another path: \/health is a path of the server itself$/],
      ['https://example.com/health/x', /must have another path: \/health /],
      ['https://example.com/actuator', /must have another path: \/actuator /],
      ['https://example.com/docs', /must have another path: \/docs /],
      ['https://example.com/openapi.json', /must have another path: \/openapi\.json /],
      ['https://example.com/.well-known', /must have another path: \/\.well-known /],
      ['http://example.com/auth', /must be https/],
      ['urn:example:auth', /must be an origin/],
      ['https://bücher.example', /, in its canonical form: https:\/\/xn--bcher-kva\.example$/],
      ['http://127.1:3000', /, in its canonical form: http:\/\/127\.0\.0\.1:3000$/],
      ['https://auth.example.com?x', /must be an origin/],
      ['https://auth.example.com#x', /must be an origin/],
      ['https://user@auth.example.com', /must be an origin/],
      ['https://auth.example.com:443', /must be an origin .*: https:\/\/auth\.example\.com$/],
      ['https://AUTH.example.com', /must be an origin/],
      ['HTTPS://auth.example.com', /must be an origin/],
      [' https://auth.example.com', /must be an origin/],
      ['https://', /must be an origin/],
      ['ftp://auth.example.com', /must be https/],
      ['http://auth.example.com', /must be https/],
      ['http://127.0.0.2:3000', /must be https/],
      ['http://localhost.example.com', /must be https/],
      ['http://0.0.0.0:3000', /must be https/],
    ]
    for (const [ISSUER, problem] of refused) {
      const problems = problemsOf({ ISSUER })
      t.match(problems, [problem], ISSUER)
      t.notMatch(problems.join(), /hush/, ISSUER)
      t.throws(() => completeSettings({ issuer: ISSUER }), ConfigError)
    }
    t.same(problemsOf({ PORT: '0' }), ['ISSUER must be set if PORT is 0'])
    t.equal(readConfig({ PORT: '80' }).settings.issuer, 'http://localhost')
    t.same(problemsOf({ PORT: '0', ISSUER: 'http://localhost:1' }), [])
  },
)

t.test('settings that are not given get their defaults', async (t) => {
  const settings = completeSettings({ issuer: 'https://auth.example.com', code_ttl: 5 })
  t.has(settings, { issuer: 'https://auth.example.com', code_ttl: 5, access_token_ttl: 900 })
  t.equal(settings.demo, false, 'demo mode is off by default')
  t.equal(completeSettings({ issuer: 'http://localhost:3000' }).demo, false, 'also on loopback')
  const wrong = { issuer: 'x', accent_color: '</style>', service_name: '' }
  t.throws(() => completeSettings(wrong), {
    message: /3 problems:\n {2}issuer .*\n {2}service_name .*\n {2}accent_color /,
  })
  const longest = { access_token_ttl: 86_400, id_token_ttl: 86_400 }
  t.match(completeSettings({ issuer: 'https://auth.example.com', ...longest }), longest)
  const too_long = { access_token_ttl: 86_401, id_token_ttl: 86_401 }
  t.throws(() => completeSettings({ issuer: 'https://auth.example.com', ...too_long }), {
    message:
      /2 problems:\n {2}access_token_ttl must be 86400 or less\n {2}id_token_ttl must be 86400 or less$/,
  })
})

t.test('demo mode of a host application needs an issuer on loopback, or public', async (t) => {
  t.equal(completeSettings({ issuer: 'http://localhost:3000', demo: true }).demo, true)
  t.equal(completeSettings({ issuer: 'https://auth.example.com', demo: 'public' }).demo, 'public')
  t.throws(() => completeSettings({ issuer: 'https://auth.example.com', demo: true }), {
    message: /a problem:\n {2}demo must be false, or public for a public demonstration: the issuer is not/,
  })
})

t.test('PROXY_STRIPS_PATH is for an issuer with a path', async (t) => {
  const PROXY_STRIPS_PATH = 'true'
  t.same(problemsOf({ ISSUER: 'https://example.com/auth', PROXY_STRIPS_PATH }), [])
  t.match(problemsOf({ ISSUER: 'https://example.com', PROXY_STRIPS_PATH }), [
    /^PROXY_STRIPS_PATH is for an issuer with a path/,
  ])
})

t.test('clients of forward authentication are client ids', async (t) => {
  t.same(readConfig({ FORWARD_AUTH_CLIENTS: 'intranet, files' }).settings.forward_auth_clients, [
    'intranet',
    'files',
  ])
  for (const ids of ['in tranet', 'intranet,,files', 'ä', ',']) {
    t.match(problemsOf({ FORWARD_AUTH_CLIENTS: ids }), [/^FORWARD_AUTH_CLIENTS has/], ids)
  }
})

t.test('WebFinger hosts are hosts as URLs have them', async (t) => {
  t.same(readConfig({ WEBFINGER_HOSTS: 'example.com, id.example.com:8443' }).settings.webfinger_hosts, [
    'example.com',
    'id.example.com:8443',
  ])
  for (const host of [
    'https://example.com',
    'Example.com',
    'example.com/x',
    'a@example.com',
    'example.com:443',
    ',',
  ]) {
    t.match(
      problemsOf({ WEBFINGER_HOSTS: host })[0],
      /^WEBFINGER_HOSTS has .*".*".*: it must be a list of hosts/,
      host,
    )
  }
})
