import { type PublicRequestOptions, requestPublicly } from './public-request.ts'

/**
 * Posts a form to a URI of a client, with the guards of requestPublicly.
 * @returns the status of the response, or the code of the error
 */
export function postPublicly(
  uri: string,
  form: string,
  options: PublicRequestOptions,
): Promise<number | string> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'cache-control': 'no-store' }
  return postBody(uri, { headers, body: form }, options)
}

/**
 * Posts a body with headers of its own, with the guards of requestPublicly.
 * @returns the status of the response, or the code of the error
 */
export async function postBody(
  uri: string,
  {
    headers,
    body,
  }: { readonly headers: Readonly<Record<string, string>>; readonly body: string | Uint8Array },
  options: PublicRequestOptions,
): Promise<number | string> {
  const sent = { ...headers, 'content-length': Buffer.byteLength(body), 'accept-encoding': 'identity' }
  try {
    // The body of the response is ignored.
    return await requestPublicly(
      new URL(uri),
      { method: 'POST', headers: sent, body, max_response: 0 },
      options,
      async ({ statusCode }) => statusCode ?? 0,
    )
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}
