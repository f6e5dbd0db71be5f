// What a client that describes itself may have, and what it is refused for.

import t, { type Test } from 'tap'
import { readClientMetadata } from '../../../../../src/clients/documents/client-metadata.ts'
import type { MetadataRules } from '../../../../../src/clients/documents/metadata-checks.ts'
import { formatClient, parseClient } from '../../../../../src/clients/record/client-record.ts'
import { secretHash } from '../../../../../src/clients/record/client-secret.ts'
import { OAuthError } from '../../../../../src/core/errors.ts'
import { decryptionKey } from '../../../../support/encryption-key.ts'
import { issuerKey } from '../../../../support/trusted-issuer.ts'

const SECRET_HASH = secretHash('x'.repeat(32))
const RULES: MetadataRules = {
  client_id: 'c',
  client_secret_hash: SECRET_HASH,
  scopes: ['openid', 'notes.read'],
  signing_algs: ['ES256', 'RS256'],
  client_certificates: true,
}
const { client_secret_hash: _, ...PUBLIC } = RULES
const WEB = { redirect_uris: ['https://app.example/cb'] }
const KEY = issuerKey()
const KEYS = { jwks: { keys: [KEY.jwk] } }
const KEYS_METHOD = { token_endpoint_auth_method: 'private_key_jwt' } as const

/** Checks that a description is refused with this code, by a sentence that a client can show. */
function refused(t: Test, document: unknown, code: string, description: RegExp, rules = RULES): void {
  try {
    readClientMetadata(document, rules)
    t.fail(`accepted: ${JSON.stringify(document)}`)
  } catch (error) {
    t.ok(error instanceof OAuthError)
    if (!(error instanceof OAuthError)) return
    t.same([error.code, error.status], [code, 400], error.description)
    t.match(error.description, description)
    t.match(error.description, /^[\x20\x21\x23-\x5B\x5D-\x7E]{1,1001}$/, 'RFC 6749 §5.2')
  }
}

/** Members that ask for an encryption. */
const ENCRYPTED = {
  id_token_encrypted_response_alg: 'ECDH-ES',
  id_token_encrypted_response_enc: 'A256GCM',
  jwks: { keys: [decryptionKey('a key').jwk] },
}

t.test('a document that lists several ways to authenticate has the one that it prefers', async (t) => {
  // As an assistant publishes it: for servers that take keys, and for those that do not.
  const several = { token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] }
  const described = { ...WEB, ...KEYS, ...several, client_uri: 'https://app.example/' }
  const preferred = { ...described, ...KEYS_METHOD, token_endpoint_auth_signing_alg: 'ES256' }
  t.match(readClientMetadata(preferred, PUBLIC), { is_public: false, ...KEYS_METHOD })
  t.match(readClientMetadata({ ...described, token_endpoint_auth_method: 'none' }, PUBLIC), {
    is_public: true,
  })
})

t.test('the least that a client sends makes a client for sign-ins', async (t) => {
  const client = readClientMetadata(WEB, RULES)
  t.match(client, {
    client_id: 'c',
    client_name: 'c',
    is_public: false,
    client_secret_hash: SECRET_HASH,
    redirect_uris: ['https://app.example/cb'],
    application_type: 'web',
    allowed_scopes: ['openid', 'notes.read'],
    // RFC 7591 §2: the default of grant_types.
    grant_types: ['authorization_code'],
    refresh_tokens: 'never',
    require_pkce: true,
  })
  t.same(parseClient('c', formatClient(client)), { ok: true, record: client }, 'the record can be stored')
})

t.test('all that a client can say of itself becomes its record', async (t) => {
  const said = {
    client_name: 'Notes',
    client_uri: 'https://app.example/',
    logo_uri: 'https://app.example/logo.png',
    policy_uri: 'https://app.example/privacy',
    tos_uri: 'https://app.example/terms',
    post_logout_redirect_uris: ['https://app.example/bye'],
    backchannel_logout_uri: 'https://app.example/logout',
    id_token_signed_response_alg: 'ES256',
    contacts: ['dev@app.example'],
    software_id: '4NRB1-0XZABZI9E6-5SM3R',
    software_version: '2.1',
    token_endpoint_auth_method: 'client_secret_post',
  } as const
  const document = { ...WEB, ...said, grant_types: ['refresh_token', 'authorization_code'] }
  const client = readClientMetadata(document, RULES)
  t.match(client, { ...said, grant_types: ['authorization_code', 'refresh_token'], refresh_tokens: 'always' })
})

