import { type Compared, invalidRequest, OAuthError, retryAfter } from '../core/errors.ts'
import { SIGNALS_SCOPE } from '../core/security-events.ts'

/** A request of a receiver is malformed (SSF 1.0: 400). */
export const streamRequestMalformed = (description: string, facts?: Compared) =>
  invalidRequest('stream_request_malformed', description, { received: { problem: description }, ...facts })

/** The receiver has no stream of this id, whether another one has it or not (SSF 1.0: 404). */
export const streamUnknown = () =>
  invalidRequest('stream_unknown', 'This client has no stream with this stream_id: read its configuration.', {
    status: 404,
    expected: { stream_id: 'that of the stream of this client' },
  })

/** The receiver has a stream (SSF 1.0: 409). */
export const streamExists = () =>
  invalidRequest(
    'stream_exists',
    'This client has a stream, and may have one: read it, and update or replace its configuration.',
    { status: 409, received: { streams: 2 }, expected: { streams: 1 } },
  )

/** The token is not that of a client that may have a stream (SSF 1.0: 403). */
export const notReceiver = () =>
  invalidRequest(
    'stream_not_allowed',
    'A stream belongs to a client: get the token by client credentials, for a client with the scope ssf.manage.',
    { status: 403, expected: { grant_type: 'client_credentials', scope: SIGNALS_SCOPE.manage } },
  )

/** The receiver asks too often, or for too many (SSF 1.0: 429). */
export const streamLimited = (limit: 'verifications' | 'subjects', retry_after: number) =>
  new OAuthError(
    'temporarily_unavailable',
    'stream_limited',
    limit === 'verifications'
      ? 'A verification was asked for less than min_verification_interval ago: try again later.'
      : 'Too many subjects were removed from the stream.',
    { status: 429, headers: retryAfter(retry_after), received: { limit } },
  )
