import { postBody } from '../outbound/public-post.ts'
import type { PublicRequestOptions } from '../outbound/public-request.ts'
import type { PostPing } from './ping-courier.ts'

/** Returns what tells clients of answers (CIBA §10.2), with the guards of requestPublicly. */
export const postPing =
  (options: PublicRequestOptions): PostPing =>
  (endpoint, { auth_req_id, token }) =>
    postBody(
      endpoint,
      {
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ auth_req_id }),
      },
      options,
    )
