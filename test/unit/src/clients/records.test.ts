import t from 'tap'
import {
  type ClientDefinition,
  formatClient,
  isClientId,
  parseClient,
} from '../../../../src/clients/record/client-record.ts'
import { secretHash } from '../../../../src/clients/record/client-secret.ts'
import { FieldReader } from '../../../../src/core/record-hash.ts'
import { type CodeRecord, formatCode, parseCode } from '../../../../src/tokens/code-record.ts'
import { parseTokenRecord } from '../../../../src/tokens/token-record.ts'
import { isSubject } from '../../../../src/users/user-fields.ts'
import { isUsername, parseUser } from '../../../../src/users/user-record.ts'
import { CLIENTS } from '../../../support/service.ts'

/** The names of the fields with problems. */
const fieldsOf = (parsed: { ok: boolean; problems?: { field: string }[] }) =>
  parsed.problems?.map(({ field }) => field)

t.test('reading the fields of a hash', async (t) => {
  const fields = new FieldReader({ a: '1', empty: '', yes: 'true', no: 'false', maybe: 'maybe', list: 'x y' })
  t.equal(fields.optional('a'), '1')
  t.equal(fields.optional('empty'), undefined)
  t.equal(fields.optional('absent'), undefined)
  t.equal(fields.optional('constructor'), undefined, 'only own properties are read')
  t.equal(fields.required('a'), '1')
  t.equal(fields.oneOf('a', ['1', '2']), '1')
  t.equal(fields.oneOf('absent', ['1']), undefined)
  t.equal(fields.boolean('yes'), true)
  t.equal(fields.boolean('no'), false)
  t.equal(fields.boolean('absent', true), true)
  t.equal(fields.boolean('absent', false), false)
  t.same(
    fields.list('list', () => undefined),
    ['x', 'y'],
  )
  t.same(
    fields.list('absent', () => undefined),
    [],
  )
  t.same(fields.problems, [])

  fields.required('absent')
  fields.required('empty')
  fields.oneOf('a', ['2', '3'])
  fields.boolean('maybe', true)
  fields.boolean('absent')
  fields.list('list', (entry) => (entry === 'y' ? 'is wrong' : undefined))
  t.same(fields.problems, [
    { field: 'absent', problem: 'is missing' },
    { field: 'empty', problem: 'is missing' },
    { field: 'a', problem: 'must be "2" or "3"' },
    { field: 'maybe', problem: 'must be "true" or "false"' },
    { field: 'absent', problem: 'is missing' },
    { field: 'list', problem: 'is wrong', entry: { index: 1, text: 'y' } },
  ])
})

t.test('a list is separated by single spaces', async (t) => {
  for (const value of [' ', ' x', 'x ', 'x  y', 'x\ty', 'x\ny', 'x\n', 'x\u00a0y', 'x\u2003y']) {
    const fields = new FieldReader({ list: value })
    t.same(
      fields.list('list', () => undefined),
      [],
      JSON.stringify(value),
    )
    t.equal(fields.problems.length, 1)
  }
})

t.test('the syntax of a client_id (RFC 6749 Appendix A.1)', async (t) => {
  for (const id of ['a', ' ', '~', 'a b:c', 'x'.repeat(255)]) t.ok(isClientId(id), id.slice(0, 10))
  for (const id of ['', 'x'.repeat(256), 'ä', 'a\n', 'a\u0000', '\u007f', '😀']) {
    t.notOk(isClientId(id), JSON.stringify(id.slice(0, 10)))
  }
})

t.test('formatting and parsing a client returns the same client', async (t) => {
  const defaults = {
    demo: false,
    application_type: 'web',
    scope_claims_in_id_token: false,
    custom_claims_in_access_token: false,
    status_list: false,
    refresh_tokens: 'always',
    refresh_token_rotation: true,
    can_introspect: false,
    require_pkce: true,
    first_party: false,
    everybody: false,
    asks_people: false,
    subject_type: 'public',
    post_logout_redirect_uris: [],
    logout_ends_tokens: false,
    disabled: false,
  } as const
  const clients: ClientDefinition[] = [
    ...Object.values(CLIENTS),
    { ...CLIENTS.web, disabled: true, access_token_format: 'jwt' },
    { ...CLIENTS.service, allowed_scopes: [], access_token_format: 'opaque' },
    { ...CLIENTS.web, grant_types: ['authorization_code', 'refresh_token'] },
    { ...CLIENTS.web, refresh_token_rotation: false, can_introspect: true },
    { ...CLIENTS.web, access_token_ttl: 86_400, id_token_ttl: 1, refresh_token_ttl: 31_622_400 },
    { ...CLIENTS.service, claims: { tenant: 'acme', roles: ['reader'] } },
    { ...CLIENTS.app, application_type: 'native', redirect_uris: ['vscode://a.b/cb', 'http://localhost/cb'] },
    { ...CLIENTS.web, scope_claims_in_id_token: true, access_token_signed_response_alg: 'RS256' },
    { ...CLIENTS.web, require_pkce: false, first_party: true, logout_ends_tokens: true },
    { ...CLIENTS.web, subject_type: 'pairwise', sector_identifier: 'example.com' },
    { ...CLIENTS.app, id_token_signed_response_alg: 'EdDSA', sector_identifier: 'example.com' },
    {
      ...CLIENTS.app,
      post_logout_redirect_uris: ['https://app.example.com/bye', 'com.example.app:/bye'],
      backchannel_logout_uri: 'https://app.example.com/logout?x=y',
      backchannel_client_notification_endpoint: 'https://app.example.com/told',
      client_uri: 'https://app.example.com',
      logo_uri: 'https://cdn.example.com:8443/logo.png?v=1',
      policy_uri: 'https://app.example.com/privacy#de',
      tos_uri: 'https://app.example.com/terms',
    },
  ]
  for (const client of clients) {
    t.same(
      parseClient(client.client_id, formatClient(client)),
      { ok: true, record: { ...defaults, ...client } },
      client.client_id,
    )
  }
  const { client_id } = CLIENTS.service
  const { client_id: _, client_name: __, ...rest } = formatClient(CLIENTS.service)
  t.has(
    parseClient(client_id, rest),
    { record: { client_id, client_name: client_id } },
    'the client_id must be the one in the key',
  )
})

