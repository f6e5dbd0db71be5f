import type { IncomingMessage } from 'node:http'
import type { Settings } from '../config/settings.ts'
import { codingOf } from './content-coding.ts'
import { type PublicRequestOptions, requestPublicly } from './public-request.ts'

/** The part of fetch that libraries of clients use; a redirect is an answer, and is not followed. */
export type GuardedFetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: unknown
  },
) => Promise<Response>

/** The code of the error if an answer has a content coding. */
const CODED = 'ECODED'

/** How many bytes an answer may have: Azure publishes certificates with its keys. */
const MAX_BYTES = 128 * 1024

/**
 * Returns a fetch with the guards for requests to others: `https`, no private address unless ISSUER_PRIVATE_HOSTS has the
 * host, no redirect, some seconds, and answers of a bounded size.
 * @param more how hosts are found and trusted, for tests
 */
export function guardedFetch(
  { issuer_private_hosts }: Pick<Settings, 'issuer_private_hosts'>,
  more: Omit<PublicRequestOptions, 'allow_private'> = {},
): GuardedFetch {
  return async (text, { method, headers, body }) => {
    const url = new URL(text)
    if (url.protocol !== 'https:' || url.username || url.password)
      throw new TypeError('not an https URL without user name and password')
    const form = body === undefined || body === null ? undefined : String(body)
    const length = form === undefined ? {} : { 'content-length': Buffer.byteLength(form) }
    return requestPublicly(
      url,
      {
        method: method === 'POST' ? 'POST' : 'GET',
        headers: { ...headers, 'accept-encoding': 'identity', ...length },
        max_response: MAX_BYTES,
        ...(form !== undefined && { body: form }),
      },
      { ...more, allow_private: issuer_private_hosts.includes(url.host) },
      toResponse,
    )
  }
}

async function toResponse(incoming: IncomingMessage): Promise<Response> {
  const coding = codingOf(incoming.headers['content-encoding'])
  if (coding !== undefined)
    throw Object.assign(new Error(`the answer has the coding ${coding}, which was not asked for`), {
      code: CODED,
    })
  const chunks: Buffer[] = []
  // requestPublicly ends a longer one.
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const headers = new Headers()
  for (const name of ['content-type', 'location', 'cache-control', 'www-authenticate']) {
    const value = incoming.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  const status = incoming.statusCode ?? 502
  const has_body = ![204, 205, 304].includes(status)
  return new Response(has_body ? Buffer.concat(chunks) : null, { status, headers })
}
