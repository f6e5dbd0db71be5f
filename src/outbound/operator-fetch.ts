import { parseObject } from '../core/json.ts'

// Milliseconds, for the whole answer.
const TIMEOUT = 5_000
const MAX_BYTES = 262_144

/** The answer was not 200. */
export class UnexpectedStatus extends Error {
  override readonly name = 'UnexpectedStatus'
  readonly status: number

  constructor(url: string, status: number) {
    super(`${url} answered ${status}`)
    this.status = status
  }
}

/** A request to an address that the operator chose. */
export type OperatorRequest = Pick<RequestInit, 'method' | 'headers' | 'body'>

/**
 * Sends a request to an address that the operator chose. Private addresses are allowed, because nobody else can choose
 * the address. A redirect could lead to one that the operator did not choose, and is not followed.
 * @param timeout milliseconds
 * @returns the response, whose body must be read or cancelled within that time after the call
 * @throws Error with the address and what is wrong
 */
export function send(url: string, request: OperatorRequest = {}, timeout = TIMEOUT): Promise<Response> {
  return fetch(url, {
    ...request,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout),
  }).catch((error) => failed(url, error, timeout))
}

/**
 * Reads a response of at most 256 KiB as a JSON object.
 * @throws Error with the address and what is wrong
 */
export async function readObject(response: Response, url: string): Promise<Record<string, unknown>> {
  const object = parseObject(await readLimited(response, url))
  if (object === undefined) throw new Error(`${url} did not answer with a JSON object`)
  return object
}

/**
 * Fetches a JSON object from an address that the operator chose, within 5 seconds and 256 KiB.
 * @throws UnexpectedStatus; Error with the address and what is wrong
 */
export async function fetchObject(url: string, request?: OperatorRequest): Promise<Record<string, unknown>> {
  return readObject(await fetchOk(url, request), url)
}

/**
 * Fetches a text from an address that the operator chose, within 5 seconds and 256 KiB.
 * @throws UnexpectedStatus; Error with the address and what is wrong
 */
export async function fetchText(url: string, request?: OperatorRequest): Promise<string> {
  return readLimited(await fetchOk(url, request), url)
}

async function fetchOk(url: string, request?: OperatorRequest): Promise<Response> {
  const response = await send(url, request)
  if (response.status === 200) return response
  await response.body?.cancel()
  throw new UnexpectedStatus(url, response.status)
}

async function readLimited(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      // Leaving the loop cancels the body.
      if (bytes > MAX_BYTES) break
      chunks.push(chunk)
    }
  } catch (error) {
    failed(url, error)
  }
  if (bytes > MAX_BYTES) throw new Error(`${url} answered with more than ${MAX_BYTES} bytes`)
  return Buffer.concat(chunks).toString()
}

function failed(url: string, error: unknown, timeout = TIMEOUT): never {
  const { name, cause } = error as Error
  const reason = name === 'TimeoutError' ? `in ${timeout} ms` : `(${(cause as Error)?.message ?? error})`
  throw new Error(`${url} did not answer ${reason}`, { cause: error })
}
