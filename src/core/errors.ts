import type { ErrorCode } from './error-codes.ts'
import type { SecurityEvent } from './events.ts'
import type { ClientId } from './ids.ts'
import type { Facts, Reason } from './reasons.ts'
import { factsOf, type PartyFault } from './third-parties.ts'

/** Response headers by their lower-case names. */
export type ErrorHeaders = Readonly<Record<string, string>>

/** The error pages that a status does not decide. */
type ErrorPage =
  | 'account'
  | 'expired'
  | 'unknown_client'
  | 'lapsed_client'
  | 'client_away'
  | 'client_document'
  | 'directory_away'
  | 'logout'

/** What an error has besides its code and description. */
export interface ErrorDetails {
  status?: number
  cause?: unknown
  headers?: ErrorHeaders
  page?: ErrorPage
  client?: ErrorClient
  event?: SecurityEvent
  logged?: LoggedFields
  compared?: ComparedAddresses
  received?: Facts
  expected?: Facts
  log_as?: string
}

/** What a request had, and what it should have had, for operators; and what the log says where the answer quotes it. */
export type Compared = Pick<ErrorDetails, 'received' | 'expected' | 'log_as'>

/** What the line of a refusal in the log says besides. */
export interface LoggedFields {
  readonly client_id: ClientId
  readonly redirect_uri: string
}

/** A redirect URI that a client sent, and those that it registered. */
export interface ComparedAddresses {
  readonly sent: string
  readonly registered: readonly string[]
}

/** The client whose request an error page is about. Only the operator sets its address. */
export interface ErrorClient {
  readonly client_name: string
  readonly client_uri?: string | undefined
}

/**
 * The error of the protocol. `description` is sent and contains no secrets; `cause` is only logged. It has everything
 * that is special about its response, so that a new code needs only a factory.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: ErrorCode
  readonly description: string
  readonly status: number
  /** Headers of the response, such as a challenge or Retry-After. */
  readonly headers: ErrorHeaders
  /** The error page to show; undefined: the default page of the status. */
  readonly page: ErrorPage | undefined
  /** The client that the error page may link back to. */
  readonly client: ErrorClient | undefined
  /** The event that this refusal is: the line of the refusal in the log is then the line of the event. */
  readonly event: SecurityEvent | undefined
  /** Fields of the line in the log. */
  readonly logged: LoggedFields | undefined
  /** What the error page of demo mode shows side by side. */
  readonly compared: ComparedAddresses | undefined
  /** The rule that refused. */
  readonly reason: Reason
  readonly received: Facts | undefined
  readonly expected: Facts | undefined
  /** The sentence of its line in the log: the answer may quote what a stranger typed, the log does not. */
  readonly log_as: string

  constructor(code: ErrorCode, reason: Reason, description: string, details: ErrorDetails = {}) {
    super(`${code}: ${description}`, { cause: details.cause })
    this.code = code
    this.description = description
    this.status = details.status ?? 400
    this.headers = details.headers ?? {}
    this.page = details.page
    this.client = details.client
    this.event = details.event
    this.logged = details.logged
    this.compared = details.compared
    this.reason = reason
    this.received = details.received
    this.expected = withWait(details.expected, this.headers['retry-after'])
    this.log_as = details.log_as ?? description
  }
}

// Whoever is to wait learns it from the header, and operators from the explanation.
const withWait = (expected: Facts | undefined, seconds: string | undefined) =>
  seconds === undefined ? expected : { ...expected, retry_after: Number(seconds) }

// RFC 9110 §10.2.3; seconds.
export const retryAfter = (seconds: number): ErrorHeaders => ({ 'retry-after': String(seconds) })

// After an outage all clients that it refused would come back in the same second.
const SPREAD = 5

/** Retry-After of what many clients get at the same moment: from so many seconds on, another one for each. */
export const retrySpread = (seconds: number): ErrorHeaders =>
  retryAfter(seconds + Math.floor(Math.random() * SPREAD))

/** The request misses a parameter, repeats one or is otherwise malformed (RFC 6749 §5.2). */
export const invalidRequest = (reason: Reason, description: string, details?: ErrorDetails) =>
  new OAuthError('invalid_request', reason, description, details)

/** A body has another media type than that of a form. @param content_type as shownMediaType */
export const bodyNotForm = (content_type: string | undefined) =>
  invalidRequest('body_not_a_form', 'Send the parameters as application/x-www-form-urlencoded.', {
    ...(content_type !== undefined && { received: { content_type } }),
    expected: { content_type: 'application/x-www-form-urlencoded' },
  })

/** Demo mode serves this machine alone (RFC 9110 §15.5.20). `cause`: what the request came by, for the log. */
export const demoFromOutside = (cause: string) =>
  invalidRequest(
    'demo_from_outside',
    'In demo mode anyone can sign in as anyone, so only requests of this machine are answered: to localhost, 127.0.0.1 or [::1], and by no proxy. Set DEMO=false, or DEMO=public and ISSUER for a public demonstration.',
    { status: 421, cause },
  )

/** Storage is unavailable, so the request cannot be decided. */
export const temporarilyUnavailable = (cause: unknown) =>
  new OAuthError(
    'temporarily_unavailable',
    'storage_away',
    'The service cannot reach its storage: try again shortly.',
    { status: 503, cause, headers: retrySpread(1) },
  )

/** Too many concurrent sign-ins for password hashing (RFC 9110 §15.6.4). */
export const overloaded = () =>
  new OAuthError(
    'temporarily_unavailable',
    'sign_ins_too_many',
    'Too many people sign in at this moment: try again shortly.',
    { status: 503, headers: retrySpread(2) },
  )

/** The directory that knows the names and passwords of people cannot be used now. */
export const directoryAway = (cause: unknown, fault: PartyFault) =>
  new OAuthError(
    'temporarily_unavailable',
    'directory_away',
    'The directory cannot be reached: try again in a moment.',
    { status: 503, cause, headers: retrySpread(2), page: 'directory_away', received: factsOf(fault) },
  )

/** The request waited for its turn for so long that its sender may have gone: nothing was done for it. */
export const tooLate = () =>
  new OAuthError(
    'temporarily_unavailable',
    'too_much_to_do',
    'The service has too much to do at this moment: try again shortly.',
    {
      status: 503,
      headers: retrySpread(1),
    },
  )

/** An unexpected error: the cause is only logged. */
export const serverError = (cause: unknown) =>
  new OAuthError('server_error', 'server_fault', 'Something went wrong on our side.', {
    status: 500,
    cause,
  })
