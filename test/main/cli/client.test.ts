import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import t from 'tap'
import type { ClientDescription } from '../../../cli/client/show.ts'
import { SecretUses } from '../../../src/clients/authentication/secret-uses.ts'
import { CLIENT_FIELDS } from '../../../src/clients/record/client-fields.ts'
import { parseClient } from '../../../src/clients/record/client-record.ts'
import { SILENT } from '../../../src/core/log.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { defaultsOf } from '../../support/fields.ts'
import { changeClient, createClient, readClient } from '../../support/records.ts'

const GIVEN = 'a-secret-of-more-than-32-characters-in-all'
const sha256 = (secret: string) => createHash('sha256').update(secret).digest('base64')

t.test('client add registers a client that the server accepts, and shows the secret once', async (t) => {
  const { storage, redmint } = createCli({ now: () => Date.parse('2026-11-22T08:00:00.000Z') })
  const added = await redmint([
    'client',
    'add',
    'web app',
    '--name',
    'Web',
    '--scope',
    'a b',
    '--scope',
    'b c',
  ])
  t.equal(added.code, 0)
  const secret = /client_secret {2}([\w-]{43})$/m.exec(added.stdout)?.[1] ?? ''
  t.match(added.stdout, /shown only once/)
  const hash = (await readClient(storage, 'web app')) ?? {}
  t.strictSame(parseClient('web app', hash), {
    ok: true,
    record: {
      ...defaultsOf(CLIENT_FIELDS),
      client_id: 'web app',
      client_secret_hash: sha256(secret),
      client_secret_created_at: '2026-11-22T08:00:00.000Z',
      client_name: 'Web',
      allowed_scopes: ['a', 'b', 'c'],
      grant_types: ['client_credentials'],
      is_public: false,
    },
  })
  t.notOk(Object.values(hash).includes(secret))
  for (const command of ['show', 'lint']) {
    const { stdout, code } = await redmint(['client', command, 'web app'])
    t.equal(code, 0)
    t.notMatch(stdout, secret)
    t.notMatch(stdout, sha256(secret))
  }
})

t.test('client add: defaults and formats', async (t) => {
  const { redmint } = createCli()
  const add = async (...args: string[]) =>
    parsed<ClientDescription>(await redmint(['client', 'add', ...args, '--json']))
  const uris = ['--redirect-uri', 'https://a.example/cb', '--redirect-uri', 'http://127.0.0.1/cb']
  t.match(await add('web', ...uris, '--access-token-format', 'jwt'), {
    grant_types: ['authorization_code'],
    redirect_uris: ['https://a.example/cb', 'http://127.0.0.1/cb'],
    access_token_format: 'jwt',
    is_public: false,
    secret: 'set',
    client_secret: /^[\w-]{43}$/,
  })
  const phone = await add('phone', '--public', '--redirect-uri', 'com.example.phone:/cb')
  t.match(phone, { grant_types: ['authorization_code'], is_public: true, secret: 'none' })
  t.notOk('client_secret' in phone)
  const both = ['--grant-type', 'authorization_code refresh_token', '--grant-type', 'client_credentials']
  t.match(await add('both', ...uris, ...both), {
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
  })
})

const OIDC_FLAGS = [
  ['--require-pkce', 'false'],
  ['--first-party', 'true'],
  ['--subject-type', 'pairwise'],
  ['--sector-identifier', 'example.com'],
  ['--id-token-signed-response-alg', 'ES256'],
  ['--backchannel-logout-uri', 'https://a.example/logout'],
  ['--logout-ends-tokens', 'true'],
  ['--client-uri', 'https://a.example/'],
  ['--logo-uri', 'https://cdn.example/logo.png'],
  ['--policy-uri', 'https://a.example/privacy'],
  ['--tos-uri', 'https://a.example/terms'],
  ['--post-logout-redirect-uri', 'https://a.example/bye'],
  ['--post-logout-redirect-uri', 'https://b.example/bye'],
].flat()
const OIDC_FIELDS = {
  require_pkce: 'false',
  first_party: 'true',
  subject_type: 'pairwise',
  sector_identifier: 'example.com',
  id_token_signed_response_alg: 'ES256',
  backchannel_logout_uri: 'https://a.example/logout',
  logout_ends_tokens: 'true',
  client_uri: 'https://a.example/',
  logo_uri: 'https://cdn.example/logo.png',
  policy_uri: 'https://a.example/privacy',
  tos_uri: 'https://a.example/terms',
  post_logout_redirect_uris: 'https://a.example/bye https://b.example/bye',
}

