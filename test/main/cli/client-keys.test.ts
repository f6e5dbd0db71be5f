// What the commands about clients do for clients with keys.

import t from 'tap'
import { readClientKeys } from '../../../src/admin/clients/key-operations.ts'
import { lintClient } from '../../../src/admin/clients/lint.ts'
import { readConfig } from '../../../src/config/config.ts'
import type { GetDocument } from '../../../src/outbound/public-get.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { decryptionKey, keySetWith } from '../../support/encryption-key.ts'
import { createClient, readClient } from '../../support/records.ts'
import { issuerKey, keySetOf } from '../../support/trusted-issuer.ts'

const [KEY, RSA] = [issuerKey('key'), issuerKey('rsa', 'RS256')]
const JWKS = keySetOf(KEY)
const KEYS = ['--auth-method', 'private_key_jwt', '--jwks', JWKS]
const AT = ['--auth-method', 'private_key_jwt', '--jwks-uri', 'https://bank.example.com/keys']

t.test('a client with keys gets no secret, and gives up the one that it has', async (t) => {
  const { redmint, storage } = createCli()
  const added = await redmint(['client', 'add', 'bank', ...KEYS])
  t.match(added, { code: 0 })
  t.notMatch(added.stdout, /client_secret {2}/)
  t.match(await readClient(storage, 'bank'), {
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: JWKS,
    client_secret_hash: '',
    grant_types: 'client_credentials',
  })
  t.match(await redmint(['client', 'show', 'bank']), { stdout: /private_key_jwt/ })
  const rotated = await redmint(['client', 'rotate-secret', 'bank'])
  t.match(rotated, { code: 1, stderr: /authenticates by private_key_jwt, and not by a secret/ })

  await redmint(['client', 'add', 'shop'])
  await redmint(['client', 'rotate-secret', 'shop', '--keep', '1h'])
  t.match(await redmint(['client', 'update', 'shop', ...AT]), { code: 0 })
  const { client_secret_hash, client_secret_created_at, old_secret_hash } =
    (await readClient(storage, 'shop')) ?? {}
  t.strictSame(
    [client_secret_hash, client_secret_created_at, old_secret_hash],
    [undefined, undefined, undefined],
  )
  const back = await redmint(['client', 'update', 'shop', '--clear-auth-method'])
  t.match(back, { code: 0, stdout: /client_secret {2}/ })
})

t.test('a client with a profile gets no secret, and one when the profile goes', async (t) => {
  const { storage, redmint } = createCli()
  const uri = ['--redirect-uri', 'https://bank.example.com/cb', '--jwks-uri', 'https://bank.example.com/keys']
  const added = await redmint(['client', 'add', 'bank', '--profile', 'fapi2', ...uri])
  t.match(added, { code: 0 })
  t.notMatch(added.stdout, /client_secret {2}/)
  t.match(await readClient(storage, 'bank'), { profile: 'fapi2', client_secret_hash: '' })
  t.match(await redmint(['client', 'lint', 'bank']), { code: 0 })
  const contradicting = await redmint(['client', 'update', 'bank', '--require-pkce', 'false'])
  t.match(contradicting, { code: 1, stderr: /require_pkce must be true or absent, because profile is fapi2/ })
  const back = await redmint(['client', 'update', 'bank', '--clear-profile'])
  t.match(back, { code: 0, stdout: /client_secret {2}/ })
})

t.test('a client that must sign its requests and has no keys is reported', async (t) => {
  const { redmint } = createCli()
  await redmint(['client', 'add', 'shop', '--require-signed-request-object', 'true'])
  t.match(await redmint(['client', 'lint', 'shop']), {
    stdout: /must sign its requests, and there is neither/,
  })
})

t.test('an encryption for which the record has no key is refused, and what there was stays', async (t) => {
  const { storage, redmint } = createCli()
  const alg = ['--userinfo-encrypted-response-alg', 'ECDH-ES']
  const refused = {
    code: 1,
    stderr: /userinfo_encrypted_response_alg is ECDH-ES, and jwks has no key for it/,
  }
  const jwks = keySetWith(KEY, decryptionKey('enc'))
  t.match(await redmint(['client', 'add', 'shop', ...alg, '--jwks', JWKS]), refused)
  t.match(await redmint(['client', 'add', 'shop', ...alg]), { code: 1, stderr: /neither jwks nor jwks_uri/ })
  t.match(await redmint(['client', 'add', 'shop', ...alg, '--jwks', jwks]), { code: 0 })
  t.match(await redmint(['client', 'update', 'shop', '--jwks', JWKS]), refused)
  t.match(await redmint(['client', 'add', 'far', ...alg, ...AT.slice(2)]), { code: 0 })

  const fields = { client_id: 'old', is_public: false, grant_types: ['client_credentials'] }
  const broken = { ...fields, userinfo_encrypted_response_alg: 'ECDH-ES', jwks: JSON.parse(JWKS) }
  t.match(await redmint(['client', 'import', '-'], JSON.stringify([broken])), refused)
  const declared = { label: 'team', clients: [{ ...broken, token_endpoint_auth_method: 'private_key_jwt' }] }
  t.match(await redmint(['apply', '-'], JSON.stringify(declared)), refused)

  const record = { client_id: 'old', is_public: 'true', grant_types: 'authorization_code', jwks: JWKS }
  await createClient(storage, 'old', { ...record, userinfo_encrypted_response_alg: 'ECDH-ES' })
  t.match(await redmint(['client', 'update', 'old', '--name', 'Old']), { code: 0 })
  const named = JSON.stringify([{ client_id: 'old', client_name: 'Older' }])
  t.match(await redmint(['client', 'import', '-', '--update'], named), { code: 0 })
})

