// `redmint mcp doctor` against a server of one page that breaks one thing after the other.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { bearerAttributes } from '../../../cli/mcp/protected-resource.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { freePort } from '../../support/process.ts'
import { startListening } from '../../support/server.ts'

interface Line {
  check: string
  level: 'ok' | 'warning' | 'problem'
  finding: string
  advice?: string
}

type Reply = { status?: number; headers?: Record<string, string>; body?: unknown }
type Site = Record<string, Reply>

const OPEN = { 'access-control-allow-origin': '*' }
const RESOURCE = '/.well-known/oauth-protected-resource/mcp'
const OAUTH = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'

/** A site where nothing is wrong: an MCP server and its authorization server. */
function soundSite(origin: string) {
  const metadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ['none'],
  }
  const challenge = `Bearer resource_metadata="${origin}${RESOURCE}", scope="notes.read"`
  return {
    '/mcp': {
      status: 401,
      headers: {
        ...OPEN,
        'access-control-expose-headers': 'WWW-Authenticate',
        'www-authenticate': challenge,
      },
    },
    [RESOURCE]: {
      headers: OPEN,
      body: {
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
        scopes_supported: ['notes.read', 'notes.write'],
      },
    },
    [OAUTH]: { headers: OPEN, body: metadata },
    [OPENID]: { headers: OPEN, body: metadata },
    '/token': { headers: OPEN },
    '/register': { headers: OPEN },
  }
}

