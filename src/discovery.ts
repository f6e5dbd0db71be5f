import type { Settings } from './config.ts'
import { SUPPORTED_GRANT_TYPES } from './grants/issue.ts'

/** Where each endpoint is, below the issuer. */
export const PATHS = {
  authorize: '/oauth2/authorize',
  interaction: '/oauth2/interaction',
  token: '/oauth2/token',
  revoke: '/oauth2/revoke',
  introspect: '/oauth2/introspect',
  userinfo: '/userinfo',
  end_session: '/oauth2/logout',
  jwks: '/.well-known/jwks.json',
  openid_configuration: '/.well-known/openid-configuration',
  oauth_metadata: '/.well-known/oauth-authorization-server',
} as const

/** What this server can do (OpenID Connect Discovery §3, RFC 8414 §2); names only what works. */
export function serverMetadata(settings: Pick<Settings, 'issuer' | 'id_token_alg'>) {
  const { issuer, id_token_alg } = settings
  return {
    issuer,
    authorization_endpoint: issuer + PATHS.authorize,
    token_endpoint: issuer + PATHS.token,
    revocation_endpoint: issuer + PATHS.revoke,
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint: issuer + PATHS.introspect,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    userinfo_endpoint: issuer + PATHS.userinfo,
    jwks_uri: issuer + PATHS.jwks,
    scopes_supported: ['openid'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: SUPPORTED_GRANT_TYPES,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [id_token_alg],
    claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash'],
    request_parameter_supported: false,
    // Absent would mean true (OpenID Connect Discovery §3).
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
  }
}
