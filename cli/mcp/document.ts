import { readObject, send } from '../../src/outbound/operator-fetch.ts'

/** The origin of a client in a browser, as it is sent here to see what the answers allow. */
export const ORIGIN = 'https://client.example'

/** What an address answered: a document, or what is wrong with the answer. */
export type DocumentAnswer =
  | { readonly url: string; readonly document: Readonly<Record<string, unknown>>; readonly headers: Headers }
  | { readonly url: string; readonly failure: string; readonly status?: number }

/** Fetches a metadata document as a client in a browser does, within 5 seconds and 256 KiB. Never rejects. */
export async function fetchDocument(url: string): Promise<DocumentAnswer> {
  try {
    const response = await send(url, { headers: { accept: 'application/json', origin: ORIGIN } })
    const { status, headers } = response
    if (status !== 200) {
      await response.body?.cancel()
      return { url, status, failure: `${url} answers ${status}${redirection(headers)}` }
    }
    return { url, document: await readObject(response, url), headers }
  } catch (error) {
    return { url, failure: (error as Error).message }
  }
}

/** Returns where a redirect leads, as the end of a sentence; nothing for another answer. */
export function redirection(headers: Headers): string {
  const location = headers.get('location')
  return location === null ? '' : ` and leads to ${location}`
}

/** Whether a page of another origin may read an answer (Fetch §3.2). */
export function isReadable(headers: Headers): boolean {
  return ['*', ORIGIN].includes(headers.get('access-control-allow-origin') ?? '')
}

/** The strings of a member that must be a list of strings; undefined if it is not. */
export function listOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}

/** Returns whether two addresses differ by nothing but a slash at the end. */
export function differBySlash(one: string, other: string): boolean {
  return one !== other && one.replace(/\/$/, '') === other.replace(/\/$/, '')
}
