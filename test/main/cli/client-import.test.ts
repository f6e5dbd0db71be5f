import { createHash } from 'node:crypto'
import t from 'tap'
import { parseClient } from '../../../src/clients/record/client-record.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { createClient, readClient } from '../../support/records.ts'

interface Imported {
  total: number
  created: number
  clients: { client_id: string; outcome: string; client_secret?: string }[]
}

const IMPORT = ['client', 'import', '-']
const GIVEN = 'a-secret-of-more-than-32-characters-in-all'
const sha256 = (secret: string) => createHash('sha256').update(secret).digest('base64')
const service = (client_id: string) => ({ client_id, is_public: false, grant_types: ['client_credentials'] })

t.test('lists as arrays or strings, secrets given, hashed or generated', async (t) => {
  const { storage, redmint } = createCli()
  const file = [
    { ...service('made'), allowed_scopes: ['a', 'b'], client_name: 'Made' },
    { ...service('given'), client_secret: GIVEN, grant_types: 'client_credentials' },
    { ...service('hashed'), client_secret_hash: sha256(GIVEN), is_public: 'false', disabled: true },
    {
      client_id: 'phone',
      client_secret_hash: null,
      is_public: true,
      grant_types: 'authorization_code refresh_token',
      redirect_uris: ['https://a.example/cb', 'https://b.example/cb'],
      access_token_format: 'jwt',
    },
    {
      ...service('oidc'),
      refresh_token_rotation: false,
      can_introspect: true,
      require_pkce: false,
      first_party: true,
      subject_type: 'pairwise',
      sector_identifier: 'a.example',
      id_token_signed_response_alg: 'PS256',
      post_logout_redirect_uris: ['https://a.example/bye', 'https://b.example/bye'],
      backchannel_logout_uri: 'https://a.example/logout',
      logout_ends_tokens: 'true',
    },
  ]
  const directory = t.testdir({ 'clients.json': `\uFEFF${JSON.stringify(file)}` })
  const answer = await redmint(['client', 'import', `${directory}/clients.json`, '--json'])
  t.match(answer, { code: 0, stderr: /^$/ })
  t.notMatch(answer.stdout, GIVEN)
  const { clients, ...totals } = parsed<Imported>(answer)
  t.match(totals, { total: 5, created: 5, updated: 0, skipped: 0, unknown: 0, not_written: 0 })
  t.strictSame(
    clients.map(({ client_secret = '' }) => client_secret.length),
    [43, 0, 0, 0, 43],
  )
  const record = async (client_id: string) =>
    parseClient(client_id, (await readClient(storage, client_id)) ?? {})
  t.match(await record('made'), {
    record: {
      client_name: 'Made',
      allowed_scopes: ['a', 'b'],
      client_secret_hash: sha256(clients[0]?.client_secret ?? ''),
    },
  })
  t.match(await record('given'), { record: { client_secret_hash: sha256(GIVEN), disabled: false } })
  t.match(await record('hashed'), { record: { client_secret_hash: sha256(GIVEN), disabled: true } })
  t.match(await record('oidc'), {
    record: {
      refresh_token_rotation: false,
      can_introspect: true,
      require_pkce: false,
      first_party: true,
      subject_type: 'pairwise',
      sector_identifier: 'a.example',
      id_token_signed_response_alg: 'PS256',
      post_logout_redirect_uris: ['https://a.example/bye', 'https://b.example/bye'],
      backchannel_logout_uri: 'https://a.example/logout',
      logout_ends_tokens: true,
    },
  })
  t.match(await record('phone'), {
    record: {
      is_public: true,
      redirect_uris: ['https://a.example/cb', 'https://b.example/cb'],
      grant_types: ['authorization_code', 'refresh_token'],
      access_token_format: 'jwt',
    },
  })
})

