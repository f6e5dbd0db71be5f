import { REDIRECT_URI } from '../service.ts'
import { words } from './siege.ts'

/** The redirect URIs of the attacked client. */
export const REGISTERED = words(`
  https://app.example.com/callback https://app.example.com/callback?tenant=1 https://app.example.com
  http://127.0.0.1/callback http://127.0.0.1:8080/eighty http://[::1]/callback http://localhost/callback
  com.example.app:/callback https://xn--bcher-kva.example/callback https://app.example.com/%2A`)

/** Userinfo like the host: CVE-2023-6291 of Keycloak, CVE-2019-3778 of Spring, zitadel/zitadel#12559. */
const USERINFO = words(`
  https://app.example.com@evil.example/callback https://app.example.com:443@evil.example/callback
  https://app.example.com%2f@evil.example/callback https://app.example.com%2Fcallback@evil.example
  https://evil.example@app.example.com/callback https://a:b@app.example.com/callback
  https://@app.example.com/callback https://app.example.com%40evil.example/callback
  https://app.example.com%25@evil.example https://:@app.example.com/callback
  https://app.example.com%00@evil.example https://app.example.com%5c@evil.example
  https://app.example.com\\@evil.example http://127.0.0.1:80@evil.example/callback
  http://127.0.0.1@evil.example/callback http://127.0.0.1%2f@evil.example/callback
  http://127.0.0.1:1234%25@evil.example/callback http://127.0.0.1:@evil.example/callback
  http://a@127.0.0.1/callback http://127.0.0.1:80:@evil.example/callback http://[::1]@evil.example/callback
  http://[::1]:1@evil.example/callback http://127.0.0.1\\@evil.example/callback
  http://evil.example\\@127.0.0.1/callback http://127.0.0.1&@evil.example/callback
  http://127.0.0.1/callback@evil.example http://127.0.0.1:80/@evil.example
  http://127.0.0.1;@evil.example/callback`)

const FRAGMENTS = words(`
  https://app.example.com/callback# https://app.example.com/callback#x https://app.example.com#/callback
  https://evil.example#app.example.com/callback https://evil.example#https://app.example.com/callback
  https://evil.example#@app.example.com/callback http://127.0.0.1#@evil.example/callback
  http://127.0.0.1/callback# http://127.0.0.1:80#/callback https://app.example.com/callback%23
  https://app.example.com/callback?tenant=1#`)

/** Slashes: browsers read \ as / and add missing ones (anomalyco/openauth#299). */
const SLASHES = words(`
  https:\\\\evil.example/callback https:/\\evil.example/callback \\\\evil.example\\callback
  /\\evil.example/callback https://evil.example\\app.example.com/callback https://app.example.com\\callback
  https://app.example.com/\\callback https://app.example.com\\.evil.example/callback
  https:/app.example.com/callback https:app.example.com/callback https:evil.example https:/evil.example
  https:///evil.example https:////evil.example ///evil.example //evil.example //app.example.com/callback
  /callback callback ? # . .. https:// https:///callback http:/127.0.0.1/callback http:127.0.0.1/callback
  http:\\\\127.0.0.1\\callback http:///127.0.0.1/callback https://app.example.com//callback
  https://app.example.com/callback/ https://app.example.com/callback// https://app.example.com/`)

/**
 * Loopback, but not the literal: RFC 8252 §7.3 frees the port alone (CVE-2020-15233 of fosite, CVE-2024-8883
 * of Keycloak; the many colons are CVE-2022-36087 of oauthlib).
 */
