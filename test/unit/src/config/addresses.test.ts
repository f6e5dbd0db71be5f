// Every setting that is an address: a part that redmint does not use is refused, and no message has a credential.
import t from 'tap'
import { CLIENT_FIELDS } from '../../../../src/clients/record/client-fields.ts'
import { readConfig } from '../../../../src/config/config.ts'
import { ENVIRONMENT } from '../../../../src/config/environment.ts'
import { VARIABLE_DOCS } from '../../../../src/config/variable-docs.ts'
import type { FieldTable } from '../../../../src/core/field-table.ts'
import { FieldReader } from '../../../../src/core/record-hash.ts'
import { ISSUER_FIELDS } from '../../../../src/issuers/issuer-fields.ts'
import { type Environment, problemsOf } from '../../../support/config/problems.ts'

/** Pieces of a password. */
const SECRET = 'hunter'

interface Address {
  readonly good: readonly string[]
  readonly bad: readonly string[]
  /** What it needs beside it. */
  readonly more?: Environment
}

const page = (...more: string[]): Address => ({
  good: ['https://example.com/page?a=b', '/page?a=b', ...more],
  bad: [
    `https://user:${SECRET}@example.com/`,
    `https://${SECRET}@example.com/`,
    'https://@example.com/',
    'https://:@example.com/',
    `https://user:1#${SECRET}@example.com/`,
    `https://user:${SECRET}#2@example.com/`,
    '//example.com/page',
  ],
})

const hosts = (good: string, more: Environment = {}): Address => ({
  good: [good, `${good},[::1]:7001`],
  bad: [
    `redis://${good}`,
    `user:${SECRET}@${good}`,
    `:${SECRET}@${good}`,
    `${good}/1`,
    `${good},user:${SECRET}@${good}`,
    `user:${SECRET}?@${good}`,
    `user:${SECRET}#@${good}`,
    `user:${SECRET}/@${good}`,
  ],
  more,
})

const names = (more: Environment = {}): Address => ({
  good: ['example.com', 'example.com,a.example.org'],
  bad: [
    `https://user:${SECRET}@example.com`,
    `user:${SECRET}@example.com`,
    `user:${SECRET},1@example.com`,
    `user:a,${SECRET}@example.com`,
    'https://example.com',
    'example.com/path',
    'example.com?query',
    'example.com#fragment',
  ],
  more,
})

/** By variable. */
const ADDRESSES: Readonly<Record<string, Address>> = {
  REDIS_URL: {
    good: [
      'redis://redis:6379/1',
      `rediss://user:${SECRET}%40%2F%23%3F@redis`,
      'unix:///run/redis.sock?db=1',
    ],
    bad: [
      `redis://:${SECRET}#2@redis:6379/0`,
      `redis://user:1#${SECRET}@redis:6379/0`,
      `redis://user:1?${SECRET}@redis:6379/0`,
      `redis://user:1/${SECRET}@redis:6379/0`,
      `redis://:${SECRET}/2@redis:6379/0`,
      `redis://:${SECRET}%@redis:6379/0`,
      `redis://${SECRET}@redis:6379/0`,
      'redis://redis:6379/0#',
      'redis://redis:6379/0?',
      'redis://redis:6379/0?timeout=1',
      'redis://redis:6379/a',
      'redis://redis:6379/0/1',
      'unix://redis/run/redis.sock',
      'unix:///run/redis.sock#1',
      'unix:///run/redis.sock?db=1&timeout=1',
      `unix:///run/redis.sock?password=${SECRET}`,
    ],
  },
  REDIS_CLUSTER_NODES: hosts('redis:6379'),
  REDIS_SENTINELS: hosts('redis:26379', { REDIS_SENTINEL_NAME: 'main' }),
  WEBFINGER_HOSTS: names(),
  TRUSTED_PROXIES: {
    good: ['10.0.0.0/8,::1'],
    bad: [
      `user:${SECRET}@10.0.0.1`,
      `user:a,${SECRET}@10.0.0.1`,
      'http://10.0.0.1',
      '10.0.0.1:80',
      '10.0.0.1/a',
    ],
  },
  WEB_PUSH_CONTACT: {
    good: ['https://example.com/contact', 'mailto:ops@example.com'],
    bad: [`https://user:${SECRET}@example.com/`, 'http://example.com/', 'ops@example.com', 'mailto:ops'],
    more: { WEB_PUSH_PRIVATE_KEY: Buffer.alloc(32, 1).toString('base64') },
  },
  MTLS_ORIGIN: {
    good: ['https://mtls.example.com', 'https://mtls.example.com:8443'],
    bad: [
      'https://mtls.example.com/',
      'https://mtls.example.com/path',
      'https://mtls.example.com?query',
      'https://mtls.example.com#fragment',
      `https://user:${SECRET}@mtls.example.com`,
      `https://user:1#${SECRET}@mtls.example.com`,
      'http://mtls.example.com',
    ],
    more: { CLIENT_CERTIFICATE_SECRET: 's'.repeat(40), TRUSTED_PROXIES: '10.0.0.1' },
  },
  CONSOLE_ORIGIN: {
    good: ['https://console.example.com', 'http://localhost:9000'],
    bad: [
      'https://console.example.com/',
      'https://console.example.com/path',
      'https://console.example.com?query',
      'https://console.example.com#fragment',
      `https://user:${SECRET}@console.example.com`,
      `https://user:1#${SECRET}@console.example.com`,
      'http://console.example.com',
    ],
    more: { ADMIN_API: 'on', CONSOLE: 'on' },
  },
  ISSUER_PRIVATE_HOSTS: names(),
  CLIENT_ID_METADATA: names(),
  CLIENT_ID_METADATA_DENY: names(),
  AUDIT_WEBHOOK_URL: {
    good: ['https://siem.example.com/redmint?token=x', 'http://localhost:1/'],
    bad: [...page().bad, '/page', `http://user:${SECRET}@localhost/`],
    more: { AUDIT: 'on', AUDIT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}` },
  },
  CHANGE_PASSWORD_URL: {
    good: ['https://example.com/page?a=b', 'http://localhost:1/'],
    bad: [...page().bad, '/page', `http://user:${SECRET}@localhost/`],
  },
  LOGIN_URL: {
    good: ['https://shop.example.com/login?from=redmint', 'http://localhost:1/'],
    bad: [
      ...page().bad,
      '/page',
      `http://user:${SECRET}@localhost/`,
      'http://shop.example.com/login',
      'https://shop.example.com/login#form',
      'https://shop.example.com/?login_challenge=x',
    ],
  },
  CONSENT_URL: {
    good: ['https://shop.example.com/consent?from=redmint', 'http://localhost:1/'],
    bad: [
      ...page().bad,
      '/page',
      `http://user:${SECRET}@localhost/`,
      'https://shop.example.com/consent#form',
      'https://shop.example.com/?consent_challenge=x',
    ],
  },
  LOGO_URL: { ...page(), good: ['https://example.com/logo.svg?v=1', '/logo.svg'] },
  STYLE_SHEET: {
    good: ['/brand.css', '/brand.css?v=1'],
    bad: [
      `https://user:${SECRET}@cdn.example.com/a.css`,
      'https://cdn.example.com/a.css',
      '/brand.css#a',
      'brand.css',
    ],
  },
  HELP_URL: { ...page('mailto:help@example.com'), bad: [...page().bad, 'mailto:help@example.com?subject=x'] },
  SIGN_UP_URL: page(),
  FORGOT_PASSWORD_URL: page(),
  PRIVACY_URL: page(),
  TERMS_URL: page(),
  IMPRINT_URL: page(),
}