t.test('a client that describes itself can have answers encrypted', async (t) => {
  const { jwks: _, ...fields } = ENCRYPTED
  t.match(readClientMetadata({ ...WEB, ...ENCRYPTED }, RULES), fields)
  const elsewhere = { ...fields, jwks_uri: 'https://app.example/keys' }
  t.match(readClientMetadata({ ...WEB, ...elsewhere }, RULES), elsewhere, 'what is there is not known')
})

t.test('a client without secret is public', async (t) => {
  const none = { ...WEB, token_endpoint_auth_method: 'none' }
  for (const client of [readClientMetadata(none, RULES), readClientMetadata(WEB, PUBLIC)]) {
    t.match(client, { is_public: true, require_pkce: true, refresh_token_rotation: true })
    t.notOk('client_secret_hash' in client)
  }
  const post = { ...WEB, token_endpoint_auth_method: 'client_secret_post' }
  refused(
    t,
    post,
    'invalid_client_metadata',
    /^token_endpoint_auth_method must be none or private_key_jwt\.$/,
    PUBLIC,
  )
})

t.test('a client with keys needs no secret, and keys that it does not need may be malformed', async (t) => {
  const jwks_uri = 'https://app.example/keys'
  const alg = { token_endpoint_auth_signing_alg: 'ES256' }
  for (const rules of [RULES, PUBLIC]) {
    const client = readClientMetadata({ ...WEB, ...KEYS_METHOD, ...alg, ...KEYS }, rules)
    t.match(client, { is_public: false, ...KEYS_METHOD, ...alg, jwks: JSON.stringify(KEYS.jwks) })
    t.notOk('client_secret_hash' in client)
    t.match(readClientMetadata({ ...WEB, ...KEYS_METHOD, jwks_uri }, rules), { jwks_uri })
  }
  t.match(readClientMetadata({ ...WEB, ...KEYS }, RULES), { jwks: JSON.stringify(KEYS.jwks) })
  t.match(readClientMetadata({ ...WEB, jwks_uri }, RULES), { jwks_uri })
  for (const useless of [
    { jwks: { keys: [] } },
    { jwks: 'x' },
    { jwks_uri: 'http://app.example/keys' },
    alg,
  ]) {
    const client = readClientMetadata({ ...WEB, ...useless }, RULES)
    t.notOk(
      Object.keys(useless).some((member) => member in client),
      JSON.stringify(useless),
    )
  }
})

t.test('no member gives more than the rules', async (t) => {
  const privileged = {
    client_id: 'admin',
    client_secret: 'y'.repeat(32),
    client_secret_hash: secretHash('y'.repeat(32)),
    old_secret_hash: secretHash('y'.repeat(32)),
    old_secret_ends_at: '2100-01-01T00:00:00.000Z',
    is_public: true,
    allowed_scopes: ['admin'],
    scope: 'openid admin',
    grant_types: ['client_credentials', 'password', 'authorization_code'],
    first_party: true,
    allowed_groups: ['staff'],
    can_introspect: 'true',
    require_pkce: false,
    refresh_token_rotation: 'false',
    refresh_tokens: 'always',
    access_token_ttl: 86400,
    claims: { admin: true },
    custom_claims_in_access_token: true,
    scope_claims_in_id_token: true,
    demo: true,
    managed_by: 'shop',
    disabled: true,
    constructor: 'x',
    'client_name#de': 'Notizen',
  }
  const client = readClientMetadata({ ...WEB, ...privileged }, RULES)
  t.same(client, readClientMetadata(WEB, RULES))
  const own_proto = JSON.parse(
    '{"redirect_uris":["https://app.example/cb"],"__proto__":{"first_party":true}}',
  )
  t.same(readClientMetadata(own_proto, RULES), client)
})

