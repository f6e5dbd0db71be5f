// Suite: unit
import t from 'tap'
import { OAuthError } from '../../../src/core/errors.ts'
import { formDecode, readParameters, required } from '../../../src/core/parameters.ts'
import { inheritedNames } from '../../support/inherited-names.ts'

t.test('form-encoded parameters that are accepted, and their values', async (t) => {
  const table: [encoded: string, parameters: Record<string, string>][] = [
    ['', {}],
    ['a=1', { a: '1' }],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=', {}],
    ['a', {}],
    ['=', {}],
    ['=x', { '': 'x' }],
    ['&&a=1&&', { a: '1' }],
    ['a=b=c', { a: 'b=c' }],
    ['a==', { a: '=' }],
    ['a=+', { a: ' ' }],
    ['a=%2B', { a: '+' }],
    ['a=%20b', { a: ' b' }],
    ['a+b=1', { 'a b': '1' }],
    ['%61=1', { a: '1' }],
    ['a=%26b%3D1', { a: '&b=1' }],
    ['a=%2525', { a: '%25' }],
    ['a=%F0%9F%98%80', { a: '😀' }],
    ['a=😀', { a: '😀' }],
    ['a[b]=1', { 'a[b]': '1' }],
    ['a.b=1', { 'a.b': '1' }],
    ['?a=1', { '?a': '1' }],
    ['a;b=1', { 'a;b': '1' }],
  ]
  for (const [encoded, parameters] of table) t.same({ ...readParameters(encoded) }, parameters, encoded)
})

t.test('repeated, badly encoded and control-character parameters are refused', async (t) => {
  const table: [encoded: string, description: RegExp][] = [
    ['a=1&a=1', /^A parameter is given more than once\.$/],
    ['a=1&b=2&a=3', /^A parameter is given more than once\.$/],
    ['a=&a=1', /^A parameter is given more than once\.$/],
    ['a&a', /^A parameter is given more than once\.$/],
    ['a=1&%61=1', /^A parameter is given more than once\.$/],
    ['a+b=1&a%20b=1', /^A parameter is given more than once\.$/],
    ['=1&=2', /^A parameter is given more than once\.$/],
    [`${'a'.repeat(40)}=1&${'a'.repeat(40)}=2`, /^A parameter is given more than once\.$/],
    [`${'a'.repeat(41)}=1&${'a'.repeat(41)}=2`, /^A parameter is given more than once\.$/],
    ['<b>=1&<b>=2', /^A parameter is given more than once\.$/],
    ['__proto__=1&__proto__=2', /^A parameter is given more than once\.$/],
    ['a=%', /percent-encoded/],
    ['a=%2', /percent-encoded/],
    ['a=%zz', /percent-encoded/],
    ['%=a', /percent-encoded/],
    ['a=%FF', /percent-encoded/],
    ['a=%C0%80', /percent-encoded/],
    ['a=%ED%A0%80', /percent-encoded/],
    ['a=%F4%90%80%80', /percent-encoded/],
    ['a=%00', /control character/],
    ['a=%0A', /control character/],
    ['a=%0D', /control character/],
    ['a=%09', /control character/],
    ['a=%1F', /control character/],
    ['a=%7F', /control character/],
    ['a\u0000=1', /control character/],
    ['a=\ufffd', /control character/],
    ['a=%EF%BF%BD', /control character/],
  ]
  for (const [encoded, description] of table) {
    t.throws(
      () => readParameters(encoded),
      { code: 'invalid_request', status: 400, description },
      JSON.stringify(encoded),
    )
  }
  for (const fine of ['a=%20', 'a=%7E', 'a=%C2%80', 'a=%EF%BF%BC']) t.ok(readParameters(fine).a, fine)
})

t.test('at most 100 parameters are accepted', async (t) => {
  const pairs = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=x`).join('&')
  t.equal(Object.keys(readParameters(pairs(100))).length, 100)
  t.throws(() => readParameters(pairs(101)), { code: 'invalid_request', description: /more than 100/ })
  t.throws(() => readParameters('&'.repeat(100)), { code: 'invalid_request' }, 'empty ones count')
  t.same({ ...readParameters('&'.repeat(99)) }, {})
})

t.test('the result inherits no names', async (t) => {
  const parameters = readParameters('__proto__=x&a=1')
  t.strictSame(inheritedNames(parameters), [])
  t.equal(Reflect.get(parameters, '__proto__'), 'x')
  t.equal(readParameters('a=1').constructor, undefined)
  t.equal(readParameters('a=1').toString, undefined)
})

t.test('decoding one name or value', async (t) => {
  t.equal(formDecode(''), '')
  t.equal(formDecode('a%3Ab+c%2Bd%25'), 'a:b c+d%')
  t.equal(formDecode('%C3%BC'), 'ü')
  for (const wrong of ['%', '%C3', '\n']) t.throws(() => formDecode(wrong), OAuthError, JSON.stringify(wrong))
})

t.test('a required parameter is refused if missing or empty', async (t) => {
  t.equal(required(readParameters('code=x'), 'code'), 'x')
  for (const encoded of ['', 'code=', 'code', 'Code=x', 'code+=x']) {
    t.throws(() => required(readParameters(encoded), 'code'), {
      code: 'invalid_request',
      description: 'The parameter code is missing.',
    })
  }
  t.throws(() => required(readParameters('a=1'), 'constructor'), { code: 'invalid_request' })
})