const LOOPBACK = words(`
  http://127.0.0.1.evil.example/callback http://127.0.0.1evil.example/callback
  http://127.0.0.1,evil.example/callback http://127.0.0.1:0/callback http://127.0.0.1:65536/callback
  http://127.0.0.1:99999/callback http://127.0.0.1:100000/callback http://127.0.0.1:/callback
  http://127.0.0.1:-1/callback http://127.0.0.1:+80/callback http://127.0.0.1:080/callback
  http://127.0.0.1:80.0/callback http://127.0.0.1:8e1/callback http://127.0.0.1:0x50/callback
  http://127.0.0.1:80:80/callback http://127.0.0.1:１２/callback http://127.0.0.1:%38%30/callback
  http://127.0.0.1:80%2fcallback http://127.0.0.1::80/callback http://0177.0.0.1/callback
  http://0x7f.0.0.1/callback http://2130706433/callback http://0x7f000001/callback
  http://017700000001/callback http://127.1/callback http://127.0.1/callback http://127.0.0.01/callback
  http://127.0.0.1./callback http://127.0.0.2/callback http://127.255.255.254/callback
  http://0.0.0.0/callback http://0/callback http://１２７.0.0.1/callback http://127。0。0。1/callback
  http://①②⑦.0.0.1/callback http://%31%32%37.0.0.1/callback http://127.0.0.%31/callback
  http://[0:0:0:0:0:0:0:1]/callback http://[::0001]/callback http://[0::1]/callback
  http://[::1%25lo]/callback http://[::1%lo]/callback http://[::ffff:127.0.0.1]/callback
  http://[::ffff:7f00:1]/callback http://[::]/callback http://[::1].evil.example/callback
  http://[::1]evil.example/callback http://[::1]:/callback http://[::1]:0/callback
  http://[::1]:65536/callback http://::1/callback http://[::1/callback http://::1]/callback
  http://[[::1]]/callback http://[:::::::::::::::::::::::::::::::::::::::::]/callback
  http://[${':'.repeat(1000)}]/callback http://[vF.x]/callback http://localhost:80/callback
  http://localhost:1234/callback http://localhost./callback http://LOCALHOST/callback
  http://localhost.evil.example/callback http://localtest.me/callback http://ip6-localhost/callback
  https://127.0.0.1/callback https://127.0.0.1:443/callback https://[::1]/callback HTTP://127.0.0.1/callback
  http://127.0.0.1/Callback http://127.0.0.1/callback/ http://127.0.0.1/callback/x http://127.0.0.1/callback?
  http://127.0.0.1 http://127.0.0.1/callback?x=1 http://127.0.0.1:80/callback;x
  http://127.0.0.1/x/../callback http://127.0.0.1:80/../callback http://127.0.0.1/eighty/ http://[::1]/eighty
  http://127.0.0.1:8080 ws://127.0.0.1/callback ftp://127.0.0.1/callback`)

/**
 * Case (CVE-2020-15234 of fosite), ports, hosts, IDN, encoding once and twice, dot segments (CVE-2024-1132 of
 * Keycloak).
 */
const SPELLINGS = words(`
  HTTPS://app.example.com/callback https://APP.example.com/callback https://app.example.com/CALLBACK
  httpS://app.example.com/callback http://app.example.com/callback https://app.example.com:443/callback
  https://app.example.com:/callback https://app.example.com:444/callback https://app.example.com./callback
  https://.app.example.com/callback https://x.app.example.com/callback https://example.com/callback
  https://app-example.com/callback https://app.example.com.evil.example/callback
  https://app.example.comevil.example/callback https://evilapp.example.com/callback
  https://evil.example/https://app.example.com/callback
  https://evil.example/?https://app.example.com/callback
  https://evil.example?x=https://app.example.com/callback https://evil.example/callback
  https://evil.example%2eapp.example.com https://app%2eexample%2ecom/callback
  https://%61pp.example.com/callback https://app.example.com%2fcallback https://app.example.com/%63allback
  https://app.example.com/callback%2f https://app.example.com/callback%00
  https%3A%2F%2Fapp.example.com%2Fcallback https%253A%252F%252Fapp.example.com%252Fcallback
  https://app.example.com/callback%2e https://app.example.com/x/../callback
  https://app.example.com/./callback https://app.example.com/callback/..
  https://app.example.com/callback/../evil https://app.example.com/callback/%2e%2e/evil
  https://app.example.com/callback/%252e%252e/evil https://app.example.com/callback/..%2fevil
  https://app.example.com/callback/..;/evil https://app.example.com/callback;x
  https://bücher.example/callback https://b\u0075\u0308cher.example/callback
  https://XN--BCHER-KVA.example/callback https://аpp.example.com/callback https://app。example。com/callback
  https://app․example․com/callback https://ａpp.example.com/callback https://app.example.com\u200b/callback
  https://app.exam\u00adple.com/callback https://app.example.com/callback\u200b https://app.example.com/x
  https://app.example.com/** https://app.example.com/.* https://*.example.com/callback *`)