t.test('client add and update: the fields of OpenID Connect clients', async (t) => {
  const { storage, redmint } = createCli()
  const uri = ['--redirect-uri', 'https://a.example/cb']
  const added = await redmint(['client', 'add', 'c', ...uri, ...OIDC_FLAGS])
  t.match(await readClient(storage, 'c'), OIDC_FIELDS)
  for (const [field, value] of Object.entries(OIDC_FIELDS)) {
    for (const word of value.split(' ')) t.match(added.stdout, new RegExp(`^(${field})? +${word}$`, 'm'))
  }
  await redmint(['client', 'add', 'd', ...uri])
  const before = (await readClient(storage, 'd')) ?? {}
  t.notMatch((await redmint(['client', 'show', 'd'])).stdout, /pkce|party|pairwise|logout|alg/)
  t.equal((await redmint(['client', 'update', 'd', ...OIDC_FLAGS])).code, 0)
  t.strictSame(await readClient(storage, 'd'), { ...before, ...OIDC_FIELDS })
  const back = [
    ['--require-pkce', 'true'],
    ['--first-party', 'false'],
    ['--subject-type', 'public'],
    ['--logout-ends-tokens', 'false'],
    '--clear-sector-identifier',
    '--clear-id-token-signed-response-alg',
    '--clear-post-logout-redirect-uris',
    '--clear-backchannel-logout-uri',
    '--clear-client-uri',
    '--clear-logo-uri',
    '--clear-policy-uri',
    '--clear-tos-uri',
  ].flat()
  t.equal((await redmint(['client', 'update', 'd', ...back])).code, 0)
  t.strictSame(parseClient('d', (await readClient(storage, 'd')) ?? {}), parseClient('d', before))
})

t.test('client add: a given secret is stored, and not repeated', async (t) => {
  const { storage, redmint } = createCli()
  const added = await redmint(['client', 'add', 'given', '--secret-stdin', '--json'], `${GIVEN}\n`)
  t.equal(added.code, 0)
  t.notMatch(added.stdout + added.stderr, GIVEN)
  t.equal((await readClient(storage, 'given'))?.client_secret_hash, sha256(GIVEN))
})

t.test('a client that authenticates by a certificate has no secret', async (t) => {
  const { storage, redmint } = createCli()
  const method = ['--auth-method', 'tls_client_auth', '--tls-client-auth-subject-dn', 'CN=billing']
  const added = await redmint(['client', 'add', 'billing', ...method])
  t.equal(added.code, 0)
  t.notMatch(added.stdout, /client_secret/)
  t.match((await redmint(['client', 'show', 'billing'])).stdout, /CN=billing/)
  t.notOk((await readClient(storage, 'billing'))?.client_secret_hash)
  const given = ['client', 'add', 'both', ...method, '--secret-stdin']
  t.match(await redmint(given, `${GIVEN}\n`), { code: 1, stderr: /client_secret_hash must be absent/ })
  t.match(await redmint(['client', 'rotate-secret', 'billing']), { code: 1, stderr: /by tls_client_auth/ })

  const cleared = await redmint([
    ...['client', 'update', 'billing', '--clear-auth-method', '--clear-tls-client-auth-subject-dn'],
  ])
  t.match(cleared.stdout, /client_secret {2}[\w-]{43}$/m, 'it gets one when it needs one')
  t.equal((await redmint(['client', 'update', 'billing', ...method])).code, 0)
  t.notOk((await readClient(storage, 'billing'))?.client_secret_hash)
})

