import { type Static, Type } from '@sinclair/typebox'
import type { OAuthError } from './errors.ts'

/** The body of every error (RFC 6749 §5.2). */
export const ErrorBody = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  {
    $id: 'redmint:ErrorBody',
    description: 'What went wrong (RFC 6749 §5.2); docs/errors.md explains each code.',
  },
)
export type ErrorBody = Static<typeof ErrorBody>

/** Returns the response body for an error. */
export function errorBody({ code, description }: OAuthError): ErrorBody {
  return { error: code, error_description: description }
}

/** The body of a 404 for an unknown path. */
export const NOT_FOUND: ErrorBody = { error: 'not_found', error_description: 'Nothing is at this path.' }

/** Returns the body of a 405 for a path that has only these methods. */
export function methodNotAllowed(methods: readonly string[]): ErrorBody {
  return {
    error: 'method_not_allowed',
    error_description: `This path answers ${methods.join(', ')} only.`,
  }
}
