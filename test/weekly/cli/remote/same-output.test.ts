// Each command that takes --server, on the host and at a server with the same records: the same output and exit code.

import t, { type Test } from 'tap'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { createSession } from '../../../../src/sessions/session-store.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { grantListings } from '../../../../src/tokens/grant-listings.ts'
import { startAtServer } from '../../../support/cli/remote/at-server.ts'
import { type CommandResult, createCli } from '../../../support/cli/run-cli.ts'

const GRANT = newFamilyId()
const TOKEN = newToken(GRANT)
const STARTED = Date.now() - 5000

/** What alice has: a session, and a grant of the client `shop` with a token. */
async function prepare(storage: Storage): Promise<void> {
  const user = { username: 'alice', sub: 'sub-of-alice', auth_time: 1, amr: 'pwd', acr: '1' }
  const times = { started_at: STARTED, ends_at: STARTED + 3_600_000 }
  // A terminal would interpret the name of the browser.
  const used = { clients: new Set(['shop']), families: new Map(), browser: 'Fire\u001b[31mfox' }
  await createSession(storage, 'a digest', { sid: 'one', ...user, ...times, ...used }, 3600)
  const began = { username: 'alice', started_at: String(STARTED) }
  await storage.families.grantOnce({
    token: TOKEN,
    is_jwt: false,
    single_uses: [],
    client_id: 'shop',
    scope: 'api.read',
    access_token_ttl: 600,
    user: {
      subject: 'sub-of-alice',
      fields: { ...began, sid: 'one', session_started_at: String(STARTED) },
      lists: grantListings({ family: GRANT, client_id: 'shop', ...began, started_at: STARTED }, 600),
    },
  })
}

async function refuse({ bounded }: Storage) {
  const id = 'a-refused-request'
  const record = {
    ...{ id, at: new Date(STARTED).toISOString(), endpoint: 'authorize', client_id: 'shop' },
    ...{ reason: 'redirect_uri_unregistered', received: { redirect_uri: 'https://shop.example/x' } },
    expected: { redirect_uris: ['https://shop.example/y'] },
  }
  await bounded.put('explanations', [{ name: id, text: JSON.stringify(record) }], { max: 10, ttl: 3_600_000 })
}

/** The same commands on the host of one server, and elsewhere at another one with the same records. */
async function startBoth(t: Test) {
  const [here, there] = [await startAtServer(t), await startAtServer(t)]
  for (const { storage } of [here, there]) {
    await prepare(storage)
    await refuse(storage)
  }
  const REDMINT_TOKEN = await there.tokenOf('redmint:read', 'redmint:write')
  await here.tokenOf('redmint:read', 'redmint:write')
  const elsewhere = there.elsewhere({ REDMINT_TOKEN })
  return async (args: readonly string[], input = ''): Promise<CommandResult> => {
    const expected = plain(await here.host(args, input), here.issuer)
    const answer = plain(await elsewhere([...args, '--server', there.issuer], input), there.issuer)
    t.same(answer, expected, args.join(' '))
    return answer
  }
}

