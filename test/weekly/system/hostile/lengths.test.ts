// The work of a request grows no faster than its length. Each text is sixty times as long as the HTTP parser allows: at
// that length, linear work takes milliseconds, and quadratic work exceeds the timeout.
import { PassThrough } from 'node:stream'
import t from 'tap'
import { createInstance } from '../../../../instance.ts'
import { FORM } from '../../../support/hostile/endpoints.ts'
import { authorizationRequest, startService } from '../../../support/service.ts'

const LENGTH = 1_000_000
const TIMEOUT_MS = 60_000

/** Text without an end, in all the ways that a parser of lists, pairs, quotes or nested values may look for one. */
const TEXTS = [
  ...[
    'a',
    ' ',
    '=',
    ',',
    ';',
    '"',
    '\\',
    '/',
    '-',
    '[',
    '%',
    'a,',
    'a;',
    'a=;',
    'a=a;',
    'a=a,',
    '",',
    '";',
    'a-a,',
  ],
  ...['a/a,', 'a/a;a="', '*/*;', '{"a":', 'a ', 'W/"a",', '0-0,', '10.0.0.1,', '[::1]:80,', '%41', 'a.'],
].flatMap((part) => ['', '"', 'a/a;', 'a="'].map((head) => head + part.repeat(LENGTH / part.length)))
// As many different words as possible.
const WORDS = Array.from({ length: LENGTH / 7 }, (_, i) => i.toString(36).padStart(6, 'a'))
TEXTS.push(WORDS.join(' '), WORDS.join(','), WORDS.join(';'), WORDS.map((word) => `${word}=1`).join('; '))

const HEADERS = [
  ...['accept', 'accept-encoding', 'accept-language', 'access-control-request-headers', 'authorization'],
  ...['connection', 'content-type', 'cookie', 'expect', 'forwarded', 'host', 'if-modified-since'],
  ...['if-none-match', 'origin', 'range', 'referer', 'user-agent', 'x-forwarded-for'],
]

const REQUESTS = [
  { url: '/oauth2/authorize?client_id=nobody' },
  { url: '/.well-known/jwks.json' },
  { url: '/nowhere' },
  { url: '/userinfo', method: 'OPTIONS' },
  { url: '/userinfo', method: 'POST' },
  { url: '/oauth2/token', method: 'POST', payload: 'grant_type=client_credentials', type: FORM },
  { url: '/oauth2/interaction', method: 'POST', payload: 'transaction=x', type: FORM },
] as const

for (const header of HEADERS) {
  t.test(
    `the work for the header ${header} grows no faster than its length`,
    {
      timeout: TIMEOUT_MS,
    },
    async (t) => {
      const { fastify } = await startService(t)
      fastify.log.level = 'silent'
      const statuses = new Set<number>()
      for (const text of TEXTS) {
        for (const { url, type, ...request } of REQUESTS.map((one) => ({ type: undefined, ...one }))) {
          const headers = { ...(type && { 'content-type': type }), [header]: text }
          const { statusCode } = await fastify.inject({ url, headers, ...request })
          statuses.add(statusCode)
        }
      }
      t.same(
        [...statuses].filter((status) => status >= 500),
        [],
      )
    },
  )
}

const PARAMETERS = [
  ...Object.keys(authorizationRequest()),
  ...[
    'acr_values',
    'claims',
    'id_token_hint',
    'login_hint',
    'max_age',
    'prompt',
    'response_mode',
    'ui_locales',
  ],
  'unknown',
]
const VALUES = ['a', ' ', '%', '"', '[', ',', 'a.', 'a-', 'http://'].map((part) =>
  part.repeat(500_000 / part.length),
)
VALUES.push(WORDS.slice(0, 80_000).join(' '))

for (const parameter of PARAMETERS) {
  t.test(
    `the work for the parameter ${parameter} grows no faster than its length`,
    {
      timeout: TIMEOUT_MS,
    },
    async (t) => {
      const { authorize, fastify } = await startService(t)
      fastify.log.level = 'silent'
      const statuses = new Set<number>()
      for (const value of VALUES) statuses.add((await authorize({ [parameter]: value })).status)
      t.same(
        [...statuses].filter((status) => status >= 500),
        [],
      )
    },
  )
}

t.test(
  'the work for the entries of a trusted proxy grows no faster than their length',
  {
    timeout: TIMEOUT_MS,
  },
  async (t) => {
    const fastify = createInstance({
      level: 'info',
      stream: new PassThrough().resume(),
      trusted_proxies: ['10.0.0.0/8'],
    })
    t.teardown(() => fastify.close())
    for (const text of TEXTS) {
      const headers = { 'x-forwarded-for': text }
      t.equal((await fastify.inject({ url: '/', headers, remoteAddress: '10.0.0.1' })).statusCode, 404)
    }
  },
)
