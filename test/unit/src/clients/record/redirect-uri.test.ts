import fc from 'fast-check'
import t from 'tap'
import {
  answerNameProblem,
  commaProblem,
  hasBareScheme,
  isNativeRedirectUri,
  loggedAddress,
  matchesRedirectUri,
  nearestRedirectUri,
  plainHttpProblem,
  redirectUriProblem,
} from '../../../../../src/clients/record/redirect-uri.ts'
import { isLoopbackHost } from '../../../../../src/core/uri.ts'
import { hostOf } from '../../../../../src/pages/destination.ts'

t.test('a redirect_uri matches if it is the same string', async (t) => {
  const registered = ['https://a.example/cb', 'https://a.example/cb?x=1']
  for (const uri of registered) t.ok(matchesRedirectUri(uri, registered, 'native'), uri)
  for (const uri of [
    '',
    'https://a.example/cb/',
    'https://a.example/CB',
    'https://a.example/cb?x=2',
    '__proto__',
  ]) {
    t.notOk(matchesRedirectUri(uri, registered, 'native'), uri)
  }
  t.notOk(matchesRedirectUri('https://a.example/cb', [], 'native'), 'no registered redirect_uris')
})

t.test('any port of a literal loopback address matches (RFC 8252 §7.3)', async (t) => {
  const table: [presented: string, registered: string, matches: boolean][] = [
    ['http://127.0.0.1:1/cb', 'http://127.0.0.1/cb', true],
    ['http://127.0.0.1:65535/cb', 'http://127.0.0.1/cb', true],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:8080/cb', true],
    ['http://127.0.0.1:1/cb', 'http://127.0.0.1:8080/cb', true],
    ['http://127.0.0.1:1', 'http://127.0.0.1', true],
    ['http://127.0.0.1:1?x', 'http://127.0.0.1?x', true],
    ['http://127.0.0.1:1/a:2', 'http://127.0.0.1/a:2', true],
    ['http://[::1]:1/cb', 'http://[::1]/cb', true],
    ['http://[::1]:1/cb', 'http://127.0.0.1/cb', false],
    ['http://127.0.0.1:0/cb', 'http://127.0.0.1/cb', false],
    ['http://127.0.0.1:65536/cb', 'http://127.0.0.1/cb', false],
    ['http://127.0.0.1:99999/cb', 'http://127.0.0.1/cb', false],
    ['http://127.0.0.1:100000/cb', 'http://127.0.0.1/cb', false],
    ['http://127.0.0.1:/cb', 'http://127.0.0.1/cb', false],
    ['http://127.0.0.1:01/cb', 'http://127.0.0.1/cb', false],
    ['http://127.0.0.1: 1/cb', 'http://127.0.0.1/cb', false],
    ['http://127.0.0.1:1/', 'http://127.0.0.1', false],
    ['http://127.0.0.1:1#x', 'http://127.0.0.1', false],
    ['http://127.0.0.1:1@evil.example/cb', 'http://127.0.0.1/cb', false],
    ['http://127.0.0.1:1\n/cb', 'http://127.0.0.1/cb', false],
    ['\nhttp://127.0.0.1:1/cb', 'http://127.0.0.1/cb', false],
    ['https://127.0.0.1:1/cb', 'https://127.0.0.1/cb', false],
    ['http://localhost:1/cb', 'http://localhost/cb', false],
    ['http://127.0.0.2:1/cb', 'http://127.0.0.2/cb', false],
    ['http://a.example:1/cb', 'http://a.example/cb', false],
    ['http://127x0x0x1:1/cb', 'http://127x0x0x1/cb', false],
  ]
  for (const [presented, registered, matches] of table) {
    const all = ['https://other.example/', registered]
    t.equal(matchesRedirectUri(presented, all, 'web'), matches, presented)
    // Of a native application the port of localhost is free, too.
    const as_native = matches || presented === 'http://localhost:1/cb'
    t.equal(matchesRedirectUri(presented, all, 'native'), as_native, `${presented}, native`)
  }
  for (const presented of [
    'http://localhost:0/cb',
    'http://localhost.example:1/cb',
    'http://LOCALHOST:1/cb',
  ]) {
    t.notOk(matchesRedirectUri(presented, ['http://localhost/cb'], 'native'), presented)
  }
  t.notOk(matchesRedirectUri('http://127.0.0.1:1/cb', ['http://localhost/cb'], 'native'), 'another host')
})