t.test('client add refuses a malformed record, and writes nothing', async (t) => {
  const { storage, redmint } = createCli()
  const cases: [args: string[], input: string, code: number, message: RegExp][] = [
    [['--redirect-uri', '/callback'], '', 1, /redirect_uris: "\/callback" is not absolute/],
    [['--redirect-uri', 'https://a.example/ https://b.example/'], '', 1, /no white space/],
    [['--redirect-uri', 'javascript:alert(1)'], '', 1, /scheme "javascript:"/],
    [['--scope', 'a"b'], '', 1, /allowed_scopes: "a"b" is not a scope name/],
    [['--secret-stdin'], 'x'.repeat(31), 1, /has 31 characters, and needs at least 32/],
    [['--secret-stdin'], `${'x'.repeat(40)}\u00e9`, 1, /not printable ASCII/],
    [['--grant-type', 'password'], '', 2, /Allowed choices are authorization_code, client_credentials/],
    [['--access-token-format', 'xml'], '', 2, /Allowed choices are opaque, jwt/],
    [['--public'], '', 2, /give it a --redirect-uri/],
    [
      ['--public', '--redirect-uri', 'https://a.example/', '--require-pkce', 'false'],
      '',
      1,
      /require_pkce must be true, because is_public is true/,
    ],
    [['--subject-type', 'pairwise'], '', 1, /sector_identifier is missing/],
    [['--subject-type', 'private'], '', 2, /Allowed choices are public, pairwise/],
    [['--id-token-signed-response-alg', 'none'], '', 2, /Allowed choices are ES256, RS256/],
    [['--first-party', 'yes'], '', 2, /Allowed choices are true, false/],
    [['--backchannel-logout-uri', 'http://a.example/'], '', 1, /must be an https URL/],
    [['--post-logout-redirect-uri', '/bye'], '', 1, /post_logout_redirect_uris: "\/bye" is not absolute/],
    [['--post-logout-redirect-uri', 'https://a.example/ x'], '', 1, /no white space/],
    [['--public', '--secret-stdin'], GIVEN, 2, /cannot be used with/],
  ]
  for (const [args, input, code, message] of cases) {
    const answer = await redmint(['client', 'add', 'c', ...args], input)
    t.match(answer, { code, stdout: /^$/, stderr: message }, args.join(' '))
  }
  t.match(await redmint(['client', 'add', 'caf\u00e9']), { code: 1, stderr: /printable ASCII/ })
  t.equal(await readClient(storage, 'c'), undefined)
  t.equal(await readClient(storage, 'caf\u00e9'), undefined)
})

t.test('client add never overwrites', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['client', 'add', 'c'])
  const before = await readClient(storage, 'c')
  const again = await redmint(['client', 'add', 'c', '--name', 'Other', '--json'])
  t.match(again, { code: 1, stdout: /^$/ })
  t.match(JSON.parse(again.stderr), { error: /The client "c" exists already/ })
  t.strictSame(await readClient(storage, 'c'), before)
})

t.test('client list and show: malformed records are marked, and no secrets are shown', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['client', 'add', 'good'])
  await redmint(['client', 'add', 'off'])
  await redmint(['client', 'disable', 'off'])
  await createClient(storage, 'bad', {
    client_name: 'red \u001b[31m\u009b',
    client_secret: GIVEN,
    client_secret_hash: sha256(GIVEN),
    is_public: 'perhaps',
  })
  const list = await redmint(['client', 'list'])
  t.equal(list.code, 0)
  t.match(list.stdout, /^bad +malformed$/m)
  t.match(list.stdout, /^good +good +confidential +client_credentials +active$/m)
  t.match(list.stdout, /^off .* disabled$/m)
  const listed = await redmint(['client', 'list', '--json'])
  t.match(parsed(listed), {
    clients: [
      {
        client_id: 'bad',
        state: 'malformed',
        problems: [{ field: 'client_name' }, { field: 'is_public' }, { field: 'grant_types' }],
      },
      { client_id: 'good', state: 'active' },
      { client_id: 'off', state: 'disabled' },
    ],
  })
  const shown = await redmint(['client', 'show', 'bad'])
  t.match(shown, { code: 1, stdout: /is_public must be "true" or "false"/ })
  const json = await redmint(['client', 'show', 'bad', '--json'])
  for (const { stdout } of [list, listed, shown, json]) {
    t.notOk(stdout.includes(GIVEN) || stdout.includes(sha256(GIVEN)))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must get none of these
    t.notMatch(stdout, /[\x00-\x09\x0B-\x1F\x7F-\x9F]/)
  }
  t.match(await redmint(['client', 'show', 'nobody']), { code: 1, stderr: /There is no client "nobody"/ })
})

