import t from 'tap'
import {
  isStandardClaim,
  readClaimText,
  STANDARD_CLAIMS,
  type StandardClaim,
} from '../../../../src/users/standard-claims.ts'

t.test('claims parsed from the text in a record', (t) => {
  const good: [StandardClaim, given: unknown, text: string][] = [
    ['name', ' Älice 😀 ', ' Älice 😀 '],
    ['email', 'älice@exämple.com', 'älice@exämple.com'],
    ['email_verified', false, 'false'],
    ['phone_number_verified', true, 'true'],
    ['phone_number', '+49 (30) 12-34;ext=5', '+49 (30) 12-34;ext=5'],
    ['updated_at', 0, '0'],
    ['updated_at', 253_402_300_799, '253402300799'],
    ['birthdate', '1999', '1999'],
    ['birthdate', '0000-02-29', '0000-02-29'],
    ['birthdate', '2000-02-29', '2000-02-29'],
    ['website', 'http://a.example/~x?y#z', 'http://a.example/~x?y#z'],
    ['picture', 'https://a.example/p.png', 'https://a.example/p.png'],
    ['zoneinfo', 'Europe/Berlin', 'Europe/Berlin'],
    ['locale', 'de_DE', 'de_DE'],
    ['address', { formatted: 'a\nb', country: null }, '{"formatted":"a\\nb"}'],
  ]
  for (const [name, given, text] of good) {
    t.strictSame(STANDARD_CLAIMS[name].fromJson(given), { text }, `${name} ${text}`)
    t.strictSame(readClaimText(name, text), { text }, `${name} ${text} as text`)
  }
  t.end()
})

t.test('values that a claim cannot have', (t) => {
  const bad: [StandardClaim, given: unknown][] = [
    ...['', '  ', 7, true, null, [], {}, 'a\u0000', 'a\nb', '\uD800', 'x'.repeat(2049)].map(
      (given): [StandardClaim, unknown] => ['name', given],
    ),
    ...['', 'alice', 'a@b@c', 'a b@c', '@b', 'a@'].map((given): [StandardClaim, unknown] => ['email', given]),
    ...['true', 1, 0, null, ''].map((given): [StandardClaim, unknown] => ['email_verified', given]),
    ...['0', -1, 1.5, Number.NaN, 253_402_300_800, 1_700_000_000_000, null].map(
      (given): [StandardClaim, unknown] => ['updated_at', given],
    ),
    ...['99', '1999-1-1', '1999-13-01', '1999-04-31', '1999-00-01', '1999-01-01T00:00:00Z', '01.01.1999'].map(
      (given): [StandardClaim, unknown] => ['birthdate', given],
    ),
    ...['a.example', 'ftp://a.example', 'javascript:alert(1)', 'https://', 'https://a b', '//a.example'].map(
      (given): [StandardClaim, unknown] => ['website', given],
    ),
    ...['Berlin', [], {}, null, { locality: 7 }, { locality: '' }, { planet: 'x' }, { locality: null }].map(
      (given): [StandardClaim, unknown] => ['address', given],
    ),
    ['address', { formatted: 'x'.repeat(2048) }],
  ]
  for (const [name, given] of bad)
    t.match(STANDARD_CLAIMS[name].fromJson(given), { problem: /^must / }, `${name} ${JSON.stringify(given)}`)
  t.match(readClaimText('address', '{"locality"'), { problem: /^must be an object/ })
  t.match(readClaimText('email_verified', 'TRUE'), { problem: /^must be true or false/ })
  t.end()
})

t.test('the names of the standard claims (OpenID Connect Core §5.1)', (t) => {
  t.equal(Object.keys(STANDARD_CLAIMS).length, 19, 'OpenID Connect Core §5.1 has 20 with sub')
  for (const name of ['sub', 'toString', '__proto__', 'Name', '']) t.notOk(isStandardClaim(name), name)
  t.end()
})
