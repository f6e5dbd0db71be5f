import { parseObject } from '../../src/core/json.ts'
import { readText, send } from '../../src/outbound/operator-fetch.ts'

/** What an endpoint of the server answered to a form. */
export interface FormAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Posts a form. @throws Error with the address that does not answer */
export async function postForm(address: string, form: Readonly<Record<string, string>>): Promise<FormAnswer> {
  const response = await send(address, { method: 'POST', body: new URLSearchParams(form) })
  return { status: response.status, body: parseObject(await readText(response, address)) ?? {} }
}

/** The tokens of an answer of a token endpoint; undefined if it has none. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  /** In milliseconds since 1970. */
  readonly expires_at: number
}

/** Reads an answer of a token endpoint (RFC 6749 §5.1). @param now milliseconds since 1970 */
export function tokensOf({ status, body }: FormAnswer, now: number): Tokens | undefined {
  const { access_token, refresh_token, expires_in } = body
  if (status !== 200 || typeof access_token !== 'string' || typeof expires_in !== 'number') return undefined
  const expires_at = now + expires_in * 1000
  return typeof refresh_token === 'string'
    ? { access_token, refresh_token, expires_at }
    : { access_token, expires_at }
}