t.test('URIs that nobody may register any more, in records that are still valid', async (t) => {
  for (const uri of [
    'https://a.example/cb,https://b.example/cb',
    'https://a.example/cb,',
    'a.b:/cb,vscode://x',
  ]) {
    t.match(commaProblem(uri) ?? '', /comma between URIs/, uri)
    t.equal(redirectUriProblem(uri), undefined)
  }
  for (const uri of ['https://a.example/cb?x=1,2', 'https://a.example/a,b/c'])
    t.equal(commaProblem(uri), undefined, uri)
  for (const uri of [
    'http://a.example/cb',
    'HTTP://a.example',
    'http://10.0.0.1/',
    'http://127.0.0.1.a.example/',
  ]) {
    t.match(plainHttpProblem(uri) ?? '', /use https/, uri)
    t.equal(redirectUriProblem(uri), undefined)
  }
  for (const uri of [
    'https://a.example/cb',
    'http://localhost/cb',
    'http://[::1]:1/',
    'http://127.0.0.1/',
    'a.b:/cb',
  ]) {
    t.equal(plainHttpProblem(uri), undefined, uri)
  }
})

t.test('a host with a NUL is no host', async (t) => {
  for (const nul of ['\0', '%00', '%2500'])
    for (const uri of [
      `https://a.example${nul}.evil.example/cb`,
      `https://a.example${nul}/cb`,
      `https://${nul}/`,
    ])
      t.ok(redirectUriProblem(uri), JSON.stringify(uri))
})

t.test('no query has a name of an answer, which would be there twice (RFC 6749 §3.1)', async (t) => {
  const names = 'code state iss error error_description error_uri response session_state'.split(' ')
  for (const name of names) {
    for (const uri of [
      `https://a.example/cb?${name}=a`,
      `https://a.example/cb?x=1&${name}`,
      `https://a.example/cb?x=?&&${name}=`,
      `https://a.example/cb?%${name.charCodeAt(0).toString(16)}${name.slice(1)}=a`,
      `http://127.0.0.1/?${name}=a`,
      `a.b:/cb?${name}=a`,
      `a.b:cb?${name}=a`,
    ]) {
      t.equal(answerNameProblem(uri)?.startsWith(`has "${name}" in its query`), true, uri)
      t.equal(redirectUriProblem(uri), undefined, 'a record that has it stays valid')
    }
  }
  for (const uri of [
    'https://a.example/cb',
    'https://a.example/code=a&state=b',
    'https://a.example/cb?x=code&y=state',
    'https://a.example/cb?codes=a&State=b&x.state=c&state%5B%5D=d',
    'a.b:/cb?x=1',
  ])
    t.equal(answerNameProblem(uri), undefined, uri)
})

t.test('schemes that are not a reversed domain name', async (t) => {
  for (const uri of ['vscode://vscode.example-auth/cb', 'cursor://anysphere.cb', 'myapp:/cb', 'MyApp:cb']) {
    t.ok(hasBareScheme(uri), uri)
    t.equal(redirectUriProblem(uri), undefined, `${uri} can be that of an app`)
  }
  for (const uri of ['https://a.example/', 'HTTP://a.example/', 'com.example.app:/cb'])
    t.notOk(hasBareScheme(uri), uri)
})

t.test('the registered redirect_uri that is most similar to a presented one', async (t) => {
  const registered = ['https://a.example/callback', 'http://127.0.0.1/callback', 'com.example.app:/back']
  const none = 'none of the registered ones is similar'
  const table: [presented: string, nearest: string][] = [
    ['https://a.example/callback/', 'the nearest one is https://a.example/callback'],
    ['https://a.example', 'the nearest one is https://a.example/callback'],
    ['com.example.app:/back/', 'the nearest one is com.example.app:/back'],
    ['https://evil.net/', none],
    // Comparing takes time, and anybody can present one.
    [`https://a.example/callback/${'/'.repeat(200)}`, none],
  ]
  for (const [presented, nearest] of table) t.equal(nearestRedirectUri(presented, registered), nearest)
  t.equal(nearestRedirectUri('https://a.example/', []), 'the client has registered none')
})

