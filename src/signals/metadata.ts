import { type Static, Type } from '@sinclair/typebox'
import { PATHS } from '../core/paths.ts'
import { DELIVERY_METHODS } from './stream-record.ts'

const Uri = Type.String({ format: 'uri' })
const Names = Type.Array(Type.String())

/** The metadata of the transmitter (SSF 1.0, Transmitter Configuration Metadata). */
export const TransmitterMetadata = Type.Object(
  {
    spec_version: Type.String(),
    issuer: Uri,
    jwks_uri: Uri,
    delivery_methods_supported: Names,
    configuration_endpoint: Uri,
    status_endpoint: Uri,
    add_subject_endpoint: Uri,
    remove_subject_endpoint: Uri,
    verification_endpoint: Uri,
    critical_subject_members: Names,
    authorization_schemes: Type.Array(Type.Object({ spec_urn: Type.String() })),
    default_subjects: Type.String(),
  },
  { description: 'What receivers of security events need to know' },
)

/** Returns the metadata of the transmitter. */
export function transmitterMetadata({
  issuer,
}: {
  readonly issuer: string
}): Static<typeof TransmitterMetadata> {
  return {
    spec_version: '1_0',
    issuer,
    jwks_uri: issuer + PATHS.jwks,
    delivery_methods_supported: Object.values(DELIVERY_METHODS),
    configuration_endpoint: issuer + PATHS.signal_stream,
    status_endpoint: issuer + PATHS.signal_status,
    add_subject_endpoint: issuer + PATHS.signal_add_subject,
    remove_subject_endpoint: issuer + PATHS.signal_remove_subject,
    verification_endpoint: issuer + PATHS.signal_verify,
    // Who cannot tell sessions apart must not end all of them for one.
    critical_subject_members: ['user', 'session'],
    authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
    default_subjects: 'ALL',
  }
}
