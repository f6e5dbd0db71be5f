import type { ChallengeAttributes } from '../core/challenge.ts'
import { errorBody } from '../core/error-body.ts'
import { OAuthError, serverError } from '../core/errors.ts'
import { AccessToken, type TokenFacts } from './access-token.ts'
import type { BindingRules } from './binding.ts'
import { checkAccess, checkNeeds, type Needs, type VerifyToken } from './check-access.ts'
import type { ApiRequest } from './presented-token.ts'
import {
  type Answer,
  type DescribedResource,
  describeResource,
  JSON_TYPE,
  type ResourceOptions,
} from './resource-metadata.ts'

export interface GuardOptions extends ResourceOptions, Pick<BindingRules, 'certificateOf' | 'proofs'> {
  /** The realm of the challenges (RFC 9110 §11.5). Default: none. */
  readonly realm?: string
  /** Whom tokens with an audience may be for; absent: the function that verifies them checks it. */
  readonly audiences?: readonly string[]
  /** Milliseconds since 1970. Default: the clock of the system. */
  readonly now?: () => number
}

/** The guard of an API. */
export interface ResourceServer extends Pick<DescribedResource, 'document' | 'metadata' | 'metadata_path'> {
  /**
   * Returns the access token of a request, if it is what the route needs.
   * @throws an error that `answer` turns into the answer to the request; a TypeError, which it turns into 500, if the
   * needs have a name or a form that is not known
   */
  verify(request: ApiRequest, needs?: Needs): Promise<AccessToken>
  /** Returns the answer to a request that was refused: status, challenge and body. Never has a secret in it. */
  answer(error: unknown): Answer
}

/**
 * Returns the guard of an API whose tokens are verified by this function.
 * @throws TypeError if the resource cannot be one; the message says what to set
 */
export function guardResource(verify: VerifyToken, options: GuardOptions): ResourceServer {
  const { realm, audiences, proofs, certificateOf, now = Date.now } = options
  const { place: named, ...described } = describeResource(options, proofs)
  const place: ChallengeAttributes = { ...(realm && { realm }), ...named }
  const gate = {
    verify,
    place,
    now,
    ...(audiences && { audiences }),
    ...(proofs && { proofs }),
    ...(certificateOf && { certificateOf }),
  }
  return {
    ...described,
    async verify(request, needs) {
      if (needs !== undefined) checkNeeds(needs)
      const { token, headers } = await checkAccess<TokenFacts>(gate, request, needs)
      return new AccessToken(token, headers)
    },
    answer: answerTo,
  }
}

function answerTo(thrown: unknown): Answer {
  const error = thrown instanceof OAuthError ? thrown : serverError(thrown)
  return {
    status: error.status,
    headers: { ...JSON_TYPE, 'cache-control': 'no-store', ...error.headers },
    body: JSON.stringify(errorBody(error)),
  }
}
