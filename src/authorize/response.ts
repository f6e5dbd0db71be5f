import type { ErrorCode, OAuthError } from '../core/errors.ts'
import { withQuery } from '../core/uri.ts'
import type { ResponseMode, Target } from './request.ts'

/** An authorization response, which the browser takes to the client. */
export interface ClientResponse {
  readonly redirect_uri: string
  readonly response_mode: ResponseMode
  readonly parameters: Readonly<Record<string, string>>
  /** The code of the error that is reported; absent: there is none. */
  readonly error?: ErrorCode
}

/** The response with a code (RFC 6749 §4.1.2). */
export function codeResponse(target: Target, issuer: string, code: string): ClientResponse {
  return respond(target, issuer, { code })
}

/** The response that reports an error (RFC 6749 §4.1.2.1). */
export function errorResponse(target: Target, issuer: string, error: OAuthError): ClientResponse {
  const { code, description } = error
  return { ...respond(target, issuer, { error: code, error_description: description }), error: code }
}

function respond(target: Target, iss: string, answer: Record<string, string>): ClientResponse {
  const { redirect_uri, response_mode, state } = target
  // RFC 9207 §2: iss.
  return {
    redirect_uri,
    response_mode,
    parameters: { ...answer, ...(state === undefined ? {} : { state }), iss },
  }
}

/** The address of a response in the query of the redirect_uri. */
export function locationOf({ redirect_uri, parameters }: ClientResponse): string {
  return withQuery(redirect_uri, parameters)
}