t.test('keys that cannot authenticate the client are refused, and what there was stays', async (t) => {
  const { storage, redmint } = createCli()
  const stderr = /jwks must have a key that verifies .*: otherwise the client cannot authenticate/
  const refused = { code: 1, stderr }
  const enc = JSON.stringify({ keys: [{ ...KEY.jwk, use: 'enc' }] })
  const rsa = keySetOf(RSA)
  const fields = { client_id: 'bank', is_public: false, grant_types: ['client_credentials'] }
  const broken = { ...fields, token_endpoint_auth_method: 'private_key_jwt', jwks: JSON.parse(enc) }
  t.match(await redmint(['client', 'add', 'bank', ...KEYS.slice(0, 2), '--jwks', enc]), refused)
  t.match(await redmint(['client', 'add', 'bank', ...KEYS, '--auth-signing-alg', 'RS256']), refused)
  t.match(await redmint(['client', 'add', 'bank', '--profile', 'fapi2', '--jwks', rsa]), refused)
  t.match(await redmint(['client', 'import', '-'], JSON.stringify([broken])), refused)
  t.match(await redmint(['apply', '-'], JSON.stringify({ label: 'team', clients: [broken] })), refused)
  t.match(await redmint(['client', 'add', 'bank', ...KEYS]), { code: 0 })
  t.match(await redmint(['client', 'update', 'bank', '--jwks', enc]), refused)
  t.match(
    await redmint(['client', 'add', 'shop', '--jwks', enc]),
    { code: 0 },
    'it does not authenticate by them',
  )

  const record = { is_public: 'false', token_endpoint_auth_method: 'private_key_jwt', jwks: enc }
  await createClient(storage, 'old', { ...record, client_id: 'old', grant_types: 'client_credentials' })
  t.match(await redmint(['client', 'update', 'old', '--name', 'Old']), { code: 0 })
})

t.test('a record that nobody could authenticate with is refused', async (t) => {
  const { redmint } = createCli()
  const attempts: [flags: string[], problem: RegExp][] = [
    [['--auth-method', 'private_key_jwt'], /jwks is missing/],
    [[...KEYS, '--jwks-uri', 'https://bank.example.com/keys'], /exclude each other/],
    [[...KEYS, '--public', '--redirect-uri', 'https://bank.example.com/'], /is_public is true/],
    [[...KEYS, '--assertion-issuer', 'https://idp.example.com'], /assertion_issuer must be absent/],
    [['--auth-method', 'private_key_jwt', '--jwks', '{"keys":[{"kty":"oct","k":"eA"}]}'], /symmetric key/],
  ]
  for (const [flags, stderr] of attempts)
    t.match(await redmint(['client', 'add', 'x', ...flags]), { code: 1, stderr })
  t.not((await redmint(['client', 'add', 'x', '--auth-method', 'client_secret_jwt'])).code, 0)
})

t.test('import and apply take keys as JSON, and make no secret', async (t) => {
  const { redmint, storage } = createCli()
  const client = {
    client_id: 'bank',
    is_public: false,
    grant_types: ['client_credentials'],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: JSON.parse(JWKS),
  }
  const imported = await redmint(['client', 'import', '-'], JSON.stringify([client]))
  t.match(imported, { code: 0 })
  t.notMatch(imported.stdout, /client_secret/)
  t.equal((await readClient(storage, 'bank'))?.jwks, JWKS)

  await redmint(['client', 'add', 'shop'])
  const declared = (more: object) =>
    JSON.stringify({ label: 'team', clients: [{ ...client, client_id: 'shop', ...more }] })
  t.match(await redmint(['apply', '-', '--adopt'], declared({})), { code: 0 })
  t.match(await readClient(storage, 'shop'), { jwks: JWKS, client_secret_hash: undefined })
  const refused = await redmint(['apply', '-'], declared({ keys_refreshed_at: '2026-11-22T08:00:00.000Z' }))
  t.match(refused, { code: 1, stderr: /keys_refreshed_at cannot be declared/ })
})

