import assert from 'node:assert/strict'
import fc from 'fast-check'
import { locationOf } from '../../../../src/authorize/response.ts'
import {
  hasBareScheme,
  matchesRedirectUri,
  redirectUriProblem,
} from '../../../../src/clients/record/redirect-uri.ts'
import { hostOf } from '../../../../src/pages/destination.ts'
import { type Target, twoParts } from '../target.ts'

const ISSUER = 'https://auth.example.com'
const SCHEMES = [
  'https://',
  'http://',
  'com.example:',
  'com.example:/',
  'com.example://',
  'javascript:',
  'HTTPS://',
  '//',
]
const HOSTS = [
  'a.example',
  '127.0.0.1',
  '[::1]',
  'localhost',
  '127.1',
  '2130706433',
  '[x]',
  '*.a.example',
  'u@a.example',
]
const PORTS = ['', ':80', ':0', ':65535', ':65536', ':080', ':', ':8080', ':1e3']
const PATHS = [
  '',
  '/',
  '/cb',
  '/cb?x=1',
  '?',
  '/..',
  '/*',
  '/%2e%2e',
  '#f',
  '/cb\\@b.example',
  '/ cb',
  '/\u00e9',
]

const uri = fc
  .tuple(
    fc.constantFrom(...SCHEMES),
    fc.constantFrom(...HOSTS),
    fc.constantFrom(...PORTS),
    fc.constantFrom(...PATHS),
  )
  .map((parts) => parts.join(''))

/** A literal loopback address of RFC 8252 §7.3 without its port; the text itself for every other URI. */
function withoutLoopbackPort(text: string): string {
  const [, origin, port = '', rest = ''] =
    /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d+))?(?=[/?]|$)(.*)$/s.exec(text) ?? []
  const isPort = port === '' || (/^[1-9]/.test(port) && Number(port) < 65536)
  return origin === undefined || !isPort || rest.includes('\n') ? text : origin + rest
}

/**
 * Redirect URIs: what may be registered is a plain, absolute URI that parses, what matches is the same string but for
 * the port of a loopback literal, and the response goes to where the registered URI points. An input is a registered
 * and a presented URI on two lines.
 */
export const redirectUri: Target = {
  name: 'redirect-uri',
  words: [...SCHEMES, ...HOSTS, ...PORTS, ...PATHS, '%', '@', '\\', '\t', '.', '..;/', '?', '&', '#'],
  inputs: fc.oneof(
    fc.tuple(uri, uri).map((pair) => pair.join('\n')),
    uri.map((same) => `${same}\n${same}`),
    fc
      .tuple(uri, fc.constantFrom(...PATHS, '..;/', '.', '@b.example', '\t'), fc.nat(30))
      .map(([one, more, at]) => `${one}\n${one.slice(0, at)}${more}${one.slice(at)}`),
    fc
      .tuple(uri, fc.webUrl({ withQueryParameters: true, withFragments: true }))
      .map((pair) => pair.join('\n')),
  ),
  check(input) {
    const [registered, presented] = twoParts(input)
    if (redirectUriProblem(registered) !== undefined || hasBareScheme(registered)) return
    assert.match(registered, /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]*$/)
    assert.doesNotMatch(registered, /[#*"<>\\^`{|}]/)
    assert.ok(URL.canParse(registered))
    const target = new URL(registered)
    assert.deepEqual([target.username, target.password], ['', ''])
    assert.ok(['http:', 'https:'].includes(target.protocol) || target.protocol.includes('.'))
    assert.equal(typeof hostOf(registered), 'string')

    const same = withoutLoopbackPort(presented) === withoutLoopbackPort(registered)
    assert.equal(matchesRedirectUri(presented, [registered], 'web'), same)
    if (!same) return
    const parameters = { error: 'invalid_request', state: 's&iss=evil#', iss: ISSUER }
    const location = new URL(locationOf({ redirect_uri: presented, delivery: 'query', parameters }))
    assert.deepEqual([location.protocol, location.hostname], [target.protocol, target.hostname])
    assert.deepEqual([location.pathname, location.hash], [target.pathname, ''])
    assert.equal(location.searchParams.getAll('iss').at(-1), ISSUER)
    assert.equal(location.searchParams.getAll('state').at(-1), parameters.state)
  },
}
