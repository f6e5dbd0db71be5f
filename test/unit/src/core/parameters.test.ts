import t from 'tap'
import {
  faultIn,
  fieldsOf,
  formDecode,
  isParameterText,
  parametersFrom,
  readParameters,
  required,
} from '../../../../src/core/parameters.ts'
import { inheritedNames } from '../../../support/inherited-names.ts'

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

t.test(
  'a parameter that is repeated, misencoded or has a forbidden character is a fault of its own',
  async (t) => {
    const table: [encoded: string, description: RegExp][] = [
      ['a=1&a=1', /^The parameter a is given more than once/],
      ['a=1&c=&a=3', /more than once/],
      ['a=&a=1', /more than once/],
      ['a&a', /more than once/],
      ['a=1&%61=1', /more than once/],
      ['a=1&a=%', /more than once/],
      ['a=%&a=1', /more than once/],
      ['a=%', /percent-encoded/],
      ['a=%2', /percent-encoded/],
      ['a=%zz', /percent-encoded/],
      ['a=%FF', /percent-encoded/],
      ['a=J%FCrgen', /percent-encoded/],
      ['a=%C0%80', /percent-encoded/],
      ['a=%ED%A0%80', /percent-encoded/],
      ['a=%F4%90%80%80', /percent-encoded/],
      ['a=%00', /control character/],
      ['a=%0A', /control character/],
      ['a=%0D', /control character/],
      ['a=%09', /control character/],
      ['a=%1F', /control character/],
      ['a=%7F', /control character/],
      ['a=\u0000', /control character/],
      ['a=\ufffd', /control character/],
      ['a=%EF%BF%BD', /control character/],
    ]
    for (const [encoded, description] of table) {
      const parameters = readParameters(`other=1&${encoded}`)
      t.match(
        faultIn(parameters, ['other', 'a']),
        { code: 'invalid_request', status: 400, description },
        JSON.stringify(encoded),
      )
      t.same(Object.entries(parameters), [['other', '1']], 'and it has no value')
      t.equal(faultIn(parameters, ['other', 'b']), undefined, 'no other one has a fault')
      t.match(faultIn(parametersFrom(parameters, { b: '1' }), ['a']), { description }, 'also in a copy')
      t.throws(() => required(parameters, 'a'), { code: 'invalid_request', description })
    }
    for (const fine of ['a=%20', 'a=%7E', 'a=%C2%80', 'a=%EF%BF%BC']) t.ok(readParameters(fine).a, fine)
  },
)

t.test('names that nothing reads have no faults', async (t) => {
  for (const encoded of ['%=1&a=1', '%FF=1&%FF=2&a=1', 'a%00=1&a=1', '\u0000a=1&a=1', '=1&a=1']) {
    const parameters = readParameters(encoded)
    t.equal(parameters.a, '1', JSON.stringify(encoded))
    t.equal(faultIn(parameters, ['a']), undefined)
  }
})

t.test('what a parameter may hold depends on what it is', async (t) => {
  const readable = (name: string, value: string) =>
    readParameters(`${name}=${encodeURIComponent(value)}`)[name] === value
  const takers = (value: string) =>
    ['claims', 'login_hint', 'password', 'state', 'user_code', 'username'].filter((name) =>
      readable(name, value),
    )
  t.same(
    takers('a\tb'),
    ['claims', 'login_hint', 'password', 'user_code', 'username'],
    'RFC 6749 §A.15, §A.16',
  )
  t.same(takers('{\r\n}'), ['claims'], 'RFC 8259 §2')
  t.same(takers('{\n}'), ['claims'])
  for (const never of ['\0', '\x0b', '\x0c', '\x1b', '\x7f', '\ufffd'])
    t.same(takers(never), [], JSON.stringify(never))
  t.ok(isParameterText('claims', '{\n}'))
  t.notOk(isParameterText('scope', 'a\n'))
  t.notOk(isParameterText('scope', 'a\ud83d'))
})

t.test('one value of resource is one resource, and each can be sent on', async (t) => {
  const read = (encoded: string) => readParameters(encoded).resource
  t.equal(read('resource=urn:a&resource=urn:b'), 'urn:a urn:b')
  for (const encoded of [
    'resource=urn:a%20urn:b',
    'resource=urn:a+urn:b',
    'resource=urn:a urn:b',
    'resource=+urn:a',
  ]) {
    const parameters = readParameters(encoded)
    t.equal(parameters.resource, undefined, encoded)
    t.match(faultIn(parameters, ['resource']), { code: 'invalid_target' })
    t.match(faultIn(readParameters(`resource=urn:c&${encoded}`), ['resource']), { code: 'invalid_target' })
  }
  const given = 'resource=urn%3Aa&resource=urn%3Ab&state=a+b%26c&%C3%BC=1'
  t.equal(String(new URLSearchParams(fieldsOf(readParameters(given)))), given)
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
  for (const wrong of ['%', '%C3', '\n']) t.equal(formDecode(wrong), undefined, JSON.stringify(wrong))
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
