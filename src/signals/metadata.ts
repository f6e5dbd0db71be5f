import { PATHS } from '../core/paths.ts'
import type { TransmitterMetadata } from '../service/signal-answers.ts'
import { DELIVERY_METHODS } from './stream-record.ts'

/** Returns the metadata of the transmitter. */
export function transmitterMetadata({ issuer }: { readonly issuer: string }): TransmitterMetadata {
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