/** Parameter pollution: CVE-2026-9689 (Keycloak). */
const QUERIES = words(`
  https://app.example.com/callback? https://app.example.com/callback?x=1
  https://app.example.com/callback?code=evil https://app.example.com/callback?tenant=1&
  https://app.example.com/callback?tenant=1&code=evil https://app.example.com/callback?tenant=2
  https://app.example.com/callback?tenant=1&tenant=2 https://app.example.com?
  https://app.example.com/callback?Tenant=1 https://app.example.com/callback?tenant=%31
  https://app.example.com/callback?tenant https://app.example.com/callback&redirect_uri=https://evil.example
  https://app.example.com/callback?state=evil https://app.example.com/callback,https://evil.example
  https://app.example.com/callback|https://evil.example`)

const SCHEMES = words(`
  javascript:alert(1) JaVaScRiPt:alert(1) javascript://app.example.com/%250aalert(1)
  javascript:https://app.example.com/callback data:text/html,<script>alert(1)</script>
  data:text/html;base64,PHNjcmlwdD4= vbscript:x file:///etc/passwd about:blank blob:https://app.example.com/x
  view-source:https://app.example.com/callback filesystem:https://app.example.com/x mailto:a@evil.example
  tel:1 intent://evil.example#Intent;end ftp://app.example.com/callback wss://app.example.com/callback
  urn:ietf:wg:oauth:2.0:oob postmessage com.example.app://callback com.example.app:callback com.example.app:/
  com.example.app: COM.EXAMPLE.APP:/callback com.example.app:/callback/ com.example.app:/callback?
  com.example.app:///callback com.example.app2:/callback com.example:/callback __proto__ constructor null
  undefined`)

/** White space and control characters, which URL parsers remove. */
const CONTROLS = [
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\0',
  '\x01',
  '\x0b',
  '\x7f',
  ' ',
  '\u00a0',
  '\u0085',
  '\u2028',
  '\ufeff',
].flatMap((character) => [
  ...[`${character}${REDIRECT_URI}`, `${REDIRECT_URI}${character}`, `java${character}script:alert(1)`],
  ...[
    `htt${character}ps://app.example.com/callback`,
    `https:/${character}/evil.example`,
    `/${character}/evil.example`,
  ],
  ...[
    `https://app.example.com${character}.evil.example/callback`,
    `http://127.0.0.1:80${character}/callback`,
  ],
  ...[
    `${REDIRECT_URI}${character}Location: https://evil.example`,
    `${REDIRECT_URI} ${character}https://evil.example`,
  ],
  `http://127.0.0.1:8${character}0/callback`,
])

const LISTS = [
  [`${REDIRECT_URI} https://evil.example`, `https://evil.example ${REDIRECT_URI}`, REGISTERED.join(' ')],
  [
    '<script>alert(1)</script>',
    '"><svg onload=alert(1)>',
    "'-alert(1)-'",
    `${REDIRECT_URI}"><script>alert(1)</script>`,
  ],
  [
    `https://app.example.com/callback/${'x'.repeat(10_000)}`,
    `https://${'a.'.repeat(5000)}example/`,
    '['.repeat(5000),
  ],
].flat()

/** Addresses that are not registered, by the kind of attack. */
export const TRICKS = { USERINFO, FRAGMENTS, SLASHES, LOOPBACK, SPELLINGS, QUERIES, SCHEMES, CONTROLS, LISTS }