/** How often what runs compares two characters. */
function comparisonsIn(run: () => void): number {
  const { min } = Math
  let calls = 0
  Math.min = (...values) => {
    calls += 1
    return min(...values)
  }
  run()
  Math.min = min
  return calls
}

t.test(
  'the work for a redirect_uri that is not registered does not grow with what is registered',
  async (t) => {
    const similar = (count: number, length: number) =>
      Array.from(
        { length: count },
        (_, index) => `https://a.example/${'abcdefgh'.repeat(length / 8)}/${index}`,
      )
    const presented = (length: number) => `https://a.example/${'abcdefgh'.repeat(length / 8)}x`
    const work = (count: number, length: number) =>
      comparisonsIn(() => nearestRedirectUri(presented(length), similar(count, length)))
    t.ok(work(20, 80) > 0)
    t.equal(work(2000, 80), work(20, 80))
    t.ok(work(20, 160) <= 2 * work(20, 80), 'in proportion to the length')
    t.equal(work(20, 400), 0, 'long ones are not compared')
    t.equal(
      nearestRedirectUri('https://a.example/abc', similar(1, 400)),
      'none of the registered ones is similar',
      'not even by the part that they have in common',
    )
    t.equal(
      nearestRedirectUri('https://b.example/y', similar(21, 80)),
      'none of the first 20 registered ones is similar',
    )
  },
)

t.test('what the log shows of an address that anybody can send', async (t) => {
  const table: [uri: string, logged: string][] = [
    ['https://a.example:8443/cb?code=secret#x', 'https://a.example:8443/cb'],
    ['https://user:secret@a.example/cb', 'https://a.example/cb'],
    ['com.example.app:/cb?x=secret', 'com.example.app:/cb'],
    ['vscode://a.b/cb', 'vscode://a.b/cb'],
    ['callback', 'not a URL'],
    [`https://a.example/${'x'.repeat(500)}`, `https://a.example/${'x'.repeat(182)}`],
  ]
  for (const [uri, logged] of table) t.equal(loggedAddress(uri), logged)
})

t.test('redirect_uris that can be registered', async (t) => {
  for (const uri of [
    'https://a.example',
    'https://a.example/',
    'https://a.example:8443/cb?x=y&z',
    'https://a.example/%7Ecb',
    'https://xn--pp-xka.example/',
    'http://a.example/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:3000/cb',
    'http://localhost/cb',
    'HTTPS://a.example/cb',
    'com.example.app:/cb',
    'com.example.app://cb',
    'COM.example.app:/cb',
    'com.example.app://cb:8080/x?y%2A',
    'com.example.app:///cb',
    'https://a.example/cb?x[]=%2A',
  ]) {
    t.equal(redirectUriProblem(uri), undefined, uri)
  }
})

