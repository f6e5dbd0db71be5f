import type { SigningAlg } from '../../core/algs.ts'
import { oneOf } from '../../core/field-kinds.ts'
import type { FieldTable } from '../../core/field-table.ts'
import type { FieldReader, Hash } from '../../core/record-hash.ts'
import { isPlainHttp } from '../../core/uri.ts'
import { usesCertificate } from './mtls-fields.ts'

/** The security profiles that a client can have. */
export const PROFILES = ['fapi2', 'fapi2-message-signing'] as const
export type Profile = (typeof PROFILES)[number]

/** The field of a client record that switches a profile on. */
export const PROFILE_FIELDS = {
  profile: oneOf(PROFILES, {
    label: 'Security profile',
    choice_labels: { fapi2: 'FAPI 2.0', 'fapi2-message-signing': 'FAPI 2.0 with signed messages' },
    flag: {
      group: 'sign_in',
      value: 'profile',
      help: '`fapi2` or `fapi2-message-signing`: all that [FAPI 2.0](fapi.md) demands of the client',
      clear: 'demand only what the other fields say',
    },
    docs: '`fapi2` or `fapi2-message-signing`: all that [FAPI 2.0](fapi.md) demands of the client; a field that contradicts it makes the record malformed',
  }),
} satisfies FieldTable

// FAPI 2.0 Security Profile §5.4.1.
const ALGS: readonly SigningAlg[] = ['ES256', 'PS256', 'EdDSA']

/** The fields with the algorithms of what the client signs, and of what is signed for it. */
const ALG_FIELDS = [
  'token_endpoint_auth_signing_alg',
  'request_object_signing_alg',
  'access_token_signed_response_alg',
  'id_token_signed_response_alg',
  'authorization_signed_response_alg',
  'introspection_signed_response_alg',
  'userinfo_signed_response_alg',
] as const

// FAPI 2.0 Security Profile §5.3.2.1: no client authenticates by a secret.
const METHODS = ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth']

// Seconds.
const MAX_CODE_TTL = 60

/** What a profile demands: the value of each field. */
const DEMANDED: Readonly<Record<Profile, Hash>> = {
  // FAPI 2.0 Security Profile §5.3.2.1 and §5.3.2.2: confidential clients, pushed requests, PKCE, no rotation, and
  // assertions for the issuer only.
  fapi2: {
    is_public: 'false',
    require_pushed_authorization_requests: 'true',
    require_pkce: 'true',
    refresh_token_rotation: 'false',
    assertion_audience: 'issuer',
  },
  // FAPI 2.0 Message Signing §5.3.1.
  'fapi2-message-signing': { require_signed_request_object: 'true' },
}

/** What a profile sets where the record says nothing. */
const PREFERRED: Readonly<Record<Profile, Hash>> = {
  fapi2: {
    token_endpoint_auth_method: 'private_key_jwt',
    access_token_signed_response_alg: 'ES256',
    id_token_signed_response_alg: 'ES256',
  },
  'fapi2-message-signing': {
    authorization_signed_response_alg: 'ES256',
    introspection_signed_response_alg: 'ES256',
  },
}

/** Returns a stored client record with the fields that its profile sets. */
export function withProfile(hash: Hash): Hash {
  const profile = profileOf(hash.profile)
  if (profile === undefined) return hash
  const given = Object.fromEntries(Object.entries(hash).filter(([, value]) => value !== ''))
  // §5.3.2.1: sender-constrained tokens, by mutual TLS or DPoP.
  const bound =
    hash.tls_client_certificate_bound_access_tokens === 'true' ? {} : { dpop_bound_access_tokens: 'true' }
  return { ...preferredOf(profile), ...demandedOf(profile), ...bound, ...given }
}

/** Whether a stored client record names a way to authenticate that needs no secret. */
export function hasSecretlessMethod(hash: Hash): boolean {
  const { token_endpoint_auth_method } = withProfile(hash)
  return token_endpoint_auth_method === 'private_key_jwt' || usesCertificate({ token_endpoint_auth_method })
}

