import { type PublicRequestOptions, requestPublicly } from './public-request.ts'

/**
 * Posts a form to a URI of a client, with the guards of requestPublicly.
 * @returns the status of the response, or the code of the error
 */
export async function postPublicly(
  uri: string,
  form: string,
  options: PublicRequestOptions,
): Promise<number | string> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(form),
    'accept-encoding': 'identity',
    'cache-control': 'no-store',
  }
  try {
    // The body of the response is ignored.
    return await requestPublicly(
      new URL(uri),
      { method: 'POST', headers, body: form, max_response: 0 },
      options,
      async ({ statusCode }) => statusCode ?? 0,
    )
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}
