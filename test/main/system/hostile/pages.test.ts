import t from 'tap'
import { invalidRequest } from '../../../../src/core/errors.ts'
import { errorPage } from '../../../../src/pages/error.ts'
import { html } from '../../../../src/pages/html.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { createTheme } from '../../../../src/pages/theme.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { ENDPOINTS, encode } from '../../../support/hostile/endpoints.ts'
import { each, type Reply, refusalFaults, siege, words } from '../../../support/hostile/siege.ts'
import { LANGUAGES } from '../../../support/languages.ts'
import { authorizationRequest, startService } from '../../../support/service.ts'

const PAGES = ENDPOINTS.filter((endpoint) => endpoint.page)
const REFUSAL = [400, 'invalid_request'] as const

const PROBES = [
  ...words(`
    <script>alert(1)</script> "><script>alert(1)</script> '><svg/onload=alert(1)> </title><script>x</script>
    </style><script>x</script> </code></small></p><iframe/src=//evil.example> <!--<script>-->
    --><script>x</script> <img/src=x/onerror=alert(1)> <base/href=//evil.example> <meta/http-equiv=refresh>
    <style>*{}</style> <a/href=javascript:1> javascript:alert(1) &lt;script&gt; &#60;script&#62; %3Cscript%3E
    %253Cscript%253E +ADw-script+AD4- \\u003cscript\\u003e <%=7*7%> {{7*7}} <\u200bscript> <ſcript> ＜script＞
    \u202e<script> 𝕊<script> \`\${1}\` ]]><x> <?php <x/onclick=1>`),
  ...[
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    '<script\u2028src=//evil.example>',
    '<x'.repeat(2000),
  ],
]

/** A page without itself, sealed, which its form carries for the language. */
const shownIn = ({ body }: Reply) => body.replace(/(name="page" value=")[\w.-]+"/, '$1"')

/** A page without the parts that differ between two requests. */
const essence = (reply: Reply) =>
  shownIn(reply)
    .replace(/<code>[\w-]{16}<\/code>/, 'ID')
    .replace(/<time dir="ltr">[\d: Z-]{20}<\/time>/, 'TIME')

const tags = (page: string) => page.match(/<[^>]*>?/g)?.join('')
const view = {
  theme: createTheme({ service_name: 'redmint', accent_color: '#0f766e' }, { languages: LANGUAGES }),
  language: en,
  kept: '',
}
const ERRORS = [
  invalidRequest('request_malformed', 'x'),
  invalidRequest('request_malformed', 'x', { page: 'unknown_client' }),
]
const TAGS = ERRORS.map((error) => tags(errorPage({ error, request_id: 'x', at: 0 }, view)))

/** The errors in a page: it must not load, run, frame or leak anything. */
function pageFaults(reply: Reply): string[] {
  const { headers } = reply
  const shown = tags(shownIn(reply))
  const expected = {
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'set-cookie': undefined,
    'access-control-allow-origin': undefined,
  }
  const wrong = Object.entries(expected).filter(([name, value]) => headers[name] !== value)
  const policy = String(headers['content-security-policy'])
  const strict =
    /^default-src 'none';style-src 'sha256-[\w+/=]{44}';img-src 'self';base-uri 'none';frame-ancestors 'none'$/
  return [
    ...wrong.map(([name]) => `${name}: ${headers[name]}`),
    ...(strict.test(policy) ? [] : [`policy ${policy}`]),
    ...(TAGS.includes(shown) ? [] : [`tags ${shown}`]),
  ]
}

for (const endpoint of PAGES) {
  siege(
    `${endpoint.name}: error pages do not contain request data`,
    async (t, service) => {
      const wrong = await service.send(
        endpoint.attack(encode(authorizationRequest({ redirect_uri: 'https://evil.example/' }))),
      )
      t.strictSame(pageFaults(wrong), [])
      const judge = async (encoded: string, probe: string, code: string = REFUSAL[1]) => {
        const reply = await service.send(endpoint.attack(encoded))
        const page = shownIn(reply)
        const shown = page.includes(probe) || page.includes('evil.') ? ['shown'] : []
        return [...refusalFaults(reply, REFUSAL[0], code), ...pageFaults(reply), ...shown]
      }
      const evil = authorizationRequest({ redirect_uri: 'https://evil.example/' })
      for (const field of endpoint.fields) {
        // Whose request it is, and where its answer goes, is read in the object.
        const code = field === 'request' ? 'invalid_request_object' : 'invalid_request'
        await each(t, field, PROBES, (probe) => judge(encode({ ...evil, [field]: probe }), probe, code))
      }
      await each(t, 'a name given twice', PROBES, (probe) => {
        const pair = `${encodeURIComponent(probe)}=1`
        return judge(`${encode(evil)}&${pair}&${pair}`, probe)
      })
      const same = await service.send(
        endpoint.attack(encode(authorizationRequest({ redirect_uri: '<script>' }))),
      )
      t.equal(essence(same), essence(wrong), 'two wrong addresses, one page')
      // Demo mode shows the address that was sent.
    },
    { demo: false },
  )
}

siege('an error is JSON or a page, for every Accept header', async (t, service) => {
  const json = [
    'application/json',
    'application/json, text/html;q=0.9',
    'application/*',
    'text/html;q=0, application/json',
  ]
  const page = [
    '*/*',
    'text/html',
    'text/*',
    '',
    'image/png',
    'garbage',
    ',,,',
    ';;;',
    'a/b;q=x',
    'text/html;q=2',
    '/',
    '*',
  ]
  const odd = [
    '__proto__',
    'text/html\u00a0',
    'application/json;q=0',
    `${'a/b,'.repeat(3000)}`,
    '<script>',
    ';q='.repeat(5000),
  ]
  const url = `/oauth2/authorize?${encode(authorizationRequest({ client_id: '<script>' }))}`
  await each(t, 'JSON', json, async (accept) => {
    const reply = await service.send({ url, headers: { accept } })
    const type = reply.headers['content-type'] === 'application/json; charset=utf-8' ? [] : ['no JSON']
    return [...refusalFaults(reply, ...REFUSAL), ...type]
  })
  await each(t, 'a page', [...page, ...odd], async (accept) => {
    const reply = await service.send({ url, headers: { accept } })
    return [...refusalFaults(reply, ...REFUSAL), ...pageFaults(reply)]
  })
})

t.test('a server error is shown without its cause', async (t) => {
  const storage = new MemoryStorage()
  const service = await startService(t, { storage })
  storage.records.read = () => {
    throw new Error('<script>the password of Redis</script>')
  }
  for (const accept of ['text/html', 'application/json']) {
    const query = new URLSearchParams(authorizationRequest({ state: '<script>' }))
    const answer = await service.get(`/oauth2/authorize?${query}`, { accept })
    t.equal(answer.status, 500)
    t.notOk(answer.headers.location)
    t.notMatch(answer.text, /<script|password|Redis|Error:|\bat /)
  }
  t.equal((await service.get('/health')).status, 200)
})

t.test('all data in a page is escaped', async (t) => {
  const probe = `<&>"'`
  const escaped = '&lt;&amp;&gt;&quot;&#39;'
  t.equal(
    `${html`<p title="${probe}">${html`<b>${probe}</b>`}</p>`}`,
    `<p title="${escaped}"><b>${escaped}</b></p>`,
  )
  await each(t, 'the error page', PROBES, async (text) => {
    const page = errorPage(
      { error: invalidRequest('request_malformed', text), request_id: text, at: 0 },
      view,
    )
    const raw = /[<"']/.test(text) && page.includes(text)
    return TAGS.includes(tags(page)) && !raw ? [] : [page]
  })
})