/** Whether a client may sign with an algorithm (FAPI 2.0 Security Profile §5.4.1). */
export function maySignWith(
  { profile }: { readonly profile?: Profile | undefined },
  alg: SigningAlg,
): boolean {
  return profile === undefined || ALGS.includes(alg)
}

/**
 * Returns the algorithm of what a client gets signed and names none for: that of the server, or if its profile forbids this
 * one, that of its id_tokens.
 */
export function defaultAlg(
  client: { readonly profile?: Profile | undefined; readonly id_token_signed_response_alg?: SigningAlg },
  of_server: SigningAlg,
): SigningAlg {
  return maySignWith(client, of_server) ? of_server : (client.id_token_signed_response_alg ?? of_server)
}

/** The reason for the client why its profile refuses an algorithm: part of an error_description, which is ASCII. */
export const PROFILE_ALGS = `its alg must be ${ALGS.join(' or ')} (FAPI 2.0 Security Profile, section 5.4.1)`

/** Returns the lifetime of a code in seconds. FAPI 2.0 Security Profile §5.3.2.2: 60 at most. */
export function codeTtl({ profile }: { readonly profile?: Profile | undefined }, code_ttl: number): number {
  return profile === undefined ? code_ttl : Math.min(code_ttl, MAX_CODE_TTL)
}

/** Whether the authorization responses to a client must be signed (FAPI 2.0 Message Signing §5.4.1). */
export function demandsSignedResponses({ profile }: { readonly profile?: Profile | undefined }): boolean {
  return profile === 'fapi2-message-signing'
}

/** Reports each field that contradicts the profile of a client. */
export function checkProfile(fields: FieldReader): void {
  const profile = profileOf(fields.optional('profile'))
  if (profile === undefined) return
  const because = `because profile is ${profile}`
  for (const [field, value] of Object.entries(demandedOf(profile))) {
    if (fields.optional(field) !== value) fields.fail(field, `must be ${value} or absent, ${because}`)
  }
  const is_bound = ['dpop_bound_access_tokens', 'tls_client_certificate_bound_access_tokens'].some(
    (field) => fields.optional(field) === 'true',
  )
  if (!is_bound) fields.fail('dpop_bound_access_tokens', `must be true or absent, ${because}`)
  const method = fields.optional('token_endpoint_auth_method') ?? ''
  if (!METHODS.includes(method)) {
    fields.fail('token_endpoint_auth_method', `must be ${METHODS.join(' or ')}, ${because}`)
  }
  for (const field of ['client_secret_hash', 'old_secret_hash', 'assertion_issuer']) {
    if (fields.optional(field) !== undefined) fields.fail(field, `must be absent, ${because}`)
  }
  for (const field of ALG_FIELDS) {
    const alg = fields.optional(field)
    if (alg !== undefined && !ALGS.some((known) => known === alg)) {
      fields.fail(field, `must be ${ALGS.join(' or ')}, ${because}`)
    }
  }
  // §5.3.2.2: no response over a connection that is not encrypted, except to an app on the device.
  for (const [index, text] of (fields.optional('redirect_uris')?.split(' ') ?? []).entries()) {
    if (isPlainHttp(text)) fields.fail('redirect_uris', `must be https, ${because}`, { index, text })
  }
}

function demandedOf(profile: Profile): Hash {
  return profile === 'fapi2' ? DEMANDED.fapi2 : { ...DEMANDED.fapi2, ...DEMANDED[profile] }
}

function preferredOf(profile: Profile): Hash {
  return profile === 'fapi2' ? PREFERRED.fapi2 : { ...PREFERRED.fapi2, ...PREFERRED[profile] }
}

function profileOf(name: string | undefined): Profile | undefined {
  return PROFILES.find((known) => known === name)
}
