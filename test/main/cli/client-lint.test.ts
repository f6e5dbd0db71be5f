import t from 'tap'
import { lintClient } from '../../../src/admin/clients/lint.ts'
import { SecretUses } from '../../../src/clients/authentication/secret-uses.ts'
import { secretHash } from '../../../src/clients/record/client-secret.ts'
import { SILENT } from '../../../src/core/log.ts'
import type { Hash } from '../../../src/core/record-hash.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { decryptionKey, keySetWith } from '../../support/encryption-key.ts'
import { recordFinding } from '../../support/record-finding.ts'
import { createClient } from '../../support/records.ts'

const SOUND: Hash = {
  client_id: 'c',
  client_name: 'C',
  redirect_uris: 'https://a.example/cb http://127.0.0.1/cb http://localhost:8080/cb http://[::1]/cb',
  allowed_scopes: 'a b',
  grant_types: 'authorization_code refresh_token',
  is_public: 'true',
  post_logout_redirect_uris: 'https://a.example/bye http://localhost/bye',
}
const SALTED = { pairwise_salt: 'a salt of the tests', signing_algs: ['ES256', 'RS256'] } as const

/** The change that makes the public client one that authenticates by a certificate. */
const BY_CERTIFICATE = {
  is_public: 'false',
  token_endpoint_auth_method: 'tls_client_auth',
  tls_client_auth_san_dns: 'c.example',
}

t.test('a sound record has no findings', async (t) => {
  t.strictSame(lintClient('c', SOUND, SALTED), [])
  for (const choice of [
    { refresh_tokens: 'never', grant_types: 'authorization_code' },
    { refresh_tokens: 'offline_access', allowed_scopes: 'a offline_access' },
  ]) {
    t.strictSame(lintClient('c', { ...SOUND, ...choice }, SALTED), [], choice.refresh_tokens)
  }
  const certificates = { ...SALTED, client_certificate_secret: 's'.repeat(32) }
  t.strictSame(lintClient('c', { ...SOUND, ...BY_CERTIFICATE }, certificates), [])
})