t.test('every problem of a client is reported at once', async (t) => {
  const hash = {
    client_id: 'other',
    client_secret_hash: 'x',
    client_uri: 'http://a.example/',
    logo_uri: '/logo.svg',
    policy_uri: 'x',
    tos_uri: 'x',
    redirect_uris: '/a b',
    allowed_scopes: '"a"',
    grant_types: 'x',
    is_public: 'no',
    access_token_format: 'x',
    access_token_ttl: '86401',
    id_token_ttl: '86401',
    refresh_token_ttl: '31622401',
    refresh_tokens: 'x',
    refresh_token_rotation: 'x',
    can_introspect: 'x',
    require_pkce: 'x',
    first_party: 'x',
    subject_type: 'x',
    sector_identifier: 'X',
    id_token_signed_response_alg: 'x',
    post_logout_redirect_uris: '/a b',
    backchannel_logout_uri: '/a',
    logout_ends_tokens: 'x',
    disabled: 'x',
  }
  t.same([...new Set(fieldsOf(parseClient('a', hash)))].sort(), Object.keys(hash).sort())
  t.same(fieldsOf(parseClient('a', {})), ['is_public', 'client_secret_hash', 'grant_types'])
  const proto = JSON.parse('{"__proto__": "x", "is_public": "true"}')
  t.same(fieldsOf(parseClient('a', proto)), ['grant_types'], 'a field with any name is safe')
})

t.test('the sector of a pairwise client (OpenID Connect Core §8.1)', async (t) => {
  const sectorOf = (redirect_uris: string, more: Record<string, string> = {}) => {
    const hash = { ...formatClient(CLIENTS.web), subject_type: 'pairwise', redirect_uris, ...more }
    const parsed = parseClient('web', hash)
    return parsed.ok ? (parsed.record.sector_identifier ?? 'none') : fieldsOf(parsed)
  }
  t.equal(sectorOf('https://App.Example.com/a'), 'app.example.com', 'the single host of the redirect_uris')
  t.equal(sectorOf('https://a.example/a https://a.example:8443/b'), 'a.example', 'the port does not matter')
  t.equal(
    sectorOf('https://a.example/a', { sector_identifier: 'b.example' }),
    'b.example',
    'an explicit sector_identifier',
  )
  for (const uris of ['', 'https://a.example/ https://b.example/', 'com.example.app:/callback']) {
    t.same(sectorOf(uris), ['sector_identifier'], `${uris} has not exactly one host`)
    t.equal(sectorOf(uris, { sector_identifier: 'a.example' }), 'a.example')
  }
  t.equal(
    sectorOf('https://a.example/ https://b.example/', { subject_type: '' }),
    'none',
    'only pairwise clients have a sector',
  )
})

