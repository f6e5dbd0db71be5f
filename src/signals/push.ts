import { parseObject } from '../core/json.ts'
import { SET_ERRORS, SET_MEDIA_TYPE } from '../core/security-events.ts'
import { type PublicRequestOptions, requestPublicly } from '../outbound/public-request.ts'

/**
 * What came of a delivery. `refused`: the receiver says what is wrong with the token (RFC 8935 §2.3), by one of the codes of
 * RFC 8935 §2.4. `failed`: the status, or the code of the error; never an address.
 */
export type Delivered =
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'refused'; readonly error: string }
  | { readonly outcome: 'failed'; readonly status: number | string }

/** Posts a token to a receiver. */
export type PushSet = (
  endpoint_url: string,
  set: string,
  authorization: string | undefined,
) => Promise<Delivered>

const MAX_ANSWER = 4096

/** Returns what posts tokens (RFC 8935 §2.1), with the guards of requestPublicly. */
export function setPusher(options: PublicRequestOptions): PushSet {
  return async (endpoint_url, set, authorization) => {
    const headers = {
      'content-type': SET_MEDIA_TYPE,
      'content-length': Buffer.byteLength(set),
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...(authorization !== undefined && { authorization }),
    }
    const request = { method: 'POST', headers, body: set, max_response: MAX_ANSWER } as const
    try {
      return await requestPublicly(new URL(endpoint_url), request, options, judge)
    } catch (error) {
      return { outcome: 'failed', status: (error as NodeJS.ErrnoException).code ?? 'unknown' }
    }
  }
}

/** RFC 8935 §2.2: 202; some receivers send 200 or 204. */
const TAKEN: readonly number[] = [200, 202, 204]

type Response = Parameters<Parameters<typeof requestPublicly>[3]>[0]

async function judge(response: Response): Promise<Delivered> {
  const { statusCode: status = 0 } = response
  if (TAKEN.includes(status)) return { outcome: 'taken' }
  if (status !== 400) return { outcome: 'failed', status }
  const err = parseObject(await textOf(response))?.err
  return err === undefined ? { outcome: 'failed', status } : { outcome: 'refused', error: knownError(err) }
}

/** Returns the code of an error that a receiver names: what it may say besides is not kept. */
export function knownError(err: unknown): string {
  return SET_ERRORS.find((known) => known === err) ?? 'another error'
}

async function textOf(response: Response): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