t.test('page addresses are those of the origin that is proven to be its own', async (t) => {
  const pages = { logo_uri: 'https://bank.example/logo.png', client_uri: 'https://app.example/' }
  const web = readClientMetadata({ ...WEB, ...pages }, RULES)
  t.same([web.logo_uri, web.client_uri], [undefined, 'https://app.example/'])
  const app = { ...pages, redirect_uris: ['http://127.0.0.1/cb', 'com.example.app:/cb'] }
  const native = readClientMetadata(app, RULES)
  t.same([native.logo_uri, native.client_uri], [undefined, undefined], 'an app has no host')
  const known = readClientMetadata(app, { ...RULES, origin: 'https://app.example' })
  t.same([known.logo_uri, known.client_uri], [undefined, 'https://app.example/'])
  const described = readClientMetadata({ ...WEB, ...pages }, { ...RULES, origin: 'https://other.example' })
  t.equal(
    described.client_uri,
    undefined,
    'a document proves its own origin, and not that of an address in it',
  )
  const [own] = WEB.redirect_uris
  for (const other of [
    'https://evil.example/cb',
    'https://app.example:8443/cb',
    'http://127.0.0.1/cb',
    'x.y:/',
  ])
    t.equal(
      readClientMetadata({ ...WEB, ...pages, redirect_uris: [own, other] }, RULES).client_uri,
      undefined,
      other,
    )
  const same = { ...WEB, ...pages, redirect_uris: [own, 'https://app.example/other'] }
  t.equal(readClientMetadata(same, RULES).client_uri, 'https://app.example/')
  for (const logo_uri of ['http://app.example/', 'javascript:alert(1)', 'x'])
    t.equal(readClientMetadata({ ...WEB, logo_uri }, RULES).logo_uri, undefined, logo_uri)
  for (const uri of [7, 'https://u:p@app.example/'])
    refused(t, { ...WEB, logo_uri: uri }, 'invalid_client_metadata', /^logo_uri must be/)
})

t.test('the application type follows from the redirect URIs, unless the client names it', async (t) => {
  const typeOf = (...redirect_uris: string[]) => readClientMetadata({ redirect_uris }, RULES).application_type
  t.equal(typeOf('https://app.example/cb'), 'web')
  for (const uri of ['http://localhost/cb', 'http://127.0.0.1:3/', 'com.example.app:/cb', 'editor://cb'])
    t.equal(typeOf('https://app.example/cb', uri), 'native', uri)
  const web = { redirect_uris: ['http://localhost:3000/cb'], application_type: 'web' }
  t.equal(readClientMetadata(web, RULES).application_type, 'web')
  const bare = { redirect_uris: ['editor://cb'], application_type: 'web' }
  refused(t, bare, 'invalid_client_metadata', /redirect_uris\[0\] .* set application_type to native/)
})

t.test('each redirect URI that cannot be accepted is named by its place', async (t) => {
  const bad = [
    'http://app.example/cb',
    'http://10.0.0.1/cb',
    'https://app.example/cb?state=a',
    '/cb',
    'https://app.example/cb#x',
    'https://*.app.example/cb',
    'https://app.example/c b',
    'https://app.example/ü',
    'https://u:p@app.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://a.example/cb,https://b.example/cb',
    'https://[x]/',
    '',
  ]
  for (const uri of bad) {
    const document = { redirect_uris: ['https://app.example/cb', uri] }
    refused(t, document, 'invalid_redirect_uri', /^redirect_uris\[1\] (is|has) /)
  }
  for (const uris of [
    undefined,
    [],
    null,
    '',
    'https://app.example/cb',
    [7],
    [['https://app.example/cb']],
    {},
  ])
    refused(t, { redirect_uris: uris }, 'invalid_redirect_uri', /^redirect_uris must be an array/)
  const many = Array.from({ length: 5000 }, (_, i) => `https://app.example/${i}`)
  refused(
    t,
    { redirect_uris: many },
    'invalid_redirect_uri',
    /^redirect_uris has 5000 URIs: register at most 20\.$/,
  )
})