t.test('client update changes only the given fields', async (t) => {
  const { storage, redmint } = createCli()
  await redmint([
    'client',
    'add',
    'c',
    '--redirect-uri',
    'https://a.example/',
    '--scope',
    'a b',
    '--name',
    'C',
  ])
  await changeClient(storage, 'c', { set: { custom: 'kept' }, unset: [] })
  const before = (await readClient(storage, 'c')) ?? {}
  t.equal((await redmint(['client', 'update', 'c', '--scope', 'x'])).code, 0)
  t.strictSame(await readClient(storage, 'c'), { ...before, allowed_scopes: 'x' })
  t.equal((await redmint(['client', 'update', 'c', '--clear-scopes', '--clear-name'])).code, 0)
  const { allowed_scopes: _scopes, client_name: _name, ...left } = before
  t.strictSame(await readClient(storage, 'c'), left)
})

t.test('client update reports only the fields that changed', async (t) => {
  const environment = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'info' }
  const { storage, redmint } = createCli({ environment })
  await redmint(['client', 'add', 'app', '--public', '--redirect-uri', 'https://a.example/'])
  t.equal((await readClient(storage, 'app'))?.client_secret_hash, '', 'always written')
  const reported = async (args: readonly string[], input?: string) =>
    (await redmint([...args, '--json'], input)).stderr
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { fields?: string[] }).fields)
  t.same(await reported(['client', 'update', 'app', '--name', 'App']), [['client_name']])
  t.same(await reported(['client', 'update', 'app', '--public']), [], 'it is so already')
  t.same(await reported(['client', 'update', 'app', '--clear-scopes']), [], 'the field was empty')
  t.match(await redmint(['client', 'update', 'app']), { code: 2, stderr: /There is nothing to change/ })
  const same = { client_id: 'app', client_name: 'App', is_public: true }
  t.same(await reported(['client', 'import', '-', '--update'], JSON.stringify([same])), [])
})

t.test('client update never writes a malformed record', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['client', 'add', 'c'])
  await redmint(['client', 'add', 'p', '--public', '--redirect-uri', 'https://a.example/'])
  const before = await readClient(storage, 'c')
  const cases: [args: string[], code: number, message: RegExp][] = [
    [['c', '--redirect-uri', 'relative'], 1, /nothing was written/],
    [['c', '--grant-type', ''], 1, /grant_types is missing/],
    [['p', '--secret-stdin'], 1, /must be absent, because is_public is true/],
    [['c'], 2, /nothing to change/],
    [['c', '--scope', 'a', '--clear-scopes'], 2, /cannot be used with/],
    [['c', '--public', '--confidential'], 2, /cannot be used with/],
    [['c', '--sector-identifier', 'a', '--clear-sector-identifier'], 2, /cannot be used with/],
    [['p', '--require-pkce', 'false'], 1, /must be true, because is_public is true/],
    [['nobody', '--name', 'N'], 1, /There is no client "nobody"/],
  ]
  for (const [args, code, message] of cases) {
    const answer = await redmint(['client', 'update', ...args], GIVEN)
    t.match(answer, { code, stdout: /^$/, stderr: message }, args.join(' '))
  }
  t.strictSame(await readClient(storage, 'c'), before)
})

