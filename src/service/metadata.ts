import { STANDARD_CLAIMS } from '../accounts/standard-claims.ts'
import { CLAIM_SCOPES } from '../claims/claims.ts'
import { LANGUAGE_TAGS } from '../config/language-tags.ts'
import type { Settings } from '../config/settings.ts'
import { PATHS } from '../core/paths.ts'
import { SIGNING_ALGS } from '../core/signing-algs.ts'
import { SUPPORTED_GRANT_TYPES } from '../grants/pipeline.ts'
import { ACR_VALUES } from '../interaction/sign-in-methods.ts'

// What an id_token says beside standard claims (OpenID Connect Core §2, Back-Channel Logout §2.1).
const ID_TOKEN_CLAIMS = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'at_hash',
  'acr',
  'amr',
  'sid',
]

/** What this server can do (OpenID Connect Discovery §3, RFC 8414 §2); names only what works. */
export function serverMetadata(settings: Pick<Settings, 'issuer' | 'pairwise_salt'>) {
  const { issuer, pairwise_salt } = settings
  return {
    issuer,
    authorization_endpoint: issuer + PATHS.authorize,
    token_endpoint: issuer + PATHS.token,
    revocation_endpoint: issuer + PATHS.revoke,
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint: issuer + PATHS.introspect,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    userinfo_endpoint: issuer + PATHS.userinfo,
    end_session_endpoint: issuer + PATHS.end_session,
    jwks_uri: issuer + PATHS.jwks,
    scopes_supported: ['openid', ...CLAIM_SCOPES, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    grant_types_supported: SUPPORTED_GRANT_TYPES,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
    subject_types_supported: pairwise_salt === undefined ? ['public'] : ['public', 'pairwise'],
    id_token_signing_alg_values_supported: SIGNING_ALGS,
    claims_supported: [...ID_TOKEN_CLAIMS, ...Object.keys(STANDARD_CLAIMS)],
    claim_types_supported: ['normal'],
    claims_parameter_supported: true,
    acr_values_supported: ACR_VALUES,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    display_values_supported: ['page'],
    ui_locales_supported: LANGUAGE_TAGS,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    request_parameter_supported: false,
    // Absent would mean true (OpenID Connect Discovery §3).
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
  }
}