t.test('each other member that cannot be accepted is named, all in one answer', async (t) => {
  const wrong: [member: object, description: RegExp][] = [
    [{ grant_types: ['client_credentials'] }, /^grant_types must be an array with authorization_code/],
    [{ grant_types: 'authorization_code' }, /^grant_types must/],
    [{ response_types: ['token'] }, /^response_types must be an array with code/],
    [
      { token_endpoint_auth_method: 'client_secret_jwt' },
      /must be none or client_secret_basic or client_secret_post or private_key_jwt/,
    ],
    // Nobody knows whose the certificate of a name is.
    [
      { token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_subject_dn: 'CN=a' },
      /must be none or/,
    ],
    [{ tls_client_certificate_bound_access_tokens: 'yes' }, /^tls_client_certificate_bound_access_tokens/],
    [KEYS_METHOD, /^jwks is missing, as is jwks_uri/],
    [{ ...KEYS_METHOD, jwks: { keys: [] } }, /^jwks must be a JSON Web Key Set/],
    [{ ...KEYS_METHOD, jwks: 7 }, /^jwks must be a string/],
    [
      { ...KEYS_METHOD, jwks: { keys: [{ ...KEYS.jwks.keys[0], use: 'enc' }] } },
      /^jwks must have a key that verifies ES256 or RS256 or PS256 or EdDSA/,
    ],
    [
      { ...KEYS_METHOD, jwks: { keys: [{ kty: 'RSA', n: '_'.repeat(342), e: 'AQ' }] } },
      /^jwks must have a key that verifies/,
    ],
    [
      { ...KEYS_METHOD, ...KEYS, token_endpoint_auth_signing_alg: 'EdDSA' },
      /^jwks must have a key that verifies EdDSA/,
    ],
    [{ ...KEYS_METHOD, jwks_uri: 'http://app.example/keys' }, /^jwks_uri must be an https URL/],
    [{ ...KEYS_METHOD, ...KEYS, jwks_uri: 'https://app.example/keys' }, /^jwks and jwks_uri exclude/],
    [
      { ...KEYS_METHOD, ...KEYS, token_endpoint_auth_signing_alg: 'Ed25519' },
      /^jwks must have a key that verifies EdDSA/,
    ],
    [{ request_object_signing_alg: 'Ed448' }, /^request_object_signing_alg/],
    [
      { ...KEYS_METHOD, ...KEYS, token_endpoint_auth_signing_alg: 'HS256' },
      /^token_endpoint_auth_signing_alg/,
    ],
    [{ jwks: { keys: [{ ...KEY.jwk, d: 'secret' }] } }, /^jwks must not have private or symmetric keys/],
    [{ jwks: { keys: [{ kty: 'oct', k: 'secret' }] } }, /^jwks must not have private or symmetric keys/],
    [{ scope: 'admin' }, /^scope has no name .* it may obtain openid notes\.read\.$/],
    [{ scope: ['openid'] }, /^scope must be a string/],
    [{ client_name: 7 }, /^client_name must be a string/],
    [{ client_name: 'x'.repeat(101) }, /^client_name must have at most 100/],
    [{ client_name: 'a\nb' }, /^client_name must not have control/],
    [{ client_name: 'a\ud800' }, /^client_name must not have control/],
    [{ application_type: 'desktop' }, /^application_type must be 'web' or 'native'/],
    [{ id_token_signed_response_alg: 'PS256' }, /^id_token_signed_response_alg must be one of ES256, RS256/],
    [{ id_token_signed_response_alg: 'none' }, /^id_token_signed_response_alg/],
    [{ userinfo_signed_response_alg: 'PS256' }, /^userinfo_signed_response_alg must be one of ES256, RS256/],
    [{ authorization_signed_response_alg: 'none' }, /^authorization_signed_response_alg/],
    [{ introspection_signed_response_alg: 'HS256' }, /^introspection_signed_response_alg/],
    [{ ...ENCRYPTED, id_token_encrypted_response_enc: null }, /_enc must be A256GCM/],
    [{ ...ENCRYPTED, id_token_encrypted_response_enc: 'A128CBC-HS256' }, /_enc must be A256GCM/],
    [{ ...ENCRYPTED, id_token_encrypted_response_alg: null }, /_enc needs id_token_encrypted_response_alg/],
    [{ ...ENCRYPTED, id_token_encrypted_response_alg: 'RSA1_5' }, /id_token_encrypted_response_alg/],
    [{ ...ENCRYPTED, jwks: null }, /^id_token_encrypted_response_alg .* there is neither jwks nor jwks_uri/],
    [
      { ...ENCRYPTED, jwks: { keys: [KEY.jwk] } },
      /^id_token_encrypted_response_alg .* jwks has no key for it/,
    ],
    [
      {
        ...ENCRYPTED,
        userinfo_encrypted_response_alg: 'RSA-OAEP-256',
        userinfo_encrypted_response_enc: 'A256GCM',
      },
      /^userinfo_encrypted_response_alg is RSA-OAEP-256, and jwks has no key for it: add one with 'use' 'enc'/,
    ],
    [
      { ...ENCRYPTED, jwks: { keys: [{ kty: 'OKP', crv: 'X25519', x: 'A'.repeat(43), use: 'enc' }] } },
      /^id_token_encrypted_response_alg .* jwks has no key for it/,
    ],
    [{ ...ENCRYPTED, jwks: { keys: [] } }, /jwks/],
    [{ post_logout_redirect_uris: ['http://app.example/'] }, /^post_logout_redirect_uris\[0\] is http/],
    [
      { post_logout_redirect_uris: ['https://app.example/?state=a'] },
      /^post_logout_redirect_uris\[0\] has 'state' in its query/,
    ],
    [{ backchannel_logout_uri: 'http://127.0.0.1/' }, /^backchannel_logout_uri must be an https URL/],
    [{ contacts: ['a b'] }, /^contacts must be an array/],
    [{ contacts: ['x'.repeat(201)] }, /^contacts\[0\] has more than 200 characters/],
    // RFC 7591 §2, OpenID Connect RP-Initiated Logout §3.1: arrays of strings.
    [{ contacts: 'dev@app.example' }, /^contacts must be an array of strings\.$/],
    [{ post_logout_redirect_uris: 'http://app.example/' }, /^post_logout_redirect_uris must be an array of/],
    [{ software_id: {} }, /^software_id must be a string/],
  ]
  for (const [member, text] of wrong) refused(t, { ...WEB, ...member }, 'invalid_client_metadata', text)
  refused(
    t,
    { ...WEB, scope: 'x', client_name: 7 },
    'invalid_client_metadata',
    /scope has.*; client_name must/,
  )
  for (const document of [null, [], 'x', 7, undefined])
    refused(t, document, 'invalid_client_metadata', /must be a JSON object/)
})

