import { type Static, Type } from '@sinclair/typebox'
import { CERTIFICATE_METHODS } from '../clients/record/mtls-fields.ts'
import type { Settings } from '../config/settings.ts'
import { issuerPath, PATHS } from '../core/paths.ts'

/** The endpoints to which clients themselves send requests, by their names in the metadata (RFC 8705 §5). */
const ENDPOINTS = {
  token_endpoint: PATHS.token,
  pushed_authorization_request_endpoint: PATHS.par,
  device_authorization_endpoint: PATHS.device_authorization,
  revocation_endpoint: PATHS.revoke,
  introspection_endpoint: PATHS.introspect,
  userinfo_endpoint: PATHS.userinfo,
} as const

const Uri = Type.String({ format: 'uri' })

/** The metadata of mutual TLS (RFC 8705 §3.3 and §5). */
export const MTLS_METADATA = {
  tls_client_certificate_bound_access_tokens: Type.Optional(Type.Boolean()),
  mtls_endpoint_aliases: Type.Optional(
    Type.Object({
      token_endpoint: Uri,
      pushed_authorization_request_endpoint: Uri,
      device_authorization_endpoint: Uri,
      revocation_endpoint: Uri,
      introspection_endpoint: Uri,
      userinfo_endpoint: Uri,
    }),
  ),
}
type MtlsMetadata = Static<ReturnType<typeof Type.Object<typeof MTLS_METADATA>>>

/** The settings that say whether and where clients send certificates. */
export type MtlsSettings = Pick<Settings, 'client_certificate_secret' | 'issuer' | 'mtls_origin'>

/** Returns the metadata of mutual TLS: nothing without client certificates. */
export function mtlsMetadata({ client_certificate_secret, issuer, mtls_origin }: MtlsSettings): MtlsMetadata {
  if (client_certificate_secret === undefined) return {}
  const aliases = mtls_origin === undefined ? undefined : aliasesAt(mtls_origin + issuerPath(issuer))
  return {
    tls_client_certificate_bound_access_tokens: true,
    ...(aliases && { mtls_endpoint_aliases: aliases }),
  }
}

/** Returns the methods by which clients authenticate with a certificate here. */
export function certificateMethods({
  client_certificate_secret,
}: Pick<MtlsSettings, 'client_certificate_secret'>): readonly string[] {
  return client_certificate_secret === undefined ? [] : CERTIFICATE_METHODS
}

type Aliases = NonNullable<MtlsMetadata['mtls_endpoint_aliases']>

function aliasesAt(base: string): Aliases {
  return Object.fromEntries(Object.entries(ENDPOINTS).map(([name, path]) => [name, base + path])) as Aliases
}
