import { type Static, Type } from '@sinclair/typebox'

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
  { $id: 'redmint:TransmitterMetadata', description: 'What receivers of security events need to know' },
)
export type TransmitterMetadata = Static<typeof TransmitterMetadata>

/** The configuration of a stream as its receiver sees it (SSF 1.0, Stream Configuration). */
export const ConfiguredStream = Type.Object(
  {
    stream_id: Type.String(),
    iss: Uri,
    aud: Type.String(),
    events_supported: Names,
    events_requested: Type.Optional(Names),
    events_delivered: Names,
    delivery: Type.Object({ method: Type.String(), endpoint_url: Uri }),
    min_verification_interval: Type.Integer(),
    inactivity_timeout: Type.Integer(),
    description: Type.Optional(Type.String()),
  },
  {
    $id: 'redmint:ConfiguredStream',
    description: 'The configuration of a stream; without a stream_id a list',
  },
)
export type ConfiguredStream = Static<typeof ConfiguredStream>

/** The status of a stream (SSF 1.0, Stream Status). */
export const StreamState = Type.Object(
  { stream_id: Type.String(), status: Type.String(), reason: Type.Optional(Type.String()) },
  { $id: 'redmint:StreamState', description: 'The status of a stream' },
)

/** The answer to a receiver that polls (RFC 8936 §2.3). */
export const PolledSets = Type.Object(
  {
    sets: Type.Record(Type.String(), Type.String(), { description: 'the tokens by their jti' }),
    moreAvailable: Type.Boolean(),
  },
  { $id: 'redmint:PolledSets', description: 'Security event tokens (RFC 8936 §2.3)' },
)
export type PolledSets = Static<typeof PolledSets>