t.test('Ed25519 is kept as EdDSA, which means both (RFC 9864 §2.2)', async (t) => {
  const client = readClientMetadata({ ...WEB, request_object_signing_alg: 'Ed25519' }, RULES)
  t.equal(client.request_object_signing_alg, 'EdDSA')
})

t.test('tokens are bound to a certificate only where clients can send one', async (t) => {
  const bound = { ...WEB, tls_client_certificate_bound_access_tokens: true }
  t.equal(readClientMetadata(bound, RULES).tls_client_certificate_bound_access_tokens, true)
  const without = { ...RULES, client_certificates: false }
  for (const value of [true, 'true']) {
    const document = { ...bound, tls_client_certificate_bound_access_tokens: value }
    refused(t, document, 'invalid_client_metadata', /this server takes no client certificates/, without)
  }
  const unbound = { ...bound, tls_client_certificate_bound_access_tokens: false }
  t.equal(readClientMetadata(unbound, without).tls_client_certificate_bound_access_tokens, false)
})

t.test('grant types that it cannot have are left out; null and empty members count as absent', async (t) => {
  const types = [
    'authorization_code',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:device_code',
    'implicit',
  ]
  t.same(readClientMetadata({ ...WEB, grant_types: types }, RULES).grant_types, types.slice(0, 2))
  const absent = {
    client_name: null,
    scope: '',
    logo_uri: '',
    grant_types: null,
    token_endpoint_auth_method: null,
  }
  t.same(readClientMetadata({ ...WEB, ...absent }, RULES), readClientMetadata(WEB, RULES))
})