/** Variables that look like addresses in their description, and have a test of their own, or are none. */
const ELSEWHERE = [
  'HOST',
  'MANAGEMENT_HOST',
  'ISSUER',
  'REDIS_USERNAME',
  'REDIS_PASSWORD',
  'DEMO',
  'PASSKEYS',
  'PASSKEYS_MOVED_FROM',
  'SMTP_NAME',
  'SMTP_TLS',
  'SMTP_URL',
  'LDAP_URL',
]

t.test('the table has every setting that is an address', (t) => {
  const meanings = new Map<string, string>(Object.entries(VARIABLE_DOCS))
  const addresses = Object.entries(ENVIRONMENT.properties)
    .filter(([name, { type }]) => {
      const description = meanings.get(name) ?? ''
      const is_named = /_(URL|URI|ORIGIN|HOSTS?|NODES|PROXIES|SENTINELS)$|^(ISSUER|HOST)$/.test(name)
      return type === 'string' && (is_named || /\bhosts?\b|https|\borigin\b|\bURL\b|CIDR/i.test(description))
    })
    .map(([name]) => name)
  t.strictSame(addresses.filter((name) => !ELSEWHERE.includes(name)).sort(), Object.keys(ADDRESSES).sort())
  t.end()
})

for (const [name, { good, bad, more = {} }] of Object.entries(ADDRESSES)) {
  t.test(`${name}: unused parts are refused, and no message has a piece of a credential`, (t) => {
    for (const value of good) t.ok(readConfig({ ...more, [name]: value }), value)
    for (const value of bad) {
      const problems = problemsOf({ ...more, [name]: value })
      t.ok(problems.length > 0, `${value} is refused`)
      t.ok(
        problems.every((problem) => problem.startsWith(name)),
        problems.join('\n'),
      )
      t.notOk(problems.join('\n').includes(SECRET), `${value}: ${problems.join('\n')}`)
    }
    t.end()
  })
}

/** Fields that redmint fetches or posts to: nothing uses a fragment. The others are links, or compared as they are. */
const FETCHED = ['jwks_uri', 'backchannel_logout_uri', 'backchannel_client_notification_endpoint']

for (const [noun, table] of Object.entries<FieldTable>({ client: CLIENT_FIELDS, issuer: ISSUER_FIELDS })) {
  const names = Object.keys(table).filter(
    (name) => /_(?:uris?|issuer|endpoint)$/.test(name) && name !== 'tls_client_auth_san_uri',
  )
  t.test(`the addresses in the record of a ${noun}`, (t) => {
    t.ok(names.length > 0)
    for (const name of names) {
      const read = (value: string) => {
        const fields = new FieldReader({ [name]: value })
        table[name]?.read(fields, name)
        return fields.problems.map(({ field, problem }) => `${field} ${problem}`).join('\n')
      }
      t.equal(read('https://example.com/a'), '', name)
      const bad = [
        `https://user:${SECRET}@example.com/a`,
        `https://user:1#${SECRET}@example.com/a`,
        `https://user:${SECRET}#1@example.com/a`,
        ...(FETCHED.includes(name) ? ['https://example.com/a#b'] : []),
      ]
      for (const value of bad) {
        const problems = read(value)
        t.not(problems, '', `${name}: ${value}`)
        t.notOk(problems.includes(SECRET), problems)
      }
    }
    t.end()
  })
}
