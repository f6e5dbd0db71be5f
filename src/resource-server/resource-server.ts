import type { ChallengeAttributes } from '../core/challenge.ts'
import { errorBody } from '../core/error-body.ts'
import { OAuthError, serverError } from '../core/errors.ts'
import { AccessToken, type TokenFacts } from './access-token.ts'
import type { BindingRules } from './binding.ts'
import { checkAccess, checkNeeds, type Needs, type VerifyToken } from './check-access.ts'
import type { ApiRequest } from './presented-token.ts'
import {
  metadataUrl,
  type ResourceMetadata,
  type ResourceOptions,
  resourceMetadata,
} from './resource-metadata.ts'

export interface GuardOptions extends ResourceOptions, Pick<BindingRules, 'certificateOf' | 'proofs'> {
  /** The realm of the challenges (RFC 9110 §11.5). Default: none. */
  readonly realm?: string
  /** Whom tokens with an audience may be for; absent: the function that verifies them checks it. */
  readonly audiences?: readonly string[]
  /** Milliseconds since 1970. Default: the clock of the system. */
  readonly now?: () => number
}

/** An answer to a request: what `node:http` writes. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

/** The guard of an API. */
export interface ResourceServer {
  /**
   * Returns the access token of a request, if it is what the route needs.
   * @throws an error that `answer` turns into the answer to the request; a TypeError, which it turns into 500, if the
   * needs have a name or a form that is not known
   */
  verify(request: ApiRequest, needs?: Needs): Promise<AccessToken>
  /** Returns the answer to a request that was refused: status, challenge and body. Never has a secret in it. */
  answer(error: unknown): Answer
  /** The metadata of the resource (RFC 9728 §2). */
  readonly metadata: ResourceMetadata
  /** The path to answer with `document`, whether the method is GET or OPTIONS. */
  readonly metadata_path: string
  /** The answer at the path of the metadata: pages of any origin may read it. */
  readonly document: Answer
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' } as const
// Seconds.
const METADATA_MAX_AGE = 300

/**
 * Returns the guard of an API whose tokens are verified by this function.
 * @throws TypeError if the resource cannot be one; the message says what to set
 */
export function guardResource(verify: VerifyToken, options: GuardOptions): ResourceServer {
  const { resource, realm, audiences, proofs, certificateOf, now = Date.now } = options
  const { href, pathname } = metadataUrl(resource)
  const place: ChallengeAttributes = { ...(realm && { realm }), resource_metadata: href }
  const gate = {
    verify,
    place,
    now,
    ...(audiences && { audiences }),
    ...(proofs && { proofs }),
    ...(certificateOf && { certificateOf }),
  }
  const metadata = resourceMetadata(options, proofs)
  return {
    async verify(request, needs) {
      if (needs !== undefined) checkNeeds(needs)
      const { token, headers } = await checkAccess<TokenFacts>(gate, request, needs)
      return new AccessToken(token, headers)
    },
    answer: answerTo,
    metadata,
    metadata_path: pathname,
    document: {
      status: 200,
      headers: {
        ...JSON_TYPE,
        'cache-control': `public, max-age=${METADATA_MAX_AGE}`,
        'access-control-allow-origin': '*',
        // The answer to a preflight request, too.
        'access-control-allow-headers': '*',
      },
      body: JSON.stringify(metadata),
    },
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