t.test('client update repairs a malformed record, and changes public to confidential and back', async (t) => {
  const { storage, redmint } = createCli()
  await createClient(storage, 'c', { client_id: 'c', is_public: 'yes', grant_types: 'client_credentials' })
  t.equal((await redmint(['client', 'update', 'c', '--name', 'C'])).code, 1)
  const mended = parsed(await redmint(['client', 'update', 'c', '--confidential', '--json']))
  t.match(mended, { state: 'active', client_secret: /^[\w-]{43}$/ })
  const kept = await readClient(storage, 'c')
  t.notOk('client_secret' in parsed(await redmint(['client', 'update', 'c', '--confidential', '--json'])))
  t.strictSame(await readClient(storage, 'c'), kept)
  t.match(parsed(await redmint(['client', 'update', 'c', '--public', '--json'])), { secret: 'none' })
  t.equal((await readClient(storage, 'c'))?.client_secret_hash, undefined)
})

t.test('client disable, enable and rotate-secret', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['client', 'add', 'c'])
  await redmint(['client', 'add', 'p', '--public', '--redirect-uri', 'https://a.example/'])
  const before = await readClient(storage, 'c')
  t.match(await redmint(['client', 'disable', 'c']), {
    code: 0,
    stdout: /refuse its codes and tokens until it is enabled/,
  })
  t.match(parseClient('c', (await readClient(storage, 'c')) ?? {}), { record: { disabled: true } })
  t.strictSame(parsed(await redmint(['client', 'enable', 'c', '--json'])), {
    client_id: 'c',
    disabled: false,
  })
  t.strictSame(await readClient(storage, 'c'), before)

  const { client_secret } = parsed(await redmint(['client', 'rotate-secret', 'c', '--json']))
  t.equal((await readClient(storage, 'c'))?.client_secret_hash, sha256(String(client_secret)))
  const given = await redmint(['client', 'rotate-secret', 'c', '--secret-stdin'], GIVEN)
  t.notMatch(given.stdout, GIVEN)
  t.equal((await readClient(storage, 'c'))?.client_secret_hash, sha256(GIVEN))
  t.match(await redmint(['client', 'rotate-secret', 'p']), { code: 1, stderr: /is public/ })
  for (const command of ['disable', 'enable', 'rotate-secret']) {
    t.match(await redmint(['client', command, 'nobody']), { code: 1, stderr: /There is no client/ })
  }
})

t.test(
  'client rotate-secret keeps the old secret for a stated time, and end-old-secret ends it',
  async (t) => {
    const now = Date.parse('2026-11-22T08:00:00.000Z')
    const { storage, redmint } = createCli({ now: () => now })
    await redmint(['client', 'add', 'c', '--secret-stdin'], GIVEN)
    const rotate = ['client', 'rotate-secret', 'c', '--keep']
    const rotated = parsed(await redmint([...rotate, '24h', '--json']))
    t.match(rotated, { client_secret: /^[\w-]{43}$/, old_secret_ends_at: '2026-11-23T08:00:00.000Z' })
    t.match(await readClient(storage, 'c'), {
      client_secret_hash: sha256(String(rotated.client_secret)),
      client_secret_created_at: '2026-11-22T08:00:00.000Z',
      old_secret_hash: sha256(GIVEN),
      old_secret_created_at: '2026-11-22T08:00:00.000Z',
      old_secret_ends_at: '2026-11-23T08:00:00.000Z',
    })
    const uses = new SecretUses({ storage, log: SILENT, report: () => {}, now: () => now })
    uses.note('c', sha256(GIVEN), false)
    await uses.flush()
    const shown = await redmint(['client', 'show', 'c'])
    t.match(shown.stdout, /^old_secret +set$/m)
    t.match(shown.stdout, /^old_secret_used_at +2026-11-22T08:00:00.000Z$/m)
    t.notMatch(shown.stdout, /^secret_used_at/m, 'nobody used the new one yet')
    t.notOk(shown.stdout.includes(sha256(GIVEN)))

    t.match(await redmint(['client', 'end-old-secret', 'c']), { code: 0, stdout: /no old secret any more/ })
    t.match(await readClient(storage, 'c'), { old_secret_hash: undefined, old_secret_ends_at: undefined })
    t.match(await redmint(['client', 'end-old-secret', 'd']), { code: 1, stderr: /There is no client/ })

    await redmint([...rotate, '7d'])
    t.match(await redmint([...rotate, '0', '--secret-stdin'], GIVEN), { code: 0, stdout: /no longer valid/ })
    t.match(await readClient(storage, 'c'), { client_secret_hash: sha256(GIVEN), old_secret_hash: undefined })
    const again = await redmint([...rotate, '1h', '--secret-stdin'], GIVEN)
    t.match(again, { code: 1, stderr: /has this secret already/ })
    for (const wrong of ['91d', '1y', '24', '-1h', '1.5h']) {
      t.match(await redmint([...rotate, wrong]), { code: 2, stderr: /30m, 24h, 7d, or 0/ }, wrong)
    }
    await redmint([...rotate, '1h'])
    t.equal((await redmint(['client', 'update', 'c', '--secret-stdin'], GIVEN)).code, 0)
    t.match(await readClient(storage, 'c'), { old_secret_hash: undefined }, 'a set secret is the only one')
  },
)