t.test('each mistake is found', async (t) => {
  const cases: [change: Record<string, string>, level: string, field: string, problem: RegExp][] = [
    [{ is_public: 'yes' }, 'error', 'is_public', /must be/],
    [{ redirect_uris: 'https://a.example/ /cb' }, 'error', 'redirect_uris', /not absolute/],
    [
      { client_secret_hash: secretHash('') },
      'error',
      'client_secret_hash',
      /an empty secret: .* rotate-secret/,
    ],
    [{ client_id: 'other' }, 'error', 'client_id', /differs/],
    [{ client_id: '' }, 'warning', 'client_id', /is missing/],
    [{ redirect_uri: 'https://a.example/' }, 'warning', 'redirect_uri', /did you mean redirect_uris/],
    [{ Scopes: 'a' }, 'warning', 'Scopes', /did you mean allowed_scopes/],
    [{ 'grant-type': 'a' }, 'warning', 'grant-type', /did you mean grant_types/],
    [
      {
        is_public: 'false',
        client_secret_hash: secretHash('a'),
        old_secret_hash: secretHash('b'),
        old_secret_ends_at: '2020-01-01T00:00:00Z',
      },
      'warning',
      'old_secret_hash',
      /not accepted since 2020.* redmint client end-old-secret c$/,
    ],
    [
      BY_CERTIFICATE,
      'warning',
      'token_endpoint_auth_method',
      /is tls_client_auth, which needs CLIENT_CERTIFICATE_SECRET, but it is not set here: nobody/,
    ],
    [
      { tls_client_certificate_bound_access_tokens: 'true' },
      'warning',
      'tls_client_certificate_bound_access_tokens',
      /needs CLIENT_CERTIFICATE_SECRET, but it is not set here: the client gets no tokens/,
    ],
    [
      { tls_client_auth_san_dns: 'c.example' },
      'warning',
      'tls_client_auth_san_dns',
      /is not used, because token_endpoint_auth_method is not tls_client_auth/,
    ],
    [
      { ...BY_CERTIFICATE, tls_client_auth_san_dns: '' },
      'error',
      'tls_client_auth_subject_dn',
      /is missing: tls_client_auth needs it/,
    ],
    [
      { ...BY_CERTIFICATE, tls_client_auth_subject_dn: 'CN=c' },
      'error',
      'tls_client_auth_san_dns',
      /must be absent, because there is tls_client_auth_subject_dn/,
    ],
    [
      { ...BY_CERTIFICATE, tls_client_auth_subject_dn: 'CN=c, O=d' },
      'error',
      'tls_client_auth_subject_dn',
      /without spaces between its parts/,
    ],
    [
      { ...BY_CERTIFICATE, token_endpoint_auth_method: 'self_signed_tls_client_auth' },
      'error',
      'jwks',
      /is missing: self_signed_tls_client_auth needs jwks or jwks_uri/,
    ],
    [
      { ...BY_CERTIFICATE, client_secret_hash: secretHash('a') },
      'error',
      'client_secret_hash',
      /must be absent, because token_endpoint_auth_method is tls_client_auth/,
    ],
    [
      { ...BY_CERTIFICATE, assertion_issuer: 'https://issuer.example' },
      'error',
      'assertion_issuer',
      /must be absent, because token_endpoint_auth_method is tls_client_auth/,
    ],
    [{ ...BY_CERTIFICATE, is_public: 'true' }, 'error', 'is_public', /must be false, because/],
    [{ tls_client_auth_san_dns: '*.c.example' }, 'error', 'tls_client_auth_san_dns', /is not a host name/],
    [{ tls_client_auth_san_ip: 'fe80::1%eth0' }, 'error', 'tls_client_auth_san_ip', /is not an IP address/],
    [{ tls_client_auth_san_uri: 'billing' }, 'error', 'tls_client_auth_san_uri', /is not an absolute URI/],
    [{ tls_client_auth_san_email: 'c' }, 'error', 'tls_client_auth_san_email', /is not an e-mail address/],
    [{ demo: 'true' }, 'warning', 'demo', /outside demo mode refuse .* redmint client remove c$/],
    [
      { grant_types: 'client_credentials', is_public: 'false', allowed_scopes: 'a openid email' },
      'warning',
      'allowed_scopes',
      /contains openid email for .* no user$/,
    ],
    [{ colour: 'red' }, 'warning', 'colour', /is not a known field$/],
    [{ client_secret: 'hunter2' }, 'warning', 'client_secret', /unhashed/],
    [{ grant_types: 'authorization_code client_credentials' }, 'warning', 'grant_types', /public client/],
    [{ redirect_uris: '' }, 'warning', 'redirect_uris', /cannot be used/],
    [{ grant_types: 'refresh_token', redirect_uris: '' }, 'warning', 'grant_types', /refresh_token/],
    [{ grant_types: 'client_credentials', is_public: 'false' }, 'warning', 'grant_types', /not used/],
    [{ redirect_uris: 'http://a.example/cb' }, 'error', 'redirect_uris', /use https \(RFC 9700 §2.6\)/],
    [{ redirect_uris: 'http://127.0.0.1.a.example/' }, 'error', 'redirect_uris', /use https/],
    [{ redirect_uris: 'https://a.example/,https://b.example/' }, 'error', 'redirect_uris', /comma/],
    [{ redirect_uris: 'vscode://a.b/cb' }, 'error', 'redirect_uris', /set application_type to native/],
    [
      { redirect_uris: 'vscode://a.b/cb', application_type: 'native' },
      'warning',
      'redirect_uris',
      /any app can claim, to receive the codes \(RFC 8252 §8.4\)/,
    ],
    [{ redirect_uris: 'javascript:x', application_type: 'native' }, 'error', 'redirect_uris', /scheme/],
    [
      { post_logout_redirect_uris: 'https://a.example/,a.b:/' },
      'error',
      'post_logout_redirect_uris',
      /comma/,
    ],
    [{ redirect_uris: 'https://a.example/cb?iss=a' }, 'error', 'redirect_uris', /has "iss" in its query/],
    [
      { post_logout_redirect_uris: 'https://a.example/?state=a' },
      'error',
      'post_logout_redirect_uris',
      /has "state" in its query/,
    ],
    [{ post_logout_redirect_uris: 'myapp:/x' }, 'error', 'post_logout_redirect_uris', /application_type/],
    [{ require_pkce: 'false' }, 'error', 'require_pkce', /is_public is true/],
    [{ subject_type: 'pairwise' }, 'error', 'sector_identifier', /is missing/],
    [{ sector_identifier: 'a.example' }, 'warning', 'sector_identifier', /is not used/],
    [
      { post_logout_redirect_uris: 'http://a.example/bye' },
      'warning',
      'post_logout_redirect_uris',
      /http on a host/,
    ],
    [
      { post_logout_redirect_uris: 'https://a.example/ https://a.example/' },
      'warning',
      'post_logout_redirect_uris',
      /more than once/,
    ],
    [
      { backchannel_logout_url: 'x' },
      'warning',
      'backchannel_logout_url',
      /did you mean backchannel_logout_uri/,
    ],
    [{ logo_uri: 'http://a.example/logo.png' }, 'error', 'logo_uri', /must be an https URL/],
    [{ first_party: 'true', logo_uri: 'https://a.example/l' }, 'warning', 'logo_uri', /first_party is true/],
    [
      { grant_types: 'client_credentials', is_public: 'false', policy_uri: 'https://a.example/p' },
      'warning',
      'policy_uri',
      /lacks authorization_code$/,
    ],
    [{ first_party: 'true', tos_uri: 'https://a.example/t' }, 'warning', 'tos_uri', /is not used/],
    [{ refresh_tokens: 'sometimes' }, 'error', 'refresh_tokens', /must be/],
    [{ grant_types: 'authorization_code' }, 'warning', 'refresh_tokens', /gets refresh tokens .* set it/],
    [{ refresh_tokens: 'never' }, 'warning', 'refresh_tokens', /gets none/],
    [{ refresh_tokens: 'offline_access' }, 'warning', 'refresh_tokens', /allowed_scopes lacks/],
    [{ allowed_scopes: 'a offline_access' }, 'warning', 'refresh_tokens', /set it to offline_access/],
    [
      { grant_types: 'client_credentials', is_public: 'false', refresh_tokens: 'never' },
      'warning',
      'refresh_tokens',
      /is not used/,
    ],
    [{ claims: '{"tenant":"acme"}' }, 'warning', 'claims', /grant_types lacks client_credentials/],
    [{ claims: '{"iss":"x"}' }, 'error', 'claims', /"iss" cannot be set as a claim/],
    [{ claims: 'tenant=acme' }, 'error', 'claims', /must be a JSON object/],
    [
      { grant_types: 'client_credentials', is_public: 'false', scope_claims_in_id_token: 'true' },
      'warning',
      'scope_claims_in_id_token',
      /is not used/,
    ],
    [
      { access_token_signed_response_alg: 'PS256' },
      'warning',
      'access_token_signed_response_alg',
      /SIGNING_ALGS/,
    ],
    [{ id_token_signed_response_alg: 'EdDSA' }, 'warning', 'id_token_signed_response_alg', /SIGNING_ALGS/],
    [
      { authorization_signed_response_alg: 'EdDSA' },
      'warning',
      'authorization_signed_response_alg',
      /SIGNING_ALGS/,
    ],
    [
      { id_token_encrypted_response_alg: 'ECDH-ES' },
      'warning',
      'id_token_encrypted_response_alg',
      /there is neither jwks nor jwks_uri/,
    ],
    [
      { userinfo_encrypted_response_alg: 'RSA-OAEP-256', jwks: keySetWith(decryptionKey('ec')) },
      'warning',
      'userinfo_encrypted_response_alg',
      /jwks has no key for it: add one with "use" "enc"/,
    ],
    [
      { introspection_encrypted_response_enc: 'A256GCM' },
      'warning',
      'introspection_encrypted_response_enc',
      /is not used/,
    ],
    [{ allowed_scopes: 'a,b c' }, 'warning', 'allowed_scopes', /"a,b" is one scope with a comma .*spaces/],
    [{ allowed_scopes: 'a b a' }, 'warning', 'allowed_scopes', /"a" occurs more than once/],
    [
      { redirect_uris: 'https://a.example/ https://a.example/' },
      'warning',
      'redirect_uris',
      /more than once/,
    ],
  ]
  for (const [change, level, field, problem] of cases) {
    const findings = lintClient('c', { ...SOUND, ...change }, SALTED)
    const found = findings.find((finding) => finding.field === field && problem.test(finding.problem))
    t.equal(found?.level, level, JSON.stringify(change))
    t.notMatch(JSON.stringify(findings), /hunter2/)
  }
  t.match(lintClient('caf\u00e9', { ...SOUND, client_id: 'caf\u00e9' }, SALTED), [
    { level: 'error', field: 'client_id' },
  ])
})

