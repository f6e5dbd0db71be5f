import t from 'tap'
import { describeResource, metadataUrl } from '../../../../src/resource-server/resource-metadata.ts'

t.test('the well-known path goes in front of the path of the resource (RFC 9728 §3.1)', async (t) => {
  const table: [resource: string, url: string][] = [
    ['https://api.example.com', 'https://api.example.com/.well-known/oauth-protected-resource'],
    ['https://api.example.com/', 'https://api.example.com/.well-known/oauth-protected-resource'],
    ['https://api.example.com/v1', 'https://api.example.com/.well-known/oauth-protected-resource/v1'],
    [
      'https://api.example.com:8443/a/b/',
      'https://api.example.com:8443/.well-known/oauth-protected-resource/a/b/',
    ],
    ['http://localhost:3000/mcp', 'http://localhost:3000/.well-known/oauth-protected-resource/mcp'],
  ]
  for (const [resource, url] of table) t.equal(metadataUrl(resource).href, url)
})

t.test('what cannot be a resource is refused with what to do', async (t) => {
  for (const resource of [
    'http://api.example.com',
    'https://api.example.com/#a',
    'https://api.example.com/?a=b',
    'https://user@api.example.com',
    'urn:example:api',
    'api.example.com',
    '',
  ]) {
    t.throws(() => metadataUrl(resource), { message: /: set it to the address of the API/ }, resource)
  }
})

t.test('the metadata has what was given (RFC 9728 §2)', async (t) => {
  const needed = { resource: 'https://api.example.com', issuer: 'https://auth.example.com' }
  const least = {
    resource: 'https://api.example.com',
    authorization_servers: ['https://auth.example.com'],
    bearer_methods_supported: ['header'],
  }
  t.strictSame(describeResource(needed).metadata, least)
  const described = {
    scopes_supported: ['a'],
    resource_name: 'Reports',
    resource_documentation: 'https://x.example',
  }
  t.strictSame(describeResource({ ...needed, ...described }).metadata, { ...least, ...described })
})

t.test('the metadata says what tokens may be bound to (RFC 9728 §2)', async (t) => {
  const needed = { resource: 'https://api.example.com', issuer: 'https://auth.example.com' }
  const algs = { dpop_signing_alg_values_supported: ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'] }
  const bound = (...given: Parameters<typeof describeResource>) => {
    const { resource, authorization_servers, bearer_methods_supported, ...rest } = describeResource(
      ...given,
    ).metadata
    return rest
  }
  t.strictSame(bound(needed), {})
  t.strictSame(bound(needed, { required: false }), algs)
  t.strictSame(bound(needed, { required: true }), { ...algs, dpop_bound_access_tokens_required: true })
  const certificates = { tls_client_certificate_bound_access_tokens: true }
  t.strictSame(bound({ ...needed, ...certificates }), certificates)
  t.strictSame(bound({ ...needed, tls_client_certificate_bound_access_tokens: false }), {})
})