t.test('redirect_uris that cannot be registered', async (t) => {
  const table: [uri: string, problem: RegExp][] = [
    ['', /absolute/],
    ['/cb', /absolute/],
    ['//a.example/cb', /absolute/],
    ['cb', /absolute/],
    ['1a.b:/cb', /absolute/],
    [':/cb', /absolute/],
    [' https://a.example/', /absolute/],
    ['*', /absolute/],
    ['https://a.example/#', /fragment/],
    ['https://a.example/#x', /fragment/],
    ['com.example.app:/cb#x', /fragment/],
    ['https://a.example/ b', /character/],
    ['https://a.example/\t', /character/],
    ['https://a.example/\u0000', /character/],
    ['https://a.example/\u007f', /character/],
    ['https://a.example/ä', /character/],
    ['https://a.example/😀', /character/],
    ['https://a.example\\@b.example/', /character/],
    ['https://a.example/"', /character/],
    ['https://a.example/<x>', /character/],
    ['https://a.example/{x}', /character/],
    ['https://a.example/|', /character/],
    ['https://a.example/^', /character/],
    ['https://a.example/`', /character/],
    ['https://', /valid URL/],
    ['https:/a.example/', /valid URL/],
    ['https:a.example', /valid URL/],
    ['https:///a.example/', /valid URL/],
    ['https://?x', /valid URL/],
    ['https://a.example:99999/', /valid URL/],
    ['https://[::1/', /valid URL/],
    ['https://a%00.example/', /valid URL/],
    ['https://a.example:*/', /wildcards are not supported/],
    ['https://*.example/cb', /wildcards are not supported/],
    ['https://a.example/*', /wildcards are not supported/],
    ['https://a.example/cb?x=*', /wildcards are not supported/],
    ['http://127.0.0.1:*/cb', /wildcards are not supported/],
    ['com.example.app:*', /wildcards are not supported/],
    ['com.example.app://*/cb', /wildcards are not supported/],
    ['https://%2A.example/cb', /"\*" in its host/],
    ['https://a.example/%', /"%" without/],
    ['https://a.example/%2', /"%" without/],
    ['https://a.example/%zz', /"%" without/],
    ['com.example.app:/%G0', /"%" without/],
    ['a.b://[x]/cb', /valid URL/],
    ['a.b://[::1/cb', /valid URL/],
    ['a.b://a:99999/cb', /valid URL/],
    ['a.b://a:b/cb', /valid URL/],
    ['a.b://user@a/cb', /user name/],
    ['https://user@a.example/', /user name/],
    ['https://user:password@a.example/', /user name/],
    ['https://:password@a.example/', /user name/],
    ['javascript:alert(1)', /scheme "javascript:"/],
    ['JAVASCRIPT:alert(1)', /scheme "javascript:"/],
    ['data:text/html,x', /scheme "data:"/],
    ['file:///etc/passwd', /scheme "file:"/],
    ['vbscript:x', /scheme "vbscript:"/],
    ['localhost:3000/cb', /scheme "localhost:"/],
    ['intent://a#Intent', /fragment/],
    ['intent://a', /scheme "intent:"/],
    ['urn:ietf:wg:oauth:2.0:oob', /scheme "urn:"/],
  ]
  for (const [uri, problem] of table) t.match(redirectUriProblem(uri) ?? '', problem, JSON.stringify(uri))
})

t.test('every redirect_uri that can be registered has a host or scheme for the pages', async (t) => {
  // Long enough for brackets, ports, credentials and escapes in every place.
  const part = fc.constantFrom(
    'a',
    'b',
    '.',
    ':',
    '/',
    '//',
    '[',
    ']',
    '@',
    '%',
    '%41',
    '?',
    '&',
    '*',
    '1',
    '::1',
    '-',
  )
  const uris = fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'a.b:', 'a.b:/', 'a.b://'),
      fc.array(part, { maxLength: 12 }),
    )
    .map(([scheme, rest]) => `${scheme}${rest.join('')}`)
  let registered = 0
  fc.assert(
    fc.property(uris, (uri) => {
      if (redirectUriProblem(uri) !== undefined) return
      registered += 1
      if (hostOf(uri) === '') throw new Error(uri)
    }),
    { numRuns: 5000, seed: 1 },
  )
  t.ok(registered > 500, `${registered} can be registered`)
})

t.test('host names that mean the local machine', async (t) => {
  for (const host of ['localhost', '127.0.0.1', '[::1]']) t.ok(isLoopbackHost(host), host)
  for (const host of [
    '',
    '127.0.0.2',
    '::1',
    '[::]',
    '0.0.0.0',
    'localhost.',
    'localhost.example',
    'a.localhost',
  ]) {
    t.notOk(isLoopbackHost(host), host)
  }
})

t.test('which redirect_uris lead to an app on the device of the user (RFC 8252 §7)', async (t) => {
  for (const uri of [
    'http://127.0.0.1/cb',
    'http://127.0.0.1:4711/cb',
    'http://127.8.9.10/cb',
    'http://[::1]:1/cb',
    'HTTP://LocalHost:3000/',
    'http://app.localhost/cb',
    'com.example.app:/cb',
    'com.example.app://callback',
  ]) {
    t.ok(isNativeRedirectUri(uri), uri)
  }
  for (const uri of [
    'https://app.example.com/cb',
    'https://127.0.0.1/cb',
    'http://intranet/cb',
    'http://localhost.example.com/cb',
    'http://127.0.0.1.example.com/cb',
  ]) {
    t.notOk(isNativeRedirectUri(uri), uri)
  }
})
