import t from 'tap'
import {
  type ClaimsRequest,
  formatClaimsRequest,
  parseClaimsRequest,
  readClaimsParameter,
  scopesOfClaims,
} from '../../../../src/claims/claims-request.ts'
import type { ScopeClaims } from '../../../../src/config/scope-claims.ts'

const NONE: ScopeClaims = new Map()
const read = (value: unknown) => readClaimsParameter(JSON.stringify(value), NONE)
const NOTHING: ClaimsRequest = { userinfo: [], id_token: [] }

t.test('the parsed claims parameter (OpenID Connect Core §5.5)', async (t) => {
  t.strictSame(readClaimsParameter(undefined, NONE), NOTHING)
  t.strictSame(readClaimsParameter(' {} ', NONE), NOTHING)
  t.strictSame(
    read({
      userinfo: {
        given_name: { essential: true },
        nickname: null,
        email: { essential: true },
        email_verified: { essential: true },
        picture: null,
        'http://example.info/claims/groups': null,
      },
      id_token: { auth_time: { essential: true }, acr: { values: ['urn:mace:incommon:iap:silver'] } },
    }),
    { ...NOTHING, userinfo: ['given_name', 'nickname', 'email', 'email_verified', 'picture'] },
    'the example of §5.5',
  )
  t.strictSame(
    read({ id_token: { name: {}, address: { value: { country: 'DE' } }, updated_at: { value: 1 } } }),
    {
      ...NOTHING,
      id_token: ['name', 'address', 'updated_at'],
    },
  )
})

t.test('unknown claims and members are ignored (§5.5.1)', async (t) => {
  const unknown = {
    access_token: { email: 5 },
    'userinfo#de': 5,
    userinfo: {
      'name#de': 5,
      'name#': null,
      Name: null,
      name: { essential: false, purpose: 'x', value: null, max_age: [] },
      verified_claims: [],
      sub: null,
      acr: { essential: true, values: ['x'] },
    },
  }
  t.strictSame(read(unknown), { ...NOTHING, userinfo: ['name'] })
  const tricks = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', '']
  for (const name of tricks) {
    for (const request of ['null', '5', '{"essential":true}']) {
      const member = `{${JSON.stringify(name)}:${request}}`
      const json = `{"userinfo":${member},"id_token":${member},${member.slice(1)}`
      t.strictSame(readClaimsParameter(json, NONE), NOTHING, json)
    }
  }
  t.strictSame(
    readClaimsParameter('{"__proto__":{"userinfo":{"name":null}}}', NONE),
    NOTHING,
    'own members only',
  )
  t.strictSame(
    readClaimsParameter('{"id_token":{"acr":{"__proto__":{"essential":true,"values":["x"]}}}}', NONE),
    NOTHING,
    'own members only',
  )
  t.equal(({} as Record<string, unknown>).essential, undefined)
})

t.test('a malformed claims parameter is refused', async (t) => {
  const malformed = [
    '{',
    '[]',
    'null',
    '"x"',
    '5',
    'true',
    '[{"userinfo":{}}]',
    '{"userinfo":null}',
    '{"userinfo":[]}',
    '{"userinfo":"name"}',
    '{"id_token":true}',
    '{"userinfo":{"name":true}}',
    '{"userinfo":{"name":"x"}}',
    '{"userinfo":{"name":[]}}',
    '{"userinfo":{"name":0}}',
    '{"id_token":{"name":{"essential":"true"}}}',
    '{"id_token":{"name":{"essential":1}}}',
    '{"id_token":{"name":{"essential":null}}}',
    '{"id_token":{"name":{"values":"x"}}}',
    '{"id_token":{"name":{"values":{}}}}',
    '{"id_token":{"acr":{"value":1}}}',
    '{"id_token":{"acr":{"values":["1",2]}}}',
    '{"id_token":{"acr":{"values":[null]}}}',
    '{"id_token":{"sub":5}}',
    '{"id_token":{"sub":{"value":5}}}',
    '{"userinfo":{"sub":{"value":null}}}',
    '{"userinfo":{"sub":{"value":["x"]}}}',
    `{"x":"${'x'.repeat(8186)}"}`,
  ]
  for (const json of malformed) {
    t.throws(
      () => readClaimsParameter(json, NONE),
      { code: 'invalid_request', status: 400 },
      json.slice(0, 60),
    )
  }
  t.strictSame(
    readClaimsParameter(`{"x":"${'x'.repeat(8184)}"}`, NONE),
    NOTHING,
    'at most 8192 characters are accepted',
  )
  t.throws(() => readClaimsParameter('['.repeat(8000), NONE), { code: 'invalid_request' }, 'deep')
  t.throws(() => readClaimsParameter('{"id_token":{"name":"<script>"}}', NONE), { message: /^(?!.*script)/ })
})

