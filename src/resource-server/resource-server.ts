import { errorBody } from '../core/error-body.ts'
import { OAuthError, serverError } from '../core/errors.ts'
import type { AccessToken } from './access-token.ts'
import type { Needs } from './check-access.ts'
import type { ApiRequest } from './presented-token.ts'
import { type Answer, type DescribedResource, JSON_TYPE } from './resource-metadata.ts'

/** The guard of an API. */
export interface ResourceServer extends Omit<DescribedResource, 'place'> {
  /**
   * Returns the access token of a request, if it is what the route needs.
   * @throws an error that `answer` turns into the answer to the request; a TypeError, which it turns into 500, if the
   * needs have a name or a form that is not known
   */
  verify(request: ApiRequest, needs?: Needs): Promise<AccessToken>
  /** Returns the answer to a request that was refused: status, challenge and body. Never has a secret in it. */
  answer(error: unknown): Answer
}

/** Returns the answer to a request that was refused. */
export function answerTo(thrown: unknown): Answer {
  const error = thrown instanceof OAuthError ? thrown : serverError(thrown)
  return {
    status: error.status,
    headers: { ...JSON_TYPE, 'cache-control': 'no-store', ...error.headers },
    body: JSON.stringify(errorBody(error)),
  }
}