/** Serves a site. @param change what is different from the sound one @param takes whether it takes a token */
async function serve(
  t: Test,
  change: (site: ReturnType<typeof soundSite>, origin: string) => Site,
  takes: (token: string, origin: string) => boolean = () => false,
) {
  let site: Site = {}
  const server = createServer((request, response) => {
    const [, token] = request.headers.authorization?.split(' ') ?? []
    const is_taken = token !== undefined && takes(token, `http://${request.headers.host}`)
    const reply = is_taken ? {} : site[request.url ?? '']
    const { status = reply === undefined ? 404 : 200, headers = {}, body } = reply ?? {}
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  site = change(soundSite(origin), origin)
  return origin
}

async function examine(url: string) {
  const result = await createCli().redmint(['mcp', 'doctor', url, '--json'])
  return { code: result.code, ...parsed<{ problems: number; warnings: number; findings: Line[] }>(result) }
}

t.test('a sound server has neither problems nor warnings, as text and as JSON', async (t) => {
  const origin = await serve(t, (site) => site)
  t.match(await examine(`${origin}/mcp`), { code: 0, problems: 0, warnings: 0 })
  const { code, stdout } = await createCli({ environment: {} }).redmint(['mcp', 'doctor', `${origin}/mcp`])
  t.equal(code, 0, 'without any configuration')
  t.match(stdout, /^LEVEL +CHECK +FINDING\nok +first request +http.* answers 401/)
  t.match(stdout, /\n\n0 problems, 0 warnings\.\n$/)
})

t.test('redmint as authorization server passes every check, for its demo API', async (t) => {
  const { issuer } = await startListening(t, { client_registration: 'open', client_id_metadata: 'all' })
  const { code, findings } = await examine(`${issuer}/api`)
  t.equal(code, 0)
  const wrong = findings.filter(({ level }) => level !== 'ok')
  t.same(
    wrong.map(({ check }) => check),
    ['first request', 'scopes'],
    'the demo API is closed to pages, and its first challenge names no scope',
  )
  t.match(
    findings.find(({ check }) => check === 'client registration')?.finding,
    /by a client ID metadata document and by dynamic registration/,
  )
})

type Sound = ReturnType<typeof soundSite>
const challenged = (value: string) => (site: Sound) => ({
  ...site,
  '/mcp': { ...site['/mcp'], headers: { ...site['/mcp'].headers, 'www-authenticate': value } },
})
const described = (members: object) => (site: Sound) => ({
  ...site,
  [RESOURCE]: { headers: OPEN, body: { ...(site[RESOURCE]?.body as object), ...members } },
})
const metadata = (members: object) => (site: Sound) => {
  const body = { ...(site[OAUTH]?.body as object), ...members }
  return { ...site, [OAUTH]: { headers: OPEN, body }, [OPENID]: { headers: OPEN, body } }
}
const without =
  (...paths: string[]) =>
  (site: Sound) =>
    Object.fromEntries(Object.entries(site).filter(([path]) => !paths.includes(path)))

type Break = [
  title: string,
  change: (site: Sound, origin: string) => Site,
  check: string,
  level: Line['level'],
  text: RegExp,
  path?: string,
]

const BREAKS: Break[] = [
  [
    'demands no token',
    (site) => ({ ...site, '/mcp': {} }),
    'first request',
    'problem',
    /answers 200 without a token: it demands none/,
  ],
  [
    'redirects',
    (site) => ({ ...site, '/mcp': { status: 307, headers: { location: '/mcp/' } } }),
    'first request',
    'problem',
    /answers 307 and leads to \/mcp\/ .*the address that it leads to/,
  ],
  [
    'has another path',
    (site) => site,
    'first request',
    'problem',
    /answers 404 .*Look at the path/,
    '/other',
  ],
  [
    'answers 403',
    (site) => ({ ...site, '/mcp': { status: 403 } }),
    'first request',
    'problem',
    /answers 403 .*with 401/,
  ],
  [
    'has no challenge',
    (site) => ({ ...site, '/mcp': { status: 401 } }),
    'first request',
    'problem',
    /without a Bearer challenge/,
  ],
  ['has another challenge', challenged('Basic realm="x"'), 'first request', 'problem', /without a Bearer/],
  [
    'hides its challenge from pages',
    (site) => ({
      ...site,
      '/mcp': { status: 401, headers: { 'www-authenticate': site['/mcp'].headers['www-authenticate'] } },
    }),
    'first request',
    'warning',
    /cannot read the challenge.*expose-headers/,
  ],
  [
    'does not expose its challenge to pages',
    (site) => {
      const { 'access-control-expose-headers': _, ...headers } = site['/mcp'].headers
      return { ...site, '/mcp': { status: 401, headers } }
    },
    'first request',
    'warning',
    /cannot read the challenge/,
  ],
  [
    'names no metadata',
    challenged('Bearer scope="notes.read"'),
    'resource metadata',
    'warning',
    /clients guess/,
  ],
  [
    'names metadata that are not there',
    (site, origin) => challenged(`Bearer resource_metadata="${origin}/gone"`)(site),
    'resource metadata',
    'problem',
    /\/gone answers 404/,
  ],
  [
    'names metadata at no address',
    challenged('Bearer resource_metadata="/gone"'),
    'resource metadata',
    'problem',
    /"\/gone" is not an address/,
  ],
  [
    'names metadata at an address of its own alone',
    (site, origin) => {
      const { [RESOURCE]: document, ...others } = challenged(`Bearer resource_metadata="${origin}/own"`)(site)
      return { ...others, ...(document && { '/own': document }) }
    },
    'resource metadata',
    'warning',
    /that do not read the challenge find nothing at .*\/mcp and .*resource\. Serve/,
  ],
  [
    'has no metadata anywhere',
    (site) => without(RESOURCE)(challenged('Bearer')(site) as Sound),
    'resource metadata',
    'problem',
    /resource\/mcp answers 404; .*resource answers 404/,
  ],
  [
    'has metadata that are no JSON',
    (site) => ({ ...site, [RESOURCE]: { body: '<html>' } }),
    'resource metadata',
    'problem',
    /did not answer with a JSON object/,
  ],
  [
    'has endless metadata',
    (site) => ({ ...site, [RESOURCE]: { body: ' '.repeat(300_000) } }),
    'resource metadata',
    'problem',
    /more than 262144 bytes/,
  ],
  [
    'hides its metadata from pages',
    (site) => ({ ...site, [RESOURCE]: { ...site[RESOURCE], headers: {} } }),
    'resource metadata',
    'warning',
    /in a browser cannot read/,
  ],
  ['has no resource', described({ resource: undefined }), 'resource', 'problem', /have no resource/],
  [
    'has a resource with a slash more',
    (site, origin) => described({ resource: `${origin}/mcp/` })(site),
    'resource',
    'problem',
    /differ by the slash at the end/,
  ],
  [
    'is the origin',
    (site, origin) => described({ resource: origin })(site),
    'resource',
    'warning',
    /lies below it/,
  ],
  [
    'is another server',
    described({ resource: 'https://other.example/mcp' }),
    'resource',
    'problem',
    /another address than the one they asked/,
  ],
  [
    'names no scope',
    (site, origin) =>
      described({ scopes_supported: undefined })(
        challenged(`Bearer resource_metadata="${origin}${RESOURCE}"`)(site) as Sound,
      ),
    'scopes',
    'warning',
    /neither the challenge nor the metadata/,
  ],
  [
    'wants offline_access',
    (site, origin) =>
      challenged(`Bearer resource_metadata="${origin}${RESOURCE}", scope="notes.read offline_access"`)(site),
    'scopes',
    'warning',
    /Leave out offline_access/,
  ],
  [
    'names no authorization server',
    described({ authorization_servers: [] }),
    'authorization server',
    'problem',
    /no authorization_servers/,
  ],
  [
    'names an authorization server without https',
    described({ authorization_servers: ['http://auth.example'] }),
    'authorization server',
    'problem',
    /not an https address/,
  ],
  [
    'has an issuer without metadata',
    without(OAUTH, OPENID),
    'server metadata',
    'problem',
    /server answers 404; .*configuration answers 404/,
  ],
  [
    'has an issuer that fails',
    (site) => ({ ...site, [OAUTH]: { status: 503 } }),
    'server metadata',
    'problem',
    /^http[^;]*answers 503\. Check/,
  ],
  [
    'has an issuer with a slash',
    (site, origin) => described({ authorization_servers: [`${origin}/`] })(site),
    'issuer',
    'problem',
    /differ by the slash at the end/,
  ],
  [
    'has another issuer',
    metadata({ issuer: 'https://other.example' }),
    'issuer',
    'problem',
    /clients refuse that/,
  ],
  [
    'lacks an endpoint',
    metadata({ token_endpoint: undefined }),
    'endpoints',
    'problem',
    /lack token_endpoint/,
  ],
  [
    'lacks the code flow',
    metadata({ response_types_supported: ['token'] }),
    'endpoints',
    'problem',
    /code flow/,
  ],
  [
    'lacks public clients',
    metadata({ token_endpoint_auth_methods_supported: ['client_secret_basic'] }),
    'endpoints',
    'problem',
    /lacks none/,
  ],
  [
    'lacks PKCE in one document',
    (site) => ({
      ...site,
      [OPENID]: {
        headers: OPEN,
        body: { ...(site[OPENID]?.body as object), code_challenge_methods_supported: undefined },
      },
    }),
    'PKCE',
    'problem',
    /openid-configuration has no code_challenge_methods_supported/,
  ],
  [
    'knows plain PKCE only',
    metadata({ code_challenge_methods_supported: ['plain'] }),
    'PKCE',
    'problem',
    /lacks S256/,
  ],
  [
    'sends no iss',
    metadata({ authorization_response_iss_parameter_supported: undefined }),
    'iss in responses',
    'warning',
    /Send iss/,
  ],
  [
    'registers no clients',
    metadata({ registration_endpoint: undefined }),
    'client registration',
    'warning',
    /CLIENT_ID_METADATA=on or CLIENT_REGISTRATION=open, or run redmint client add --for mcp --scope/,
  ],
  ['refuses pages', without('/token'), 'CORS', 'warning', /cannot call .*\/token\./],
]

for (const [title, change, check, level, text, path = '/mcp'] of BREAKS) {
  t.test(`a server that ${title}: ${level}`, async (t) => {
    const origin = await serve(t, change)
    const { code, findings } = await examine(origin + path)
    const wrong = findings.filter((line) => line.level !== 'ok')
    t.match(wrong, [{ check, level }])
    t.ok(
      wrong.every((line) => line.check === check),
      'and nothing else is wrong',
    )
    t.match(`${wrong[0]?.finding}. ${wrong[0]?.advice}`, text)
    t.equal(code, level === 'problem' ? 1 : 0)
  })
}

// CVE-2026-116684 (Python SDK of MCP), CVE-2026-115413 (AWS API MCP server): the audience of a token, or all of it, was not checked.
t.test('a server that takes a token which nobody issued is named', async (t) => {
  for (const [takes, found] of [
    [(token: string) => token.split('.').length === 3, ['made-up signature', 'another resource']],
    [(token: string, origin: string) => audienceOf(token) === `${origin}/mcp`, ['made-up signature']],
    [() => false, []],
  ] as const) {
    const origin = await serve(t, (site) => site, takes)
    const { code, findings } = await examine(`${origin}/mcp`)
    const named = findings.filter(({ check, level }) => check === 'made-up token' && level === 'problem')
    t.strictSame(
      named.map(({ finding }) => /to a token (?:with a|for) (.+): anybody/.exec(finding)?.[1]),
      found,
    )
    t.equal(code, found.length === 0 ? 0 : 1)
  }
})

const audienceOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).aud

t.test('a server that is away', async (t) => {
  const { code, findings } = await examine(`http://127.0.0.1:${await freePort()}/mcp`)
  t.match(findings, [{ check: 'first request', level: 'problem', finding: /did not answer/ }])
  t.equal(code, 1)
})

t.test('an issuer with a path is looked for at the three addresses that clients try', async (t) => {
  const addresses = (origin: string) => [
    `${origin}${OAUTH}/tenant`,
    `${origin}${OPENID}/tenant`,
    `${origin}/tenant${OPENID}`,
  ]
  for (const index of [0, 1, 2]) {
    const origin = await serve(t, (site, origin) => {
      const { [OAUTH]: document, [OPENID]: _, ...others } = site
      const issuer = `${origin}/tenant`
      const body = { ...(document?.body as object), issuer }
      const path = new URL(addresses(origin)[index] ?? '').pathname
      return {
        ...described({ authorization_servers: [issuer] })(others as Sound),
        [path]: { headers: OPEN, body },
      }
    })
    const { problems, findings } = await examine(`${origin}/mcp`)
    t.equal(problems, 0)
    t.ok(findings.some(({ finding }) => finding === `${addresses(origin)[index]} has the metadata`))
  }
})

t.test('an address that cannot be one', async (t) => {
  const { redmint } = createCli()
  for (const url of ['mcp.example.com', 'ftp://mcp.example.com', 'https://mcp.example.com/#tools']) {
    t.match(
      await redmint(['mcp', 'doctor', url]),
      { code: 2, stderr: /is not the address of an MCP server/ },
      url,
    )
  }
})

t.test('the Bearer challenge is found among others, whatever its spelling', async (t) => {
  const read = (header: string | null) => {
    const attributes = bearerAttributes(header)
    return attributes && Object.fromEntries(attributes)
  }
  t.equal(read(null), undefined)
  t.equal(read('Basic realm="Bearer x"'), undefined)
  t.same(read('Bearer'), {})
  t.same(read('bearer Scope=a, error="x, Basic y=1"'), { scope: 'a', error: 'x, Basic y=1' })
  t.same(read('Basic realm="a", Bearer scope="b \\"c\\"", Digest realm="d"'), { scope: 'b "c"' })
})