t.test('pairwise needs a salt', async (t) => {
  const client = { ...SOUND, subject_type: 'pairwise', sector_identifier: 'a.example' }
  t.strictSame(lintClient('c', client, SALTED), [])
  t.match(lintClient('c', client, {}), [
    { level: 'warning', field: 'subject_type', problem: /PAIRWISE_SALT/ },
  ])
  const REDIS_URL = 'redis://127.0.0.1:1'
  for (const [salt, warnings] of [
    [{}, 1],
    [{ PAIRWISE_SALT: SALTED.pairwise_salt }, 0],
  ] as const) {
    const { storage, redmint } = createCli({ environment: { REDIS_URL, ...salt } })
    await createClient(storage, 'c', client)
    t.match(parsed(await redmint(['client', 'lint', '--json'])), { clients: 1, errors: 0, warnings })
  }
})

t.test('client lint: every client or one; exit code 1 for errors alone', async (t) => {
  const { storage, redmint } = createCli()
  t.match(await redmint(['client', 'lint']), { code: 0, stdout: '0 clients: 0 errors, 0 warnings.\n' })
  await redmint(['client', 'add', 'good'])
  await createClient(storage, 'odd', { ...SOUND, client_id: 'odd', redirectUris: 'x' })
  const warned = await redmint(['client', 'lint'])
  t.match(warned, { code: 0, stdout: /2 clients: 0 errors, 1 warning\.\n$/ })
  t.match(warned.stdout, /^warning +odd +redirectUris is not a known field/m)
  await createClient(storage, 'bad', { is_public: 'true' })
  const failed = await redmint(['client', 'lint', '--json'])
  t.match(failed, { code: 1, stderr: /^$/ })
  t.match(parsed(failed), {
    clients: 3,
    errors: 1,
    findings: [{ level: 'error', client_id: 'bad', field: 'grant_types', problem: 'is missing' }],
  })
  t.equal((await redmint(['client', 'lint', 'good'])).code, 0)
  t.equal((await redmint(['client', 'lint', 'bad'])).code, 1)
  t.match(await redmint(['client', 'lint', 'nobody']), { code: 1, stderr: /There is no client/ })
})

