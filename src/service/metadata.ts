import { type Static, Type } from '@sinclair/typebox'
import { promptsFor, RESPONSE_MODES } from '../authorize/request.ts'
import { takesDocuments } from '../clients/documents/metadata-documents.ts'
import { AUTH_METHODS } from '../clients/record/client-fields.ts'
import type { Settings } from '../config/settings.ts'
import { ENCRYPTION_ALGS, ENCRYPTION_ENCS, VERIFIED_ALGS } from '../core/algs.ts'
import { isForDevelopment } from '../core/dev-mode.ts'
import { PATHS } from '../core/paths.ts'
import { STANDARD_SCOPES } from '../core/scope.ts'
import { ID_JAG_PROFILE, TOKEN_TYPE } from '../core/token-types.ts'
import { supportedGrantTypes } from '../grants/handlers.ts'
import { acrValuesOf, type SignInMethods } from '../interaction/sign-in-method.ts'
import type { Languages } from '../pages/languages.ts'
import { STANDARD_CLAIMS } from '../users/standard-claims.ts'
import { certificateMethods, MTLS_METADATA, type MtlsSettings, mtlsMetadata } from './mtls-metadata.ts'

const Uri = Type.String({ format: 'uri' })
const Names = Type.Array(Type.String())

/**
 * The metadata of the server (OpenID Connect Discovery §3, RFC 8414 §2, RFC 8628 §4, RFC 9126 §5, CIBA §4, JARM §4, RFC 9701
 * §7, draft-ietf-oauth-status-list-21 §9.1).
 */
export const ServerMetadata = Type.Object(
  {
    issuer: Uri,
    authorization_endpoint: Uri,
    token_endpoint: Uri,
    pushed_authorization_request_endpoint: Uri,
    require_pushed_authorization_requests: Type.Boolean(),
    device_authorization_endpoint: Uri,
    backchannel_authentication_endpoint: Type.Optional(Uri),
    backchannel_token_delivery_modes_supported: Type.Optional(Names),
    backchannel_authentication_request_signing_alg_values_supported: Type.Optional(Names),
    backchannel_user_code_parameter_supported: Type.Optional(Type.Boolean()),
    registration_endpoint: Type.Optional(Uri),
    revocation_endpoint: Uri,
    revocation_endpoint_auth_methods_supported: Names,
    revocation_endpoint_auth_signing_alg_values_supported: Names,
    global_token_revocation_endpoint: Type.Optional(Uri),
    global_token_revocation_endpoint_auth_methods_supported: Type.Optional(Names),
    status_list_aggregation_endpoint: Type.Optional(Uri),
    introspection_endpoint: Uri,
    introspection_endpoint_auth_methods_supported: Names,
    introspection_endpoint_auth_signing_alg_values_supported: Names,
    introspection_signing_alg_values_supported: Names,
    introspection_encryption_alg_values_supported: Names,
    introspection_encryption_enc_values_supported: Names,
    userinfo_endpoint: Uri,
    userinfo_signing_alg_values_supported: Names,
    userinfo_encryption_alg_values_supported: Names,
    userinfo_encryption_enc_values_supported: Names,
    end_session_endpoint: Uri,
    jwks_uri: Uri,
    scopes_supported: Names,
    response_types_supported: Names,
    response_modes_supported: Names,
    authorization_signing_alg_values_supported: Names,
    authorization_encryption_alg_values_supported: Names,
    authorization_encryption_enc_values_supported: Names,
    grant_types_supported: Names,
    authorization_grant_profiles_supported: Type.Optional(Names),
    authorization_details_types_supported: Type.Optional(Names),
    identity_chaining_requested_token_types_supported: Names,
    token_endpoint_auth_methods_supported: Names,
    token_endpoint_auth_signing_alg_values_supported: Names,
    code_challenge_methods_supported: Names,
    dpop_signing_alg_values_supported: Names,
    subject_types_supported: Names,
    id_token_signing_alg_values_supported: Names,
    id_token_encryption_alg_values_supported: Names,
    id_token_encryption_enc_values_supported: Names,
    claims_supported: Names,
    claim_types_supported: Names,
    claims_parameter_supported: Type.Boolean(),
    acr_values_supported: Names,
    prompt_values_supported: Names,
    display_values_supported: Names,
    ui_locales_supported: Names,
    backchannel_logout_supported: Type.Boolean(),
    backchannel_logout_session_supported: Type.Boolean(),
    request_parameter_supported: Type.Boolean(),
    request_object_signing_alg_values_supported: Names,
    require_signed_request_object: Type.Boolean(),
    request_uri_parameter_supported: Type.Boolean(),
    authorization_response_iss_parameter_supported: Type.Boolean(),
    client_id_metadata_document_supported: Type.Optional(Type.Boolean()),
    redmint_dev: Type.Optional(Type.Boolean()),
    ...MTLS_METADATA,
  },
  {
    $id: 'redmint:ServerMetadata',
    description: 'What the server supports (OpenID Connect Discovery §3, RFC 8414 §2)',
  },
)
export type ServerMetadata = Static<typeof ServerMetadata>