t.test('the digest of a client secret', async (t) => {
  // FIPS 180-2: the digest of "abc".
  t.equal(secretHash('abc'), 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=')
  t.equal(secretHash('ü'), secretHash('\u00fc'))
  const hash = (client_secret_hash: string) =>
    fieldsOf(parseClient('a', { is_public: 'false', grant_types: 'client_credentials', client_secret_hash }))
  t.equal(hash(secretHash('abc')), undefined)
  const wrong = [
    secretHash('abc').slice(0, -1),
    `${secretHash('abc')}\n`,
    secretHash('abc').replace('+', '-'),
  ]
  for (const value of [...wrong, secretHash(''), 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa1=']) {
    t.same(hash(value), ['client_secret_hash'], JSON.stringify(value))
  }
})

const CODE: CodeRecord = {
  client_id: 'app',
  redirect_uri: 'https://app.example.com/callback',
  scope: 'openid',
  subject: 'alice',
  code_challenge: 'x'.repeat(43),
  nonce: ' n ',
  auth_time: 1_700_000_000,
}

t.test('formatting and parsing a code; malformed fields are problems', async (t) => {
  t.same(parseCode(formatCode(CODE)), { ok: true, record: CODE })
  const { nonce: _, ...plain } = CODE
  t.same(parseCode(formatCode({ ...plain, scope: '' })), { ok: true, record: { ...plain, scope: '' } })
  t.has(formatCode(CODE), { status: 'active', auth_time: '1700000000' })
  const { code_challenge: __, ...exempted } = CODE
  t.same(parseCode(formatCode(exempted)), { ok: true, record: exempted })
  const sign_in = { username: 'al', sid: 's', amr: 'pwd otp', acr: 'a', claims: 'userinfo:email' }
  t.same(parseCode(formatCode({ ...CODE, ...sign_in })), { ok: true, record: { ...CODE, ...sign_in } })
  for (const field of ['client_id', 'redirect_uri', 'subject', 'auth_time']) {
    t.ok(fieldsOf(parseCode({ ...formatCode(CODE), [field]: '' }))?.includes(field), field)
  }
  for (const auth_time of ['x', '1.5', '1e400', 'Infinity']) {
    t.same(fieldsOf(parseCode({ ...formatCode(CODE), auth_time })), ['auth_time'], auth_time)
  }
})

const TOKEN = {
  jti: 'a-jti',
  type: 'access_token',
  subject: 'alice',
  scope: 'openid',
  expires_at: '2999-01-01T00:00:00.000Z',
  revoked: 'false',
  client_id: 'app',
}

t.test('parsing a token record; malformed fields are problems', async (t) => {
  const record = { ...TOKEN, revoked: false, expires_at: new Date('2999-01-01T00:00:00.000Z') }
  t.same(parseTokenRecord('a-jti', TOKEN), { ok: true, record })
  t.has(parseTokenRecord('a-jti', { ...TOKEN, revoked: 'true' }), { record: { revoked: true } })
  t.has(parseTokenRecord('a-jti', { ...TOKEN, subject: '', scope: '' }), {
    record: { subject: '', scope: '' },
  })
  t.has(parseTokenRecord('a-jti', { ...TOKEN, type: 'refresh_token' }), {
    record: { type: 'refresh_token' },
  })
  t.same(fieldsOf(parseTokenRecord('another', TOKEN)), ['jti'])
  t.same(fieldsOf(parseTokenRecord('a-jti', {})), [
    'jti',
    'type',
    'expires_at',
    'expires_at',
    'client_id',
    'revoked',
  ])
  const wrong = {
    jti: ['', 'A-JTI'],
    type: ['', 'access', 'id_token', 'constructor'],
    revoked: ['', '0', 'no', 'FALSE', ' false'],
    client_id: [''],
    expires_at: [
      '',
      'never',
      '4102444800',
      '2999-13-01T00:00:00Z',
      'not before 2999',
      '2999',
      '2999-01-01',
      '2999-01-01T00:00:00',
    ],
  }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      const fields = fieldsOf(parseTokenRecord('a-jti', { ...TOKEN, [field]: value }))
      t.same([...new Set(fields)], [field], `${field} "${value}"`)
    }
  }
  for (const expires_at of [
    '2999-01-01T00:00:00Z',
    '2999-01-01T00:00:00+02:00',
    '2999-01-01T00:00:00.123456Z',
  ]) {
    t.equal(parseTokenRecord('a-jti', { ...TOKEN, expires_at }).ok, true, expires_at)
  }
})

t.test('parsing a user record; malformed fields are problems', async (t) => {
  const hash = { sub: 'u-1', password_hash: 'x', name: 'Alice', email: 'alice@example.com' }
  const claims = { name: 'Alice', email: 'alice@example.com' }
  t.same(parseUser('alice', hash), {
    ok: true,
    record: {
      username: 'alice',
      sub: 'u-1',
      password_hash: 'x',
      claims,
      custom_claims: {},
      generation: 0,
      disabled: false,
      demo: false,
    },
  })
  const without = parseUser('alice', { ...hash, password_hash: '' })
  t.notOk(without.ok && 'password_hash' in without.record, 'an empty hash counts as absent')
  for (const sub of ['', 'a b', 'ä', 'x'.repeat(256)])
    t.same(fieldsOf(parseUser('alice', { ...hash, sub })), ['sub'])
  t.match(parseUser('alice', { ...hash, disabled: 'true' }), { ok: true, record: { disabled: true, claims } })
  for (const disabled of ['True', '1', 'yes', 'no', ' true'])
    t.same(fieldsOf(parseUser('alice', { ...hash, disabled })), ['disabled'], disabled)
  t.same(fieldsOf(parseUser('alice', {})), ['sub'])
})

t.test('the syntax of subjects and usernames', async (t) => {
  for (const subject of ['a', '!~', 'x'.repeat(255)]) t.ok(isSubject(subject))
  for (const subject of ['', ' ', 'a b', 'ä', 'a\n', 'x'.repeat(256)])
    t.notOk(isSubject(subject), JSON.stringify(subject))
  for (const username of ['a', 'älice', '😀', 'a@b.example']) t.ok(isUsername(username), username)
  for (const username of ['', 'a b', 'a:b', '{a}', 'a\n', 'x'.repeat(256)]) {
    t.notOk(isUsername(username), JSON.stringify(username))
  }
})
