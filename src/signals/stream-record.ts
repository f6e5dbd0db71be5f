import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import type { Kind } from '../storage/records.ts'

/** What a stream may be (SSF 1.0, Stream Status). */
export const STREAM_STATUSES = ['enabled', 'paused', 'disabled'] as const
export type StreamStatus = (typeof STREAM_STATUSES)[number]

/** How a receiver gets tokens, by the URN of the method (SSF 1.0, Stream Configuration Metadata). */
export const DELIVERY_METHODS = { push: 'urn:ietf:rfc:8935', poll: 'urn:ietf:rfc:8936' } as const

/** Where tokens are pushed to (RFC 8935). */
export interface PushDelivery {
  readonly endpoint_url: string
  /** The value of the header Authorization, sealed; absent: none is sent. */
  readonly authorization_sealed?: string
}

/** The stream of a receiver: one for each client. */
export interface SetStream {
  readonly stream_id: string
  /** Absent: the receiver polls (RFC 8936). */
  readonly push?: PushDelivery
  /** The types that the receiver asked for; absent: it named none, and gets all. */
  readonly events_requested?: readonly string[]
  readonly description?: string
  readonly status: StreamStatus
  /** Why it has this status. */
  readonly reason?: string
  /** In milliseconds since 1970: nothing that happened before is told. */
  readonly created_at: number
  /** How many deliveries failed in a row. */
  readonly failures: number
  /** When a token was taken last, in milliseconds since 1970; absent: none was. */
  readonly delivered_at?: number
  /** When the receiver last asked for a verification, in milliseconds since 1970. */
  readonly verified_at?: number
}

const optional = <Name extends string>(name: Name, value: string | number | undefined) =>
  value === undefined ? {} : { [name]: String(value) }

/** By the client_id of the receiver, so that no receiver finds the stream of another one. */
export const STREAM: Kind<SetStream> = {
  name: 'set-stream',
  format: ({ push, events_requested, ...stream }): Hash => ({
    stream_id: stream.stream_id,
    ...optional('endpoint_url', push?.endpoint_url),
    ...optional('authorization_sealed', push?.authorization_sealed),
    ...optional('events_requested', events_requested?.join(' ')),
    ...optional('description', stream.description),
    status: stream.status,
    ...optional('reason', stream.reason),
    created_at: String(stream.created_at),
    ...(stream.failures > 0 && { failures: String(stream.failures) }),
    ...optional('delivered_at', stream.delivered_at),
    ...optional('verified_at', stream.verified_at),
  }),
  parse: parseStream,
}

function parseStream(hash: Hash): Parsed<SetStream> {
  const fields = new FieldReader(hash)
  const stream_id = fields.required('stream_id')
  const status = STREAM_STATUSES.find((one) => one === hash.status)
  if (status === undefined) fields.fail('status', `must be one of ${STREAM_STATUSES.join(', ')}`)
  const numbers = Object.fromEntries(
    ['created_at', 'failures', 'delivered_at', 'verified_at'].map((field) => {
      const text = fields.optional(field)
      if (text !== undefined && !/^\d{1,16}$/.test(text)) fields.fail(field, 'is not a number')
      return [field, text === undefined ? undefined : Number(text)]
    }),
  )
  if (status === undefined || fields.problems.length > 0) return { ok: false, problems: fields.problems }
  const { created_at = 0, failures = 0, delivered_at, verified_at } = numbers
  const { endpoint_url, authorization_sealed, events_requested, description, reason } = hash
  return {
    ok: true,
    record: {
      stream_id,
      ...(endpoint_url !== undefined && {
        push: { endpoint_url, ...(authorization_sealed !== undefined && { authorization_sealed }) },
      }),
      ...(events_requested !== undefined && {
        events_requested: events_requested.split(' ').filter((uri) => uri !== ''),
      }),
      ...(description !== undefined && { description }),
      status,
      ...(reason !== undefined && { reason }),
      created_at,
      failures,
      ...(delivered_at !== undefined && { delivered_at }),
      ...(verified_at !== undefined && { verified_at }),
    },
  }
}