t.test('the sub that a claims parameter requires', async (t) => {
  const of = (userinfo?: object, id_token?: object) =>
    read({
      ...(userinfo && { userinfo: { sub: userinfo } }),
      ...(id_token && { id_token: { sub: id_token } }),
    }).sub
  t.equal(of({ value: 'alice' }), 'alice')
  t.equal(of(undefined, { value: 'alice', essential: true }), 'alice')
  t.equal(of({ value: 'alice' }, { value: 'alice' }), 'alice')
  t.equal(of({ values: ['alice'] }), 'alice')
  t.equal(of({ value: '' }), '', 'nobody')
  t.equal(of({ essential: true }, {}), undefined)
  t.equal(of({ values: [] }), undefined)
  for (const [userinfo, id_token] of [
    [{ value: 'alice' }, { value: 'bob' }],
    [{ value: 'alice' }, { value: 'Alice' }],
    [{ value: 'alice', values: ['bob'] }, undefined],
    [undefined, { values: ['alice', 'bob'] }],
  ]) {
    t.throws(() => of(userinfo, id_token), { code: 'invalid_request', description: /more than one sub/ })
  }
})

t.test('the acr that a claims parameter requires (§5.5.1.1)', async (t) => {
  const of = (acr: unknown) => read({ id_token: { acr } }).essential_acr
  t.strictSame(of({ essential: true, value: 'a' }), ['a'])
  t.strictSame(of({ essential: true, values: ['a', 'b'] }), ['a', 'b'])
  t.strictSame(of({ essential: true, value: 'c', values: ['a'] }), ['c', 'a'])
  for (const wish of [null, {}, { value: 'a' }, { essential: false, values: ['a'] }, { essential: true }]) {
    t.equal(of(wish), undefined, JSON.stringify(wish))
  }
  t.equal(of({ essential: true, values: [] }), undefined)
})

t.test('the requested claims as stored with the code', async (t) => {
  const request = read({
    userinfo: { email: null, name: { essential: true }, sub: { value: 'alice' } },
    id_token: { address: null, acr: { essential: true, value: '1' } },
  })
  const text = formatClaimsRequest(request)
  t.equal(text, 'userinfo:email userinfo:name id_token:address')
  t.strictSame(parseClaimsRequest(text, NONE), { userinfo: ['email', 'name'], id_token: ['address'] })
  t.equal(formatClaimsRequest(read({ id_token: { sub: { value: 'alice' } } })), undefined)
  t.strictSame(parseClaimsRequest(undefined, NONE), NOTHING)
  t.equal(formatClaimsRequest({ ...request, as_jwt: true }), `${text} jwt`)
  t.strictSame(parseClaimsRequest('jwt', NONE), { ...NOTHING, as_jwt: true })
  for (const odd of [
    '',
    ' ',
    'email',
    'userinfo:',
    'userinfo:sub',
    'id_token:__proto__',
    'x:email',
    'userinfo:email,',
  ]) {
    t.strictSame(parseClaimsRequest(odd, NONE), NOTHING, odd)
  }
})

t.test('the scopes that contain the requested claims', async (t) => {
  const scopes = (userinfo: string[], id_token: string[] = []) => scopesOfClaims({ userinfo, id_token }, NONE)
  t.strictSame(scopes([]), [])
  t.strictSame(scopes(['name', 'updated_at', 'profile'], ['gender']), ['profile'])
  t.strictSame(scopes(['email'], ['email_verified', 'address']), ['email', 'address'])
  t.strictSame(scopes(['phone_number', 'phone_number_verified', 'nonsense']), ['phone'])
  const custom: ScopeClaims = new Map([['groups', 'staff']])
  t.strictSame(scopesOfClaims({ userinfo: ['groups'], id_token: ['email'] }, custom), ['staff', 'email'])
})