t.test('a secret that servers saw to be short is a warning of lint and doctor', async (t) => {
  const { storage, redmint } = createCli()
  const secrets = {
    client_secret_hash: secretHash('short'),
    old_secret_hash: secretHash('a secret of enough characters'),
    old_secret_ends_at: '2999-01-01T00:00:00Z',
  }
  for (const client_id of ['c', 'd']) {
    const post_logout_redirect_uris = 'https://a.example/bye'
    await createClient(storage, client_id, {
      ...SOUND,
      ...secrets,
      client_id,
      is_public: 'false',
      post_logout_redirect_uris,
    })
  }
  const lint = async () => {
    const { stdout } = await redmint(['client', 'lint', '--json'])
    return JSON.parse(stdout) as { findings: object[] }
  }
  const doctor = () => recordFinding('clients', storage)
  t.match(await lint(), { findings: [] }, 'the digest does not tell')
  t.match(await doctor(), { level: 'ok' })
  const uses = new SecretUses({ storage, log: SILENT, report: () => {}, now: Date.now })
  uses.note('c', secrets.client_secret_hash, true)
  uses.note('c', secrets.old_secret_hash, false)
  await uses.flush()
  const problem = /fewer than 16 characters.*redmint client rotate-secret c$/
  const found = [{ level: 'warning', client_id: 'c', field: 'client_secret_hash', problem }]
  const { findings } = await lint()
  t.match(findings, found)
  t.equal(findings.length, 1)
  t.match(await doctor(), { level: 'warning', finding: /: c \(1 of 2\)/, advice: /redmint client lint/ })
  t.equal((await redmint(['client', 'rotate-secret', 'c'])).code, 0)
  t.match(await lint(), { findings: [] }, 'another secret')
})
