// node-oidc-provider with the same client, in Redis (REDIS_URL) or in memory. A grant is made without asking, as for a
// first-party client; refresh tokens rotate at each use; its sign-in page takes any password and hashes none.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import Provider from 'oidc-provider'
import { redisAdapter } from './redis-adapter.js'

const { PORT, REDIS_URL, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, CLIENT_AUTH, CLIENT_KEYS } = process.env
const { ACCESS_TOKEN_FORMAT, ACCESS_TOKEN_ALG, ID_TOKEN_ALG, SIGNED_INTROSPECTION } = process.env
const RESOURCE = 'urn:bench:api'

const key = (alg, type, options) => {
  const { privateKey } = generateKeyPairSync(type, options)
  return { ...privateKey.export({ format: 'jwk' }), alg, use: 'sig', kid: alg }
}

const resourceIndicators = {
  enabled: true,
  defaultResource: () => RESOURCE,
  useGrantedResource: () => true,
  getResourceServerInfo: () => ({
    scope: 'api.read',
    accessTokenTTL: 900,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: ACCESS_TOKEN_ALG } },
  }),
}

const provider = new Provider(`http://127.0.0.1:${PORT}`, {
  ...(REDIS_URL && { adapter: redisAdapter(REDIS_URL) }),
  clients: [
    {
      client_id: CLIENT_ID,
      ...(CLIENT_AUTH === 'private_key_jwt'
        ? { token_endpoint_auth_method: CLIENT_AUTH, jwks: JSON.parse(CLIENT_KEYS) }
        : { token_endpoint_auth_method: `client_secret_${CLIENT_AUTH}`, client_secret: CLIENT_SECRET }),
      ...(SIGNED_INTROSPECTION && { introspection_signed_response_alg: 'ES256' }),
      grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [REDIRECT_URI],
      scope: 'openid api.read',
      id_token_signed_response_alg: ID_TOKEN_ALG,
    },
  ],
  scopes: ['openid', 'api.read'],
  jwks: {
    keys: [
      key('RS256', 'rsa', { modulusLength: 2048 }),
      key('ES256', 'ec', { namedCurve: 'P-256' }),
      key('EdDSA', 'ed25519'),
    ],
  },
  cookies: { keys: [randomBytes(32).toString('base64url')] },
  ttl: { AccessToken: 900, ClientCredentials: 900, IdToken: 900, RefreshToken: 2592000, Grant: 2592000 },
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    jwtIntrospection: { enabled: Boolean(SIGNED_INTROSPECTION) },
    dPoP: { enabled: true },
    pushedAuthorizationRequests: { enabled: true },
    revocation: { enabled: true },
    devInteractions: { enabled: true },
    ...(ACCESS_TOKEN_FORMAT === 'jwt' && { resourceIndicators }),
  },
  enabledJWA: {
    idTokenSigningAlgValues: ['RS256', 'ES256', 'EdDSA'],
    introspectionSigningAlgValues: ['ES256'],
  },
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  async loadExistingGrant({ oidc }) {
    const { client, session } = oidc
    const known = session.grantIdFor(client.clientId)
    if (known) return oidc.provider.Grant.find(known)
    const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId })
    grant.addOIDCScope('openid api.read')
    grant.addResourceScope(RESOURCE, 'api.read')
    await grant.save()
    return grant
  },
})
provider.listen(Number(PORT), '127.0.0.1')