t.test('client remove asks first', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['client', 'add', 'c'])
  const remove = ['client', 'remove', 'c']
  t.match(await redmint(remove, 'y\n'), { code: 2, stderr: /no terminal/ })
  t.match(await redmint(remove, 'n\n', true), { code: 1, stderr: /Nothing was changed/ })
  t.match(await redmint(remove, '', true), { code: 1, stderr: /Nothing was changed/ }, 'end of input')
  t.ok(await readClient(storage, 'c'))
  t.match(await redmint(remove, 'y\n', true), { code: 0, stderr: /Remove the client "c" permanently\?/ })
  t.equal(await readClient(storage, 'c'), undefined)
  t.match(await redmint([...remove, '--yes']), { code: 1, stderr: /There is no client/ })
})

t.test('a shell interprets nothing of a client_id in a command to paste', async (t) => {
  const { redmint } = createCli()
  for (const path of ['x?a=b&c=d', '$(echo$IFS.)', "it's;id", "'$(id)'", '~*[a]!']) {
    const url = `https://tool.example.net/${path}`
    const { stderr } = await redmint(['client', 'show', url])
    const words = stderr.trim().split('client disable ')[1]
    t.equal(execFileSync('sh', ['-c', `printf '%s;' ${words}`], { encoding: 'utf8' }), `${url};`)
  }
  const old = ['client', 'rotate-secret', 'web app', '--keep', '1h']
  t.equal((await redmint(['client', 'add', 'web app', '--grant-type', 'client_credentials'])).code, 0)
  t.match((await redmint(old)).stdout, /redmint client end-old-secret 'web app'$/m)
})

t.test('a client of a metadata document is disabled by a record, and enabled without one', async (t) => {
  const { storage, redmint } = createCli()
  const url = 'https://tool.example.net/oauth/client.json'
  const shown = await redmint(['client', 'show', url])
  t.equal(shown.code, 1)
  t.match(shown.stderr, `To refuse it: redmint client disable ${url}`)
  t.equal((await redmint(['client', 'enable', url])).code, 1)
  t.equal((await redmint(['client', 'disable', url])).code, 0)
  t.match(parseClient(url, (await readClient(storage, url)) ?? {}), { ok: true, record: { disabled: true } })
  t.match((await redmint(['client', 'show', url])).stdout, /state +disabled/)
  t.equal((await redmint(['client', 'disable', url])).code, 0, 'once more')
  t.equal((await redmint(['client', 'enable', url])).code, 0)
  t.equal(await readClient(storage, url), undefined, 'its document counts again')
  t.equal((await redmint(['client', 'disable', 'no-such-client'])).code, 1)
})
