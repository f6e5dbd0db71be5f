import type { ErrorCode } from '../core/error-codes.ts'
import type { OAuthError } from '../core/errors.ts'
import { withQuery } from '../core/uri.ts'
import { findAnswerKeys, type SignedAnswerContext, writeAnswer } from '../tokens/signed-answer.ts'
import type { ResponseMode, Target } from './request.ts'

/** An authorization response, which the browser takes to the client. */
export interface ClientResponse {
  readonly redirect_uri: string
  readonly delivery: Delivery
  readonly parameters: Readonly<Record<string, string>>
  /** The code of the error that is reported; absent: there is none. */
  readonly error?: ErrorCode
}

/** How the browser takes a response to the client. */
type Delivery = 'query' | 'form_post'

/** Writes the response with a code, or the one that reports an error. */
export interface Responder {
  /** RFC 6749 §4.1.2. */
  code(code: string): Promise<ClientResponse>
  /** RFC 6749 §4.1.2.1. */
  error(error: OAuthError): Promise<ClientResponse>
}

/** How the response modes return a response, and whether as a JWT. For a code, `jwt` is `query.jwt` (JARM §2.3.4). */
const MODES: Readonly<Record<ResponseMode, { readonly delivery: Delivery; readonly is_jwt: boolean }>> = {
  query: { delivery: 'query', is_jwt: false },
  form_post: { delivery: 'form_post', is_jwt: false },
  jwt: { delivery: 'query', is_jwt: true },
  'query.jwt': { delivery: 'query', is_jwt: true },
  'form_post.jwt': { delivery: 'form_post', is_jwt: true },
}

/** Whether a redirect takes the response to the client, and no page. */
export function isByRedirect({ response_mode }: Pick<Target, 'response_mode'>): boolean {
  return MODES[response_mode].delivery === 'query'
}

/** The lifetime of a response as a JWT in seconds: the longest that JARM §2.1 recommends, and that a code can have. */
export const RESPONSE_JWT_TTL = 600

/**
 * Returns what writes the responses to a request. Its keys can be missing, so this comes before a code is issued.
 * @throws as findAnswerKeys; these errors are not reported to the client: nothing could sign or encrypt them
 */
export async function findResponder(context: SignedAnswerContext, target: Target): Promise<Responder> {
  const { client, redirect_uri, response_mode, state } = target
  const { delivery, is_jwt } = MODES[response_mode]
  const { issuer } = context.settings
  const keys = is_jwt ? await findAnswerKeys(context, client, 'authorization') : undefined
  const respond = async (answer: Record<string, string>): Promise<ClientResponse> => {
    // RFC 9207 §2: iss.
    const plain = Object.assign({}, answer, state !== undefined && { state }, { iss: issuer })
    if (keys === undefined) return { redirect_uri, delivery, parameters: plain }
    const exp = Math.floor(context.now() / 1000) + RESPONSE_JWT_TTL
    // JARM §2.1; without `sub` and `iat` it never passes as an id_token.
    const response = await writeAnswer(keys, 'JWT', { ...plain, aud: client.client_id, exp })
    return { redirect_uri, delivery, parameters: { response } }
  }
  return {
    code: (code) => respond({ code }),
    error: async ({ code, description }) => ({
      ...(await respond({ error: code, error_description: description })),
      error: code,
    }),
  }
}

/** The address of a response in the query of the redirect_uri. */
export function locationOf({ redirect_uri, parameters }: ClientResponse): string {
  return withQuery(redirect_uri, parameters)
}