t.test('lint says what is not used, and what cannot work', async (t) => {
  const warned = (more: Record<string, string>) =>
    lintClient(
      'bank',
      { client_id: 'bank', is_public: 'false', grant_types: 'client_credentials', ...more },
      {},
    ).map(({ level, field }) => `${level} ${field}`)
  const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks: JWKS }
  const secret = { client_secret_hash: Buffer.alloc(32).toString('base64') }
  t.strictSame(warned(keys), [])
  t.strictSame(warned({ ...keys, ...secret }), ['warning client_secret_hash'])
  t.strictSame(warned({ ...keys, assertion_audience: 'endpoint' }), ['warning assertion_audience'])
  t.strictSame(warned({ ...keys, token_endpoint_auth_signing_alg: 'RS256' }), ['warning jwks'])
  const enc = JSON.stringify({ keys: [{ ...KEY.jwk, use: 'enc' }] })
  t.strictSame(warned({ ...keys, jwks: enc }), ['warning jwks'])
  t.strictSame(warned({ ...keys, keys_refreshed_at: '2026-11-22T08:00:00.000Z' }), [
    'warning keys_refreshed_at',
  ])
  t.strictSame(warned({ ...keys, token_endpoint_auth_signing_alg: 'HS256' }), [
    'error token_endpoint_auth_signing_alg',
  ])
  t.strictSame(warned({ token_endpoint_auth_method: 'private_key_jwt' }), ['error jwks'])
  const unused = { token_endpoint_auth_signing_alg: 'ES256', assertion_audience: 'endpoint' }
  t.strictSame(warned({ ...secret, ...unused }), [
    'warning token_endpoint_auth_signing_alg',
    'warning assertion_audience',
  ])
})

t.test('keys refresh writes when, and needs an address', async (t) => {
  const now = 1_795_000_000_000
  const { redmint, storage } = createCli({
    now: () => now,
    environment: { REDIS_URL: 'redis://127.0.0.1:1' },
  })
  await redmint(['client', 'add', 'bank', ...AT])
  const { code, stdout, stderr } = await redmint(['client', 'keys', 'refresh', 'bank', '--json'])
  t.match({ code, stdout }, { code: 0, stdout: /keys_refreshed_at/ })
  t.match(stderr, /client_changed.*keys_refreshed_at/)
  t.equal((await readClient(storage, 'bank'))?.keys_refreshed_at, new Date(now).toISOString())
  await redmint(['client', 'add', 'shop', ...KEYS])
  t.match(await redmint(['client', 'keys', 'refresh', 'shop']), { code: 1, stderr: /has no jwks_uri/ })
  t.match(await redmint(['client', 'keys', 'refresh', 'nobody']), { code: 1, stderr: /no client "nobody"/ })
})

t.test('keys show has each key, and what it verifies', async (t) => {
  const { redmint, storage } = createCli()
  const { alg: _, use: __, ...plain } = RSA.jwk
  const keys = [
    KEY.jwk,
    plain,
    { ...RSA.jwk, kid: 'enc', use: 'enc' },
    { kty: 'oct', k: 'eA', kid: 'shared' },
  ]
  await redmint(['client', 'add', 'bank', ...KEYS])
  t.match(await redmint(['client', 'keys', 'show', 'bank']), {
    code: 0,
    stdout: /key +EC +sig +ES256\n\n1 key from the record/,
  })
  await redmint(['client', 'add', 'shop', ...AT])
  const { settings } = readConfig({ REDIS_URL: 'redis://localhost' })
  const get: GetDocument = async () => ({ ok: true, document: { keys }, headers: {} })
  const read = await readClientKeys({ storage, settings }, 'shop', get)
  t.match(read, {
    source: 'https://bank.example.com/keys',
    keys: [
      { kid: 'key', kty: 'EC', use: 'sig', algs: ['ES256'], is_secret: false },
      { kid: 'rsa', kty: 'RSA', algs: ['RS256', 'PS256'] },
      { kid: 'enc', use: 'enc', algs: [] },
      { kid: 'shared', kty: 'oct', is_secret: true },
    ],
  })
  t.notMatch(JSON.stringify(read), /eA/, 'no secret is shown')
  const away: GetDocument = async () => ({
    ok: false,
    code: 'time',
    problem: 'did not arrive in time',
    is_gone: false,
  })
  await t.rejects(readClientKeys({ storage, settings }, 'shop', away), /did not arrive in time/)
  await redmint(['client', 'add', 'plain'])
  t.match(await redmint(['client', 'keys', 'show', 'plain']), { code: 1, stderr: /has no keys/ })
})
