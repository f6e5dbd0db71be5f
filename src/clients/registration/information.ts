import { type Static, Type } from '@sinclair/typebox'
import { parseObject } from '../../core/json.ts'
import { PATHS } from '../../core/paths.ts'
import { present } from '../../core/present.ts'
import { PublicJwk } from '../../keys/public-jwk.ts'
import type { Client } from '../record/client-record.ts'

/** Its public keys (RFC 7517 §5), as the client sent them. */
const JwkSet = Type.Object({ keys: Type.Array(PublicJwk) })
type JwkSet = Static<typeof JwkSet>
const Uri = Type.Optional(Type.String({ format: 'uri' }))
const Text = Type.Optional(Type.String())
const Texts = Type.Array(Type.String())

/** The client information response (RFC 7591 §3.2.1, RFC 7592 §3). */
export const ClientInformation = Type.Object(
  {
    client_id: Type.String(),
    client_secret: Type.Optional(
      Type.String({ description: 'Only when it is made: it cannot be read again' }),
    ),
    client_id_issued_at: Type.Integer({ description: 'Seconds since 1970' }),
    client_secret_expires_at: Type.Optional(Type.Integer({ description: '0: the secret does not expire' })),
    registration_access_token: Type.String({
      description: 'Reads, changes and deletes the registration',
    }),
    registration_client_uri: Type.String({ format: 'uri' }),
    client_name: Text,
    client_uri: Uri,
    logo_uri: Uri,
    policy_uri: Uri,
    tos_uri: Uri,
    redirect_uris: Texts,
    application_type: Type.String(),
    token_endpoint_auth_method: Type.String(),
    grant_types: Texts,
    response_types: Texts,
    scope: Type.String({ description: 'All that the client may obtain' }),
    post_logout_redirect_uris: Type.Optional(Texts),
    backchannel_logout_uri: Uri,
    id_token_signed_response_alg: Text,
    jwks: Type.Optional(JwkSet),
    jwks_uri: Uri,
    token_endpoint_auth_signing_alg: Text,
    authorization_signed_response_alg: Text,
    introspection_signed_response_alg: Text,
    userinfo_signed_response_alg: Text,
    id_token_encrypted_response_alg: Text,
    id_token_encrypted_response_enc: Text,
    authorization_encrypted_response_alg: Text,
    authorization_encrypted_response_enc: Text,
    introspection_encrypted_response_alg: Text,
    introspection_encrypted_response_enc: Text,
    userinfo_encrypted_response_alg: Text,
    userinfo_encrypted_response_enc: Text,
    contacts: Type.Optional(Texts),
    software_id: Text,
    software_version: Text,
    dpop_bound_access_tokens: Type.Optional(Type.Boolean()),
    tls_client_certificate_bound_access_tokens: Type.Optional(Type.Boolean()),
    require_pushed_authorization_requests: Type.Optional(Type.Boolean()),
    request_object_signing_alg: Text,
    require_signed_request_object: Type.Optional(Type.Boolean()),
  },
  { $id: 'redmint:ClientInformation', description: 'A registered client (RFC 7591 §3.2.1, RFC 7592 §3)' },
)
export type ClientInformation = Static<typeof ClientInformation>

/** The secrets of a client. Storage has only their digests. */
export interface Secrets {
  /** Absent unless it is new. */
  readonly client_secret?: string
  readonly registration_access_token: string
}

/** Returns the client information of a client that registered itself: all its metadata as they are registered. */
export function clientInformation(issuer: string, client: Client, secrets: Secrets): ClientInformation {
  const { client_id, client_name, registered_at = '', is_public, post_logout_redirect_uris } = client
  return {
    ...secrets,
    ...present({
      client_name: client_name === client_id ? undefined : client_name,
      client_uri: client.client_uri,
      logo_uri: client.logo_uri,
      policy_uri: client.policy_uri,
      tos_uri: client.tos_uri,
      backchannel_logout_uri: client.backchannel_logout_uri,
      id_token_signed_response_alg: client.id_token_signed_response_alg,
      jwks_uri: client.jwks_uri,
      token_endpoint_auth_signing_alg: client.token_endpoint_auth_signing_alg,
      authorization_signed_response_alg: client.authorization_signed_response_alg,
      introspection_signed_response_alg: client.introspection_signed_response_alg,
      userinfo_signed_response_alg: client.userinfo_signed_response_alg,
      id_token_encrypted_response_alg: client.id_token_encrypted_response_alg,
      id_token_encrypted_response_enc: client.id_token_encrypted_response_enc,
      authorization_encrypted_response_alg: client.authorization_encrypted_response_alg,
      authorization_encrypted_response_enc: client.authorization_encrypted_response_enc,
      introspection_encrypted_response_alg: client.introspection_encrypted_response_alg,
      introspection_encrypted_response_enc: client.introspection_encrypted_response_enc,
      userinfo_encrypted_response_alg: client.userinfo_encrypted_response_alg,
      userinfo_encrypted_response_enc: client.userinfo_encrypted_response_enc,
      software_id: client.software_id,
      software_version: client.software_version,
      dpop_bound_access_tokens: client.dpop_bound_access_tokens,
      tls_client_certificate_bound_access_tokens: client.tls_client_certificate_bound_access_tokens,
      require_pushed_authorization_requests: client.require_pushed_authorization_requests,
      request_object_signing_alg: client.request_object_signing_alg,
      require_signed_request_object: client.require_signed_request_object,
    }),
    ...(client.contacts && { contacts: [...client.contacts] }),
    ...(client.jwks && { jwks: parseObject(client.jwks) as JwkSet }),
    ...(post_logout_redirect_uris.length > 0 && {
      post_logout_redirect_uris: [...post_logout_redirect_uris],
    }),
    client_id,
    client_id_issued_at: Math.floor(Date.parse(registered_at) / 1000),
    ...(client.client_secret_hash === undefined ? {} : { client_secret_expires_at: 0 }),
    registration_client_uri: `${issuer}${PATHS.register}/${encodeURIComponent(client_id)}`,
    redirect_uris: [...client.redirect_uris],
    application_type: client.application_type,
    token_endpoint_auth_method: is_public
      ? 'none'
      : (client.token_endpoint_auth_method ?? 'client_secret_basic'),
    grant_types: [...client.grant_types],
    response_types: ['code'],
    scope: client.allowed_scopes.join(' '),
  }
}