t.test(
  'nothing is written unless all clients are valid, and every problem is reported with its place',
  async (t) => {
    const { storage, redmint } = createCli()
    await redmint(['client', 'add', 'there'])
    const file = [
      service('good'),
      7,
      { is_public: false },
      { ...service('a'), redirectUris: [] },
      { ...service('b'), allowed_scopes: ['x y'] },
      { ...service('c'), grant_types: 3 },
      { ...service('d'), is_public: 'maybe' },
      { ...service('e'), client_secret: 'short' },
      { ...service('f'), client_secret: GIVEN, client_secret_hash: sha256(GIVEN) },
      { ...service('g'), redirect_uris: '/cb' },
      { ...service('h'), is_public: true, client_secret: GIVEN },
      service('good'),
      service('there'),
      { client_id: 'i', is_public: true },
      { ...service('k'), client_secret: '' },
      { ...service('l'), client_secret_hash: sha256('') },
      JSON.parse(`{"client_id":"j","is_public":false,"grant_types":"client_credentials","__proto__":"x"}`),
    ]
    const answer = await redmint(IMPORT, JSON.stringify(file))
    t.match(answer, { code: 1, stdout: /^$/ })
    t.strictSame(answer.stderr.trimEnd().split('\n'), [
      'Nothing was written. 16 problems:',
      '  [1]: must be an object',
      '  [2]: client_id must be a string of 1 to 255 printable ASCII characters',
      '  [3] "a": redirectUris is not a field of a client: did you mean redirect_uris?',
      '  [4] "b": allowed_scopes must be an array of strings that are not empty and have no white space',
      '  [5] "c": grant_types must be an array of strings or a string',
      '  [6] "d": is_public must be "true" or "false"',
      '  [7] "e": client_secret has 5 characters, and needs at least 32',
      '  [8] "f": client_secret and client_secret_hash exclude each other',
      '  [9] "g": redirect_uris: "/cb" is not absolute (RFC 6749 §3.1.2)',
      '  [10] "h": client_secret_hash must be absent, because is_public is true',
      '  [11] "good": client_id is in the file twice, first at [0]',
      '  [12] "there": exists already: use --update to change it or --skip-existing to keep it',
      '  [13] "i": grant_types is missing',
      '  [14] "k": client_secret has 0 characters, and needs at least 32',
      '  [15] "l": client_secret_hash is the digest of an empty secret: give the client another one with redmint client rotate-secret',
      '  [16] "j": __proto__ is not a field of a client',
    ])
    t.equal(await readClient(storage, 'good'), undefined)
  },
)

t.test('files that are not a list of clients', async (t) => {
  const { redmint } = createCli()
  t.match(await redmint(IMPORT, `[{"client_secret":"${GIVEN}`), { code: 1, stderr: /not valid JSON/ })
  t.notMatch((await redmint(IMPORT, `[{"client_secret":"${GIVEN}",}]`)).stderr, 'secret-of')
  t.match(await redmint(IMPORT, '{}'), { code: 1, stderr: /line 1: client_id must be/ })
  t.match(await redmint(['client', 'import', '/nowhere/at/all.json']), { code: 2, stderr: /ENOENT/ })
  t.match(await redmint([...IMPORT, '--update', '--skip-existing'], '[]'), { code: 2 })
  t.match(await redmint(IMPORT, '[]'), { code: 0, stdout: 'total 0.\n' })
})

t.test('--update changes the fields in the file, and keeps an existing secret', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['client', 'add', 'c', '--scope', 'a', '--name', 'Old'])
  await redmint(['client', 'add', 'p', '--public', '--redirect-uri', 'https://a.example/'])
  await redmint(['client', 'add', 'q', '--redirect-uri', 'https://a.example/'])
  const before = await readClient(storage, 'c')
  const file = [
    { client_id: 'c', client_name: 'New' },
    { client_id: 'p', is_public: false },
    { client_id: 'q', is_public: true, redirect_uris: ['https://b.example/'] },
    service('new'),
  ]
  const { clients } = parsed<Imported>(await redmint([...IMPORT, '--update', '--json'], JSON.stringify(file)))
  t.strictSame(
    clients.map(({ outcome, client_secret }) => [outcome, client_secret !== undefined]),
    [
      ['updated', false],
      ['updated', true],
      ['updated', false],
      ['created', true],
    ],
  )
  t.strictSame(await readClient(storage, 'c'), { ...before, client_name: 'New' })
  t.match(parseClient('q', (await readClient(storage, 'q')) ?? {}), {
    ok: true,
    record: { is_public: true, redirect_uris: ['https://b.example/'] },
  })
  const bad = await redmint([...IMPORT, '--update'], JSON.stringify([{ client_id: 'c', grant_types: [] }]))
  t.match(bad, { code: 1, stderr: /\[0\] "c": grant_types is missing/ })
})

