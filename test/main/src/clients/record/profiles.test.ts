import t from 'tap'
import { parseClient } from '../../../../../src/clients/record/client-record.ts'
import { codeTtl, maySignWith, PROFILE_ALGS } from '../../../../../src/clients/record/profiles.ts'
import type { Hash } from '../../../../../src/core/record-hash.ts'
import { issuerKey } from '../../../../support/trusted-issuer.ts'

const KEY = issuerKey()
const RECORD: Hash = {
  profile: 'fapi2',
  jwks: JSON.stringify({ keys: [KEY.jwk] }),
  grant_types: 'authorization_code refresh_token',
  redirect_uris: 'https://bank.example/callback http://127.0.0.1/callback',
}

function problemsOf(more: Hash): readonly string[] {
  const parsed = parseClient('bank', { ...RECORD, ...more })
  return parsed.ok ? [] : parsed.problems.map(({ field }) => field)
}

t.test('a profile sets what FAPI 2.0 demands', async (t) => {
  const demanded = {
    is_public: false,
    token_endpoint_auth_method: 'private_key_jwt',
    assertion_audience: 'issuer',
    require_pushed_authorization_requests: true,
    require_pkce: true,
    refresh_token_rotation: false,
    dpop_bound_access_tokens: true,
    id_token_signed_response_alg: 'ES256',
    access_token_signed_response_alg: 'ES256',
  }
  t.match(parseClient('bank', RECORD), { ok: true, record: demanded })
  t.match(parseClient('bank', { ...RECORD, profile: 'fapi2-message-signing' }), {
    ok: true,
    record: {
      ...demanded,
      require_signed_request_object: true,
      authorization_signed_response_alg: 'ES256',
      introspection_signed_response_alg: 'ES256',
    },
  })
})

t.test('a record may say the same, and choose where FAPI 2.0 lets it', async (t) => {
  for (const more of [
    { is_public: 'false', require_pkce: 'true', refresh_token_rotation: 'false' },
    { id_token_signed_response_alg: 'PS256', token_endpoint_auth_signing_alg: 'EdDSA' },
    { token_endpoint_auth_method: 'self_signed_tls_client_auth' },
    { token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_san_dns: 'bank.example', jwks: '' },
  ]) {
    t.strictSame(problemsOf(more), [])
  }
  const by_certificate = { ...RECORD, tls_client_certificate_bound_access_tokens: 'true' }
  const parsed = parseClient('bank', by_certificate)
  t.notMatch(parsed, { record: { dpop_bound_access_tokens: true } }, 'one binding is enough')
  t.match(parsed, { record: { tls_client_certificate_bound_access_tokens: true } })
})

t.test('each field that contradicts the profile is named', async (t) => {
  const breaches: [Hash, string][] = [
    [{ is_public: 'true' }, 'is_public'],
    [{ require_pushed_authorization_requests: 'false' }, 'require_pushed_authorization_requests'],
    [{ require_pkce: 'false' }, 'require_pkce'],
    [{ refresh_token_rotation: 'true' }, 'refresh_token_rotation'],
    [{ assertion_audience: 'endpoint' }, 'assertion_audience'],
    [{ dpop_bound_access_tokens: 'false' }, 'dpop_bound_access_tokens'],
    [{ token_endpoint_auth_method: 'client_secret_basic' }, 'token_endpoint_auth_method'],
    [{ client_secret_hash: 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=' }, 'client_secret_hash'],
    [{ assertion_issuer: 'https://ci.example.com' }, 'assertion_issuer'],
    [{ redirect_uris: 'http://bank.example/callback' }, 'redirect_uris'],
    ...[
      'token_endpoint_auth_signing_alg',
      'request_object_signing_alg',
      'access_token_signed_response_alg',
      'id_token_signed_response_alg',
      'authorization_signed_response_alg',
      'introspection_signed_response_alg',
      'userinfo_signed_response_alg',
    ].map((field): [Hash, string] => [{ [field]: 'RS256' }, field]),
    [
      { profile: 'fapi2-message-signing', require_signed_request_object: 'false' },
      'require_signed_request_object',
    ],
    [{ profile: 'fapi1' }, 'profile'],
  ]
  for (const [more, field] of breaches) t.ok(problemsOf(more).includes(field), field)
  t.strictSame(problemsOf({ require_signed_request_object: 'false' }), [], 'that is of the other profile')
})

t.test('without a profile nothing changes', async (t) => {
  const { profile: _, ...plain } = RECORD
  const parsed = parseClient('bank', { ...plain, is_public: 'true' })
  t.match(parsed, {
    ok: true,
    record: {
      require_pushed_authorization_requests: undefined,
      refresh_token_rotation: true,
      profile: undefined,
    },
  })
})

t.test('codes of a profile live for 60 seconds at most', async (t) => {
  t.equal(codeTtl({}, 300), 300)
  t.equal(codeTtl({ profile: 'fapi2' }, 300), 60)
  t.equal(codeTtl({ profile: 'fapi2' }, 30), 30)
})

t.test('a refused algorithm is named in the characters of an error_description', async (t) => {
  t.ok(maySignWith({}, 'RS256'))
  t.notOk(maySignWith({ profile: 'fapi2' }, 'RS256'))
  t.match(PROFILE_ALGS, /^[\x20\x21\x23-\x5B\x5D-\x7E]+$/, 'RFC 6749 §5.2')
})