/** Where the status lists are (draft-ietf-oauth-status-list-21 §9.3). */
export const StatusLists = Type.Object(
  { status_lists: Type.Array(Uri) },
  { $id: 'redmint:StatusLists', description: 'The addresses of all status lists' },
)

// The claims of an id_token other than standard claims (OpenID Connect Core §2, Back-Channel Logout §2.1).
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

type MetadataSettings = MtlsSettings &
  Pick<
    Settings,
    | 'client_id_metadata'
    | 'client_registration'
    | 'demo'
    | 'global_token_revocation'
    | 'issuer'
    | 'pairwise_salt'
    | 'require_pushed_authorization_requests'
    | 'scope_claims'
    | 'sign_up'
    | 'signing_algs'
    | 'status_lists'
    | 'trusted_issuers'
    | 'ask_people'
  >

interface MetadataContext {
  readonly settings: MetadataSettings
  readonly languages: Languages
  readonly methods: SignInMethods
}

/** Returns the metadata of the server. @param detail_types the types of details that it supports (RFC 9396 §10) */
export function serverMetadata(
  { settings, languages, methods }: MetadataContext,
  detail_types: readonly string[],
): ServerMetadata {
  const { client_registration, issuer, pairwise_salt, scope_claims, signing_algs, trusted_issuers } = settings
  const confidential = [...AUTH_METHODS, ...certificateMethods(settings)]
  return {
    issuer,
    authorization_endpoint: issuer + PATHS.authorize,
    token_endpoint: issuer + PATHS.token,
    pushed_authorization_request_endpoint: issuer + PATHS.par,
    require_pushed_authorization_requests: settings.require_pushed_authorization_requests,
    device_authorization_endpoint: issuer + PATHS.device_authorization,
    ...(settings.ask_people === 'on' && {
      backchannel_authentication_endpoint: issuer + PATHS.backchannel_authentication,
      backchannel_token_delivery_modes_supported: ['poll', 'ping'],
      backchannel_authentication_request_signing_alg_values_supported: [...VERIFIED_ALGS],
      backchannel_user_code_parameter_supported: false,
    }),
    ...(client_registration === 'off' ? {} : { registration_endpoint: issuer + PATHS.register }),
    revocation_endpoint: issuer + PATHS.revoke,
    revocation_endpoint_auth_methods_supported: [...confidential, 'none'],
    revocation_endpoint_auth_signing_alg_values_supported: [...VERIFIED_ALGS],
    ...globalRevocation(settings),
    // draft-ietf-oauth-status-list-21 §9.1.
    ...(settings.status_lists === 'on' && { status_list_aggregation_endpoint: issuer + PATHS.status_lists }),
    introspection_endpoint: issuer + PATHS.introspect,
    introspection_endpoint_auth_methods_supported: confidential,
    introspection_endpoint_auth_signing_alg_values_supported: [...VERIFIED_ALGS],
    introspection_signing_alg_values_supported: [...signing_algs],
    introspection_encryption_alg_values_supported: [...ENCRYPTION_ALGS],
    introspection_encryption_enc_values_supported: [...ENCRYPTION_ENCS],
    userinfo_endpoint: issuer + PATHS.userinfo,
    userinfo_signing_alg_values_supported: [...signing_algs],
    userinfo_encryption_alg_values_supported: [...ENCRYPTION_ALGS],
    userinfo_encryption_enc_values_supported: [...ENCRYPTION_ENCS],
    end_session_endpoint: issuer + PATHS.end_session,
    jwks_uri: issuer + PATHS.jwks,
    scopes_supported: [...new Set([...STANDARD_SCOPES, ...scope_claims.values()])],
    response_types_supported: ['code'],
    response_modes_supported: [...RESPONSE_MODES],
    authorization_signing_alg_values_supported: [...signing_algs],
    authorization_encryption_alg_values_supported: [...ENCRYPTION_ALGS],
    authorization_encryption_enc_values_supported: [...ENCRYPTION_ENCS],
    grant_types_supported: supportedGrantTypes(settings),
    // draft-ietf-oauth-identity-assertion-authz-grant-04 §7.1.
    identity_chaining_requested_token_types_supported: [TOKEN_TYPE.id_jag],
    ...(trusted_issuers && { authorization_grant_profiles_supported: [ID_JAG_PROFILE] }),
    ...(detail_types.length > 0 && { authorization_details_types_supported: [...detail_types] }),
    token_endpoint_auth_methods_supported: [...confidential, 'none'],
    token_endpoint_auth_signing_alg_values_supported: [...VERIFIED_ALGS],
    code_challenge_methods_supported: ['S256'],
    // The algorithms of proofs (RFC 9449 §5.1); SIGNING_ALGS of the configuration does not matter.
    dpop_signing_alg_values_supported: [...VERIFIED_ALGS],
    subject_types_supported: pairwise_salt === undefined ? ['public'] : ['public', 'pairwise'],
    id_token_signing_alg_values_supported: [...signing_algs],
    id_token_encryption_alg_values_supported: [...ENCRYPTION_ALGS],
    id_token_encryption_enc_values_supported: [...ENCRYPTION_ENCS],
    claims_supported: [...ID_TOKEN_CLAIMS, ...Object.keys(STANDARD_CLAIMS), ...scope_claims.keys()],
    claim_types_supported: ['normal'],
    claims_parameter_supported: true,
    acr_values_supported: [...acrValuesOf(methods)],
    prompt_values_supported: [...promptsFor(settings)],
    display_values_supported: ['page'],
    ui_locales_supported: languages.all.map(({ tag }) => tag),
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    request_parameter_supported: true,
    request_object_signing_alg_values_supported: [...VERIFIED_ALGS],
    // Only of clients whose record says so (RFC 9101 §10.5).
    require_signed_request_object: false,
    // Absent would mean true (OpenID Connect Discovery §3). A request_uri of a pushed request needs no such support.
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
    ...mtlsMetadata(settings),
    ...(takesDocuments(settings) && { client_id_metadata_document_supported: true }),
    ...(isForDevelopment(settings) && { redmint_dev: true }),
  }
}

/** draft-parecki-oauth-global-token-revocation §5: an access token of a client is how it authenticates. */
function globalRevocation({ global_token_revocation, issuer }: MetadataSettings): Partial<ServerMetadata> {
  if (global_token_revocation === 'off') return {}
  return {
    global_token_revocation_endpoint: issuer + PATHS.global_revocation,
    global_token_revocation_endpoint_auth_methods_supported: ['Bearer', 'DPoP'],
  }
}