// Two runs are at different times, and two servers have different keys.
function plain({ code, stdout, stderr }: CommandResult, issuer: string): CommandResult {
  const same = (text: string) =>
    text
      .replaceAll(issuer, 'https://issuer.example')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z( \([^)]*\))?/g, 'a time')
      .replace(/"kid":"[^"]*"|^[\w-]{43} /gm, 'a kid')
      .replace(/[\w-]{43}(?="?$)/gm, 'a secret')
      .replace(/"client_secret":"[^"]*"|CLIENT_SECRET=\\?"[^"]*"/g, 'a secret')
  return { code, stdout: same(stdout), stderr: same(stderr) }
}

const NONE = 'AAAAAAAAAAAAAAAA'

t.test('what commands show', async (t) => {
  const both = await startBoth(t)
  for (const args of [
    ['user', 'list'],
    ['user', 'show', 'alice'],
    ['client', 'list'],
    ['client', 'show', 'shop'],
    ['client', 'show', 'wiki'],
    ['user', 'sessions', 'alice'],
    ['user', 'grants', 'alice'],
    ['grant', 'list', '--user', 'alice'],
    ['grant', 'list', '--client', 'shop'],
    ['token', 'list', '--user', 'alice'],
    ['token', 'inspect', TOKEN],
    ['keys', 'list'],
    ['limits'],
    ['admin', 'list'],
    ['client', 'lint', 'shop'],
    ['client', 'lint'],
    ['user', 'lint', 'alice'],
    ['user', 'lint'],
    ['resource', 'lint'],
    ['issuer', 'lint'],
    ['provider', 'lint'],
    ['explain', '--last', '5'],
    ['explain', 'a-refused-request'],
    ['explain', '--user', 'alice', '--client', 'shop'],
  ]) {
    t.match(await both(args), { code: 0, stderr: '' }, args.join(' '))
    t.match(await both([...args, '--json']), { code: 0, stderr: '', stdout: /^[{]/ }, args.join(' '))
  }
  t.match((await both(['user', 'sessions', 'alice'])).stdout, 'Fire\\u{1b}[31mfox')
})

t.test('what commands refuse', async (t) => {
  const both = await startBoth(t)
  for (const args of [
    ['explain', 'nothing'],
    ['explain', '--user', 'nobody', '--client', 'shop'],
    ['user', 'show', 'nobody'],
    ['user', 'show', 'ALICE'],
    ['user', 'sessions', 'nobody'],
    ['user', 'grants', `${'a'.repeat(300)}`],
    ['user', 'disable', 'a/b ä%2F?#'],
    ['user', 'enable', 'nobody'],
    ['user', 'end', 'nobody'],
    ['user', 'remove', 'nobody', '--yes'],
    ['user', 'unlock', 'nobody'],
    ['grant', 'list', '--client', 'nothing'],
    ['client', 'show', 'nothing'],
    ['client', 'disable', 'nothing'],
    ['client', 'remove', 'https://tool.example.net/client.json', '--yes'],
    ['client', 'rotate-secret', 'shop'],
    ['client', 'end-old-secret', 'nothing'],
    ['grant', 'end', NONE],
    ['grant', 'end', 'x'],
    ['session', 'end', 'alice', 'two'],
    ['limits', 'lift', 'nothing'],
    ['user', 'add', 'alice'],
    ['user', 'add', 'al ice '],
    ['user', 'add', 'other', '--sub', 'sub-of-alice'],
    ['user', 'add', 'other', '--linked-subject', 'x'],
    ['user', 'update', 'nobody', '--name', 'x'],
    ['user', 'update', 'alice', '--linked-subject', 'x'],
    ['user', 'withdraw-consent', 'alice', 'shop'],
    ['user', 'withdraw-consent', 'nobody', 'shop'],
    ['client', 'add', 'shop'],
    ['client', 'add', 'new', '--redirect-uri', '/x'],
    ['client', 'add', 'new', '--access-token-ttl', 'x'],
    ['client', 'update', 'nothing', '--name', 'x'],
    ['client', 'update', 'shop', '--access-token-ttl', 'x'],
    ['client', 'update', 'shop', '--redirect-uri', '/x'],
    ['client', 'lint', 'nothing'],
    ['user', 'lint', 'nobody'],
    ['issuer', 'lint', 'https://none.example'],
    ['client', 'keys', 'show', 'shop'],
    ['client', 'keys', 'refresh', 'shop'],
    ['admin', 'grant', 'nobody'],
    ['token', 'inspect', newToken(NONE)],
    ['token', 'inspect', 'nonsense'],
    ['token', 'revoke', newToken(NONE)],
  ]) {
    t.match(await both(args), { code: 1 }, args.join(' '))
    t.match(await both([...args, '--json']), { code: 1 }, args.join(' '))
  }
})

t.test('what commands change', async (t) => {
  for (const args of [
    ['user', 'disable', 'alice'],
    ['user', 'enable', 'alice'],
    ['user', 'end', 'alice'],
    ['user', 'remove', 'alice', '--yes'],
    ['user', 'unlock', 'alice'],
    ['session', 'end', 'alice', 'one'],
    ['session', 'end', 'alice', '--all'],
    ['session', 'end-all', '--yes'],
    ['grant', 'end', GRANT],
    ['grant', 'end', '--user', 'alice'],
    ['grant', 'end', '--client', 'shop'],
    ['token', 'revoke', TOKEN, '--family'],
    ['client', 'disable', 'shop'],
    ['client', 'disable', 'https://tool.example.net/client.json'],
    ['client', 'enable', 'shop'],
    ['client', 'remove', 'shop', '--yes'],
    ['client', 'rotate-secret', 'wiki', '--keep', '24h'],
    ['client', 'end-old-secret', 'wiki'],
    ['user', 'add', 'new', '--name', 'New', '--sub', 'sub-of-new', '--claim', 'groups=["staff"]'],
    ['user', 'add', 'new', '--sub', 'sub-of-new', '--email', 'new@example.com'],
    ['user', 'update', 'alice', '--claim', 'level={"a":1,"b":2}', '--remove-claim', 'name'],
    ['user', 'update', 'alice', '--linked-subject', 'https://idp.example.com#1'],
    ['user', 'update', 'bob', '--clear-linked-subjects'],
    ['client', 'add', 'new', '--scope', 'api.read'],
    ['client', 'add', 'new', '--public', '--redirect-uri', 'com.example.new:/cb', '--access-token-ttl', '60'],
    ['client', 'add', 'new', '--for', 'machine', '--scope', 'api.read'],
    ['client', 'update', 'shop', '--name', 'Shop', '--clear-scopes'],
    ['client', 'update', 'shop', '--public'],
    ['admin', 'revoke', 'bob'],
  ]) {
    // A server does not count the codes and tokens that it still has to revoke.
    const ways = args[0] === 'client' && args[1] === 'remove' ? [[]] : [[], ['--json']]
    for (const flags of ways) {
      const both = await startBoth(t)
      t.match(await both([...args, ...flags]), { code: 0, stderr: '' }, args.join(' '))
      await both(['user', 'list'])
      await both(['client', 'list'])
      // A server revokes the tokens of a removed client in the background.
      if (args[1] !== 'remove') await both(['token', 'inspect', TOKEN])
    }
  }
})

t.test('resources and trusted issuers', async (t) => {
  const both = await startBoth(t)
  const [api, idp] = ['https://api.example.com/', 'https://idp.example.com']
  for (const [args, code] of [
    [['resource', 'list'], 0],
    [['resource', 'add', api, '--scope', 'a b', '--access-token-ttl', '300'], 0],
    [['resource', 'add', api], 1],
    [['resource', 'add', 'nonsense'], 1],
    [['resource', 'update', api, '--name', 'An API', '--clear-scopes'], 0],
    [['resource', 'update', 'https://none.example.com', '--name', 'x'], 1],
    [['resource', 'disable', api], 0],
    [['resource', 'show', api], 0],
    [['resource', 'enable', api], 0],
    [['resource', 'list'], 0],
    [['resource', 'remove', api, '--yes'], 0],
    [['resource', 'show', api], 1],
    [['issuer', 'list'], 0],
    [['issuer', 'add', idp, '--condition', 'tenant=acme'], 0],
    [['issuer', 'add', idp], 1],
    [['issuer', 'add', 'nonsense'], 1],
    [['issuer', 'update', idp, '--clear-conditions'], 0],
    [['issuer', 'show', idp], 0],
    [['issuer', 'list'], 0],
    [['issuer', 'remove', idp, '--yes'], 0],
    [['issuer', 'remove', idp, '--yes'], 1],
  ] as const) {
    t.match(await both(args), { code }, args.join(' '))
    if (args[1] === 'list' || args[1] === 'show') await both([...args, '--json'])
  }
})

t.test('files are imported', async (t) => {
  const SECRET = 'a-secret-of-more-than-32-characters-in-all'
  for (const [args, file] of [
    [
      ['client', 'import', '-'],
      [
        { client_id: 'made' },
        { client_id: 'given', client_secret: SECRET, allowed_scopes: ['redmint:write', 'a'] },
      ],
    ],
    [
      ['client', 'import', '-'],
      [{ client_id: 'shop' }, { client_id: 'new', redirect_uris: ['/x'] }],
    ],
    [
      ['client', 'import', '-', '--skip-existing'],
      [{ client_id: 'shop' }, { client_id: 'made' }],
    ],
    [
      ['client', 'import', '-', '--update'],
      [{ client_id: 'shop', client_name: 'S' }, { client_id: 'made' }],
    ],
    [
      ['user', 'import', '-'],
      [{ username: 'new', sub: 's-1', claims: { name: 'New' }, admin: ['redmint:read'] }],
    ],
    [
      ['user', 'import', '-'],
      [{ username: 'alice' }, { username: 'other', sub: 'sub-of-alice' }],
    ],
    [
      ['user', 'import', '-', '--skip-existing'],
      [{ username: 'alice' }, { username: 'new', sub: 's-1' }],
    ],
    [['user', 'import', '-', '--dry-run'], [{ username: 'new' }]],
  ] as const) {
    for (const flags of [[], ['--json']]) {
      const both = await startBoth(t)
      await both([...args, ...flags], JSON.stringify(file))
      await both(['client', 'list', '--json'])
      await both(['user', 'list', '--json'])
    }
  }
})

t.test('an object in a record is replaced, not merged', async (t) => {
  const both = await startBoth(t)
  await both(['user', 'update', 'alice', '--claim', 'level={"a":1,"b":{"c":2,"d":3}}'])
  await both(['user', 'update', 'alice', '--claim', 'level={"b":{"d":4}}'])
  t.match(await both(['user', 'show', 'alice', '--json']), { stdout: '"level":{"b":{"d":4}}' })
  t.match(await both(['user', 'update', 'alice', '--claim', 'level={"b":{"d":4}}']), {
    stdout: /Nothing is changed/,
  })
  const jwks = (kid: string) => JSON.stringify({ keys: [], kid })
  t.match(await both(['client', 'update', 'shop', '--jwks', jwks('x')]), { code: 1 })
})

t.test('rights are given, listed and taken', async (t) => {
  const both = await startBoth(t)
  await both(['admin', 'grant', 'alice'])
  await both(['admin', 'grant', 'bob', '--scope', 'redmint:users:read'])
  await both(['admin', 'grant', 'bob', '--scope', 'redmint:read'])
  t.match(await both(['admin', 'list', '--json']), {
    stdout: /"alice","admin":\["redmint:read","redmint:write"\]/,
  })
  t.match(await both(['admin', 'revoke', 'alice']), { code: 1, stderr: /the last one/ })
  t.match(await both(['admin', 'revoke', 'bob']), { code: 0, stdout: /nothing/ })
})

t.test('an invitation, and what Redis is like', async (t) => {
  const [here, there] = [await startAtServer(t), await startAtServer(t)]
  const redmint = there.elsewhere({ REDMINT_TOKEN: await there.tokenOf('redmint:read', 'redmint:write') })
  const at_server = ['--server', there.issuer, '--json']
  t.match(await redmint(['client', 'invite', '--uses', '2', ...at_server]), {
    code: 0,
    stdout: `"registration_endpoint":"${there.issuer}/`,
  })
  t.match(await here.host(['client', 'invite', '--uses', '2']), { code: 0, stdout: /registers 2 clients/ })
  const server = {
    name: 'r:6379',
    remote: false,
    info: undefined,
    save: undefined,
    latency: { p50: 0.1, p95: 0.3 },
    missing_rights: [],
  }
  Object.assign(there.storage, {
    examine: async () => [{ ...server, clock_ahead: 0, certificate_until: undefined }],
  })
  t.match(await redmint(['server', '--server', there.issuer]), {
    code: 0,
    stdout: /\nok +latency \(r:6379\)/,
  })
  t.match(await redmint(['doctor', '--server', there.issuer]), {
    code: 0,
    stdout: /\nok +latency \(r:6379\)[\s\S]*\nMade on a host only: clients, /,
  })
})

t.test('what works on Redis only says so', async (t) => {
  const { issuer, tokenOf, elsewhere } = await startAtServer(t)
  const redmint = elsewhere({ REDMINT_TOKEN: await tokenOf('redmint:write'), REDMINT_SERVER: issuer })
  const hashed = '$argon2id$v=19$m=8192,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA'
  for (const [args, why, file] of [
    [['user', 'add', 'x', '--password-stdin'], /A password is set on Redis only/],
    [['user', 'list', '--inactive', '90d'], /--inactive works on Redis only/],
    [['user', 'import', '-'], /A password is set on Redis only/, { username: 'x', password_hash: hashed }],
    [['client', 'import', '-'], /on Redis only/, { client_id: 'x', client_secret_hash: 'a'.repeat(44) }],
    [['client', 'add', 'x', '--for', 'machine', '--scope', 'a'], /needs the issuer of the server/],
  ] as const) {
    t.match(await redmint(args, JSON.stringify([file])), { code: 2, stderr: why }, args.join(' '))
  }
  t.match(await redmint(['user', 'show', 'x']), { code: 1 }, 'nothing was written')
})

t.test('a new secret is shown although the record cannot be checked', async (t) => {
  const { issuer, tokenOf, elsewhere } = await startAtServer(t)
  const redmint = elsewhere({ REDMINT_TOKEN: await tokenOf('redmint:clients:write'), REDMINT_SERVER: issuer })
  t.match(await redmint(['client', 'add', 'x']), {
    code: 0,
    stdout: /client_secret {2}[\w-]{43}[\s\S]*Warning: the record was not checked/,
  })
})

t.test('keys are rotated once', async (t) => {
  const both = await startBoth(t)
  t.match(await both(['keys', 'rotate']), { code: 0, stdout: /The keys are rotated/ })
  t.match(await both(['keys', 'rotate', '--json']), { code: 1, stderr: /It is too soon/ })
})

t.test('a name that would lead to another path is not sent', async (t) => {
  const { issuer, tokenOf, elsewhere } = await startAtServer(t)
  const redmint = elsewhere({ REDMINT_TOKEN: await tokenOf('redmint:write'), REDMINT_SERVER: issuer })
  for (const name of ['', '.', '..']) {
    t.match(await redmint(['session', 'end', 'alice', name]), { code: 1, stderr: /cannot be in an address/ })
    t.match(await redmint(['user', 'remove', name, '--yes']), { code: 1, stderr: /cannot be in an address/ })
  }
})

t.test('the variables for work at a server are no mistake on a host', async (t) => {
  const { storage } = await startAtServer(t)
  const environment = { REDIS_URL: 'redis://127.0.0.1:1', REDMINT_TOKEN: 'a token', REDMINT_SERVER: ' ' }
  t.match(await createCli({ storage, environment }).redmint(['user', 'list']), { code: 0, stderr: '' })
})