t.test(
  'storage that fails part-way: the result reports what was written, and a second run continues',
  async (t) => {
    const storage = new MemoryStorage()
    const { redmint } = createCli({ storage })
    const { records } = storage
    const create = records.create.bind(records)
    let writes = 0
    records.create = async (...given) => {
      writes += 1
      // The last write succeeds, but its answer is lost.
      if (writes === 101) await create(...given)
      if (writes > 100) throw new StorageUnavailable('no answer in time')
      return create(...given)
    }
    const content = JSON.stringify(Array.from({ length: 300 }, (_, index) => service(`c${index}`)))
    const broken = await redmint([...IMPORT, '--json'], content)
    t.equal(broken.code, 3)
    t.match(JSON.parse(broken.stderr).error, /no answer in time[\s\S]*--skip-existing/)
    const first = parsed<Imported>(broken).clients
    for (const { client_id, outcome, client_secret = '' } of first) {
      const hash = await readClient(storage, client_id)
      if (outcome === 'created') t.equal(hash?.client_secret_hash, sha256(client_secret))
      else if (outcome === 'not_written') t.strictSame([hash, client_secret], [undefined, ''])
      else if (hash) t.strictSame([outcome, hash.client_secret_hash], ['unknown', sha256(client_secret)])
      else t.equal(outcome, 'unknown')
    }
    t.equal(first.filter(({ outcome }) => outcome === 'created').length, 100)
    t.ok(first.filter(({ outcome }) => outcome === 'unknown').length <= 64, 'no new write is started')

    records.create = create
    const second = parsed(await redmint([...IMPORT, '--skip-existing', '--json'], content))
    t.match(second, { total: 300, skipped: 101, created: 199 })
  },
)

t.test('a client that another process adds in the meantime is not changed', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage })
  const { records } = storage
  const create = records.create.bind(records)
  records.create = async (...given) => {
    await create(...given.map((write) => ({ ...write, hash: { ...write.hash, client_name: 'theirs' } })))
    return create(...given)
  }
  const answer = await redmint(IMPORT, JSON.stringify([service('c')]))
  t.match(answer, { code: 1, stdout: /^c +not_written$/m, stderr: /1 client not completed: another process/ })
  t.equal((await readClient(storage, 'c'))?.client_name, 'theirs')
})

t.test('progress is shown on a terminal alone', async (t) => {
  const content = JSON.stringify([service('a'), service('b')])
  t.match(await createCli().redmint(IMPORT, content, true), { code: 0, stderr: /\rWritten 2\/2\n$/ })
  t.match(await createCli().redmint(IMPORT, content), { code: 0, stderr: /^$/ })
})

t.test('thousands are written in parallel, within the limit', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage })
  const { records } = storage
  const create = records.create.bind(records)
  let running = 0
  let most = 0
  records.create = async (...given) => {
    running += 1
    most = Math.max(most, running)
    await new Promise(setImmediate)
    running -= 1
    return create(...given)
  }
  const content = JSON.stringify(Array.from({ length: 2000 }, (_, index) => service(`c${index}`)))
  t.match(await redmint(IMPORT, content), { code: 0, stdout: /total 2000, created 2000\.\n$/ })
  t.equal(most, 64)
})

t.test('addresses that nobody may register are refused, and existing ones stay', async (t) => {
  const { storage, redmint } = createCli()
  const old = {
    client_id: 'old',
    is_public: 'true',
    redirect_uris: 'http://a.example/cb',
    grant_types: 'authorization_code',
    refresh_tokens: 'never',
  }
  await createClient(storage, 'old', old)
  const bad: [uri: string, problem: RegExp][] = [
    ['http://a.example/cb', /is http on a host that is not loopback, .* use https/],
    ['https://a.example/cb,https://b.example/cb', /has a comma between URIs/],
    ['https://a.example/cb?state=a', /has "state" in its query, which answers add/],
    ['https://a.example/*', /wildcards are not supported/],
    ['vscode://a.b/cb', /set application_type to native/],
  ]
  for (const [uri, problem] of bad) {
    const refused = { code: 1, stderr: problem }
    t.match(await redmint(['client', 'add', 'new', '--public', '--redirect-uri', uri]), refused, uri)
    t.match(await redmint(['client', 'update', 'old', '--redirect-uri', uri]), refused, uri)
    const file = JSON.stringify([{ client_id: 'old', redirect_uris: [uri] }])
    t.match(await redmint(['client', 'import', '-', '--update'], file), refused, uri)
  }
  t.equal(await readClient(storage, 'new'), undefined)
  t.match(await redmint(['client', 'update', 'old', '--name', 'Old']), { code: 0 })
  const file = JSON.stringify([{ client_id: 'old', client_name: 'Older' }])
  t.match(await redmint(['client', 'import', '-', '--update'], file), { code: 0 })
  t.strictSame(await readClient(storage, 'old'), { ...old, client_name: 'Older' })
  t.match(await redmint(['client', 'lint', 'old']), { code: 1, stdout: /error .* use https/ })
  const native = ['--public', '--application-type', 'native', '--redirect-uri', 'vscode://a.b/cb']
  t.match(await redmint(['client', 'add', 'editor', ...native, '--scope', 'openid']), { code: 0 })
  t.match(await redmint(['client', 'lint', 'editor']), { code: 0, stdout: /any app can claim/ })
})
