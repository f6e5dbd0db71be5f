import t from 'tap'
import {
  claimNameProblem,
  customClaimsProblem,
  readClaimJson,
  STANDARD_CLAIM_NAMES,
} from '../../../../src/core/custom-claims.ts'

t.test('names that a custom claim can have', async (t) => {
  for (const name of [
    'groups',
    'roles',
    'entitlements',
    'Employee_ID-2',
    'constructor',
    'https://a.example/claims/roles',
    'urn:example:plan',
    'x'.repeat(128),
  ]) {
    t.equal(claimNameProblem(name), undefined, name)
  }
})

t.test('names with a fixed meaning, and names that separate lists, are refused', async (t) => {
  const reserved =
    'iss sub aud exp iat nbf jti nonce at_hash c_hash azp acr amr auth_time sid scope client_id cnf act events'
  for (const name of [...reserved.split(' '), 'active', 'token_type', 'username', 'password_hash']) {
    t.match(claimNameProblem(name) ?? '', /its meaning is fixed/, name)
  }
  for (const name of STANDARD_CLAIM_NAMES) t.match(claimNameProblem(name) ?? '', /standard claim/, name)
  const malformed = [
    '',
    '1st',
    '_claim_names',
    '__proto__',
    'a b',
    'a,b',
    'a;b',
    'a=b',
    'a#de',
    'ä',
    'a\n',
    'x'.repeat(129),
  ]
  for (const name of malformed)
    t.match(claimNameProblem(name) ?? '', /not a claim name/, JSON.stringify(name))
})

t.test('values that a custom claim can have, as JSON', async (t) => {
  for (const value of [
    '',
    'Sales',
    0,
    -1.5,
    9007199254740991,
    true,
    false,
    [],
    ['a', 1, [true]],
    {},
    { a: { b: ['c'] } },
  ]) {
    t.strictSame(readClaimJson(JSON.stringify(value)), { value })
  }
  for (const json of ['null', '[null]', '{"a":null}', '9007199254740993', '1e999', '"\\ud800"']) {
    t.match(readClaimJson(json), { problem: /^must be a text, a number/ }, json)
  }
  for (const json of ['Sales', '{"a"', "['a']", 'undefined']) {
    t.match(readClaimJson(json), { problem: /^must be JSON/ }, json)
  }
  t.match(readClaimJson(JSON.stringify('x'.repeat(4094))), { value: /^x+$/ })
  t.match(readClaimJson(JSON.stringify('x'.repeat(4095))), { problem: /at most 4096 bytes/ })
  t.match(readClaimJson(JSON.stringify('漢'.repeat(1365))), { problem: /at most 4096 bytes/ })
})

t.test('an object of custom claims', async (t) => {
  t.equal(customClaimsProblem({ tenant: 'acme', roles: ['reader'] }), undefined)
  t.match(customClaimsProblem({ tenant: 'acme', iss: 'x' }) ?? '', /^: "iss" cannot be set/)
  t.match(customClaimsProblem({ tenant: null }) ?? '', /^: "tenant" must be a text/)
  const many = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, 'x'.repeat(3000)]))
  t.match(customClaimsProblem(many) ?? '', /at most 8192 bytes in all/)
})
